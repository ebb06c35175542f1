/* Lists the events of frame fields for field_liveness.c: definitions (and spills), reloads, accesses, lifetimes.
   Requires: all stages up to reload_points.
   Guarantees: the events of each node, in program order. */
#pragma once

#include "base/vec.h"
#include "lowering/lowering.h"

/* For spilled values: RELOAD (at the head of the reload point) and DEFINED. For allocas: ACCESS, STORED (an access
   that overwrites everything), and STARTS and ENDS of a lifetime. */
enum frame_event_kind { EVENT_RELOAD, EVENT_DEFINED, EVENT_ACCESS, EVENT_STORED, EVENT_STARTS, EVENT_ENDS };

struct frame_event {
  uint32_t node, inst;
  enum frame_event_kind kind;
  uint32_t field;
};

struct frame_events {
  CORO_VEC(struct frame_event) items;
  uint32_t *start; /* events of node n have the indices [start[n], start[n + 1]) */
};

/* false: out of memory */
bool frame_events_find(struct frame_events *events, struct coro_arena *arena, const struct coro_lowering *low);
