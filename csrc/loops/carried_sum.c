/* Finds terms of carried sums in loops of one block, and computes them one iteration ahead. */
#include "loops/carried_sum.h"

#include "base/vec.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "llvm-c/DebugInfo.h"
#include "loops/loop_block.h"

enum {
  MAX_REGISTERS = 12, /* for the phis and terms of one loop */
  MAX_TERM_DEPTH = 4 /* nested instructions of a term */
};

/* A term that the loop adds to a carried value: a counter plus an invariant value. */
struct term_use {
  LLVMValueRef user, term;
  unsigned operand;
};

typedef CORO_VEC(struct term_use) term_uses;

/* ---- Combined terms ---- */

/* Finds the operand of an addition to a carried value that is a counter or loop-invariant. */
static bool find_counter_or_invariant_addend(const struct loop_block *l, uint32_t inst, unsigned *addend)
{
  if (inst == IR_NONE || l->fn->opcode[inst] != LLVMAdd || !loop_set_contains(&l->carried, l, inst) ||
      !loop_set_contains(&l->carries, l, inst))
    return false;
  for (*addend = 0; *addend < 2; ++*addend) {
    uint32_t by = loop_operand(l, inst, *addend);
    if (loop_set_contains(&l->carried, l, loop_operand(l, inst, 1 - *addend)) &&
        (by == IR_NONE || loop_inst_is_counter(l, by)))
      return true;
  }
  return false;
}

/* Whether the sum adds to another sum, which has no other use, so that their terms can be added first. `combined`: sums
   that no longer exist. */
static bool adds_to_combinable_sum(const struct loop_block *l, const struct coro_bits *combined, uint32_t sum,
                                   unsigned *outer, uint32_t *first, unsigned *inner)
{
  if (!find_counter_or_invariant_addend(l, sum, outer))
    return false;
  *first = loop_operand(l, sum, 1 - *outer);
  return !loop_set_contains(combined, l, *first) && find_counter_or_invariant_addend(l, *first, inner) &&
         !LLVMGetNextUse(LLVMGetFirstUse(l->fn->insts[*first])) &&
         (loop_operand(l, sum, *outer) != IR_NONE || loop_operand(l, *first, *inner) != IR_NONE);
}

/* Turns `(carried + 1) + counter` into `carried + (counter + 1)`. *changed: the instructions have to be numbered again.
   False: out of memory. */
static bool combine_terms(struct coro_arena *arena, LLVMBuilderRef builder, const struct loop_block *l, bool *changed)
{
  struct coro_bits combined;
  if (!coro_bits_init(&combined, arena, l->end - l->first))
    return false;
  for (uint32_t i = l->first; i < l->end; i++) {
    unsigned outer, inner;
    uint32_t first;
    if (!adds_to_combinable_sum(l, &combined, i, &outer, &first, &inner))
      continue;
    LLVMValueRef sum = l->fn->insts[i], replaced = l->fn->insts[first];
    edit_position_builder_with_location(builder, sum);
    LLVMValueRef term = LLVMBuildAdd(builder, LLVMGetOperand(sum, outer), LLVMGetOperand(replaced, inner), "");
    LLVMValueRef result = LLVMBuildAdd(builder, LLVMGetOperand(replaced, 1 - inner), term, "");
    edit_move_value_name(arena, result, sum);
    edit_replace_and_erase(sum, result);
    LLVMInstructionEraseFromParent(replaced);
    coro_bits_set(&combined, i - l->first);
    *changed = true;
  }
  return true;
}

/* ---- Terms ---- */

/* Whether no incoming value is the result of the terminator of its block. */
static bool has_no_incoming_terminator_result(LLVMValueRef phi)
{
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (LLVMGetIncomingValue(phi, i) == LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, i)))
      return false;
  return true;
}

/* The result may not be available before the terminator of a predecessor. */
static bool is_result_of_terminator(LLVMValueRef value)
{
  return LLVMIsAInvokeInst(value) || LLVMIsACallBrInst(value);
}

/* Whether the value is computed from phis that are counters, and loop-invariant values. Two copies of a freeze may give
   different values. */
static bool is_counter_expression(const struct loop_block *l, uint32_t inst, int depth)
{
  bool fine = depth < MAX_TERM_DEPTH && loop_inst_is_counter(l, inst) && l->fn->opcode[inst] != LLVMFreeze;
  if (l->fn->opcode[inst] == LLVMPHI)
    return fine && has_no_incoming_terminator_result(l->fn->insts[inst]);
  for (uint32_t o = 0; o < loop_operand_count(l, inst) && fine; o++) {
    uint32_t by = loop_operand(l, inst, o);
    fine = by == IR_NONE ? !is_result_of_terminator(LLVMGetOperand(l->fn->insts[inst], o))
                         : is_counter_expression(l, by, depth + 1);
  }
  return fine;
}

/* The code generator does not combine an instruction that has other uses. */
static bool is_single_use_counter_sum(const struct loop_block *l, uint32_t inst)
{
  return inst != IR_NONE && l->fn->opcode[inst] != LLVMPHI && !LLVMGetNextUse(LLVMGetFirstUse(l->fn->insts[inst])) &&
         LLVMGetTypeKind(LLVMTypeOf(l->fn->insts[inst])) == LLVMIntegerTypeKind &&
         loop_inst_is_add_sub_or_disjoint_or(l, inst) && is_counter_expression(l, inst, 0);
}

/* A call clobbers the registers of terms, and takes longer than the chain. */
static bool has_calls_other_than_pure_intrinsics(const struct loop_block *l)
{
  for (uint32_t i = l->first; i < l->end; i++)
    if (l->fn->opcode[i] == LLVMCall && !loop_inst_only_computes_result(l, i))
      return true;
  return false;
}

/* Whether terms of the loop may have registers. */
static bool has_registers_for_terms(const struct loop_block *l)
{
  uint32_t phis = 0;
  for (uint32_t i = l->first; i < l->end && l->fn->opcode[i] == LLVMPHI; i++)
    phis++;
  return phis < MAX_REGISTERS && !has_calls_other_than_pure_intrinsics(l);
}

/* Lists the terms of the carried sums, unless there are too many for the registers. */
static bool add_term_uses_if_registers_suffice(struct coro_arena *arena, const struct loop_block *l, term_uses *uses)
{
  uint32_t before = uses->count, phis = 0;
  if (has_calls_other_than_pure_intrinsics(l))
    return true;
  for (uint32_t i = l->first; i < l->end; i++) {
    bool sum = loop_set_contains(&l->carried, l, i) && loop_set_contains(&l->carries, l, i) &&
               loop_inst_is_add_sub_or_disjoint_or(l, i);
    phis += l->fn->opcode[i] == LLVMPHI;
    for (uint32_t o = 0; o < loop_operand_count(l, i) && sum; o++) {
      uint32_t by = loop_operand(l, i, o);
      struct term_use use = {.user = l->fn->insts[i], .operand = o};
      if (!is_single_use_counter_sum(l, by))
        continue;
      use.term = l->fn->insts[by];
      if (!coro_vec_push(arena, uses, use))
        return false;
    }
  }
  if (uses->count - before + phis > MAX_REGISTERS)
    uses->count = before;
  return true;
}

/* Copies the expression of counters to the position of the builder. Phis have their values on the edge `from`. */
static LLVMValueRef copy_counter_expression_for_edge(LLVMBuilderRef builder, LLVMValueRef value, LLVMBasicBlockRef loop,
                                                     LLVMBasicBlockRef from)
{
  if (!edit_is_instruction(value) || LLVMGetInstructionParent(value) != loop)
    return value;
  if (LLVMIsAPHINode(value))
    return edit_incoming_from(value, from);
  LLVMValueRef copy = LLVMInstructionClone(value);
  for (int o = 0; o < LLVMGetNumOperands(value); o++) /* bounded: MAX_TERM_DEPTH */
    LLVMSetOperand(copy, (unsigned)o,
                   copy_counter_expression_for_edge(builder, LLVMGetOperand(value, (unsigned)o), loop, from));
  LLVMInsertIntoBuilder(builder, copy);
  LLVMInstructionSetDebugLoc(copy, NULL);
  return copy;
}

static void erase_unused_expression(LLVMValueRef value, LLVMBasicBlockRef loop)
{
  if (!edit_is_instruction(value) || LLVMGetInstructionParent(value) != loop || LLVMIsAPHINode(value) ||
      LLVMGetFirstUse(value))
    return;
  LLVMValueRef operands[2] = {LLVMGetOperand(value, FIRST_OPERAND)};
  if (LLVMGetNumOperands(value) > 1)
    operands[1] = LLVMGetOperand(value, SECOND_OPERAND);
  LLVMInstructionEraseFromParent(value);
  for (int o = 0; o < 2 && operands[o]; o++) /* bounded: MAX_TERM_DEPTH */
    erase_unused_expression(operands[o], loop);
}

static void compute_term_ahead(LLVMBuilderRef builder, const struct term_use *use)
{
  LLVMBasicBlockRef loop = LLVMGetInstructionParent(use->term);
  LLVMValueRef first = LLVMGetFirstInstruction(loop);
  LLVMPositionBuilderBefore(builder, first);
  LLVMValueRef ahead = LLVMBuildPhi(builder, LLVMTypeOf(use->term), "");
  LLVMInstructionSetDebugLoc(ahead, LLVMInstructionGetDebugLoc(use->term));
  for (unsigned i = 0; i < LLVMCountIncoming(first); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(first, i);
    LLVMValueRef frozen = edit_incoming_from(ahead, from); /* not NULL: a block with several edges to the loop */
    LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(from));
    LLVMSetCurrentDebugLocation2(builder, NULL);
    if (!frozen)
      frozen = LLVMBuildFreeze(builder, copy_counter_expression_for_edge(builder, use->term, loop, from), "");
    LLVMAddIncoming(ahead, &frozen, &from, 1);
  }
  LLVMSetOperand(use->user, use->operand, ahead);
  erase_unused_expression(use->term, loop);
}

bool carried_sums_shorten(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef function)
{
  struct ir_fn fn;
  struct loop_block loop;
  term_uses uses = {0};
  bool combined = false;
  if (!ir_number_function(&fn, arena, function))
    return false;
  for (uint32_t b = 0; b < fn.block_count; b++)
    if (loop_is_one_block(fn.blocks[b]) &&
        (!loop_block_init(&loop, arena, &fn, b) ||
         (has_registers_for_terms(&loop) && !combine_terms(arena, builder, &loop, &combined))))
      return false;
  if (combined && !ir_number_function(&fn, arena, function))
    return false;
  for (uint32_t b = 0; b < fn.block_count; b++)
    if (loop_is_one_block(fn.blocks[b]) &&
        (!loop_block_init(&loop, arena, &fn, b) || !add_term_uses_if_registers_suffice(arena, &loop, &uses)))
      return false;
  for (uint32_t i = 0; i < uses.count; i++)
    compute_term_ahead(builder, &uses.items[i]);
  return true;
}
