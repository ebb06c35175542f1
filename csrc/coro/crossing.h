/* Crossing: which values must survive a suspend.
   Every landing begins a new epoch of the coroutine, as a definition begins a new version of a variable; where paths
   of different epochs meet, a new one begins too (the iterated dominance frontier of the landings). A use sees its
   definition without a suspend between them exactly if both are in one epoch. That takes one comparison a use.
   What is in another epoch is read back where the use's epoch begins, or further on: reads.h says where. As nothing can
   be read in the block of a catchswitch, an epoch that begins there is divided into places: the pads behind it, and
   where paths from them meet.
   Nothing is read back where the frame may be somebody else's by then, or be gone: on the way from a suspend to the
   caller, behind coro.free, and behind an end that frees it. A place there is where paths meet: what only the ramp
   makes is read where the part begins, all else on each of the paths before.
   Needs: number, shape, choose, cfg. Leaves: answers by node and by value; the function as it was. */
#ifndef CORO_CORO_CROSSING_H
#define CORO_CORO_CROSSING_H

#include "coro/cfg.h"

struct coro_crossing {
  uint32_t *epoch;           /* by node: the node that began its epoch; 0 is the ramp's own */
  uint32_t *place;           /* by node: what is read back for it is read here, or further on; in the same epoch */
  struct coro_bits left;     /* by node: at its head the frame may be gone */
  struct coro_bits anew;     /* by value: an alloca of constant size that needs new memory each time: see anew.h */
  struct coro_bits crosses;  /* by value: some use in a clone is in another epoch than the definition */
  uint32_t *use;             /* by value that crosses: the first instruction, in program order, that needs it */
  uint32_t *use_node;        /* ... and where: for a phi the node that control comes from */
};

/* A use of a value by an instruction of this function: where control is when the value is needed. */
typedef bool coro_use_fn(void *user, uint32_t value, uint32_t inst, uint32_t node);

coro_status coro_crossing(struct coro_lowering *low);
/* Calls visit for every value that instruction needs in a clone, stopping when it returns false. */
bool coro_each_use(const struct coro_lowering *low, uint32_t inst, coro_use_fn *visit, void *user);
/* The node that a value is defined in; a suspend's result is defined where control goes on behind it. */
uint32_t coro_node_of_value(const struct ir_fn *fn, const struct coro_cfg *cfg, uint32_t value);
/* The value is the same at every place or is made anew wherever it is needed: the frame, constants of the lowering,
   variables of constant size that one place does for (their own analysis decides where these live). */
bool coro_value_is_free(const struct coro_lowering *low, uint32_t value);

#endif
