/* Events: what the program does to the fields of the frame, and where.
   Needs: all stages up to the collected frame. Leaves: events by node, in program order. */
#ifndef CORO_CORO_EVENTS_H
#define CORO_CORO_EVENTS_H

#include "base/vec.h"
#include "coro/lowering.h"

/* READ_BACK is at the head of its node, which begins an epoch, DEFINED is of a value that is kept. Of a variable are
   ACCESS, STORED, which is an access that leaves nothing of what it held, and STARTS and ENDS of its lifetime. */
enum event_kind { EVENT_READ_BACK, EVENT_DEFINED, EVENT_ACCESS, EVENT_STORED, EVENT_STARTS, EVENT_ENDS };

struct event {
  uint32_t node, inst;
  enum event_kind kind;
  uint32_t field;
};

struct events {
  CORO_VEC(struct event) items;
  uint32_t *start; /* of node n: items[start[n]] .. items[start[n + 1]) */
};

bool events_find(struct events *events, struct coro_arena *arena, const struct coro_lowering *low); /* false: memory */

#endif
