/* Execution budget: cancellation and allocation limits (see budget.h). */
#include "base/budget.h"

/* The cancellation callback runs at each allocation of LARGE_ALLOCATION bytes, which precedes long work, and else at
   every POLL_INTERVAL-th. */
enum { LARGE_ALLOCATION = 4 << 10, POLL_INTERVAL = 64 };

bool coro_budget_may_continue(struct coro_budget *budget)
{
  if (!budget)
    return true;
  budget->since = 0;
  if (budget->stop && !budget->stopped)
    budget->stopped = budget->stop(budget->user) != 0;
  return !budget->stopped;
}

bool coro_budget_permits_allocation(struct coro_budget *budget, size_t size)
{
  if (!budget)
    return true;
  bool due = size >= LARGE_ALLOCATION || ++budget->since >= POLL_INTERVAL;
  if (budget->stopped || (due && !coro_budget_may_continue(budget)))
    return false;
  return !budget->fail_at || --budget->fail_at;
}
