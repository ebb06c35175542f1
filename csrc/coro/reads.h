/* Reads: where what is kept is read back: in the last node that comes before all that needs it in a place, so that
   ways which do not need it do not read it, and no register is kept for it on the way. Never in a loop that the head
   of the place is not in; never where the frame may be gone, as it may be once the coroutine is saved; and never in a
   node that has no room or that the part does not have. Where fields may share bytes, never behind where another value
   is made on the way. Code that is not optimised reads at the head.
   Needs: crossing, remat, fields. Leaves: answers by value, place and part; the function as it was. */
#ifndef CORO_CORO_READS_H
#define CORO_CORO_READS_H

#include "base/map.h"
#include "base/vec.h"
#include "coro/cfg.h"

enum { CORO_READERS = 3 };
extern const unsigned coro_readers[CORO_READERS]; /* the parts that read values back */

struct coro_read {
  uint32_t value, place;
  uint32_t at[CORO_READERS]; /* nodes; IR_NONE: the part does not need it there */
};

struct coro_reads {
  CORO_VEC(struct coro_read) items;
  struct coro_map of; /* (value, place) -> index in items */
};

coro_status coro_reads(struct coro_lowering *low);
/* At the head of which node a part reads `value` back for a place; the place itself where nothing else is known. */
uint32_t coro_read_at(const struct coro_lowering *low, uint32_t value, uint32_t place, unsigned part);
/* Likewise for `node`, of that place; the place itself too where that is not on every way to the node. */
uint32_t coro_read_for(const struct coro_lowering *low, uint32_t value, uint32_t place, uint32_t node, unsigned part);

#endif
