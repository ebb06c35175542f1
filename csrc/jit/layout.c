/* Modules without a data layout: what was computed from LLVM's default one is wrong on a machine that lays out the same
   type otherwise. Needs: a module that verifies, the machine's layout.
   Leaves: a diagnostic that names one such type, where there is one. */
#include <stdio.h>

#include "base/arena.h"
#include "ir/operand.h"
#include "ir/size.h"
#include "jit/inside.h"
#include "llvm-c/Target.h"

/* The type of memory that the instruction is about, NULL for none. */
static LLVMTypeRef memory_type(LLVMValueRef instruction)
{
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMAlloca: return LLVMGetAllocatedType(instruction);
  case LLVMGetElementPtr: return LLVMGetGEPSourceElementType(instruction);
  case LLVMLoad: return LLVMTypeOf(instruction);
  case LLVMStore: return LLVMTypeOf(LLVMGetOperand(instruction, STORE_VALUE));
  default: return NULL;
  }
}

static bool differs(LLVMTypeRef type, struct ir_sizes *one, struct ir_sizes *other)
{
  uint64_t here, there;
  LLVMTypeKind kind = type ? LLVMGetTypeKind(type) : LLVMVoidTypeKind;
  bool is_aggregate = kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
  return is_aggregate && ir_size_of(one, type, &here) && ir_size_of(other, type, &there) && here != there;
}

static LLVMTypeRef find_differing(LLVMModuleRef module, struct ir_sizes *one, struct ir_sizes *other)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (differs(memory_type(i), one, other))
          return memory_type(i);
  return NULL;
}

static coro_status refuse(LLVMTypeRef type, LLVMTargetDataRef standard, LLVMTargetDataRef real, coro_diags *diags)
{
  char message[400];
  char *text = LLVMPrintTypeToString(type);
  snprintf(message, sizeof message,
           "the module names no data layout: %.200s takes %llu bytes by LLVM's default, and %llu on this machine", text,
           LLVMABISizeOfType(standard, type), LLVMABISizeOfType(real, type));
  LLVMDisposeMessage(text);
  return coro_diags_add(
      diags, &(coro_diag){.status = CORO_EJIT,
                          .rule = "names-a-layout",
                          .message = message,
                          .hint = "put `target datalayout` of this machine into the module before it is lowered; in "
                                  "Python, pycoro.lower(ir, host=True) and pycoro.Module(ir, host=True) do"});
}

coro_status jit_check_layout(LLVMModuleRef module, const char *machine, coro_diags *diags)
{
  if (*LLVMGetDataLayoutStr(module))
    return CORO_OK;
  struct coro_arena *arena = coro_arena_create();
  if (!arena)
    return jit_no_memory(diags);
  LLVMTargetDataRef standard = LLVMCreateTargetData(""), real = LLVMCreateTargetData(machine);
  struct ir_sizes one, other;
  ir_sizes_init(&one, arena, standard);
  ir_sizes_init(&other, arena, real);
  LLVMTypeRef type = find_differing(module, &one, &other);
  coro_status status = type ? refuse(type, standard, real, diags) : CORO_OK;
  if (coro_arena_failed(arena)) /* a size that found no memory counts as unknown */
    status = jit_no_memory(diags);
  coro_arena_free(arena);
  LLVMDisposeTargetData(standard);
  LLVMDisposeTargetData(real);
  return status;
}
