/* The interface that each ABI implements: a table of functions and properties for everything in which coroutine ABIs
   differ. csrc/abi has the tables of LLVM's ABIs. A custom ABI is such a table with other policies (policy.h) and with
   hooks (hook.h).
   Requires: nothing. */
#pragma once

#include "lowering/lowering.h"
#include "lowering/policy.h"

struct hook_module;

struct coro_abi {
  const char *name;
  unsigned ids; /* kinds of coro.id that it lowers: a set of 1 << coro_abi_kind */
  /* Suspends and ends lower to returns, in the ramp and in clones. False (switched-resume): control continues on the
     exit path of a suspend, and in the ramp after an end. */
  bool suspend_returns;
  bool end_frees_frame; /* at llvm.coro.end the frame is freed (returned continuations) */
  /* Checks the rules for id, suspends and ends, in the stage select_abi; EREJECTED with a diagnostic. */
  coro_status (*check)(const struct coro_lowering *low);
  bool has_allocator; /* llvm.coro.alloca.alloc calls emit_hooks.allocate (emit/emit.h); false: malloc */
  /* The argument that gives every clone the frame; IR_NONE, or a NULL function: none. */
  uint32_t (*frame_argument)(const struct coro_lowering *low);
  /* Whether every clone has a swifterror parameter in place of the coroutine's; NULL: no. */
  bool (*passes_error)(const struct coro_lowering *low);
  /* Whether a clone can end in this musttail call: whether types and calling conventions permit it. NULL (returned
     continuations): no clone reaches such a call, since clones return only at ends. */
  bool (*ends_clone)(const struct coro_lowering *low, uint32_t call);
  /* Checks rules about the control flow, in check_flow; may be NULL. */
  coro_status (*check_flow)(const struct coro_lowering *low);
  /* Sets the frame's header fields and the limits of field alignment, in `fields`. */
  void (*header)(const struct coro_lowering *low, struct coro_frame_header *header);
  /* Checks the laid-out frame, in check_layout; may be NULL. */
  coro_status (*check_frame)(const struct coro_lowering *low);
  struct coro_policies policies; /* of a custom ABI; all zero for LLVM's */
  struct hook_module *hook_module; /* the ABI's hooks; NULL: none */
  bool clone_per_suspend; /* of a custom ABI: f.resume is a clone per suspend instead of one */
  /* Adds ABI-specific data to a report, with strings in `arena`; may be NULL. */
  void (*describe)(const struct coro_lowering *low, struct coro_arena *arena, coro_coroutine_info *info);
  const struct abi_clones *clones; /* how the clones are declared and emitted (abi/split.h) */
};
