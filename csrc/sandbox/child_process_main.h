/* Interface between the two files that implement child processes: the parent's side and the child's.
   Requires: child_process.h.
   Guarantees: see each function. */
#pragma once

#include "sandbox/child_process.h"

/* Header of the child's answer, written at once; `size` bytes of answer follow. */
struct child_header {
  enum child_end end; /* CHILD_DONE, CHILD_SIGNAL or CHILD_EXIT */
  int number;
  uint64_t size;
};

/* Main function of the child. Inherits the write ends of two pipes, both above 2. All signals are blocked. */
_Noreturn void child_main(int answer_pipe, int stderr_pipe, const struct child_limits *limits, child_work *work,
                          void *user);
/* Sets soft limits for the next work of a process that does several, from what it has used. */
void child_limit_next_work(const struct child_limits *limits);
