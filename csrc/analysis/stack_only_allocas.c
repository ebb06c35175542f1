/* Recognizes allocas that must stay on the stack. */
#include "analysis/stack_only_allocas.h"

#include <string.h>

#include "ir/edit.h"

/* inalloca is an attribute of the last argument. */
static bool passes_by_inalloca(const struct ir_fn *fn, uint32_t inst)
{
  if (fn->opcode[inst] != LLVMCall && fn->opcode[inst] != LLVMInvoke)
    return false;
  unsigned count = LLVMGetNumArgOperands(fn->insts[inst]);
  return count && edit_call_or_callee_has_attribute(fn->insts[inst], count, "inalloca");
}

/* Copies all allocas to a block of another module, so that one print has a line for each and nothing else. */
static char *print_allocas_in_scratch_module(const struct ir_fn *fn)
{
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(fn->function));
  LLVMModuleRef scratch = LLVMModuleCreateWithNameInContext("", context);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
  LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(context, LLVMAddFunction(scratch, "", type), "");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, block);
  for (uint32_t i = 0; i < fn->inst_count; i++)
    if (fn->opcode[i] == LLVMAlloca)
      LLVMInsertIntoBuilder(builder, LLVMInstructionClone(fn->insts[i]));
  char *text = LLVMPrintValueToString(LLVMBasicBlockAsValue(block));
  LLVMDisposeBuilder(builder);
  LLVMDisposeModule(scratch);
  return text;
}

/* LLVM-C does not tell whether an alloca is `alloca inalloca`, and its address may reach the call by any route, also
   through memory. So the printed form decides. */
bool stack_only_find_inalloca_allocas(struct coro_bits *found, struct coro_arena *arena, const struct ir_fn *fn)
{
  static const char any[] = " = alloca ", flagged[] = " = alloca inalloca ";
  uint32_t call = 0;
  if (!coro_bits_init(found, arena, ir_value_count(fn)))
    return false;
  while (call < fn->inst_count && !passes_by_inalloca(fn, call))
    call++;
  if (call == fn->inst_count)
    return true;
  char *text = print_allocas_in_scratch_module(fn), *line = text;
  for (uint32_t i = 0; i < fn->inst_count && line; i++) {
    if (fn->opcode[i] != LLVMAlloca || !(line = strstr(line, any)))
      continue;
    if (!strncmp(line, flagged, sizeof flagged - 1))
      coro_bits_set(found, ir_value_of_inst(fn, i));
    line = strchr(line, '\n');
  }
  LLVMDisposeMessage(text);
  return true;
}

const char *stack_only_reason(struct coro_arena *arena, const struct intrin_table *table, LLVMValueRef alloca)
{
  for (LLVMUseRef use = LLVMGetFirstUse(alloca); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use), callee = edit_is_call(user) ? LLVMGetCalledValue(user) : NULL;
    unsigned id = callee && LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
    for (enum intrin i = INTRIN_GCROOT; id && i < INTRIN_ALL; i++)
      if (table->llvm_id[i] == id)
        return coro_arena_printf(arena, "%s names it", intrin_name(i));
  }
  return NULL;
}

/* Exception tables of Windows refer to a stack slot for the exception object. */
static bool is_catch_object_of_pad(LLVMValueRef alloca)
{
  LLVMUseRef use = LLVMGetFirstUse(alloca);
  while (use && !LLVMIsACatchPadInst(LLVMGetUser(use)))
    use = LLVMGetNextUse(use);
  return use;
}

bool stack_only_is_required_by_pad_or_metadata(LLVMValueRef alloca)
{
  return is_catch_object_of_pad(alloca) ||
         LLVMGetMetadata(alloca, LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(alloca)), "coro.outside.frame",
                                                          18)) != NULL;
}
