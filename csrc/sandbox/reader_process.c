/* Both sides of reader processes. The host sends a header, the name and the data; the process answers with the id of
   the process that works, and with one byte. A process that crashes or exceeds its limits gives no answer. */
#define _GNU_SOURCE /* SOCK_CLOEXEC, posix_spawn */
#include "sandbox/reader_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/child_process_main.h"

extern char **environ;

/* FORKS: inputs for which a fork is cheaper than the start of a process. MAX_INPUTS, MAX_BYTES: after so many inputs,
   or one of so many bytes, a process ends, because LLVM's reader leaks memory after errors. START: milliseconds. */
enum { FORKS = 8, MAX_INPUTS = 2000, MAX_BYTES = 16 << 20, START = 10000, POLL_INTERVAL = 100 };
enum { NO_ANSWER = 'n', ANSWER = 'a' };
enum { ANSWERED = 77 }; /* the exit status of a child, which LLVM's calls of exit() do not have */

struct reader_process {
  int socket;
  dev_t device; /* identity of the socket, because the host may have closed all files and reused the number */
  ino_t inode;
  pid_t pid, host;
};

struct header {
  uint64_t size, name_size;
  struct child_limits limits;
  bool may_damage;
};

/* ---- Transfer ---- */

static bool send_all(int socket, const void *data, size_t size)
{
  const char *at = data;
  for (ssize_t done; size; at += done, size -= (size_t)done)
    if ((done = send(socket, at, size, MSG_NOSIGNAL)) <= 0)
      return false;
  return true;
}

static bool receive_all(int socket, void *data, size_t size)
{
  char *at = data;
  for (ssize_t done; size; at += done, size -= (size_t)done)
    if ((done = recv(socket, at, size, MSG_WAITALL)) <= 0)
      return false;
  return true;
}

static bool is_socket_readable(int socket, int milliseconds)
{
  return poll(&(struct pollfd){.fd = socket, .events = POLLIN}, 1, milliseconds) > 0;
}

/* ---- Host ---- */

static bool is_socket_unchanged(const struct reader_process *process)
{
  struct stat now;
  return fstat(process->socket, &now) == 0 && now.st_dev == process->device && now.st_ino == process->inode;
}

static void close_socket_and_free_process(struct reader_process *process)
{
  if (process && is_socket_unchanged(process))
    close(process->socket);
  free(process);
}

/* Also in a process with a signal mask or ignored signals. */
static bool spawn_reader_process(pid_t *pid, char **command, int socket)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  if (posix_spawn_file_actions_init(&files) != 0)
    return false;
  bool made = posix_spawnattr_init(&attributes) == 0;
  if (made) {
    made = posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO) == 0 &&
           posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
           posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
           posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
           posix_spawnattr_setsigdefault(&attributes, &all) == 0 &&
           posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0 &&
           posix_spawn(pid, command[0], &files, &attributes, command, environ) == 0;
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return made;
}

/* NULL: it could not be started. */
static struct reader_process *start_reader_process(char **command)
{
  struct reader_process *process = calloc(1, sizeof *process);
  int ends[2];
  if (!process || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    free(process);
    return NULL;
  }
  struct stat of_socket;
  pid_t starter = -1;
  *process = (struct reader_process){.socket = child_move_above_stderr(ends[0]), .host = getpid()};
  int other = child_move_above_stderr(ends[1]);
  bool made = other >= 0 && process->socket >= 0 && fstat(process->socket, &of_socket) == 0 &&
              spawn_reader_process(&starter, command, other);
  if (other >= 0)
    close(other);
  if (made) {
    process->device = of_socket.st_dev;
    process->inode = of_socket.st_ino;
    made =
        is_socket_readable(process->socket, START) && receive_all(process->socket, &process->pid, sizeof process->pid);
    if (!made)
      kill(starter, SIGKILL);
    waitpid(starter, NULL, 0); /* it has forked the process that serves, or failed */
  } else if (process->socket >= 0) {
    close(process->socket);
    process->socket = -1;
  }
  if (made)
    return process;
  close_socket_and_free_process(process);
  return NULL;
}

static bool has_several_threads(void)
{
  struct stat tasks;
  return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 3; /* ".", "..", and one for each thread */
}

static struct reader_process *take_idle_or_start_reader_process(struct reader_processes *processes)
{
  for (unsigned i = 0; i < READER_PROCESSES; i++) {
    struct reader_process *process = atomic_exchange(&processes->idle[i], NULL);
    if (process && process->host == getpid() && is_socket_unchanged(process))
      return process;
    close_socket_and_free_process(process);
  }
  return start_reader_process(processes->command);
}

static void keep_idle_or_close_reader_process(struct reader_processes *processes, struct reader_process *process)
{
  for (unsigned i = 0; i < READER_PROCESSES; i++) {
    struct reader_process *none = NULL;
    if (atomic_compare_exchange_strong(&processes->idle[i], &none, process))
      return;
  }
  close_socket_and_free_process(process);
}

static bool receive_answer_or_kill_blocked(const struct reader_process *process, char *answer)
{
  struct child_sleep sleep = {0};
  pid_t worker;
  if (!receive_all(process->socket, &worker, sizeof worker))
    return false;
  while (!is_socket_readable(process->socket, POLL_INTERVAL))
    if (child_sleeps_too_long(&sleep, worker)) {
      kill(process->pid, SIGKILL);
      return false;
    }
  return receive_all(process->socket, answer, 1);
}

bool reader_processes_run_if_available(struct reader_processes *processes, const struct child_limits *limits,
                                       const struct reader_input *input, bool *answered)
{
  if (!processes->command || (atomic_fetch_add(&processes->requests, 1) < FORKS && !has_several_threads()))
    return false;
  struct reader_process *process = take_idle_or_start_reader_process(processes);
  if (!process)
    return false;
  const char *name = input->name ? input->name : "";
  struct header header = {input->size, strlen(name) + 1, *limits, input->may_damage};
  char answer;
  bool done = send_all(process->socket, &header, sizeof header) && send_all(process->socket, name, header.name_size) &&
              send_all(process->socket, input->data, input->size) && receive_answer_or_kill_blocked(process, &answer);
  if (!done) {
    close_socket_and_free_process(process);
    return false;
  }
  *answered = answer == ANSWER;
  keep_idle_or_close_reader_process(processes, process);
  return true;
}

bool reader_processes_set_command(struct reader_processes *processes, const char *const *command)
{
  size_t count = 0;
  while (command[count])
    count++;
  char **copy = calloc(count + 1, sizeof *copy);
  bool copied = copy;
  for (size_t i = 0; copied && i < count; i++)
    copied = (copy[i] = strdup(command[i]));
  if (!copied) {
    for (size_t i = 0; copy && copy[i]; i++)
      free(copy[i]);
    free(copy);
    return false;
  }
  processes->command = copy;
  return true;
}

void reader_processes_free(struct reader_processes *processes)
{
  for (unsigned i = 0; i < READER_PROCESSES; i++)
    close_socket_and_free_process(atomic_exchange(&processes->idle[i], NULL));
  for (char **word = processes->command; word && *word; word++)
    free(*word);
  free(processes->command);
  processes->command = NULL;
}

/* ---- The process ---- */

static bool run_work_and_send_answer(int socket, const struct header *header, child_work *work,
                                     struct reader_input *input)
{
  char *answer = NULL;
  size_t size = 0;
  child_limit_next_work(&header->limits);
  work(input, &answer, &size);
  free(answer);
  return send_all(socket, &(char){size ? ANSWER : NO_ANSWER}, 1);
}

/* False: the child has ended without an answer. */
static bool run_work_in_child_and_send_answer(int socket, const struct header *header, child_work *work,
                                              struct reader_input *input)
{
  int status;
  pid_t parent = getpid(), child = fork();
  if (!child) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    child = getpid();
    bool answered = getppid() == parent && send_all(socket, &child, sizeof child) &&
                    run_work_and_send_answer(socket, header, work, input);
    _exit(answered ? ANSWERED : 1);
  }
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == ANSWERED;
}

static bool serve_one_request(int socket, child_work *work, uint64_t *bytes)
{
  struct header header;
  if (!receive_all(socket, &header, sizeof header))
    return false;
  char *name = malloc(header.name_size), *data = malloc(header.size + 1);
  struct reader_input input = {data, header.size, name, header.may_damage};
  pid_t pid = getpid();
  bool answered = name && data && receive_all(socket, name, header.name_size) &&
                  receive_all(socket, data, header.size) &&
                  (header.may_damage
                       ? run_work_in_child_and_send_answer(socket, &header, work, &input)
                       : send_all(socket, &pid, sizeof pid) && run_work_and_send_answer(socket, &header, work, &input));
  free(name);
  free(data);
  *bytes = header.may_damage ? 0 : header.size;
  return answered;
}

void reader_process_serve(int socket, child_work *work)
{
  pid_t pid = fork(); /* the host's wait() must not see it */
  if (pid < 0)
    return;
  if (pid > 0)
    _exit(0);
  setsid(); /* the terminal's Ctrl-C is for the host */
  pid = getpid();
  uint64_t bytes = 0;
  bool goes_on = chdir("/") == 0 && send_all(socket, &pid, sizeof pid);
  for (unsigned i = 0; goes_on && i < MAX_INPUTS && bytes < MAX_BYTES; i++)
    goes_on = serve_one_request(socket, work, &bytes);
  _exit(0);
}
