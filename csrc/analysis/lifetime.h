/* Walks through the lifetime of an alloca, to find suspends in it and its next start.
   Requires: number, cfg; the alloca's uses. */
#pragma once

#include "analysis/cfg.h"

struct lifetime {
  const struct coro_cfg *cfg;
  const struct graph_scc *scc;
  const struct coro_bits *suspends_ahead; /* set of nodes from which a landing can be reached */
  struct coro_bits after_unwound_landing; /* set of nodes reachable from a landing after an unwind end */
  struct cfg_walk walk;
  /* Uses of the current alloca and its aliases. */
  coro_insts accesses, starts, ends, escapes;
};

/* Initializes the walks for all allocas of a coroutine. False: out of memory. */
bool lifetime_init(struct lifetime *life, struct coro_arena *arena, const struct coro_cfg *cfg,
                   const struct graph_scc *scc, const struct coro_bits *suspends_ahead);
/* The first of these instructions from which a suspend can be reached within the lifetime, else IR_NONE. The ends
   must be sorted. */
uint32_t find_inst_before_suspend_in_lifetime(struct lifetime *life, const coro_insts *from);
/* Whether the alloca is undefined from the start of each lifetime to its first access: no earlier escape can write
   to it. Starts and ends must be sorted. */
bool lifetime_starts_undefined(const struct lifetime *life);
