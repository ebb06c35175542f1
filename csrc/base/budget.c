/* Budget: whether a piece of work may go on, and take the memory that it asks for.
   Needs: nothing. Leaves: once stopped, nothing more is granted. */
#include "base/budget.h"

/* Whether to stop is asked at every allocation of LARGE bytes, for what is done with them takes long, and else at every
   BETWEEN-th. */
enum { LARGE = 4 << 10, BETWEEN = 64 };

bool coro_budget_go_on(struct coro_budget *budget)
{
  if (!budget)
    return true;
  budget->since = 0;
  if (budget->stop && !budget->stopped)
    budget->stopped = budget->stop(budget->user) != 0;
  return !budget->stopped;
}

bool coro_budget_grants(struct coro_budget *budget, size_t size)
{
  if (!budget)
    return true;
  bool due = size >= LARGE || ++budget->since >= BETWEEN;
  if (budget->stopped || (due && !coro_budget_go_on(budget)))
    return false;
  return !budget->fail_at || --budget->fail_at;
}
