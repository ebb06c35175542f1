/* Detects modules without a data layout with types of different sizes under LLVM's default layout and this machine's:
   offsets computed during lowering would be wrong.
   Requires: a module that verifies, the machine's layout. Guarantees: a diagnostic that names such a type, if there
   is one. */
#include <stdio.h>

#include "base/arena.h"
#include "ir/operand.h"
#include "ir/size.h"
#include "jit/jit_internal.h"
#include "llvm-c/Target.h"

/* The type of the accessed or allocated memory, or NULL. */
static LLVMTypeRef type_of_accessed_memory(LLVMValueRef instruction)
{
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMAlloca: return LLVMGetAllocatedType(instruction);
  case LLVMGetElementPtr: return LLVMGetGEPSourceElementType(instruction);
  case LLVMLoad: return LLVMTypeOf(instruction);
  case LLVMStore: return LLVMTypeOf(LLVMGetOperand(instruction, STORE_VALUE));
  default: return NULL;
  }
}

static bool differs_in_size(LLVMTypeRef type, struct ir_sizes *default_sizes, struct ir_sizes *machine_sizes)
{
  uint64_t here, there;
  LLVMTypeKind kind = type ? LLVMGetTypeKind(type) : LLVMVoidTypeKind;
  bool is_aggregate = kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
  return is_aggregate && ir_size_of(default_sizes, type, &here) && ir_size_of(machine_sizes, type, &there) &&
         here != there;
}

static LLVMTypeRef find_type_of_different_size(LLVMModuleRef module, struct ir_sizes *default_sizes,
                                               struct ir_sizes *machine_sizes)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (differs_in_size(type_of_accessed_memory(i), default_sizes, machine_sizes))
          return type_of_accessed_memory(i);
  return NULL;
}

static coro_status reject_type_of_different_size(LLVMTypeRef type, LLVMTargetDataRef standard, LLVMTargetDataRef real,
                                                 coro_diags *diags)
{
  char message[400];
  char *text = LLVMPrintTypeToString(type);
  snprintf(message, sizeof message,
           "the module has no data layout: %.200s takes %llu bytes in LLVM's default layout, but %llu on this machine",
           text, LLVMABISizeOfType(standard, type), LLVMABISizeOfType(real, type));
  LLVMDisposeMessage(text);
  return coro_diags_add(
      diags, &(coro_diag){.status = CORO_EJIT,
                          .rule = "names-a-layout",
                          .message = message,
                          .hint = "add this machine's `target datalayout` to the module before it is lowered; in "
                                  "Python, pycoro.lower(ir, host=True) and pycoro.Module(ir, host=True) do"});
}

coro_status jit_check_layout(LLVMModuleRef module, const char *machine, coro_diags *diags)
{
  if (*LLVMGetDataLayoutStr(module))
    return CORO_OK;
  struct coro_arena *arena = coro_arena_create();
  if (!arena)
    return jit_report_no_memory(diags);
  LLVMTargetDataRef standard = LLVMCreateTargetData(""), real = LLVMCreateTargetData(machine);
  struct ir_sizes default_sizes, machine_sizes;
  ir_sizes_init(&default_sizes, arena, standard);
  ir_sizes_init(&machine_sizes, arena, real);
  LLVMTypeRef type = find_type_of_different_size(module, &default_sizes, &machine_sizes);
  coro_status status = type ? reject_type_of_different_size(type, standard, real, diags) : CORO_OK;
  if (coro_arena_failed(arena)) /* a failed allocation makes a size unknown */
    status = jit_report_no_memory(diags);
  coro_arena_free(arena);
  LLVMDisposeTargetData(standard);
  LLVMDisposeTargetData(real);
  return status;
}
