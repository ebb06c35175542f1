/* The inside of a child process: it leaves its host behind, works, and tells how that ended.
   Needs: a process that was just made, with all signals blocked. Leaves: no process. */
#define _GNU_SOURCE /* SYS_close_range, sigaltstack */
#include "base/child_inside.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TELL = 3, OTHERS }; /* files of the child, which its handlers of signals know without being told */

static bool put(const void *data, size_t size)
{
  const char *at = data;
  for (ssize_t done; size; at += done, size -= (size_t)done)
    if ((done = write(TELL, at, size)) < 0)
      return false;
  return true;
}

/* A crash tells itself: the host may keep its children's ends from us, by SIGCHLD ignored or a wait of its own. */
static void on_signal(int number)
{
  put(&(struct child_word){CHILD_SIGNAL, number, 0}, sizeof(struct child_word));
  _exit(1);
}

/* Registered last, it comes first: what the host registered is for the host to do. */
static void on_exit_called(void)
{
  put(&(struct child_word){CHILD_EXIT, 0, 0}, sizeof(struct child_word));
  _exit(1);
}

static void leave_files(int tell, int said)
{
  dup2(said, STDERR_FILENO);
  dup2(tell, TELL);
  int null = open("/dev/null", O_RDWR);
  for (int standard = STDIN_FILENO; standard <= STDOUT_FILENO; standard++)
    if (null < 0 || dup2(null, standard) < 0)
      close(standard);
  if (syscall(SYS_close_range, OTHERS, ~0u, 0) != 0) /* a kernel before 5.9 */
    for (int file = OTHERS; file < 65536; file++)
      close(file);
}

/* `stack` is for the handlers: a crash may be the end of the stack that there is. */
static void leave_signals(void *stack, size_t size)
{
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ};
  struct sigaction tell = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  sigset_t none;
  for (int number = 1; number < NSIG; number++)
    signal(number, SIG_DFL);
  signal(SIGINT, SIG_IGN); /* Ctrl-C is for the host; its child ends soon enough */
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = size}, NULL);
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
    sigaction(fatal[i], &tell, NULL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Bytes of address space in use; 0: unknown. */
static uint64_t used(void)
{
  unsigned long long pages = 0;
  char text[32] = "";
  int file = open("/proc/self/statm", O_RDONLY);
  if (file >= 0 && read(file, text, sizeof text - 1) > 0)
    pages = strtoull(text, NULL, 10);
  if (file >= 0)
    close(file);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Never above what the host is limited to. */
static void limit(int resource, rlim_t soft, rlim_t hard)
{
  struct rlimit was;
  if (getrlimit(resource, &was) == 0)
    setrlimit(resource,
              &(struct rlimit){soft < was.rlim_max ? soft : was.rlim_max, hard < was.rlim_max ? hard : was.rlim_max});
}

static void accept_limits(const struct child_limits *limits)
{
  uint64_t bytes = used();
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_CPU, limits->seconds, limits->seconds + 1);
  if (bytes)
    limit(RLIMIT_AS, bytes + limits->bytes, bytes + limits->bytes);
}

_Noreturn void child_live(int tell, int said, const struct child_limits *limits, child_work *work, void *user)
{
  char stack[1 << 16]; /* more than SIGSTKSZ where registers are wide, too */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  leave_files(tell, said);
  leave_signals(stack, sizeof stack);
  atexit(on_exit_called);
  accept_limits(limits);
  struct child_word word = {CHILD_DONE, 0, 0};
  char *answer = NULL;
  size_t size = 0;
  work(user, &answer, &size);
  word.size = size;
  _exit(!(put(&word, sizeof word) && put(answer, size)));
}
