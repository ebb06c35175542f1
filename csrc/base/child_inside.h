/* What the two sides of a child process share.
   Needs: child.h. Leaves: see each function. */
#ifndef CORO_BASE_CHILD_INSIDE_H
#define CORO_BASE_CHILD_INSIDE_H

#include "base/child.h"

/* What a child tells, in one write; an answer of `size` bytes comes behind it. */
struct child_word {
  enum child_end end; /* DONE, SIGNAL or EXIT */
  int number;
  uint64_t size;
};

/* child_inside.c: the life of the child, which inherits the writing ends of two pipes, neither of them 0, 1 or 2. All
   signals are blocked. */
_Noreturn void child_live(int tell, int said, const struct child_limits *limits, child_work *work, void *user);

#endif
