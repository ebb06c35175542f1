/* Policies: what the caller of a run decides in pycoro's place, by an ABI of its own.
   Needs: lowering. Leaves: a table of questions; csrc/api/custom_abi.c fills it. */
#ifndef CORO_CORO_POLICY_H
#define CORO_CORO_POLICY_H

#include "coro/lowering.h"

struct coro_keepable { /* a variable, or a value that is needed behind a suspend */
  uint32_t value, use; /* use: the instruction that needs it behind a suspend, IR_NONE for a variable that none does */
  bool is_variable, is_kept; /* kept: in the frame, as pycoro would have it */
  const char *why; /* of that */
  const char *obstacle; /* why it can not be otherwise; NULL: it can */
  LLVMTypeRef type; /* of a variable: of its content */
  uint64_t size;
};

enum coro_header_kind { HEADER_NUMBER, HEADER_TEXT, HEADER_ADDRESS };

struct coro_header_value { /* of an element of the ABI's own header, for one coroutine */
  struct coro_header_value *next; /* that was said later */
  uint32_t element;
  enum coro_header_kind kind;
  uint64_t number;
  const char *text;
};

/* One that is NULL is pycoro's to decide. ECALLBACK, with a diagnostic: whoever decides failed. */
struct coro_policies {
  const char *name; /* of the ABI, as diagnostics tell it: "ABI 0 (Arena)" */
  const char *own_name; /* as reports tell it: "Arena", "ABI 0" */
  const void *user; /* of these: */
  /* Whether the ABI is for a coroutine that names none. Of one that has passed check_shape, and whose id it lowers. */
  coro_status (*select)(const struct coro_policies *policies, struct coro_lowering *low, bool *selected);
  /* Whether the coroutine may be lowered by the ABI that is chosen, which has accepted it; EREJECTED. */
  coro_status (*check)(const struct coro_policies *policies, struct coro_lowering *low);
  /* What the ABI's own header holds for it at first, where it is not what it holds for all: low->header_values. */
  coro_status (*header)(const struct coro_policies *policies, struct coro_lowering *low);
  /* Whether an instruction whose value is needed behind a suspend is made again there; *again holds what pycoro would
     say. What it computes must be the same there: nobody checks that. */
  coro_status (*rematerialise)(const struct coro_policies *policies, struct coro_lowering *low, uint32_t inst,
                               bool *again);
  /* Whether it is to be in the frame, or not to be. */
  coro_status (*keep)(const struct coro_policies *policies, struct coro_lowering *low,
                      const struct coro_keepable *about, coro_keep *wanted);
  /* Permutes the indices of the fields behind the header, which stand by the offsets that pycoro would give them. */
  coro_status (*order)(const struct coro_policies *policies, struct coro_lowering *low, uint32_t *fields,
                       uint32_t count);
  /* Offsets of these fields, of pycoro's own to be overwritten: `start` is the first byte that they may have. Any
     number may come out. */
  coro_status (*layout)(const struct coro_policies *policies, struct coro_lowering *low, const uint32_t *fields,
                        uint32_t count, uint64_t *offsets);
  /* Whether the frame may be what it is, once it is laid out; EREJECTED. */
  coro_status (*check_frame)(const struct coro_policies *policies, struct coro_lowering *low);
};

/* Somebody is told of the frame's fields what a report tells. */
static inline bool coro_policies_see_frame(const struct coro_policies *policies)
{
  return policies->order || policies->layout || policies->check_frame;
}

#endif
