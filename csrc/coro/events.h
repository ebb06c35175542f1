/* Lists what the program does to frame fields, by node.
   Requires: all stages up to the collected frame.
   Guarantees: events in program order. */
#ifndef CORO_CORO_EVENTS_H
#define CORO_CORO_EVENTS_H

#include "base/vec.h"
#include "coro/lowering.h"

/* For spilled values: READ_BACK (at the head of a node that starts an epoch) and DEFINED. For allocas: ACCESS,
   STORED (an access that overwrites everything), and STARTS and ENDS of a lifetime. */
enum event_kind { EVENT_READ_BACK, EVENT_DEFINED, EVENT_ACCESS, EVENT_STORED, EVENT_STARTS, EVENT_ENDS };

struct event {
  uint32_t node, inst;
  enum event_kind kind;
  uint32_t field;
};

struct events {
  CORO_VEC(struct event) items;
  uint32_t *start; /* events of node n: items[start[n]] .. items[start[n + 1]) */
};

/* false: out of memory */
bool events_find(struct events *events, struct coro_arena *arena, const struct coro_lowering *low);

#endif
