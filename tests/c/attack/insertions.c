/* Mutations that insert code, or change the clone itself.
   Requires: a clone under attack. */
#include "attack/attack.h"
#include "ir/edit.h"
#include "lowering/abi.h"

/* Stores a byte into memory of the frame that belongs to an alloca, or to the promise. At a return the coroutine has
   suspended, or its frame is freed; a continuation suspends by its return. */
static void overwrite_alloca(struct attack *a, LLVMValueRef before, const struct coro_field *field)
{
  LLVMTypeRef byte = LLVMInt8TypeInContext(a->low->context);
  LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(a->low->context), field->offset, false);
  LLVMPositionBuilderBefore(a->builder, before);
  LLVMValueRef address = LLVMBuildInBoundsGEP2(a->builder, byte, a->from->frame, &offset, 1, "mutant");
  LLVMValueRef store = LLVMBuildStore(a->builder, LLVMConstInt(byte, 77, false), address);
  bool late = LLVMIsAReturnInst(before) && a->low->shape.suspend_count && !a->low->abi->end_frees_frame;
  attack_judge(a, late ? "late-store" : "overwritten-alloca", store);
  witness_record_counterpart(a->low->witness, store, WITNESS_SPILL, 0);
  attack_judge(a, late ? "late-store-spill" : "overwritten-alloca-spill", store);
  witness_remove_entry(a->low->witness, store);
  LLVMInstructionEraseFromParent(store);
  if (LLVMIsAInstruction(address))
    LLVMInstructionEraseFromParent(address);
}

/* Judges an inserted instruction twice: the witness does not know it, or says that it replaces the first presplit
   instruction. */
static void judge_inserted(struct attack *a, LLVMValueRef inserted, const char *mutation, const char *as_lowered)
{
  attack_judge(a, mutation, inserted);
  witness_record_counterpart(a->low->witness, inserted, WITNESS_LOWERED, 0);
  attack_judge(a, as_lowered, inserted);
  witness_remove_entry(a->low->witness, inserted);
  LLVMInstructionEraseFromParent(inserted);
}

static void store_to_global(struct attack *a, LLVMValueRef before)
{
  LLVMValueRef global = LLVMGetFirstGlobal(a->low->module);
  for (; global && (LLVMIsGlobalConstant(global) || LLVMGetPointerAddressSpace(LLVMTypeOf(global)));)
    global = LLVMGetNextGlobal(global);
  if (!global || !attack_is_drawn())
    return;
  LLVMPositionBuilderBefore(a->builder, before);
  LLVMValueRef store =
      LLVMBuildStore(a->builder, LLVMConstInt(LLVMInt8TypeInContext(a->low->context), 77, false), global);
  judge_inserted(a, store, "store-to-global", "store-to-global-lowered");
}

/* Inserts an instruction that may trap, or synchronizes. */
static void trap(struct attack *a, LLVMValueRef before)
{
  LLVMContextRef context = a->low->context;
  LLVMTypeRef word = LLVMInt32TypeInContext(context);
  LLVMValueRef null = LLVMConstNull(LLVMPointerTypeInContext(context, 0));
  if (!attack_is_drawn())
    return;
  LLVMPositionBuilderBefore(a->builder, before);
  judge_inserted(a, LLVMBuildLoad2(a->builder, word, null, "mutant"), "load-of-null", "load-of-null-lowered");
  for (uint32_t p = 0; p < a->fn.arg_count; p++)
    if (LLVMTypeOf(ir_value(&a->fn, p)) == word)
      judge_inserted(a, LLVMBuildUDiv(a->builder, ir_value(&a->fn, p), ir_value(&a->fn, p), "mutant"), "division",
                     "division-lowered");
  judge_inserted(a, LLVMBuildFence(a->builder, LLVMAtomicOrderingSequentiallyConsistent, false, ""), "fence",
                 "fence-lowered");
  judge_inserted(a,
                 LLVMBuildAtomicRMW(a->builder, LLVMAtomicRMWBinOpAdd, null, LLVMConstInt(word, 1, false),
                                    LLVMAtomicOrderingSequentiallyConsistent, false),
                 "atomic-update", "atomic-update-lowered");
}

/* Facts about the whole clone. */
static void change_function(struct attack *a)
{
  static const char *const names[] = {"nounwind", "noreturn", "willreturn"};
  LLVMValueRef function = a->fn.function;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (edit_has_function_attribute(function, names[i]))
      continue;
    edit_add_function_attribute(function, names[i]);
    attack_judge(a, names[i], a->fn.insts[0]);
    edit_remove_function_attribute(function, names[i]);
  }
  unsigned convention = LLVMGetFunctionCallConv(function);
  LLVMSetFunctionCallConv(function, convention == LLVMFastCallConv ? LLVMCCallConv : LLVMFastCallConv);
  attack_judge(a, "calling-convention-of-clone", a->fn.insts[0]);
  LLVMSetFunctionCallConv(function, convention);
}

void attack_insertions(struct attack *a, uint32_t index)
{
  LLVMValueRef inst = a->fn.insts[index];
  const struct coro_frame *frame = &a->low->frame;
  if (index == 0 && a->fn.function != a->low->fn.function)
    change_function(a);
  if (LLVMGetInstructionOpcode(inst) == LLVMPHI || LLVMIsALandingPadInst(inst))
    return;
  store_to_global(a, inst);
  trap(a, inst);
  LLVMValueRef pointer = a->from->frame;
  if (!pointer || (LLVMIsAInstruction(pointer) && !attack_dominates(a, pointer, index)))
    return;
  for (uint32_t f = 0; f < frame->field_count; f++)
    if ((frame->fields[f].kind == CORO_FIELD_ALLOCA || frame->fields[f].kind == CORO_FIELD_PROMISE) &&
        frame->fields[f].size && attack_is_drawn())
      overwrite_alloca(a, inst, &frame->fields[f]);
}
