/* Runs work in a child process under limits, so that a crash or endless loop does not end this process.
   Requires: Linux. Guarantees: no child process or open file remains. */
#pragma once

#include <sys/types.h>

#include "pycoro.h"

struct child_limits {
  unsigned seconds; /* processor time; wall-clock time may be longer */
  uint64_t bytes;   /* address space beyond what the process already uses */
};

enum child_end {
  CHILD_DONE, /* the work finished */
  CHILD_SIGNAL, /* crash or abort */
  CHILD_EXIT, /* the work called exit() */
  CHILD_TIME, /* processor time limit exceeded */
  CHILD_MEMORY, /* memory limit exceeded */
  CHILD_BLOCKED, /* blocked for too long */
  CHILD_KILLED, /* killed from outside, for example by the out-of-memory killer */
  CHILD_NONE    /* no process, or no memory for its answer */
};

struct child_result {
  enum child_end end;
  int number;     /* CHILD_SIGNAL: the signal; CHILD_NONE: errno */
  char *answer;   /* CHILD_DONE: `size` malloc'ed bytes, owned by the caller; else NULL */
  size_t size;
  char error_text[400]; /* stderr output in one line, starting at LLVM's error message if there is one */
};

/* Runs in a copy of the calling thread with default signal handlers; stdin is empty, stdout is discarded, other
   files are closed. If it blocks on a lock that another thread held during fork, the parent retries with a new
   child. *answer is malloc'ed and sent to the parent. */
typedef void child_work(void *user, char **answer, size_t *size);

void child_run_work_with_retries(struct child_result *result, const struct child_limits *limits, child_work *work,
                                 void *user);

/* Since when a process sleeps without interruption, in milliseconds; zero-initialized. */
struct child_sleep {
  int64_t last_awake;
};

/* Whether it has slept for so long that it is blocked. Called repeatedly while it works. */
bool child_sleeps_too_long(struct child_sleep *sleep, pid_t pid);
/* Moves a file descriptor above stderr: the host may have closed the standard ones. -1: too many are open. */
int child_move_above_stderr(int file);

/* Reports why the work failed, with status, rule and hint of `about`; CORO_OK if it succeeded. `who` names the
   worker: "LLVM's reader". A hint about the input is replaced if the input is not the cause. */
coro_status child_diagnose_failure(const struct child_result *result, const struct child_limits *limits,
                                   const char *who, const coro_diag *about, coro_diags *diags);
