/* The functions that start coroutines.
   Needs: rounds, parts. Leaves: those of them that are in turn picked. */
#ifndef CORO_PIPELINE_STARTERS_H
#define CORO_PIPELINE_STARTERS_H

#include "pipeline/rounds.h"

/* Picks who calls the ramp of a coroutine that has been split, or has had it inlined. Whether there are any. */
bool starters_pick(struct pass_run *run, struct rounds *rounds);
/* Picks those in which a coroutine was elided since, but for long ones, which would become longer yet, and coroutines
   that are still to be split: what keeps their state apart would have to lie in their frames. Likewise. */
bool starters_pick_drivers(struct pass_run *run, struct rounds *rounds);

#endif
