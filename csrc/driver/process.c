/* The output goes to files in memory (memfd_create), and the handler of a signal ends the program. */
#define _GNU_SOURCE
#include "driver/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const int deferred[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t received, child;

static void end_child(int number)
{
  received = number;
  if (child > 0)
    kill((pid_t)child, SIGTERM);
}

void process_defer_signals(void)
{
  for (size_t i = 0; i < sizeof deferred / sizeof *deferred; i++) {
    struct sigaction action = {.sa_handler = end_child}, before;
    if (sigaction(deferred[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(deferred[i], &action, NULL);
  }
}

int process_deferred_signal(void)
{
  return received;
}

/* The environment with more entries, without those that they replace. */
static char **environment_with(const char *const *added, size_t added_count)
{
  size_t count = 0, kept = 0;
  while (environ[count])
    count++;
  char **entries = calloc(count + added_count + 1, sizeof *entries);
  for (size_t i = 0; entries && i < count; i++) {
    size_t k = 0;
    while (k < added_count && strncmp(environ[i], added[k], strcspn(added[k], "=") + 1) != 0)
      k++;
    if (k == added_count)
      entries[kept++] = environ[i];
  }
  if (entries)
    memcpy(entries + kept, added, added_count * sizeof *added);
  return entries;
}

/* Starts the program with signals deferred until its id is known to their handler. */
static bool start(const char *const *command, char **environment, int output, int errors)
{
  sigset_t all, before;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigfillset(&all);
  if (posix_spawn_file_actions_init(&actions) != 0 || posix_spawnattr_init(&attributes) != 0)
    return false;
  sigprocmask(SIG_BLOCK, &all, &before);
  posix_spawnattr_setsigmask(&attributes, &before);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t id = 0;
  bool started = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
                 posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) == 0 &&
                 posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) == 0 &&
                 posix_spawn(&id, command[0], &actions, &attributes, (char **)command, environment) == 0;
  child = started ? id : 0;
  sigprocmask(SIG_SETMASK, &before, NULL);
  return started;
}

static char *read_all(int file, size_t *size)
{
  struct stat state;
  *size = 0;
  if (fstat(file, &state) != 0)
    return NULL;
  char *text = calloc((size_t)state.st_size + 2, 1);
  for (ssize_t count = 1; text && count > 0; *size += count > 0 ? (size_t)count : 0)
    count = pread(file, text + *size, (size_t)state.st_size - *size, (off_t)*size);
  return text;
}

bool process_run_captured(const char *const *command, const char *path_variable,
                          const char *const variables[PROCESS_VARIABLES], struct process_result *result)
{
  int output = memfd_create("stdout", MFD_CLOEXEC), errors = memfd_create("stderr", MFD_CLOEXEC);
  int outcome = memfd_create("outcome", 0); /* the program opens it by its number */
  char entry[128];
  snprintf(entry, sizeof entry, "%s/proc/self/fd/%d", path_variable, outcome);
  const char *added[1 + PROCESS_VARIABLES] = {entry};
  memcpy(added + 1, variables, PROCESS_VARIABLES * sizeof *variables);
  char **environment = environment_with(added, 1 + PROCESS_VARIABLES);
  if (output < 0 || errors < 0 || outcome < 0 || !environment || !start(command, environment, output, errors))
    return false;
  int status = 0;
  pid_t waited;
  do
    waited = waitpid((pid_t)child, &status, 0);
  while (waited < 0 && errno == EINTR);
  child = 0;
  size_t outcome_size;
  result->status = waited >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result->output = read_all(output, &result->output_size);
  result->errors = read_all(errors, &result->errors_size);
  result->outcome = read_all(outcome, &outcome_size);
  close(output), close(errors), close(outcome);
  return result->output && result->errors && result->outcome;
}
