/* Work done in a child process, under limits, so that what it does not survive costs a child and no more.
   Needs: Linux. Leaves: the process as it was; no child, no open file. */
#ifndef CORO_BASE_CHILD_H
#define CORO_BASE_CHILD_H

#include "pycoro.h"

struct child_limits {
  unsigned seconds; /* of processor time; on the clock it may take longer, as where others run */
  uint64_t bytes;   /* of memory, beyond what the process has */
};

enum child_end {
  CHILD_DONE,   /* the work came to its end */
  CHILD_SIGNAL, /* a crash, or an abort */
  CHILD_EXIT,   /* it called exit() */
  CHILD_TIME,   /* it used up its processor time */
  CHILD_MEMORY, /* it used up its memory */
  CHILD_ASLEEP, /* it waited for what did not come */
  CHILD_KILLED, /* by somebody else, as by a system that is out of memory */
  CHILD_NONE    /* no process could be made, or no memory for its answer */
};

struct child_result {
  enum child_end end;
  int number;     /* CHILD_SIGNAL: which; CHILD_NONE: errno */
  char *answer;   /* CHILD_DONE: what the work gave, `size` bytes of malloc, the caller's; else NULL */
  size_t size;
  char said[400]; /* what it wrote to stderr, in one line; what LLVM says it ends for, if that is among it */
};

/* Done in the child, by a copy of the calling thread: signals do what they do by default, stdin is empty, what goes to
   stdout is lost, no other file is open. It may need a lock that another thread held when the child was made; it sleeps
   then, and another child is made. What it puts into *answer, of malloc, is told. */
typedef void child_work(void *user, char **answer, size_t *size);

void child_run(struct child_result *result, const struct child_limits *limits, child_work *work, void *user);

/* A diagnostic of why the work was not done, with the status, rule and hint of `about`; CORO_OK where it was. `who` did
   the work: "LLVM's reader". The hint is for input that is to blame; where it is not, another one is given. */
coro_status child_refuse(const struct child_result *result, const struct child_limits *limits, const char *who,
                         const coro_diag *about, coro_diags *diags);

#endif
