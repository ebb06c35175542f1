/* Debug information of a coroutine: where its variables are once it has a frame.
   Needs: a coroutine with a frame layout. Leaves: the records of its function, a type that describes its frame; the
   function as it was. */
#ifndef CORO_DEBUG_DEBUG_H
#define CORO_DEBUG_DEBUG_H

#include "debug/records.h"

enum debug_place_kind {
  PLACE_LOST,
  PLACE_SAME, /* a constant, or what else is the same everywhere */
  PLACE_COPY, /* the copy that the part holds of it */
  PLACE_READ, /* what the part reads back or makes again for the node's place, if it does */
  PLACE_FRAME /* `path` leads there from the frame's address: the operations of an expression */
};

struct debug_place {
  enum debug_place_kind kind;
  uint32_t value; /* of PLACE_COPY and PLACE_READ */
  const char *path; /* of PLACE_FRAME */
};

/* Fills low->debug; NULL where the function has no debug information. False: memory ran out. */
bool coro_debug_find(struct coro_lowering *low);
/* Where the value of a record in `node` is found there. */
struct debug_place debug_place(const struct coro_lowering *low, const struct debug_record *record, uint32_t node,
                               unsigned part);

#endif
