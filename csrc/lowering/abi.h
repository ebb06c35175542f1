/* The interface that each ABI implements: a table of functions and properties for everything in which coroutine ABIs
   differ. csrc/abi has the tables of LLVM's ABIs. A custom ABI is such a table with other policies (policy.h) and with
   hooks (hook.h).
   Requires: lowering.h. */
#ifndef CORO_LOWERING_ABI_H
#define CORO_LOWERING_ABI_H

#include "lowering/lowering.h"
#include "lowering/policy.h"

struct hook_module;

struct coro_abi {
  const char *name;
  unsigned ids; /* kinds of coro.id that it lowers: a set of 1 << coro_abi_kind */
  bool returns; /* a suspend or an end returns, in the ramp and in clones, so no code follows it */
  bool ends_frame; /* an end frees the frame; a clone continues only after an unwind end */
  /* Checks the rules for id, suspends and ends; EREJECTED with a diagnostic. Called before any modification. */
  coro_status (*check)(const struct coro_lowering *low);
  bool allocates; /* the ABI's emit_hooks.allocate is called for llvm.coro.alloca.alloc; false: malloc */
  /* The argument that gives every clone the frame; IR_NONE, or a NULL function: none. */
  uint32_t (*frame_argument)(const struct coro_lowering *low);
  /* Whether every clone has a swifterror parameter for the coroutine's own; NULL: no. */
  bool (*passes_error)(const struct coro_lowering *low);
  /* Whether clones can end in this musttail call, given types and calling conventions. NULL: no clone reaches such a
     call, because clones return at ends only. */
  bool (*ends_clone)(const struct coro_lowering *low, uint32_t call);
  /* Checks rules about the control flow; may be NULL. */
  coro_status (*check_flow)(const struct coro_lowering *low);
  /* Sets the frame's header fields and the limits of field alignment. */
  void (*header)(const struct coro_lowering *low, struct coro_frame_header *header);
  /* Checks the laid-out frame; may be NULL. */
  coro_status (*check_frame)(const struct coro_lowering *low);
  struct coro_policies policies; /* of a custom ABI; all zero for LLVM's */
  struct hook_module *hook_module; /* the ABI's hooks; NULL: none */
  bool each; /* one resuming clone per suspend */
  /* Adds ABI-specific data to a report, with strings in `arena`; may be NULL. */
  void (*describe)(const struct coro_lowering *low, struct coro_arena *arena, coro_coroutine_info *info);
  /* Creates the ramp and the clones. After this only memory exhaustion is possible. */
  coro_status (*split)(struct coro_lowering *low);
};

#endif
