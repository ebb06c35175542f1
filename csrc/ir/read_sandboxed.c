/* Parses a module in a child process first, under limits on processor time and memory.
   Requires: base, LLVM-C. Guarantees: no child process or open file remains. */
#include "ir/read_sandboxed.h"

#include <stdlib.h>
#include <string.h>

#include "base/child_process.h"
#include "ir/read.h"
#include "ir/scan.h"
#include "llvm-c/ErrorHandling.h"

/* LLVM takes about a tenth of a second and 20 MB per megabyte of text. */
enum { SECONDS = 5, BYTES_A_SECOND = 1 << 20, MEMORY = 512 << 20, MEMORY_A_BYTE = 64 };

struct input {
  const char *data;
  size_t size;
  const char *name;
};

/* True if a debug record has an empty value list; LLVM-C reads its first element. */
static bool has_empty_arg_list(char *text)
{
  /* The match may be inside a string. */
  return strstr(text, "!DIArgList()") && ir_scan_text(text, strlen(text)).empty_line;
}

/* Also prints and frees the module, because either may crash too. The answer of one byte means that the module
   verifies. */
static void read_print_and_free(void *user, char **answer, size_t *size)
{
  const struct input *in = user;
  LLVMResetFatalErrorHandler();
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = NULL;
  if (ir_read(&module, context, in->data, in->size, in->name, NULL) == CORO_OK) {
    char *text = LLVMPrintModuleToString(module); /* printing may fail on a module that was read */
    if (has_empty_arg_list(text))
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

coro_status ir_read_sandboxed(bool *reads, const char *data, size_t size, const char *name, coro_diags *diags)
{
  struct input in = {data, size, name};
  struct child_limits limits = {SECONDS + (unsigned)(size / BYTES_A_SECOND), MEMORY + (uint64_t)size * MEMORY_A_BYTE};
  struct child_result result;
  child_run(&result, &limits, read_print_and_free, &in);
  *reads = result.end == CHILD_DONE && result.size;
  free(result.answer);
  return child_report_failure(
      &result, &limits, "LLVM's reader",
      &(coro_diag){.status = CORO_EPARSE,
                   .rule = "reader",
                   .hint = "the module is probably damaged; write it again with the tool that produced it"},
      diags);
}
