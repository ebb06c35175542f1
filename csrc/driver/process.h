/* Runs one program with captured output, and ends it by the signals that end this process.
   Requires: Linux. Guarantees: the output is in memory, not in files with names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct process_result {
  int status;                                 /* exit status; negative for a signal */
  char *output, *errors, *outcome;            /* texts, each with a spare byte at its end */
  size_t output_size, errors_size;
};

/* Blocks the end of the process by SIGINT, SIGTERM and SIGHUP, except for those that are ignored. */
void process_defer_signals(void);

/* The signal that would have ended the process; 0 for none. */
int process_deferred_signal(void);

enum { PROCESS_VARIABLES = 2 };

/* Runs a program with an empty standard input and more entries of the environment: `variables`, and `path_variable`,
   which ends in "=" and gets the name of a file for the outcome. Returns false if the program cannot be started, or if
   memory is out. */
bool process_run_captured(const char *const *command, const char *path_variable,
                          const char *const variables[PROCESS_VARIABLES], struct process_result *result);
