/* Modules as bitcode, which lists the symbols of a module's assembly: LLVM runs its assembler to find them.
   Needs: base, LLVM-C, POSIX. Leaves: the module as it was; no child, no open file. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "ir/bitcode.h"

#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/BitWriter.h"
#include "llvm-c/ErrorHandling.h"

/* The assembler takes less for a byte of its text than the reader of IR does, but `.rept` and `.incbin` are small. */
enum { SECONDS = 5, BYTES_A_SECOND = 1 << 20, MEMORY = 512 << 20, MEMORY_A_BYTE = 64 };

static size_t assembly_of(LLVMModuleRef module)
{
  size_t length = 0;
  return LLVMGetModuleInlineAsm(module, &length) ? length : 0;
}

/* LLVM asks the assembler of the target; of no target there is none. Nothing but this reads the name meanwhile. */
LLVMModuleRef ir_bitcode_copy(LLVMModuleRef module, LLVMContextRef context)
{
  char *target = assembly_of(module) ? strdup(LLVMGetTarget(module)) : NULL;
  if (target)
    LLVMSetTarget(module, "");
  LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(module);
  if (target)
    LLVMSetTarget(module, target);
  LLVMModuleRef copy = NULL;
  bool failed = LLVMParseBitcodeInContext2(context, buffer, &copy);
  LLVMDisposeMemoryBuffer(buffer);
  if (!failed && target)
    LLVMSetTarget(copy, target);
  free(target);
  return failed ? NULL : copy;
}

static void write_out(void *user, char **answer, size_t *size)
{
  LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(user);
  *size = LLVMGetBufferSize(buffer);
  *answer = malloc(*size ? *size : 1);
  if (*answer)
    memcpy(*answer, LLVMGetBufferStart(buffer), *size);
  LLVMDisposeMemoryBuffer(buffer);
}

/* In the child. */
static void write_in_child(void *user, char **answer, size_t *size)
{
  LLVMResetFatalErrorHandler();
  write_out(user, answer, size);
  if (!*answer)
    abort();
}

coro_status ir_bitcode(LLVMModuleRef module, char **out, size_t *size)
{
  size_t assembly = assembly_of(module);
  if (!assembly) {
    write_out(module, out, size);
    return *out ? CORO_OK : CORO_ENOMEM;
  }
  struct child_limits limits = {SECONDS + (unsigned)(assembly / BYTES_A_SECOND),
                                MEMORY + (uint64_t)assembly * MEMORY_A_BYTE};
  struct child_result result;
  child_run(&result, &limits, write_in_child, module);
  *out = result.answer;
  *size = result.size;
  return result.end == CHILD_DONE ? CORO_OK : CORO_EJIT;
}
