/* The outside of a child process: made, listened to, and taken leave of.
   Needs: Linux. Leaves: the process as it was; no child, no open file. */
#define _GNU_SOURCE /* pipe2 */
#include "base/child.h"

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

#include "base/child_inside.h"
#include "base/diag.h"

/* How long a child may sleep at a stretch, which never works and waits for nobody; how often it is looked at; how many
   children are made, where each sleeps: on a lock that was held when it was made. Milliseconds. */
enum { SLEEP = 3000, LOOK = 100, CHILDREN = 3, HEARD = 4000 };

struct pipe {
  int out, in;
};

struct child {
  pid_t pid;
  int tell, said; /* the reading ends */
  struct child_word word;
  size_t told; /* bytes of the word and of the answer */
  size_t heard;
  bool silent; /* nothing more will be told */
  bool gone;   /* it is no more; `how` says how it ended, if the host has not asked first */
  int how;
  struct rusage used;
  char text[HEARD + 1];
};

/* Above stdin, stdout and stderr, which the host may have closed, but not for us. */
static int above(int file)
{
  int moved = file < 0 || file > STDERR_FILENO ? file : fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved != file)
    close(file);
  return moved;
}

static void close_both(struct pipe *pipe)
{
  if (pipe->out >= 0)
    close(pipe->out);
  if (pipe->in >= 0)
    close(pipe->in);
}

static bool make_pipe(struct pipe *made)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  made->out = above(ends[0]);
  made->in = above(ends[1]);
  return made->out >= 0 && made->in >= 0 && fcntl(made->out, F_SETFL, O_NONBLOCK) == 0;
}

/* The host's handlers of signals never run in the child. */
static pid_t make_process(const struct pipe *tell, const struct pipe *said, const struct child_limits *limits,
                          child_work *work, void *user)
{
  sigset_t all, was;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &was);
  pid_t pid = fork();
  if (pid == 0)
    child_live(tell->in, said->in, limits, work, user);
  int number = errno;
  pthread_sigmask(SIG_SETMASK, &was, NULL);
  errno = number;
  return pid;
}

/* 0, or errno. */
static int make_child(struct child *child, const struct child_limits *limits, child_work *work, void *user)
{
  struct pipe tell = {-1, -1}, said = {-1, -1};
  child->pid = -1;
  if (make_pipe(&tell) && make_pipe(&said))
    child->pid = make_process(&tell, &said, limits, work, user);
  int number = child->pid < 0 ? errno : 0;
  child->tell = tell.out;
  child->said = said.out;
  if (number) {
    close_both(&tell);
    close_both(&said);
  } else {
    close(tell.in);
    close(said.in);
  }
  return number;
}

/* As read, of what there is: 0 at the end, -1 where nothing has come yet. */
static ssize_t take(int file, void *to, size_t size)
{
  ssize_t got;
  while ((got = read(file, to, size)) < 0 && errno == EINTR)
    ;
  return got;
}

/* What stderr is told, until nothing more has come. What is beyond our memory for it is lost. */
static void hear_said(struct child *child)
{
  char rest[1024];
  for (ssize_t got = 1; got > 0;) {
    size_t room = HEARD - child->heard;
    got = take(child->said, room ? child->text + child->heard : rest, room ? room : sizeof rest);
    if (got > 0 && room)
      child->heard += (size_t)got;
  }
}

static bool is_told(const struct child *child)
{
  return child->told >= sizeof child->word && child->told - sizeof child->word == child->word.size;
}

/* False: no memory for the answer. */
static bool hear_told(struct child *child, struct child_result *result)
{
  while (!is_told(child)) {
    size_t head = sizeof child->word;
    char *to = child->told < head ? (char *)&child->word + child->told : result->answer + (child->told - head);
    ssize_t got = take(child->tell, to, (child->told < head ? head : head + child->word.size) - child->told);
    if (got <= 0) {
      child->silent = got == 0;
      return true;
    }
    child->told += (size_t)got;
    if (child->told == head && child->word.size && !(result->answer = malloc(child->word.size)))
      return false;
  }
  child->silent = true;
  return true;
}

static int64_t clock_now(void) /* milliseconds */
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Whether it waits for something. One that was stopped does not, nor one that others keep from the processor: their
   time is not its own. Where the system does not tell, it may. */
static bool is_asleep(pid_t pid)
{
  char path[40], text[200] = "";
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    if (read(file, text, sizeof text - 1) <= 0)
      *text = '\0';
    close(file);
  }
  const char *state = strrchr(text, ')'); /* behind the name, which may hold anything */
  return !state || !state[1] || strchr("SD", state[2]);
}

/* Reaps it if it has ended. Somebody of the host's may have been faster. */
static void look_after(struct child *child, int options)
{
  pid_t got;
  while (!child->gone && (got = wait4(child->pid, &child->how, options, &child->used)) != 0)
    child->gone = got == child->pid || errno != EINTR;
}

/* Until it has told everything, or will tell nothing more. CHILD_DONE says no more than that. */
static enum child_end listen_to(struct child *child, struct child_result *result)
{
  int64_t awake = clock_now();
  while (!child->silent && !child->gone) {
    struct pollfd ears[] = {{.fd = child->tell, .events = POLLIN}, {.fd = child->said, .events = POLLIN}};
    poll(ears, 2, LOOK);
    look_after(child, WNOHANG); /* first: what it told before it ended is there to be heard then */
    hear_said(child);
    if (!hear_told(child, result))
      return CHILD_NONE;
    int64_t now = clock_now();
    if (!is_asleep(child->pid))
      awake = now;
    else if (now - awake > SLEEP)
      return CHILD_ASLEEP;
  }
  hear_said(child);
  return CHILD_DONE;
}

static bool ran_out(const struct child *child)
{
  return strstr(child->text, "bad_alloc") || strstr(child->text, "out of memory");
}

/* What its word says, or the system where it left none. */
static enum child_end judge(const struct child *child, const struct child_limits *limits, struct child_result *result)
{
  time_t seconds = child->used.ru_utime.tv_sec + child->used.ru_stime.tv_sec;
  bool spoke = child->told >= sizeof child->word;
  result->number = spoke ? child->word.number : WIFSIGNALED(child->how) ? WTERMSIG(child->how) : 0;
  if (spoke && child->word.end != CHILD_SIGNAL)
    return child->word.end == CHILD_DONE && !is_told(child) ? CHILD_KILLED : child->word.end;
  if (!spoke && result->number == SIGKILL && seconds >= (time_t)limits->seconds)
    return CHILD_TIME; /* the last resort of the limit */
  if (!spoke && (!result->number || result->number == SIGKILL))
    return WIFEXITED(child->how) && child->how ? CHILD_EXIT : CHILD_KILLED;
  return result->number == SIGXCPU                     ? CHILD_TIME
         : result->number == SIGABRT && ran_out(child) ? CHILD_MEMORY
                                                       : CHILD_SIGNAL;
}

/* In one line: from what LLVM ends with, else all of it. */
static void quote(const struct child *child, struct child_result *result)
{
  static const char error[] = "LLVM ERROR: ";
  const char *from = strstr(child->text, error);
  from = from ? from + strlen(error) : child->text;
  size_t length = strlen(from), room = sizeof result->said - 1;
  memcpy(result->said, from, length < room ? length : room);
  for (char *at = result->said; *at; at++)
    if ((unsigned char)*at < ' ' || *at == 0x7f)
      *at = ' ';
  for (size_t end = strlen(result->said); end && result->said[end - 1] == ' ';)
    result->said[--end] = '\0';
}

static void run_once(struct child_result *result, const struct child_limits *limits, child_work *work, void *user)
{
  struct child child = {.pid = -1};
  *result = (struct child_result){.end = CHILD_NONE};
  result->number = make_child(&child, limits, work, user);
  if (result->number)
    return;
  result->end = listen_to(&child, result);
  if (result->end != CHILD_DONE)
    kill(child.pid, SIGKILL);
  look_after(&child, 0);
  close(child.tell);
  close(child.said);
  quote(&child, result);
  if (result->end == CHILD_NONE)
    result->number = ENOMEM;
  else if (result->end == CHILD_DONE)
    result->end = judge(&child, limits, result);
  result->size = child.word.size;
  if (result->end != CHILD_DONE) {
    free(result->answer);
    result->answer = NULL;
    result->size = 0;
  }
}

void child_run(struct child_result *result, const struct child_limits *limits, child_work *work, void *user)
{
  int made = 0;
  do
    run_once(result, limits, work, user);
  while (result->end == CHILD_ASLEEP && ++made < CHILDREN);
}

coro_status child_refuse(const struct child_result *result, const struct child_limits *limits, const char *who,
                         const coro_diag *about, coro_diags *diags)
{
  static const char endless[] = "does not come to an end on this input:";
  char message[700], reason[64] = "";
  coro_diag diag = *about;
  const char *said = result->said, *colon = *said ? ": " : "";
  switch (result->end) {
  case CHILD_DONE: return CORO_OK;
  case CHILD_SIGNAL:
    snprintf(message, sizeof message, "%s does not survive this input: signal %d%s%s", who, result->number, colon,
             said);
    break;
  case CHILD_EXIT: snprintf(message, sizeof message, "%s gives this input up%s%s", who, colon, said); break;
  case CHILD_TIME:
    snprintf(message, sizeof message, "%s %s %u seconds of processor time are used up", who, endless, limits->seconds);
    break;
  case CHILD_MEMORY:
    snprintf(message, sizeof message, "%s %s %llu MiB of memory are used up", who, endless,
             (unsigned long long)(limits->bytes >> 20));
    break;
  case CHILD_ASLEEP:
    snprintf(message, sizeof message, "%s %s it waits for something, %d seconds long", who, endless, SLEEP / 1000);
    break;
  case CHILD_KILLED:
    snprintf(message, sizeof message, "%s was killed while it tried this input", who);
    diag.hint = "where the system is out of memory, try again when it is not";
    break;
  case CHILD_NONE:
    snprintf(message, sizeof message, "%s tries input in a process of its own, and there is none: %s", who,
             strerror_r(result->number, reason, sizeof reason));
    diag.hint = "try again, or declare the input trusted, where you answer for it";
    break;
  }
  diag.message = message;
  return coro_diags_add(diags, &diag);
}
