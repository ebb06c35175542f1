/* Stage `crossing`: determines the values that are live across a suspend. Each *landing*, where control continues after
   a suspend, starts a new *epoch* of the coroutine, as a definition starts a new version in SSA construction. An epoch
   also starts where paths of different epochs join: at the iterated dominance frontier of the landings. If and only if
   the definition and a use of a value are in one epoch, no suspend is between them. A use in another epoch needs a
   reload, at the start of its epoch or later (reload_points.h). The start of an epoch may be unable to contain a
   reload, because it is a catchswitch block, or because the frame may be freed or owned by another thread: on the exit
   path from a suspend to the caller, after coro.free, and after an end that frees the frame. A catchswitch divides its
   epoch into *places*, each with a head that can contain reloads: its successors and the joins of paths from them.
   Where the frame may be freed, a value that only the ramp defines is reloaded in the clone's entry, and any other at
   the end of each predecessor, with a phi.
   Requires: number, shape, select_abi, cfg.
   Guarantees: the epoch and the place of each node (cfg.h), and the set of values that are live across a suspend. */
#ifndef CORO_LOWERING_CROSSING_H
#define CORO_LOWERING_CROSSING_H

#include "analysis/cfg.h"

struct coro_lowering;

struct coro_crossing {
  uint32_t *epoch; /* indexed by node: the node that started its epoch; 0 is the ramp's own */
  /* indexed by node: where values used in it are reloaded at the earliest; in the same epoch */
  uint32_t *place;
  struct coro_bits maybe_freed; /* set of nodes: the frame may be freed at the head */
  /* set of values: allocas of constant size that need distinct memory per execution; see per_iteration_allocas.h */
  struct coro_bits per_iteration;
  struct coro_bits for_arguments; /* set of values: allocas for inalloca arguments; a subset of per_iteration */
  struct coro_bits live_across_suspend; /* set of values: a use in a clone is in another epoch than the definition */
  uint32_t *use; /* indexed by value in that set: its first such use in program order */
  uint32_t *use_node; /* the node of that use; for a phi the incoming node */
};

/* A use of a value by an instruction, and the node where the value must be available. */
typedef bool coro_use_fn(void *user, uint32_t value, uint32_t inst, uint32_t node);

coro_status coro_crossing(struct coro_lowering *low);
/* Calls `visit` for each value that the instruction uses in a clone, until it returns false. */
bool coro_each_use(const struct coro_lowering *low, uint32_t inst, coro_use_fn *visit, void *user);
/* The node that defines a value. A suspend's result is defined by the fragment after the suspend, which its landing
   branches to. */
uint32_t coro_node_of_value(const struct ir_fn *fn, const struct coro_cfg *cfg, uint32_t value);
/* Whether the value is the same everywhere, or is recreated at each use: the frame's address, constants of the
   lowering, and allocas of constant size that do not need distinct memory per execution (alloca.h decides where these
   live). */
bool coro_value_is_free(const struct coro_lowering *low, uint32_t value);

#endif
