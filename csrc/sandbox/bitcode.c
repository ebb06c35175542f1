/* Writes modules as bitcode. The bitcode symbol table lists the symbols of module-level inline assembly, so LLVM
   runs the target's assembler, which may crash or not terminate. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "sandbox/bitcode.h"

#include <stdlib.h>
#include <string.h>

#include "llvm-c/BitReader.h"
#include "llvm-c/BitWriter.h"
#include "llvm-c/ErrorHandling.h"
#include "sandbox/child_process.h"

/* The assembler needs less per byte of text than the IR reader, but short directives such as `.rept` and `.incbin`
   expand. */
enum { SECONDS = 5, BYTES_A_SECOND = 1 << 20, MEMORY = 512 << 20, MEMORY_A_BYTE = 64 };

static size_t inline_assembly_size(LLVMModuleRef module)
{
  size_t length = 0;
  return LLVMGetModuleInlineAsm(module, &length) ? length : 0;
}

/* Clears the triple while it writes: without a target LLVM has no assembler to run. */
LLVMModuleRef ir_bitcode_copy(LLVMModuleRef module, LLVMContextRef context)
{
  char *target = inline_assembly_size(module) ? strdup(LLVMGetTarget(module)) : NULL;
  if (target)
    LLVMSetTarget(module, "");
  LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(module);
  if (target)
    LLVMSetTarget(module, target);
  LLVMModuleRef copy = NULL;
  bool failed = LLVMParseBitcodeInContext2(context, buffer, &copy);
  LLVMDisposeMemoryBuffer(buffer);
  if (!failed) /* the reader of bitcode upgrades older data layouts, by which the module itself is not laid out */
    LLVMSetDataLayout(copy, LLVMGetDataLayoutStr(module));
  if (!failed && target)
    LLVMSetTarget(copy, target);
  free(target);
  return failed ? NULL : copy;
}

static void write_bitcode_to_malloced_buffer(void *user, char **answer, size_t *size)
{
  LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(user);
  *size = LLVMGetBufferSize(buffer);
  *answer = malloc(*size ? *size : 1);
  if (*answer)
    memcpy(*answer, LLVMGetBufferStart(buffer), *size);
  LLVMDisposeMemoryBuffer(buffer);
}

/* Runs in the child process. */
static void write_bitcode_in_child(void *user, char **answer, size_t *size)
{
  LLVMResetFatalErrorHandler();
  write_bitcode_to_malloced_buffer(user, answer, size);
  if (!*answer)
    abort();
}

coro_status ir_write_bitcode_sandboxed(LLVMModuleRef module, char **out, size_t *size)
{
  size_t assembly = inline_assembly_size(module);
  if (!assembly) {
    write_bitcode_to_malloced_buffer(module, out, size);
    return *out ? CORO_OK : CORO_ENOMEM;
  }
  struct child_limits limits = {SECONDS + (unsigned)(assembly / BYTES_A_SECOND),
                                MEMORY + (uint64_t)assembly * MEMORY_A_BYTE};
  struct child_result result;
  child_run_work_with_retries(&result, &limits, write_bitcode_in_child, module);
  *out = result.answer;
  *size = result.size;
  return result.end == CHILD_DONE ? CORO_OK : CORO_EJIT;
}
