/* Processes that try inputs of LLVM's reader one after another, for hosts that read many: a fork of a large or threaded
   host for each input takes milliseconds, and copies locks that its threads hold.
   Requires: Linux. Guarantees: a process ends with its host. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "sandbox/child_process.h"

enum { READER_PROCESSES = 8 };

struct reader_process;

/* Zero-initialized. Threads share it without a lock, so a fork of the host cannot copy a locked one. */
struct reader_processes {
  char **command; /* starts a process, with its socket as the standard input; NULL: none is used */
  _Atomic(struct reader_process *) idle[READER_PROCESSES];
  atomic_uint requests;
};

struct reader_input {
  const char *data;
  size_t size;
  const char *name;
  bool may_damage; /* the input may crash the reader process, which therefore reads it in a forked child; cheap, as the
                      process is small */
};

/* Copies the command, which ends with NULL. False: out of memory. */
bool reader_processes_set_command(struct reader_processes *processes, const char *const *command);
/* Closes the idle processes, and frees the command. */
void reader_processes_free(struct reader_processes *processes);
/* Runs the work on this input in a reader process. *answered: the work had an answer. False: there is no process, or it
   ended, and the caller has to run the work in a new child process. */
bool reader_processes_run_if_available(struct reader_processes *processes, const struct child_limits *limits,
                                       const struct reader_input *input, bool *answered);
/* The main function of such a process: runs the work on each input from a socket, until the host closes it. Returns
   only if no process can be created. */
void reader_process_serve(int socket, child_work *work);
