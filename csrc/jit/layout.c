/* Detects modules with structs or arrays in memory of different sizes under the module's data layout (LLVM's default if
   it has none) and that of the machine for which code is generated: offsets computed during lowering would be wrong.
   Requires: a module that verifies, the machine's layout. Guarantees: a diagnostic that names such a type, if there
   is one. */
#include <stdio.h>
#include <string.h>

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

static bool differs_in_size(LLVMTypeRef type, struct ir_sizes *own_sizes, struct ir_sizes *machine_sizes)
{
  uint64_t here, there;
  LLVMTypeKind kind = type ? LLVMGetTypeKind(type) : LLVMVoidTypeKind;
  bool is_aggregate = kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
  return is_aggregate && ir_size_of(own_sizes, type, &here) && ir_size_of(machine_sizes, type, &there) && here != there;
}

static LLVMTypeRef find_type_of_different_size(LLVMModuleRef module, struct ir_sizes *own_sizes,
                                               struct ir_sizes *machine_sizes)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (differs_in_size(type_of_accessed_memory(i), own_sizes, machine_sizes))
          return type_of_accessed_memory(i);
  return NULL;
}

static coro_status reject_type_of_different_size(LLVMTypeRef type, LLVMTargetDataRef own, LLVMTargetDataRef real,
                                                 const char *layout_name, coro_diags *diags)
{
  char message[400];
  char *text = LLVMPrintTypeToString(type);
  snprintf(message, sizeof message,
           "%.200s takes %llu bytes in %s, but %llu on the machine for which code is generated", text,
           LLVMABISizeOfType(own, type), layout_name, LLVMABISizeOfType(real, type));
  LLVMDisposeMessage(text);
  return coro_diags_add(diags,
                        &(coro_diag){.status = CORO_EJIT,
                                     .rule = "names-a-layout",
                                     .message = message,
                                     .hint = "set the machine's `target triple` in the module before it is lowered, as "
                                             "`pycoro compile -target` and, in Python, Module(ir, host=True) do"});
}

coro_status jit_check_layout(LLVMModuleRef module, const char *machine, coro_diags *diags)
{
  const char *layout = LLVMGetDataLayoutStr(module);
  if (!strcmp(layout, machine))
    return CORO_OK;
  struct coro_arena *arena = coro_arena_create();
  if (!arena)
    return jit_report_no_memory(diags);
  LLVMTargetDataRef own = LLVMCreateTargetData(layout), real = LLVMCreateTargetData(machine);
  struct ir_sizes own_sizes, machine_sizes;
  ir_sizes_init(&own_sizes, arena, own);
  ir_sizes_init(&machine_sizes, arena, real);
  LLVMTypeRef type = find_type_of_different_size(module, &own_sizes, &machine_sizes);
  coro_status status =
      type ? reject_type_of_different_size(type, own, real,
                                           *layout ? "the module's data layout" : "LLVM's default layout", diags)
           : CORO_OK;
  if (coro_arena_failed(arena)) /* a failed allocation makes a size unknown */
    status = jit_report_no_memory(diags);
  coro_arena_free(arena);
  LLVMDisposeTargetData(own);
  LLVMDisposeTargetData(real);
  return status;
}
