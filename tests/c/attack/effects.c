/* Mutations of side effects and of control flow.
   Requires: a clone under attack. */
#include <stdio.h>

#include "attack/attack.h"
#include "ir/constant_fold.h"
#include "ir/flow.h"
#include "ir/operand.h"

static enum witness_kind kind_of(const struct attack *a, LLVMValueRef inst)
{
  return witness_entry_of_value(a->low->witness, inst).kind;
}

static void reinsert(struct attack *a, LLVMValueRef inst, LLVMValueRef before)
{
  LLVMPositionBuilderBefore(a->builder, before);
  LLVMInsertIntoBuilder(a->builder, inst);
}

static void drop(struct attack *a, LLVMValueRef inst)
{
  LLVMValueRef next = LLVMGetNextInstruction(inst);
  if (LLVMIsATerminatorInst(inst) || LLVMGetFirstUse(inst) || !attack_is_drawn())
    return;
  LLVMValueRef *operands = attack_remove(a, inst);
  attack_judge(a, "dropped", next);
  LLVMPositionBuilderBefore(a->builder, next);
  attack_insert_again(a, inst, operands);
}

/* A second store, copy or llvm.coro.subfn.addr of the lowering's own right after the first changes nothing. */
static bool is_idempotent(const struct attack *a, LLVMValueRef inst)
{
  return kind_of(a, inst) == WITNESS_NONE || kind_of(a, inst) == WITNESS_SPILL;
}

static void duplicate(struct attack *a, LLVMValueRef inst)
{
  if (kind_of(a, inst) == WITNESS_REMATERIALIZED && intrin_of_call(a->low->table, inst) == INTRIN_ID)
    return; /* it only names the coroutine */
  struct witness_entry entry = witness_entry_of_value(a->low->witness, inst);
  if (LLVMIsATerminatorInst(inst) || LLVMGetInstructionOpcode(inst) == LLVMPHI || is_idempotent(a, inst) ||
      !attack_is_drawn())
    return;
  LLVMValueRef twice = LLVMInstructionClone(inst);
  reinsert(a, twice, LLVMGetNextInstruction(inst));
  attack_judge(a, "duplicated", twice);
  witness_record_counterpart(a->low->witness, twice, entry.kind, entry.of);
  attack_judge(a, "duplicated-copy", twice);
  witness_remove_entry(a->low->witness, twice);
  LLVMInstructionEraseFromParent(twice);
}

static bool reads_or_writes(LLVMValueRef inst)
{
  return attack_has_effect(inst) || LLVMGetInstructionOpcode(inst) == LLVMLoad;
}

/* Two loads that are neither volatile nor atomic commute. */
static void swap_with_next(struct attack *a, LLVMValueRef inst)
{
  LLVMValueRef next = LLVMGetNextInstruction(inst);
  if (LLVMIsATerminatorInst(inst) || LLVMIsATerminatorInst(next) || LLVMGetInstructionOpcode(next) == LLVMPHI)
    return;
  bool copies = kind_of(a, inst) == WITNESS_COPY && kind_of(a, next) == WITNESS_COPY;
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(next); i++)
    if (LLVMGetOperand(next, i) == inst)
      return;
  if (!copies || !reads_or_writes(inst) || !reads_or_writes(next) ||
      (!attack_has_effect(inst) && !attack_has_effect(next)) || !attack_is_drawn())
    return;
  LLVMInstructionRemoveFromParent(next);
  reinsert(a, next, inst);
  attack_judge(a, "reordered", inst);
  LLVMInstructionRemoveFromParent(next);
  reinsert(a, next, LLVMGetNextInstruction(inst));
}

/* Moves a store to the end, or after the phis, of another block. */
static void move_store(struct attack *a, LLVMValueRef inst)
{
  LLVMValueRef next = LLVMGetNextInstruction(inst);
  uint32_t block = ir_id(&a->fn, LLVMBasicBlockAsValue(LLVMGetInstructionParent(inst))) & ~IR_BLOCK;
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(a->fn.blocks[block]);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++) {
    LLVMBasicBlockRef to = LLVMGetSuccessor(terminator, i);
    uint32_t id = ir_id(&a->fn, LLVMBasicBlockAsValue(to)) & ~IR_BLOCK;
    if (LLVMGetInstructionOpcode(LLVMGetFirstInstruction(to)) == LLVMPHI || id == block ||
        a->graph.pred_start[id + 1] - a->graph.pred_start[id] != 1 || LLVMGetNumSuccessors(terminator) < 2 ||
        !attack_is_drawn())
      continue;
    LLVMInstructionRemoveFromParent(inst);
    reinsert(a, inst, LLVMGetFirstInstruction(to));
    attack_judge(a, "sunk-store", inst);
    LLVMInstructionRemoveFromParent(inst);
    reinsert(a, inst, next);
  }
}

/* Freezes the value of a rematerialized freeze once more, for the first use. */
static void freeze_again(struct attack *a, LLVMValueRef freeze)
{
  LLVMUseRef use = LLVMGetFirstUse(freeze);
  if (kind_of(a, freeze) != WITNESS_REMATERIALIZED || !use || !LLVMGetNextUse(use) || !attack_is_drawn())
    return;
  LLVMValueRef twice = LLVMInstructionClone(freeze), user = LLVMGetUser(use);
  reinsert(a, twice, LLVMGetNextInstruction(freeze));
  witness_record_counterpart(a->low->witness, twice, WITNESS_REMATERIALIZED,
                             witness_entry_of_value(a->low->witness, freeze).of);
  unsigned index = 0;
  while (LLVMGetOperand(user, index) != freeze)
    index++;
  LLVMSetOperand(user, index, twice);
  attack_judge(a, "second-freeze", twice);
  LLVMSetOperand(user, index, freeze);
  witness_remove_entry(a->low->witness, twice);
  LLVMInstructionEraseFromParent(twice);
}

void attack_effects(struct attack *a, uint32_t index)
{
  LLVMValueRef inst = a->fn.insts[index];
  if (attack_has_effect(inst) && !LLVMIsATerminatorInst(inst)) {
    drop(a, inst);
    duplicate(a, inst);
    if (LLVMGetInstructionOpcode(inst) == LLVMStore)
      move_store(a, inst);
  }
  if (!LLVMIsATerminatorInst(inst))
    swap_with_next(a, inst);
  if (LLVMIsAFreezeInst(inst))
    freeze_again(a, inst);
}

/* ---- Control flow ---- */

static bool has_phi(LLVMBasicBlockRef block)
{
  return LLVMGetInstructionOpcode(LLVMGetFirstInstruction(block)) == LLVMPHI;
}

/* Whether the terminator depends on a phi of constants, none of which selects the successor. */
static bool is_never_taken(LLVMValueRef terminator, unsigned index)
{
  LLVMValueRef operand = flow_branch_operand(terminator),
               phi = operand ? constant_fold_single_source_or_null(operand) : NULL;
  bool taken = !phi || !LLVMIsAPHINode(phi);
  for (unsigned i = 0; !taken && i < LLVMCountIncoming(phi); i++)
    taken = !LLVMIsAConstantInt(LLVMGetIncomingValue(phi, i)) ||
            constant_successor_or_unknown(terminator, phi, LLVMGetIncomingValue(phi, i)) == index;
  return !taken;
}

bool attack_is_never_executed(LLVMValueRef inst)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);
  bool has_predecessor = false;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef terminator = LLVMGetUser(use);
    for (unsigned i = 0; LLVMIsATerminatorInst(terminator) && i < LLVMGetNumSuccessors(terminator); i++) {
      has_predecessor = true;
      if (LLVMGetSuccessor(terminator, i) == block && !is_never_taken(terminator, i))
        return false;
    }
  }
  return has_predecessor;
}

static void swap_successors(struct attack *a, LLVMValueRef terminator)
{
  LLVMBasicBlockRef one = LLVMGetSuccessor(terminator, 0), two = LLVMGetSuccessor(terminator, 1);
  bool taken = !is_never_taken(terminator, 0) || !is_never_taken(terminator, 1);
  if (!taken || attack_are_same_target(one, two) || !attack_is_drawn())
    return;
  LLVMSetSuccessor(terminator, 0, two);
  LLVMSetSuccessor(terminator, 1, one);
  attack_judge(a, "swapped-successors", terminator);
  LLVMSetSuccessor(terminator, 0, one);
  LLVMSetSuccessor(terminator, 1, two);
}

/* Other blocks of the clone where all values stay defined: the block dominates them, or they use no earlier values. */
static void retarget(struct attack *a, LLVMValueRef terminator, unsigned index)
{
  LLVMBasicBlockRef old = LLVMGetSuccessor(terminator, index);
  char name[128];
  if (has_phi(old) || is_never_taken(terminator, index))
    return;
  for (uint32_t b = 0; b < a->fn.block_count; b++) {
    LLVMBasicBlockRef to = a->fn.blocks[b];
    if (attack_are_same_target(old, to) || has_phi(to) || to == a->from->entry || !attack_is_drawn())
      continue;
    LLVMSetSuccessor(terminator, index, to);
    snprintf(name, sizeof name, "retargeted from %.40s to %.40s", LLVMGetBasicBlockName(old),
             LLVMGetBasicBlockName(to));
    attack_judge(a, name, terminator);
    LLVMSetSuccessor(terminator, index, old);
  }
}

static void change_cases(struct attack *a, LLVMValueRef terminator)
{
  unsigned count = LLVMGetNumSuccessors(terminator);
  for (unsigned i = 1; i < count; i++) {
    LLVMValueRef old = LLVMGetSwitchCaseValue(terminator, i);
    unsigned long long number = LLVMConstIntGetZExtValue(old);
    if (!attack_is_drawn())
      continue;
    LLVMSetSwitchCaseValue(terminator, i, LLVMConstInt(LLVMTypeOf(old), number + count, false));
    attack_judge(a, "case", terminator);
    LLVMSetSwitchCaseValue(terminator, i, old);
  }
}

/* Replaces a terminator by a return, by unreachable, or by a jump. */
static void end_block(struct attack *a, LLVMValueRef terminator)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(terminator);
  unsigned count = LLVMGetNumSuccessors(terminator);
  if (LLVMGetFirstUse(terminator) || LLVMGetInstructionOpcode(terminator) == LLVMUnreachable ||
      LLVMIsAReturnInst(terminator))
    return;
  for (unsigned i = 0; i < count; i++)
    if (has_phi(LLVMGetSuccessor(terminator, i)))
      return;
  for (unsigned with = 0; with < 3; with++) {
    bool no_result =
        LLVMGetReturnType(LLVMGlobalGetValueType(a->fn.function)) == LLVMVoidTypeInContext(a->low->context);
    if (with == 1 && (!no_result || (count == 1 && attack_are_same_target(LLVMGetSuccessor(terminator, 0), NULL))))
      continue;
    bool one_target = count < 2 || (count == 2 && attack_are_same_target(LLVMGetSuccessor(terminator, 0),
                                                                         LLVMGetSuccessor(terminator, 1)));
    if (!attack_is_drawn() || (with == 2 && (one_target || LLVMGetInstructionOpcode(terminator) == LLVMInvoke)))
      continue;
    LLVMValueRef *operands = attack_remove(a, terminator);
    LLVMPositionBuilderAtEnd(a->builder, block);
    LLVMValueRef made = with == 0   ? LLVMBuildUnreachable(a->builder)
                        : with == 2 ? LLVMBuildBr(a->builder, LLVMGetSuccessor(terminator, 1))
                                    : LLVMBuildRetVoid(a->builder);
    attack_judge(a, with == 0 ? "unreachable" : with == 2 ? "jump" : "return", made);
    LLVMInstructionEraseFromParent(made);
    LLVMPositionBuilderAtEnd(a->builder, block);
    attack_insert_again(a, terminator, operands);
  }
}

/* Lets the predecessor `from` of a phi's block bypass the block, whose branch becomes a jump to the successor that the
   other incoming value selects. */
static void bypass_phi(struct attack *a, LLVMValueRef phi, unsigned bypassing)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(phi), from = LLVMGetIncomingBlock(phi, bypassing),
                    other = LLVMGetIncomingBlock(phi, !bypassing);
  LLVMValueRef jump = LLVMGetBasicBlockTerminator(from), terminator = LLVMGetBasicBlockTerminator(block),
               value = LLVMGetIncomingValue(phi, !bypassing);
  unsigned successor = constant_successor_or_unknown(terminator, phi, value),
           bypassed = constant_successor_or_unknown(terminator, phi, LLVMGetIncomingValue(phi, bypassing));
  if (successor == CONSTANT_SUCCESSOR_UNKNOWN || bypassed == CONSTANT_SUCCESSOR_UNKNOWN)
    return;
  LLVMBasicBlockRef to = LLVMGetSuccessor(terminator, successor), not_taken = LLVMGetSuccessor(terminator, bypassed);
  if (attack_are_same_target(to, not_taken) || LLVMGetNumSuccessors(jump) != 1 ||
      LLVMGetNextInstruction(phi) == terminator || has_phi(not_taken) || has_phi(to) || !attack_is_drawn())
    return;
  LLVMBasicBlockRef joined = LLVMInsertBasicBlockInContext(a->low->context, to, "joined");
  LLVMPositionBuilderAtEnd(a->builder, joined);
  LLVMBuildBr(a->builder, to);
  LLVMValueRef *operands = attack_remove(a, terminator);
  LLVMPositionBuilderAtEnd(a->builder, block);
  LLVMValueRef made = LLVMBuildBr(a->builder, joined);
  LLVMSetSuccessor(jump, 0, joined);
  LLVMPositionBuilderBefore(a->builder, phi);
  LLVMValueRef reduced = LLVMBuildPhi(a->builder, LLVMTypeOf(phi), "");
  LLVMAddIncoming(reduced, &value, &other, 1);
  attack_exchange(a, phi, NULL, reduced, "bypassed-phi");
  LLVMSetSuccessor(jump, 0, block);
  LLVMInstructionEraseFromParent(made);
  LLVMPositionBuilderAtEnd(a->builder, block);
  attack_insert_again(a, terminator, operands);
  LLVMDeleteBasicBlock(joined);
}

static void bypass_phi_of_constants(struct attack *a, LLVMValueRef terminator)
{
  LLVMValueRef phi = constant_successor_own_phi_or_null(LLVMGetInstructionParent(terminator));
  if (phi && LLVMCountIncoming(phi) == 2 && LLVMIsAConstantInt(LLVMGetIncomingValue(phi, 0)) &&
      LLVMIsAConstantInt(LLVMGetIncomingValue(phi, 1))) {
    bypass_phi(a, phi, 0);
    bypass_phi(a, phi, 1);
  }
}

void attack_control(struct attack *a, uint32_t index)
{
  LLVMValueRef terminator = a->fn.insts[index];
  if (!LLVMIsATerminatorInst(terminator))
    return;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(terminator);
  if ((opcode == LLVMBr || opcode == LLVMSwitch) && LLVMGetNumSuccessors(terminator) > 1)
    swap_successors(a, terminator);
  if (opcode == LLVMBr || opcode == LLVMSwitch || opcode == LLVMInvoke)
    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++)
      retarget(a, terminator, i);
  if (opcode == LLVMSwitch)
    change_cases(a, terminator);
  if (opcode == LLVMBr || opcode == LLVMSwitch)
    bypass_phi_of_constants(a, terminator);
  if (opcode == LLVMBr || opcode == LLVMSwitch || opcode == LLVMRet || opcode == LLVMInvoke)
    end_block(a, terminator);
}
