/* Lifetime: what a walk through a variable's lifetime comes to: suspends, and the place where it starts anew.
   Needs: number, cfg; what the variable's uses do to it. Leaves: nothing changed. */
#ifndef CORO_CORO_LIFETIME_H
#define CORO_CORO_LIFETIME_H

#include "coro/cfg.h"

struct lifetime {
  const struct coro_cfg *cfg;
  const struct graph_scc *scc;
  const struct coro_bits *suspends_ahead; /* by node: a landing can be reached */
  struct coro_bits behind_extra;          /* by node: can be reached from an extra landing */
  uint32_t *visited;                      /* by node: stamp of the last walk that has come by */
  uint32_t *stack;                        /* of node_count */
  uint32_t walk;
  /* Of the variable that is asked about: what its uses and those of its aliases do to it. */
  coro_insts accesses, starts, ends, escapes;
};

/* For all variables of a coroutine, one after another. False: memory ran out. */
bool lifetime_init(struct lifetime *life, struct coro_arena *arena, const struct coro_cfg *cfg,
                   const struct graph_scc *scc, const struct coro_bits *suspends_ahead);
/* The first of these from which a suspend falls into its lifetime, else IR_NONE. Its ends are sorted. */
uint32_t lifetime_crossing(struct lifetime *life, const coro_insts *from);
/* Where its lifetime starts it holds nothing: it holds something from its first access on, and nobody else may have its
   address by then, from a lifetime before neither. Its starts and ends are sorted. */
bool lifetime_starts_empty(const struct lifetime *life);

#endif
