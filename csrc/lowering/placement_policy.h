/* Queries a custom ABI's policy `keep_in_frame` about each alloca of constant size (in frame_allocas) and each spilled
   or rematerialized value (in remat), after pycoro's own decision: the policy may force it into the frame or out of it.
   Choices that would break the program are rejected. Values are decided in order, each once. A choice can affect later
   values, whose operands are then spilled or not.
   Requires: select_abi, cfg, crossing.
   Guarantees: the final placement of the alloca or value. */
#pragma once

#include "lowering/lowering.h"

struct placement { /* initialize `low`, zero the rest */
  struct coro_lowering *low;
  bool initialized;
  coro_insts release_points; /* instructions after which the frame may be freed, in program order */
  struct coro_bits after_release; /* set of nodes that are reachable from a release point */
  struct coro_bits may_follow_begin; /* set of nodes: coro.begin may have been executed */
  struct cfg_walk walk;
};

struct placement_uses { /* uses of an alloca and its aliases */
  const coro_insts *accesses, *starts, *ends;
  bool escapes, escapes_early; /* early: before coro.begin */
  bool is_repeated; /* it is in a cycle of the CFG */
  bool outside; /* marked coro.outside.frame by the program */
};

/* Asks the ABI, if it has the policy, about an alloca of constant size. EREJECTED if it cannot be where the ABI
   wants it. */
coro_status placement_apply_policy_to_alloca(struct placement *placement, struct coro_alloca *a,
                                             const struct placement_uses *uses);
/* The same for a value that is live across a suspend. `obstacle` is the reason why it must be spilled; NULL: none.
   The caller carries out the choice in *wanted. */
coro_status placement_query_policy_about_value(struct coro_lowering *low, uint32_t value, bool in_frame,
                                               const char *why, const char *obstacle, coro_spill_choice *wanted);
