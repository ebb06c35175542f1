/* Mutations of what an instruction is: flags, predicates, opcodes, alignments, orderings, metadata, attributes.
   Requires: a clone under attack. */
#include <string.h>

#include "attack/attack.h"
#include "check.h"
#include "ir/edit.h"

/* ---- Exchange ---- */

LLVMValueRef *attack_remove(struct attack *a, LLVMValueRef inst)
{
  unsigned count = (unsigned)LLVMGetNumOperands(inst);
  LLVMValueRef *operands = CORO_NEW_ARRAY(a->arena, LLVMValueRef, count + 1);
  CHECK(operands, "memory");
  LLVMInstructionRemoveFromParent(inst);
  for (unsigned i = 0; i < count; i++) {
    operands[i] = LLVMIsAInstruction(LLVMGetOperand(inst, i));
    LLVMTypeRef type = operands[i] ? LLVMTypeOf(operands[i]) : NULL;
    if (type)
      LLVMSetOperand(inst, i, LLVMGetTypeKind(type) == LLVMTokenTypeKind ? LLVMConstNull(type) : LLVMGetPoison(type));
  }
  return operands;
}

void attack_insert_again(struct attack *a, LLVMValueRef inst, LLVMValueRef *operands)
{
  LLVMInsertIntoBuilder(a->builder, inst);
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++)
    if (operands[i])
      LLVMSetOperand(inst, i, operands[i]);
}

void attack_exchange(struct attack *a, LLVMValueRef old, LLVMValueRef before, LLVMValueRef made, const char *mutation)
{
  struct witness_entry entry = witness_entry_of_value(a->low->witness, old);
  LLVMValueRef next = LLVMGetNextInstruction(old);
  if (!LLVMIsAInstruction(made) || LLVMGetPreviousInstruction(old) != made || made == before) /* folded */
    return;
  witness_record_counterpart(a->low->witness, made, entry.kind, entry.of);
  if (entry.kind == WITNESS_INLINED)
    (void)coro_map_put(&a->low->witness->originals, coro_map_key(made),
                       (uint64_t)(uintptr_t)witness_original_or_null(a->low->witness, old));
  LLVMReplaceAllUsesWith(old, made);
  LLVMValueRef *operands = attack_remove(a, old);
  attack_judge(a, mutation, made);
  LLVMReplaceAllUsesWith(made, old);
  LLVMPositionBuilderBefore(a->builder, next);
  attack_insert_again(a, old, operands);
  witness_remove_entry(a->low->witness, made);
  LLVMInstructionEraseFromParent(made);
}

/* ---- Flags ---- */

static bool has_wrap_flags(LLVMOpcode opcode)
{
  return opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul || opcode == LLVMShl || opcode == LLVMTrunc;
}

static bool has_exact_flag(LLVMOpcode opcode)
{
  return opcode == LLVMUDiv || opcode == LLVMSDiv || opcode == LLVMLShr || opcode == LLVMAShr;
}

static void add_flag(struct attack *a, LLVMValueRef inst, const char *name, LLVMBool (*get)(LLVMValueRef),
                     void (*set)(LLVMValueRef, LLVMBool))
{
  if (get(inst) || !attack_is_drawn())
    return;
  set(inst, true);
  attack_judge(a, name, inst);
  set(inst, false);
}

static void add_flags(struct attack *a, LLVMValueRef inst)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  if (has_wrap_flags(opcode)) {
    add_flag(a, inst, "nuw", LLVMGetNUW, LLVMSetNUW);
    add_flag(a, inst, "nsw", LLVMGetNSW, LLVMSetNSW);
  }
  if (has_exact_flag(opcode))
    add_flag(a, inst, "exact", LLVMGetExact, LLVMSetExact);
  if (opcode == LLVMZExt || opcode == LLVMUIToFP)
    add_flag(a, inst, "nneg", LLVMGetNNeg, LLVMSetNNeg);
  if (opcode == LLVMOr)
    add_flag(a, inst, "disjoint", LLVMGetIsDisjoint, LLVMSetIsDisjoint);
  if (opcode == LLVMICmp)
    add_flag(a, inst, "samesign", LLVMGetICmpSameSign, LLVMSetICmpSameSign);
  if (opcode == LLVMGetElementPtr && attack_is_drawn()) {
    LLVMGEPNoWrapFlags old = LLVMGEPGetNoWrapFlags(inst), all = LLVMGEPFlagInBounds | LLVMGEPFlagNUSW | LLVMGEPFlagNUW;
    LLVMGEPSetNoWrapFlags(inst, all);
    if (old != all && witness_entry_of_value(a->low->witness, inst).kind != WITNESS_NONE)
      attack_judge(a, "gep-flags", inst);
    LLVMGEPSetNoWrapFlags(inst, old);
  }
  if (LLVMCanValueUseFastMathFlags(inst) && LLVMGetFastMathFlags(inst) != LLVMFastMathAll && attack_is_drawn()) {
    LLVMPositionBuilderBefore(a->builder, inst); /* flags cannot be removed again */
    LLVMValueRef fast = LLVMInstructionClone(inst), before = LLVMGetPreviousInstruction(inst);
    LLVMInsertIntoBuilder(a->builder, fast);
    LLVMSetFastMathFlags(fast, LLVMFastMathAll);
    attack_exchange(a, inst, before, fast, "fast-math");
  }
}

/* ---- Other instructions with the same operands ---- */

static void try_other_opcodes(struct attack *a, LLVMValueRef inst)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  LLVMValueRef before = LLVMGetPreviousInstruction(inst);
  if (LLVMIsABinaryOperator(inst) && attack_is_drawn()) {
    LLVMPositionBuilderBefore(a->builder, inst);
    bool floats = LLVMIsAConstantFP(LLVMConstNull(LLVMTypeOf(inst))) || LLVMCanValueUseFastMathFlags(inst);
    LLVMOpcode other = floats ? (opcode == LLVMFSub ? LLVMFAdd : LLVMFSub) : opcode == LLVMSub ? LLVMXor : LLVMSub;
    attack_exchange(a, inst, before,
                    LLVMBuildBinOp(a->builder, other, LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1), ""), "opcode");
  }
  if (opcode == LLVMICmp && attack_is_drawn()) {
    LLVMIntPredicate old = LLVMGetICmpPredicate(inst), other = old == LLVMIntEQ ? LLVMIntNE : LLVMIntEQ;
    LLVMPositionBuilderBefore(a->builder, inst);
    attack_exchange(a, inst, before,
                    LLVMBuildICmp(a->builder, other, LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1), ""),
                    "predicate");
  }
  if ((opcode == LLVMZExt || opcode == LLVMSExt) && attack_is_drawn()) {
    LLVMPositionBuilderBefore(a->builder, inst);
    attack_exchange(a, inst, before,
                    LLVMBuildCast(a->builder, opcode == LLVMZExt ? LLVMSExt : LLVMZExt, LLVMGetOperand(inst, 0),
                                  LLVMTypeOf(inst), ""),
                    "extension");
  }
}

/* ---- Memory accesses ---- */

enum { LARGE_ALIGNMENT = 1 << 16 };

static void change_access(struct attack *a, LLVMValueRef inst)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  bool updates = opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg;
  if (opcode != LLVMLoad && opcode != LLVMStore && !updates)
    return;
  unsigned align = LLVMGetAlignment(inst);
  if (attack_is_drawn()) {
    LLVMSetAlignment(inst, LARGE_ALIGNMENT);
    attack_judge(a, "alignment", inst);
    LLVMSetAlignment(inst, align);
  }
  if (LLVMGetVolatile(inst) && attack_is_drawn()) {
    LLVMSetVolatile(inst, false);
    attack_judge(a, "not-volatile", inst);
    LLVMSetVolatile(inst, true);
  }
  if (!updates && LLVMGetOrdering(inst) > LLVMAtomicOrderingMonotonic && attack_is_drawn()) {
    LLVMAtomicOrdering old = LLVMGetOrdering(inst);
    LLVMSetOrdering(inst, LLVMAtomicOrderingMonotonic);
    attack_judge(a, "ordering", inst);
    LLVMSetOrdering(inst, old);
  }
  if (opcode == LLVMAtomicRMW && attack_is_drawn()) {
    LLVMAtomicRMWBinOp old = LLVMGetAtomicRMWBinOp(inst);
    LLVMSetAtomicRMWBinOp(inst, old == LLVMAtomicRMWBinOpAdd ? LLVMAtomicRMWBinOpSub : LLVMAtomicRMWBinOpAdd);
    attack_judge(a, "atomicrmw", inst);
    LLVMSetAtomicRMWBinOp(inst, old);
  }
  if (opcode == LLVMAtomicCmpXchg && !LLVMGetWeak(inst) && attack_is_drawn()) {
    LLVMSetWeak(inst, true);
    attack_judge(a, "weak", inst);
    LLVMSetWeak(inst, false);
  }
}

/* ---- Metadata and attributes ---- */

static void add_metadata(struct attack *a, LLVMValueRef inst, const char *name, LLVMMetadataRef *parts, size_t count)
{
  unsigned kind = LLVMGetMDKindIDInContext(a->low->context, name, (unsigned)strlen(name));
  if (LLVMGetMetadata(inst, kind) || !attack_is_drawn())
    return;
  LLVMSetMetadata(inst, kind,
                  LLVMMetadataAsValue(a->low->context, LLVMMDNodeInContext2(a->low->context, parts, count)));
  attack_judge(a, name, inst);
  LLVMSetMetadata(inst, kind, NULL);
}

static void add_facts(struct attack *a, LLVMValueRef inst)
{
  LLVMTypeRef type = LLVMTypeOf(inst);
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  bool calls = opcode == LLVMCall || opcode == LLVMInvoke;
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && (opcode == LLVMLoad || calls) &&
      LLVMGetIntTypeWidth(type) <= 64 && LLVMGetIntTypeWidth(type) > 1) {
    LLVMMetadataRef range[2] = {LLVMValueAsMetadata(LLVMConstInt(type, 0, false)),
                                LLVMValueAsMetadata(LLVMConstInt(type, 1, false))};
    add_metadata(a, inst, "range", range, 2);
  }
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind && opcode == LLVMLoad)
    add_metadata(a, inst, "nonnull", NULL, 0);
  if (opcode == LLVMLoad) {
    add_metadata(a, inst, "noundef", NULL, 0);
    add_metadata(a, inst, "invariant.load", NULL, 0);
  }
}

static void add_attributes(struct attack *a, LLVMValueRef inst)
{
  static const char *const names[] = {"noreturn", "nounwind"};
  if (!LLVMIsACallInst(inst) && !LLVMIsAInvokeInst(inst))
    return;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (edit_has_function_attribute(inst, names[i]) || !attack_is_drawn())
      continue;
    edit_add_function_attribute(inst, names[i]);
    attack_judge(a, names[i], inst);
    edit_remove_function_attribute(inst, names[i]);
  }
  if (attack_is_drawn()) {
    unsigned old = LLVMGetInstructionCallConv(inst);
    LLVMSetInstructionCallConv(inst, old == LLVMFastCallConv ? LLVMCCallConv : LLVMFastCallConv);
    attack_judge(a, "calling-convention", inst);
    LLVMSetInstructionCallConv(inst, old);
  }
  if (LLVMIsACallInst(inst) && LLVMGetTailCallKind(inst) == LLVMTailCallKindNone && attack_is_drawn()) {
    LLVMSetTailCallKind(inst, LLVMTailCallKindTail);
    attack_judge(a, "tail", inst);
    LLVMSetTailCallKind(inst, LLVMTailCallKindNone);
  }
  LLVMTailCallKind kind = LLVMIsACallInst(inst) ? LLVMGetTailCallKind(inst) : LLVMTailCallKindNone;
  if (kind != LLVMTailCallKindNone && attack_is_drawn()) {
    LLVMSetTailCallKind(inst, LLVMTailCallKindNone);
    attack_judge(a, "no-tail", inst);
    LLVMSetTailCallKind(inst, kind);
  }
}

void attack_flags(struct attack *a, uint32_t inst)
{
  LLVMValueRef value = a->fn.insts[inst];
  if (attack_is_dead(value))
    return;
  add_flags(a, value);
  try_other_opcodes(a, value);
  change_access(a, value);
  add_facts(a, value);
  add_attributes(a, value);
}
