/* Stage `crossing`: determines the values that are live across a suspend. Each *landing*, where control continues after
   a suspend (analysis/cfg.h), starts a new *epoch* of the coroutine, as a definition starts a new version in SSA
   construction. An epoch also starts where paths of different epochs join: at the iterated dominance frontier of the
   landings. Some path from the definition of an SSA value to a use passes a suspend if and only if they are in
   different epochs. (Memory: alloca.h.) The use then needs a reload, or a rematerialization (remat.h).
   All uses of a value in one *reload region* share a reload. A region is an epoch, unless that starts at a catchswitch,
   whose block can contain no reload: then the successors of the catchswitch, and the joins of paths from them, start
   further regions in the epoch. The reload depends on the region's head:
   - a catchswitch: the value is reloaded at the end of each predecessor, and merged by a phi;
   - a node where the frame may be freed, but not a landing: as for a catchswitch, but a value that only the ramp
     defines is reloaded in the entry of the clone;
   - all others: the value is reloaded at the head or later (reload_points.h).
   Requires: number, shape, select_abi, cfg.
   Guarantees: the epoch and reload region of each node, and the set of values that are live across a suspend. The cost
   is near-linear: dominance frontiers, and one pass over the uses. */
#pragma once

#include "analysis/cfg.h"

struct coro_lowering;

struct coro_crossing {
  uint32_t *epoch; /* indexed by node: the head of its epoch; 0 is the ramp's own */
  uint32_t *reload_region; /* indexed by node: the head of its reload region; in the same epoch */
  /* Set of nodes at whose head the frame may be freed: on the exit path of a suspend, after coro.free, and after an end
     that frees the frame. */
  struct coro_bits maybe_freed;
  struct coro_bits per_iteration; /* see per_iteration_allocas.h */
  struct coro_bits captured_before_begin; /* see captured_before_begin.h */
  struct coro_bits for_arguments; /* set of values: allocas for inalloca arguments; a subset of per_iteration */
  /* Set of values with a use in another epoch than the definition. Only uses in clones count: the ramp computes the
     values that it uses. */
  struct coro_bits live_across_suspend;
  uint32_t *use; /* indexed by value in that set: its first such use in program order */
  uint32_t *use_node; /* the node of that use; for a phi the incoming node */
};

/* A use of a value by an instruction, and the node where the value must be available. */
typedef bool coro_use_fn(void *context, uint32_t value, uint32_t inst, uint32_t node);

coro_status coro_run_crossing_stage(struct coro_lowering *low);
/* Calls `visit` for each value that the instruction uses in a clone, until it returns false. */
bool coro_visit_operands_used_in_clones(const struct coro_lowering *low, uint32_t inst, coro_use_fn *visit,
                                        void *context);
/* The node that defines a value. A suspend's result is defined by the fragment after the suspend, which its landing
   branches to. */
uint32_t coro_node_that_defines_value(const struct ir_fn *fn, const struct coro_cfg *cfg, uint32_t value);
/* Whether every clone has the value anyway: the frame's address and promise, llvm.coro.size and align, the frame
   argument, a swifterror, byval-like arguments, and allocas of constant size that are neither per-iteration nor
   captured before llvm.coro.begin (alloca.h decides where these live). */
bool coro_value_is_in_every_clone(const struct coro_lowering *low, uint32_t value);
