/* Parent side of child processes: forks, reads the answer and stderr through pipes, enforces limits, reaps. */
#define _GNU_SOURCE /* pipe2 */
#include "sandbox/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/child_process_main.h"

/* In milliseconds: how long a child may sleep without interruption, and the polling interval. MAX_ATTEMPTS: retries if
   the child deadlocks on a lock that another thread held during fork. MAX_STDERR: bytes of stderr to keep. */
enum { MAX_SLEEP = 3000, POLL_INTERVAL = 100, MAX_ATTEMPTS = 3, MAX_STDERR = 4000 };

struct pipe {
  int out, in;
};

struct child {
  pid_t pid;
  int answer_pipe, stderr_pipe; /* read ends: answer, stderr */
  struct child_header word;
  size_t answer_bytes; /* bytes read of the header and answer */
  size_t stderr_bytes;
  bool answer_closed; /* the answer is complete or its pipe is closed */
  bool reaped; /* the child has ended; wait_status is valid unless the host process reaped it first */
  int wait_status;
  struct rusage used;
  char text[MAX_STDERR + 1];
};

int child_move_above_stderr(int file)
{
  int moved = file < 0 || file > STDERR_FILENO ? file : fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved != file)
    close(file);
  return moved;
}

static void close_pipe_ends(struct pipe *pipe)
{
  if (pipe->out >= 0)
    close(pipe->out);
  if (pipe->in >= 0)
    close(pipe->in);
}

static bool make_close_on_exec_pipe(struct pipe *made)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  made->out = child_move_above_stderr(ends[0]);
  made->in = child_move_above_stderr(ends[1]);
  return made->out >= 0 && made->in >= 0 && fcntl(made->out, F_SETFL, O_NONBLOCK) == 0;
}

/* Blocks signals around fork so that the host's handlers never run in the child. */
static pid_t fork_with_blocked_signals(const struct pipe *answer_pipe, const struct pipe *stderr_pipe,
                                       const struct child_limits *limits, child_work *work, void *user)
{
  sigset_t all, saved;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &saved);
  pid_t pid = fork();
  if (pid == 0)
    child_main(answer_pipe->in, stderr_pipe->in, limits, work, user);
  int number = errno;
  pthread_sigmask(SIG_SETMASK, &saved, NULL);
  errno = number;
  return pid;
}

/* Returns 0 or errno. */
static int fork_child(struct child *child, const struct child_limits *limits, child_work *work, void *user)
{
  struct pipe answer_pipe = {-1, -1}, stderr_pipe = {-1, -1};
  child->pid = -1;
  if (make_close_on_exec_pipe(&answer_pipe) && make_close_on_exec_pipe(&stderr_pipe))
    child->pid = fork_with_blocked_signals(&answer_pipe, &stderr_pipe, limits, work, user);
  int number = child->pid < 0 ? errno : 0;
  child->answer_pipe = answer_pipe.out;
  child->stderr_pipe = stderr_pipe.out;
  if (number) {
    close_pipe_ends(&answer_pipe);
    close_pipe_ends(&stderr_pipe);
  } else {
    close(answer_pipe.in);
    close(stderr_pipe.in);
  }
  return number;
}

/* As read, on a nonblocking pipe: 0 at the end, -1 if no data is available. */
static ssize_t read_available_bytes(int file, void *to, size_t size)
{
  ssize_t got;
  while ((got = read(file, to, size)) < 0 && errno == EINTR)
    ;
  return got;
}

/* Reads available stderr output. Output beyond the buffer is discarded. */
static void read_stderr(struct child *child)
{
  char rest[1024];
  for (ssize_t got = 1; got > 0;) {
    size_t room = MAX_STDERR - child->stderr_bytes;
    got = read_available_bytes(child->stderr_pipe, room ? child->text + child->stderr_bytes : rest,
                               room ? room : sizeof rest);
    if (got > 0 && room)
      child->stderr_bytes += (size_t)got;
  }
}

static bool is_answer_complete(const struct child *child)
{
  return child->answer_bytes >= sizeof child->word && child->answer_bytes - sizeof child->word == child->word.size;
}

/* False: out of memory for the answer. */
static bool read_answer_unless_out_of_memory(struct child *child, struct child_result *result)
{
  while (!is_answer_complete(child)) {
    size_t head = sizeof child->word;
    char *to = child->answer_bytes < head ? (char *)&child->word + child->answer_bytes
                                          : result->answer + (child->answer_bytes - head);
    ssize_t got = read_available_bytes(
        child->answer_pipe, to, (child->answer_bytes < head ? head : head + child->word.size) - child->answer_bytes);
    if (got <= 0) {
      child->answer_closed = got == 0;
      return true;
    }
    child->answer_bytes += (size_t)got;
    if (child->answer_bytes == head && child->word.size && !(result->answer = malloc(child->word.size)))
      return false;
  }
  child->answer_closed = true;
  return true;
}

static int64_t clock_now(void) /* milliseconds */
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* True if the child waits. A stopped or preempted child does not. True also if /proc is unavailable. */
static bool is_process_waiting_or_unknown(pid_t pid)
{
  char path[40], text[200] = "";
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    if (read(file, text, sizeof text - 1) <= 0)
      *text = '\0';
    close(file);
  }
  const char *state = strrchr(text, ')'); /* after the process name, which may contain anything */
  return !state || !state[1] || strchr("SD", state[2]);
}

/* Reaps the child if it has ended. The host may have reaped it first. */
static void reap_child(struct child *child, int options)
{
  pid_t got;
  while (!child->reaped && (got = wait4(child->pid, &child->wait_status, options, &child->used)) != 0)
    child->reaped = got == child->pid || errno != EINTR;
}

bool child_sleeps_too_long(struct child_sleep *sleep, pid_t pid)
{
  int64_t now = clock_now();
  if (!sleep->last_awake || !is_process_waiting_or_unknown(pid))
    sleep->last_awake = now;
  return now - sleep->last_awake > MAX_SLEEP;
}

/* Reads until the answer is complete or the pipe closes; then returns CHILD_DONE, whatever the answer says. */
static enum child_end wait_for_answer_or_pipe_end(struct child *child, struct child_result *result)
{
  struct child_sleep sleep = {0};
  while (!child->answer_closed && !child->reaped) {
    struct pollfd polled[] = {{.fd = child->answer_pipe, .events = POLLIN},
                              {.fd = child->stderr_pipe, .events = POLLIN}};
    poll(polled, 2, POLL_INTERVAL);
    reap_child(child, WNOHANG); /* reap first, so that everything written before the exit is read afterwards */
    read_stderr(child);
    if (!read_answer_unless_out_of_memory(child, result))
      return CHILD_NONE;
    if (child_sleeps_too_long(&sleep, child->pid))
      return CHILD_BLOCKED;
  }
  read_stderr(child);
  return CHILD_DONE;
}

static bool stderr_reports_out_of_memory(const struct child *child)
{
  return strstr(child->text, "bad_alloc") || strstr(child->text, "out of memory");
}

/* The result from the child's header, else from its wait status. */
static enum child_end classify_end_of_child(const struct child *child, const struct child_limits *limits,
                                            struct child_result *result)
{
  time_t seconds = child->used.ru_utime.tv_sec + child->used.ru_stime.tv_sec;
  bool has_header = child->answer_bytes >= sizeof child->word;
  result->number = has_header ? child->word.number : WIFSIGNALED(child->wait_status) ? WTERMSIG(child->wait_status) : 0;
  if (has_header && child->word.end != CHILD_SIGNAL)
    return child->word.end == CHILD_DONE && !is_answer_complete(child) ? CHILD_KILLED : child->word.end;
  if (!has_header && result->number == SIGKILL && seconds >= (time_t)limits->seconds)
    return CHILD_TIME; /* SIGKILL from RLIMIT_CPU's hard limit */
  if (!has_header && (!result->number || result->number == SIGKILL))
    return WIFEXITED(child->wait_status) && child->wait_status ? CHILD_EXIT : CHILD_KILLED;
  return result->number == SIGXCPU                                          ? CHILD_TIME
         : result->number == SIGABRT && stderr_reports_out_of_memory(child) ? CHILD_MEMORY
                                                                            : CHILD_SIGNAL;
}

/* Copies stderr output as one line, starting at LLVM's error message if there is one. */
static void copy_child_error_text(const struct child *child, struct child_result *result)
{
  static const char error[] = "LLVM ERROR: ";
  const char *from = strstr(child->text, error);
  from = from ? from + strlen(error) : child->text;
  size_t length = strlen(from), room = sizeof result->error_text - 1;
  memcpy(result->error_text, from, length < room ? length : room);
  for (char *at = result->error_text; *at; at++)
    if ((unsigned char)*at < ' ' || *at == 0x7f)
      *at = ' ';
  for (size_t end = strlen(result->error_text); end && result->error_text[end - 1] == ' ';)
    result->error_text[--end] = '\0';
}

static void run_child_once(struct child_result *result, const struct child_limits *limits, child_work *work, void *user)
{
  struct child child = {.pid = -1};
  *result = (struct child_result){.end = CHILD_NONE};
  result->number = fork_child(&child, limits, work, user);
  if (result->number)
    return;
  result->end = wait_for_answer_or_pipe_end(&child, result);
  if (result->end != CHILD_DONE)
    kill(child.pid, SIGKILL);
  reap_child(&child, 0);
  close(child.answer_pipe);
  close(child.stderr_pipe);
  copy_child_error_text(&child, result);
  if (result->end == CHILD_NONE)
    result->number = ENOMEM;
  else if (result->end == CHILD_DONE)
    result->end = classify_end_of_child(&child, limits, result);
  result->size = child.word.size;
  if (result->end != CHILD_DONE) {
    free(result->answer);
    result->answer = NULL;
    result->size = 0;
  }
}

void child_run_work_with_retries(struct child_result *result, const struct child_limits *limits, child_work *work,
                                 void *user)
{
  int made = 0;
  do
    run_child_once(result, limits, work, user);
  while (result->end == CHILD_BLOCKED && ++made < MAX_ATTEMPTS);
}

coro_status child_diagnose_failure(const struct child_result *result, const struct child_limits *limits,
                                   const char *who, const coro_diag *about, coro_diags *diags)
{
  static const char endless[] = "does not terminate on this input:";
  char message[700], reason[64] = "";
  coro_diag diag = *about;
  const char *error = result->error_text, *colon = *error ? ": " : "";
  switch (result->end) {
  case CHILD_DONE: return CORO_OK;
  case CHILD_SIGNAL:
    snprintf(message, sizeof message, "%s crashed on this input with signal %d%s%s", who, result->number, colon, error);
    break;
  case CHILD_EXIT: snprintf(message, sizeof message, "%s called exit() on this input%s%s", who, colon, error); break;
  case CHILD_TIME:
    snprintf(message, sizeof message, "%s %s it used %u seconds of processor time", who, endless, limits->seconds);
    break;
  case CHILD_MEMORY:
    snprintf(message, sizeof message, "%s %s it used %llu MiB of memory", who, endless,
             (unsigned long long)(limits->bytes >> 20));
    break;
  case CHILD_BLOCKED:
    snprintf(message, sizeof message, "%s %s it was blocked for %d seconds", who, endless, MAX_SLEEP / 1000);
    break;
  case CHILD_KILLED:
    snprintf(message, sizeof message, "%s was killed while it processed this input", who);
    diag.hint = "if the system is out of memory, try again later";
    break;
  case CHILD_NONE:
    snprintf(message, sizeof message, "%s runs in a child process, which could not be created: %s", who,
             strerror_r(result->number, reason, sizeof reason));
    diag.hint = "try again, or declare the input as trusted";
    break;
  }
  diag.message = message;
  return coro_diags_add(diags, &diag);
}
