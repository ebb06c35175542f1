/* The table of callbacks of a custom ABI. Client code decides instead of pycoro: which coroutines the ABI applies
   to, what lives in the frame, and where. csrc/api/custom_abi.c fills it.
   Requires: nothing. */
#pragma once

#include "lowering/lowering.h"

struct coro_spill_candidate { /* an alloca, or a value that is live across a suspend */
  uint32_t value;
  uint32_t use; /* an instruction that uses the value after a suspend; IR_NONE: an alloca without such a use */
  bool is_alloca, in_frame; /* in_frame: decision of pycoro */
  const char *why; /* reason of that decision */
  const char *obstacle; /* reason why the ABI cannot change the decision; NULL: it can */
  LLVMTypeRef type; /* content type of an alloca */
  uint64_t size;
};

enum coro_header_kind { HEADER_NUMBER, HEADER_TEXT, HEADER_ADDRESS };

struct coro_header_value { /* initial value of an ABI header element, for one coroutine */
  struct coro_header_value *next; /* added later */
  uint32_t element;
  enum coro_header_kind kind;
  uint64_t number;
  const char *text;
};

/* A NULL function leaves the decision to pycoro. All return ECALLBACK with a diagnostic if the client fails. */
struct coro_policies {
  const char *name; /* in diagnostics: "ABI 0 (Arena)" */
  const char *own_name; /* in reports: "Arena", "ABI 0" */
  const void *user; /* argument of these: */
  /* Whether the ABI lowers a coroutine that names no ABI. Called in select_abi if `ids` contains its kind of
     coro.id. */
  coro_status (*select)(const struct coro_policies *policies, struct coro_lowering *low, bool *selected);
  /* Called in select_abi. EREJECTED if the chosen ABI does not accept the coroutine. */
  coro_status (*check)(const struct coro_policies *policies, struct coro_lowering *low);
  /* In select_abi: sets initial values of the ABI's header for this coroutine, low->header_values. */
  coro_status (*header)(const struct coro_policies *policies, struct coro_lowering *low);
  /* In remat: whether a value that is live across a suspend is rematerialized. *rematerialized: pycoro's decision, then
     the client's. The client guarantees that recomputation gives the same value; it is not checked. */
  coro_status (*rematerialize)(const struct coro_policies *policies, struct coro_lowering *low, uint32_t inst,
                               bool *rematerialized);
  /* In frame_allocas and remat, see placement_policy.h: whether it is placed in the frame. */
  coro_status (*keep_in_frame)(const struct coro_policies *policies, struct coro_lowering *low,
                               const struct coro_spill_candidate *about, coro_spill_choice *wanted);
  /* In layout: permutes the indices of the fields after the header, given in order of pycoro's offsets. Fields then
     share no bytes. */
  coro_status (*order)(const struct coro_policies *policies, struct coro_lowering *low, uint32_t *fields,
                       uint32_t count);
  /* In layout, if there is no `order`: overwrites pycoro's offsets of these fields, from the end of the header on. The
     caller checks the result. */
  coro_status (*layout)(const struct coro_policies *policies, struct coro_lowering *low, const uint32_t *fields,
                        uint32_t count, uint64_t *offsets);
  /* Called in check_layout. EREJECTED if the laid-out frame is not acceptable. */
  coro_status (*check_frame)(const struct coro_policies *policies, struct coro_lowering *low);
};

/* Whether a policy receives descriptions of frame fields. */
static inline bool coro_policies_read_frame(const struct coro_policies *policies)
{
  return policies->order || policies->layout || policies->check_frame;
}
