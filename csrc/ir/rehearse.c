/* Reading in a child process, so that what LLVM's reader does not survive costs a child and no more.
   Needs: base, LLVM-C. Leaves: the process as it was; no child, no open file. */
#include "ir/rehearse.h"

#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "ir/read.h"
#include "ir/scan.h"
#include "llvm-c/ErrorHandling.h"

/* A megabyte of text takes LLVM about a tenth of a second, and twenty of memory. */
enum { SECONDS = 5, BYTES_A_SECOND = 1 << 20, MEMORY = 512 << 20, MEMORY_A_BYTE = 64 };

struct input {
  const char *data;
  size_t size;
  const char *name;
};

/* Whether a debug record has a list of no values, whose first LLVM-C reads. */
static bool has_empty_list(char *text)
{
  return strstr(text, "!DIArgList()") && ir_scan_text(text, strlen(text)).empty_line; /* it may be in a string */
}

/* A module may also end the process that prints or frees it, or asks what a debug record is of. Told is that there is
   one, as an answer of one byte: what is read is read again. */
static void read_and_free(void *user, char **answer, size_t *size)
{
  const struct input *in = user;
  LLVMResetFatalErrorHandler();
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = NULL;
  if (ir_read(&module, context, in->data, in->size, in->name, NULL) == CORO_OK) {
    char *text = LLVMPrintModuleToString(module); /* what was read may be fit to be read, and no more */
    if (has_empty_list(text))
      abort();
    LLVMDisposeMessage(text);
    LLVMDisposeModule(module);
    *answer = malloc(1);
    *size = *answer != NULL;
    if (*answer)
      **answer = 0;
  }
  LLVMContextDispose(context);
}

coro_status ir_rehearse(bool *reads, const char *data, size_t size, const char *name, coro_diags *diags)
{
  struct input in = {data, size, name};
  struct child_limits limits = {SECONDS + (unsigned)(size / BYTES_A_SECOND), MEMORY + (uint64_t)size * MEMORY_A_BYTE};
  struct child_result result;
  child_run(&result, &limits, read_and_free, &in);
  *reads = result.end == CHILD_DONE && result.size;
  free(result.answer);
  return child_refuse(&result, &limits, "LLVM's reader",
                      &(coro_diag){.status = CORO_EPARSE,
                                   .rule = "reader",
                                   .hint = "write the module again by the tool that made it; this one is damaged"},
                      diags);
}
