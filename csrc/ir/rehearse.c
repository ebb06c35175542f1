/* Reading in a child process, so that what LLVM's reader does not survive costs a child and no more.
   Needs: base, LLVM-C, POSIX. Leaves: the process as it was; no child, no open file. */
#define _GNU_SOURCE /* pipe2 */
#include "ir/rehearse.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "ir/read.h"

/* A megabyte of text takes LLVM about a tenth of a second. */
enum { SECONDS = 5, BYTES_A_SECOND = 1 << 20, WAITS_PER_SECOND = 6 };

static rlim_t seconds_for(size_t size)
{
  return SECONDS + (rlim_t)(size / BYTES_A_SECOND);
}

/* What the host does about crashes is not for the child to do: it has the host's handlers, and its stderr. */
static void leave_the_host(size_t size)
{
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGALRM};
  sigset_t none;
  sigemptyset(&none);
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
    signal(fatal[i], SIG_DFL);
  signal(SIGINT, SIG_IGN); /* Ctrl-C is for the host; its child ends soon enough */
  sigprocmask(SIG_SETMASK, &none, NULL);
  int null = open("/dev/null", O_WRONLY);
  if (null >= 0)
    dup2(null, STDERR_FILENO);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  setrlimit(RLIMIT_CPU, &(struct rlimit){seconds_for(size), seconds_for(size)});
}

/* Ends the child. One byte says that nothing happened: a module may also end the process that frees it. */
_Noreturn static void perform(int tell, const char *data, size_t size, const char *name)
{
  leave_the_host(size);
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = NULL;
  if (ir_read(&module, context, data, size, name, NULL) == CORO_OK) {
    LLVMDisposeMessage(LLVMPrintModuleToString(module)); /* what was read may be fit to be read, and no more */
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
  _exit(write(tell, "", 1) != 1);
}

/* Whether the child says that it got through. It has one thread of the host's: if it waits for what another was doing,
   no time of its own goes by, it is late, and nobody knows. */
static bool hear(int ear, pid_t child, size_t size, bool *late)
{
  struct pollfd waiting = {.fd = ear, .events = POLLIN};
  int most = (int)(seconds_for(size) > 3600 ? 3600 : seconds_for(size)) * 1000 * WAITS_PER_SECOND, ready;
  char byte;
  while ((ready = poll(&waiting, 1, most)) < 0 && errno == EINTR)
    ;
  *late = ready <= 0;
  if (*late)
    kill(child, SIGKILL);
  return !*late && read(ear, &byte, 1) == 1;
}

static const char damaged[] = "write the module again by the tool that made it; this one is damaged";

static coro_status refuse(coro_diags *diags, int how)
{
  char message[80] = "LLVM's reader does not survive this input";
  if (WIFSIGNALED(how) && (WTERMSIG(how) == SIGXCPU || WTERMSIG(how) == SIGKILL))
    snprintf(message, sizeof message, "LLVM's reader does not come to an end on this input");
  else if (WIFSIGNALED(how))
    snprintf(message, sizeof message, "LLVM's reader does not survive this input: signal %d", WTERMSIG(how));
  return coro_diags_add(diags,
                        &(coro_diag){.status = CORO_EPARSE, .rule = "reader", .message = message, .hint = damaged});
}

coro_status ir_rehearse(const char *data, size_t size, const char *name, coro_diags *diags)
{
  int ends[2], how = 0;
  bool late = false;
  if (pipe2(ends, O_CLOEXEC) != 0)
    return CORO_OK;
  pid_t child = fork();
  if (child == 0)
    perform(ends[1], data, size, name);
  close(ends[1]);
  bool survived = child < 0 || hear(ends[0], child, size, &late);
  close(ends[0]);
  while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR)
    ;
  return survived || late ? CORO_OK : refuse(diags, how);
}
