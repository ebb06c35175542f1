/* Budget: whether a piece of work may go on, and take the memory that it asks for.
   Needs: nothing. Leaves: once stopped, nothing more is granted. */
#ifndef CORO_BASE_BUDGET_H
#define CORO_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coro_budget { /* may be that of several arenas */
  int (*stop)(void *user); /* asked from time to time: non-zero stops the work. NULL: nobody is asked */
  void *user;
  uint64_t fail_at; /* the allocation that is refused, 1 is the next; 0: none is */
  uint32_t since; /* allocations since somebody was asked */
  bool stopped; /* somebody said so */
};

/* Asks now, in work that allocates nothing; false: stop. NULL is fine, and goes on. */
bool coro_budget_go_on(struct coro_budget *budget);
/* Whether `size` bytes may be allocated, which asks as well where it is due. NULL is fine, and grants all. */
bool coro_budget_grants(struct coro_budget *budget, size_t size);

#endif
