/* Work in a child process: every kind of exit, and hosts with unusual settings.
   Requires: csrc/base. */
#define _GNU_SOURCE /* sigaction, usleep */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "check.h"
#include "sandbox/child_process.h"

static const struct child_limits few = {2, 256 << 20};

static void give(void *user, char **answer, size_t *size)
{
  *size = *(size_t *)user;
  *answer = malloc(*size + 1);
  for (size_t i = 0; i < *size; i++)
    (*answer)[i] = (char)(i * 7);
}

static void crash(void *user, char **answer, size_t *size)
{
  (void)user, (void)answer, (void)size;
  fprintf(stderr, "noise\nLLVM ERROR: no\nsuch thing\n");
  raise(SIGSEGV);
}

static int deep(unsigned levels)
{
  volatile char here[4096] = {(char)levels};
  return levels ? deep(levels - 1) + here[1] : 0;
}

static void overflow(void *user, char **answer, size_t *size)
{
  (void)user, (void)answer, (void)size;
  deep(UINT_MAX);
}

static void leave(void *user, char **answer, size_t *size)
{
  (void)user, (void)answer, (void)size;
  fprintf(stderr, "I give up");
  exit(0);
}

static void work_on(void *user, char **answer, size_t *size)
{
  (void)answer, (void)size;
  for (volatile unsigned *turns = user;; (*turns)++)
    ;
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* these reserve terabytes */
/* Exits as C++ and LLVM do when they run out of memory. */
static void eat(void *user, char **answer, size_t *size)
{
  (void)user, (void)answer, (void)size;
  for (;;) {
    void *more = mmap(NULL, 1 << 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED) {
      fprintf(stderr, "LLVM ERROR: out of memory");
      abort();
    }
    memset(more, 1, 4096);
  }
}
#endif

static void doze(void *user, char **answer, size_t *size)
{
  (void)user, (void)answer, (void)size;
  for (;;)
    pause();
}

static void be_killed(void *user, char **answer, size_t *size)
{
  (void)user, (void)answer, (void)size;
  raise(SIGKILL);
}

/* Reports the number of open files, and whether stdin is empty; one digit each. */
static void look_around(void *user, char **answer, size_t *size)
{
  char byte;
  int open = 0;
  (void)user;
  for (int file = 0; file < 1000; file++)
    open += fcntl(file, F_GETFD) >= 0;
  *answer = malloc(2);
  *size = 2;
  (*answer)[0] = (char)('0' + open);
  (*answer)[1] = (char)('0' + (read(STDIN_FILENO, &byte, 1) == 0));
}

static void expect(child_work *work, void *user, enum child_end end, const char *words)
{
  struct child_result result;
  coro_diags *diags = NULL;
  CHECK(!coro_diags_create(&diags), "diags");
  child_run_work_with_retries(&result, &few, work, user);
  CHECK(result.end == end, "%s: ended as %d, number %d, said %s", words, (int)result.end, result.number,
        result.error_text);
  CHECK(child_diagnose_failure(&result, &few, "it", &(coro_diag){.status = CORO_EJIT}, diags) ==
            (end ? CORO_EJIT : CORO_OK),
        "%s", words);
  CHECK(!end || strstr(coro_diags_get(diags, 0)->message, words), "%s", coro_diags_get(diags, 0)->message);
  free(result.answer);
  coro_diags_free(diags);
}

static void expect_answer(size_t wanted)
{
  struct child_result result;
  child_run_work_with_retries(&result, &few, give, &wanted);
  CHECK(result.end == CHILD_DONE && result.size == wanted, "%zu: %d", wanted, (int)result.end);
  size_t same = 0;
  while (same < result.size && result.answer[same] == (char)(same * 7))
    same++;
  CHECK(same == wanted, "byte %zu of %zu", same, wanted);
  free(result.answer);
}

static void test_ends(void)
{
  unsigned turns = 0;
  expect_answer(0);
  expect_answer(1);
  expect_answer(3000000);
  expect(crash, NULL, CHILD_SIGNAL, "signal 11: no such thing");
  expect(overflow, NULL, CHILD_SIGNAL, "signal 11");
  expect(leave, NULL, CHILD_EXIT, "called exit() on this input: I give up");
  expect(work_on, &turns, CHILD_TIME, "2 seconds of processor time");
  expect(be_killed, NULL, CHILD_KILLED, "killed");
  expect(doze, NULL, CHILD_BLOCKED, "was blocked for");
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
  expect(eat, NULL, CHILD_MEMORY, "256 MiB");
#endif
}

static void on_child(int number)
{
  int was = errno;
  (void)number;
  while (waitpid(-1, NULL, WNOHANG) > 0) /* as a server reaps its children */
    ;
  errno = was;
}

static void on_alarm(int number)
{
  (void)number;
}

static void test_hosts_signals(void)
{
  struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
  signal(SIGCHLD, SIG_IGN);
  expect_answer(100000);
  expect(crash, NULL, CHILD_SIGNAL, "signal 11");
  expect(be_killed, NULL, CHILD_KILLED, "killed");
  signal(SIGCHLD, on_child);
  expect_answer(100000);
  expect(crash, NULL, CHILD_SIGNAL, "signal 11");
  signal(SIGCHLD, SIG_DFL);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL); /* no SA_RESTART: calls are interrupted */
  setitimer(ITIMER_REAL, &often, NULL);
  expect_answer(3000000);
  expect(crash, NULL, CHILD_SIGNAL, "signal 11");
  setitimer(ITIMER_REAL, &never, NULL);
  signal(SIGALRM, SIG_DFL);
}

/* Tests hosts that closed any of the standard files. */
static void test_files(void)
{
  fflush(NULL);
  for (int closed = 0; closed < 8; closed++) {
    int kept[3], other = open("/dev/null", O_RDONLY);
    for (int file = 0; file < 3; file++) {
      kept[file] = fcntl(file, F_DUPFD_CLOEXEC, 100);
      if (closed >> file & 1)
        close(file);
    }
    struct child_result result;
    child_run_work_with_retries(&result, &few, look_around, NULL);
    for (int file = 0; file < 3; file++) {
      dup2(kept[file], file);
      close(kept[file]);
    }
    close(other);
    CHECK(result.end == CHILD_DONE && !memcmp(result.answer, "41", 2), "closed %d: ended as %d", closed,
          (int)result.end);
    free(result.answer);
  }
}

static void test_none(void)
{
  struct rlimit was;
  struct child_result result;
  getrlimit(RLIMIT_NOFILE, &was);
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, was.rlim_max});
  child_run_work_with_retries(&result, &few, look_around, NULL);
  setrlimit(RLIMIT_NOFILE, &was);
  CHECK(result.end == CHILD_NONE && result.number == EMFILE, "ended as %d", (int)result.end);
}

static void *stop_children(void *unused)
{
  char path[80];
  snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
  long pid = 0;
  while (!pid) {
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%ld", &pid) != 1)
      pid = 0;
    if (file)
      fclose(file);
  }
  kill((pid_t)pid, SIGSTOP);
  sleep(5);
  kill((pid_t)pid, SIGCONT);
  return unused;
}

/* A stopped child is not late. */
static void test_stopped(void)
{
  pthread_t thread;
  unsigned turns = 0;
  pthread_create(&thread, NULL, stop_children, NULL);
  expect(work_on, &turns, CHILD_TIME, "2 seconds");
  pthread_join(thread, NULL);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void need_lock(void *user, char **answer, size_t *size)
{
  (void)user, (void)answer, (void)size;
  pthread_mutex_lock(&lock);
}

static void *hold_lock(void *held)
{
  pthread_mutex_lock(&lock);
  atomic_store((atomic_bool *)held, true);
  sleep(2);
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* A lock that another thread held is not the input's error. */
static void test_lock(void)
{
  pthread_t thread;
  atomic_bool held = false;
  pthread_create(&thread, NULL, hold_lock, &held);
  while (!atomic_load(&held))
    usleep(1000);
  expect(need_lock, NULL, CHILD_DONE, "");
  pthread_join(thread, NULL);
}

int main(void)
{
  test_ends();
  test_hosts_signals();
  test_files();
  test_none();
  test_stopped();
  test_lock();
  CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left");
  return check_done("test_child");
}
