/* A worklist of dense ids for breadth-first searches. Each id enters at most once per search.
   Requires: base. Guarantees: memory in the arena. A search, and starting the next one, costs as much as the number of
   ids that enter. */
#pragma once

#include "base/arena.h"
#include "base/bits.h"

struct worklist {
  struct coro_bits entered; /* set of ids that have entered in this search */
  uint32_t *items;          /* the same ids, in order */
  uint32_t count, next;     /* items[next .. count) are pending */
};

/* For ids below `size`. False: out of memory. */
static inline bool worklist_init(struct worklist *work, struct coro_arena *arena, uint32_t size)
{
  *work = (struct worklist){.items = CORO_NEW_ARRAY(arena, uint32_t, size)};
  return work->items && coro_bits_init(&work->entered, arena, size);
}

static inline bool worklist_has_entered(const struct worklist *work, uint32_t id)
{
  return coro_bits_get(&work->entered, id);
}

/* True: it is new. */
static inline bool worklist_enter(struct worklist *work, uint32_t id)
{
  if (worklist_has_entered(work, id))
    return false;
  coro_bits_set(&work->entered, id);
  work->items[work->count++] = id;
  return true;
}

/* Removes the first pending id. False: none is pending. */
static inline bool worklist_take(struct worklist *work, uint32_t *id)
{
  if (work->next == work->count)
    return false;
  *id = work->items[work->next++];
  return true;
}

/* Starts the next search. */
static inline void worklist_restart(struct worklist *work)
{
  for (uint32_t i = 0; i < work->count; i++)
    coro_bits_unset(&work->entered, work->items[i]);
  work->count = work->next = 0;
}
