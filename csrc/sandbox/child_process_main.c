/* Child side of a child process: detaches from the host's files and signals, sets limits, works, and reports how it
   ended. */
#define _GNU_SOURCE /* SYS_close_range, sigaltstack */
#include "sandbox/child_process_main.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/write_all.h"

enum { ANSWER_FILE = 3, FIRST_OTHER_FILE }; /* fixed descriptors, so that signal handlers know them */

/* Crashes are reported through the pipe, because the host may ignore SIGCHLD or reap the child itself. */
static void report_crash_signal(int signal)
{
  write_all(ANSWER_FILE, &(struct child_header){CHILD_SIGNAL, signal, 0}, sizeof(struct child_header));
  _exit(1);
}

/* Registered last and thus called first: the host's atexit handlers must not run here. */
static void report_unexpected_exit(void)
{
  write_all(ANSWER_FILE, &(struct child_header){CHILD_EXIT, 0, 0}, sizeof(struct child_header));
  _exit(1);
}

static void redirect_files(int answer_pipe, int stderr_pipe)
{
  dup2(stderr_pipe, STDERR_FILENO);
  dup2(answer_pipe, ANSWER_FILE);
  int null = open("/dev/null", O_RDWR);
  for (int standard = STDIN_FILENO; standard <= STDOUT_FILENO; standard++)
    if (null < 0 || dup2(null, standard) < 0)
      close(standard);
  if (syscall(SYS_close_range, FIRST_OTHER_FILE, ~0u, 0) != 0) /* kernels before 5.9 */
    for (int file = FIRST_OTHER_FILE; file < 65536; file++)
      close(file);
}

/* `stack` is the signal stack: a crash may be a stack overflow. */
static void reset_signals(void *stack, size_t size)
{
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ};
  struct sigaction report = {.sa_handler = report_crash_signal, .sa_flags = SA_ONSTACK};
  sigset_t none;
  for (int number = 1; number < NSIG; number++)
    signal(number, SIG_DFL);
  signal(SIGINT, SIG_IGN); /* Ctrl-C is for the host */
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = size}, NULL);
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
    sigaction(fatal[i], &report, NULL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Address space in use in bytes; 0: unknown. */
static uint64_t address_space_used(void)
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

/* Does not exceed the host's own limits. */
static void lower_resource_limit(int resource, rlim_t soft, rlim_t hard)
{
  struct rlimit current;
  if (getrlimit(resource, &current) == 0)
    setrlimit(resource, &(struct rlimit){soft < current.rlim_max ? soft : current.rlim_max,
                                         hard < current.rlim_max ? hard : current.rlim_max});
}

static void set_child_limits(const struct child_limits *limits)
{
  uint64_t bytes = address_space_used();
  lower_resource_limit(RLIMIT_CORE, 0, 0);
  lower_resource_limit(RLIMIT_CPU, limits->seconds, limits->seconds + 1);
  if (bytes)
    lower_resource_limit(RLIMIT_AS, bytes + limits->bytes, bytes + limits->bytes);
}

void child_limit_next_work(const struct child_limits *limits)
{
  struct rusage used;
  uint64_t bytes = address_space_used();
  getrusage(RUSAGE_SELF, &used);
  rlim_t seconds = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1;
  lower_resource_limit(RLIMIT_CORE, 0, 0);
  lower_resource_limit(RLIMIT_CPU, seconds + limits->seconds, RLIM_INFINITY);
  if (bytes)
    lower_resource_limit(RLIMIT_AS, bytes + limits->bytes, RLIM_INFINITY);
}

_Noreturn void child_main(int answer_pipe, int stderr_pipe, const struct child_limits *limits, child_work *work,
                          void *user)
{
  char stack[1 << 16]; /* SIGSTKSZ is too small with wide vector registers */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  redirect_files(answer_pipe, stderr_pipe);
  reset_signals(stack, sizeof stack);
  atexit(report_unexpected_exit);
  set_child_limits(limits);
  struct child_header word = {CHILD_DONE, 0, 0};
  char *answer = NULL;
  size_t size = 0;
  work(user, &answer, &size);
  word.size = size;
  _exit(!(write_all(ANSWER_FILE, &word, sizeof word) && write_all(ANSWER_FILE, answer, size)));
}
