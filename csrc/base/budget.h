/* Execution budget of a run: polls a cancellation callback at allocations, and injects allocation failures for tests.
   Requires: nothing. Guarantees: after cancellation nothing more is granted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coro_budget { /* may be shared by several arenas */
  int (*stop)(void *user); /* polled regularly; nonzero cancels the run. NULL: no callback */
  void *user;
  uint64_t fail_at; /* number of the allocation that fails, 1 is the next; 0: none */
  uint32_t since; /* allocations since the last poll */
  bool stopped; /* the callback cancelled the run */
};

/* Polls now, for loops that do not allocate. False: cancelled. `budget` may be NULL. */
bool coro_budget_may_continue(struct coro_budget *budget);
/* True if `size` bytes may be allocated; polls when due. `budget` may be NULL. */
bool coro_budget_permits_allocation(struct coro_budget *budget, size_t size);
