/* Finds selects with predictable conditions in loops of one block, and turns them into branches. */
#include "loops/predictable_select.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "llvm-c/DebugInfo.h"
#include "llvm_metadata.h"
#include "loops/loop_block.h"
#include "run/intrinsic_calls.h"
#include "transform/debug_records.h"
#include "transform/split_block.h"

enum { MIN_CHAIN = 2 }; /* instructions of the dependency chain that a branch must skip */

struct select_loop {
  struct loop_block block;
  uint32_t *uses; /* by instruction - block.first: its uses that are not in `skipped` */
  CORO_VEC(uint32_t) skipped; /* instructions that are computed only for one operand of the select */
};

struct branch_site {
  LLVMValueRef select;
  bool when_true; /* the instructions compute the true operand */
  bool two_conditions; /* both operands of the condition decide whether the instructions are executed */
  pass_values skipped; /* in program order */
  pass_values second; /* instructions that only compute the second condition */
};

typedef CORO_VEC(struct branch_site) branch_sites;

static bool decrement_uses_and_push_if_skipped(struct coro_arena *arena, struct select_loop *l, uint32_t inst)
{
  bool skipped = !--l->uses[inst - l->block.first] && l->block.fn->opcode[inst] != LLVMPHI &&
                 !loop_inst_is_counter(&l->block, inst) && loop_inst_only_computes_result(&l->block, inst);
  return !skipped || coro_vec_push(arena, &l->skipped, inst);
}

/* Finds the instructions that only compute `last` for its one user: an instruction is among them when all its users
   are. The cost is linear in their operands. They are sorted in program order. False: out of memory. */
static bool find_used_only_for(struct coro_arena *arena, struct select_loop *l, uint32_t last)
{
  l->skipped.count = 0;
  bool fine = decrement_uses_and_push_if_skipped(arena, l, last);
  for (uint32_t k = 0; k < l->skipped.count && fine; k++)
    for (uint32_t o = 0; o < loop_operand_count(&l->block, l->skipped.items[k]) && fine; o++) {
      uint32_t by = loop_operand(&l->block, l->skipped.items[k], o);
      fine = by == IR_NONE || decrement_uses_and_push_if_skipped(arena, l, by);
    }
  l->uses[last - l->block.first]++;
  for (uint32_t k = 0; k < l->skipped.count; k++)
    for (uint32_t o = 0; o < loop_operand_count(&l->block, l->skipped.items[k]); o++)
      if (loop_operand(&l->block, l->skipped.items[k], o) != IR_NONE)
        l->uses[loop_operand(&l->block, l->skipped.items[k], o) - l->block.first]++;
  if (l->skipped.count)
    qsort(l->skipped.items, l->skipped.count, sizeof *l->skipped.items, compare_uint32);
  return fine;
}

static bool append_skipped_insts(struct coro_arena *arena, const struct select_loop *l, pass_values *list)
{
  for (uint32_t k = 0; k < l->skipped.count; k++)
    if (!coro_vec_push(arena, list, l->block.fn->insts[l->skipped.items[k]]))
      return false;
  return true;
}

/* Finds the instructions that only compute operand `computed` of the select. *chain: the number of those that depend on
   the previous iteration, and 0 if they do not use the other operand: then the select chooses between two values, and
   does not keep one. False: out of memory. */
static bool find_insts_skipped_by_branch(struct coro_arena *arena, struct select_loop *l, uint32_t select,
                                         uint32_t computed, uint32_t kept, uint32_t *carried_count_or_0)
{
  uint32_t last = loop_operand(&l->block, select, computed);
  LLVMValueRef other = LLVMGetOperand(l->block.fn->insts[select], kept);
  LLVMValueRef condition = LLVMGetOperand(l->block.fn->insts[select], SELECT_CONDITION);
  bool uses_kept = false;
  *carried_count_or_0 = 0;
  if (!loop_set_contains(&l->block.carried, &l->block, last) || l->block.fn->insts[last] == other ||
      l->block.fn->insts[last] == condition)
    return true;
  if (!find_used_only_for(arena, l, last))
    return false;
  for (uint32_t k = 0; k < l->skipped.count; k++) {
    LLVMValueRef inst = l->block.fn->insts[l->skipped.items[k]];
    *carried_count_or_0 += loop_set_contains(&l->block.carried, &l->block, l->skipped.items[k]);
    for (int o = 0; o < LLVMGetNumOperands(inst) && !uses_kept; o++)
      uses_kept = LLVMGetOperand(inst, (unsigned)o) == other;
  }
  *carried_count_or_0 = uses_kept ? *carried_count_or_0 : 0;
  return true;
}

/* Whether the instructions are executed if two conditions hold. Then each gets a branch, which needs no instruction
   besides the comparison. */
static bool find_second_condition(struct coro_arena *arena, struct select_loop *l, uint32_t select,
                                  struct branch_site *site)
{
  uint32_t both = loop_operand(&l->block, select, SELECT_CONDITION), second;
  if (l->block.fn->opcode[both] != (site->when_true ? LLVMAnd : LLVMOr) || l->uses[both - l->block.first] > 1)
    return true;
  second = loop_operand(&l->block, both, SECOND_OPERAND);
  if (second == IR_NONE || loop_operand(&l->block, both, FIRST_OPERAND) == second)
    return true;
  site->two_conditions = true;
  return find_used_only_for(arena, l, second) && append_skipped_insts(arena, l, &site->second);
}

static bool has_predictable_condition(const struct select_loop *l, uint32_t select)
{
  LLVMValueRef at = l->block.fn->insts[select];
  uint32_t period = loop_period_of_operand(&l->block, select, SELECT_CONDITION);
  return loop_operand(&l->block, select, SELECT_CONDITION) != IR_NONE && period != PERIOD_NONE &&
         period != PERIOD_COUNTER && !LLVMGetMetadata(at, METADATA_PROF) &&
         !LLVMGetMetadata(at, METADATA_UNPREDICTABLE) &&
         LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(at, SELECT_CONDITION))) == LLVMIntegerTypeKind;
}

static bool add_site_of_select(struct coro_arena *arena, struct select_loop *l, uint32_t select, branch_sites *sites)
{
  if (!loop_set_contains(&l->block.carries, &l->block, select) ||
      !loop_set_contains(&l->block.carried, &l->block, select) || !has_predictable_condition(l, select))
    return true;
  struct branch_site site = {.select = l->block.fn->insts[select], .when_true = true};
  uint32_t chain;
  if (!find_insts_skipped_by_branch(arena, l, select, SELECT_TRUE, SELECT_FALSE, &chain))
    return false;
  if (chain < MIN_CHAIN) {
    site.when_true = false;
    if (!find_insts_skipped_by_branch(arena, l, select, SELECT_FALSE, SELECT_TRUE, &chain))
      return false;
    if (chain < MIN_CHAIN)
      return true;
  }
  if (!append_skipped_insts(arena, l, &site.skipped) || !find_second_condition(arena, l, select, &site))
    return false;
  return coro_vec_push(arena, sites, site);
}

static bool find_sites_of_loop(struct coro_arena *arena, struct select_loop *l, branch_sites *sites)
{
  l->uses = CORO_NEW_ARRAY(arena, uint32_t, l->block.end - l->block.first);
  if (!l->uses)
    return false;
  for (uint32_t i = l->block.first; i < l->block.end; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(l->block.fn->insts[i]); use; use = LLVMGetNextUse(use))
      l->uses[i - l->block.first]++;
  for (uint32_t i = l->block.first; i < l->block.end; i++)
    if (l->block.fn->opcode[i] == LLVMSelect && !add_site_of_select(arena, l, i, sites))
      return false;
  return true;
}

static bool find_selects_to_convert(struct coro_arena *arena, LLVMValueRef function, branch_sites *sites)
{
  struct ir_fn fn;
  struct select_loop loop = {0};
  if (!ir_number_function(&fn, arena, function))
    return false;
  for (uint32_t b = 0; b < fn.block_count; b++)
    if (loop_is_one_block(fn.blocks[b]) &&
        (!loop_block_init(&loop.block, arena, &fn, b) || !find_sites_of_loop(arena, &loop, sites)))
      return false;
  return true;
}

/* The instructions are skipped on some paths, where a debug record must not refer to them. */
static void move_instructions_to_block_end(struct coro_arena *arena, LLVMBuilderRef builder, LLVMBasicBlockRef block,
                                           const pass_values *instructions)
{
  LLVMPositionBuilderAtEnd(builder, block);
  for (uint32_t i = 0; i < instructions->count; i++) {
    ir_poison_value_in_records(arena, instructions->items[i]);
    split_move_instruction_without_records(builder, instructions->items[i]);
  }
}

/* Ends the block with a branch to `computes` if the condition is `when`, else to `rest`. A select may have a poison
   condition, a branch may not. */
static void end_block_with_conditional_branch(LLVMBuilderRef builder, LLVMBasicBlockRef block, LLVMValueRef condition,
                                              bool when, LLVMBasicBlockRef computes, LLVMBasicBlockRef rest)
{
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMBuildCondBr(builder, LLVMBuildFreeze(builder, condition, ""), when ? computes : rest, when ? rest : computes);
}

/* Its block begins with the select. */
static void select_to_branch(struct coro_arena *arena, LLVMBuilderRef builder, const struct branch_site *site)
{
  LLVMValueRef select = site->select;
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(edit_function_of(select)));
  LLVMBasicBlockRef rest = LLVMGetInstructionParent(select), head = flow_single_predecessor(rest);
  LLVMBasicBlockRef computes = LLVMInsertBasicBlockInContext(context, rest, "computed");
  LLVMValueRef condition = LLVMGetOperand(select, SELECT_CONDITION);
  LLVMValueRef computed = LLVMGetOperand(select, site->when_true ? SELECT_TRUE : SELECT_FALSE);
  LLVMValueRef kept = LLVMGetOperand(select, site->when_true ? SELECT_FALSE : SELECT_TRUE);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderBeforeInstrAndDbgRecords(builder, select);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(select));
  LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(select), "");
  LLVMAddIncoming(phi, (LLVMValueRef[]){computed, kept}, (LLVMBasicBlockRef[]){computes, head}, 2);
  if (site->two_conditions) {
    LLVMBasicBlockRef second = LLVMInsertBasicBlockInContext(context, computes, "second");
    end_block_with_conditional_branch(builder, head, LLVMGetOperand(condition, FIRST_OPERAND), site->when_true, second,
                                      rest);
    move_instructions_to_block_end(arena, builder, second, &site->second);
    end_block_with_conditional_branch(builder, second, LLVMGetOperand(condition, SECOND_OPERAND), site->when_true,
                                      computes, rest);
    LLVMAddIncoming(phi, &kept, &second, 1);
  } else {
    end_block_with_conditional_branch(builder, head, condition, site->when_true, computes, rest);
  }
  move_instructions_to_block_end(arena, builder, computes, &site->skipped);
  LLVMBuildBr(builder, rest);
  edit_move_value_name(arena, phi, select);
  edit_replace_and_erase(select, phi);
  if (site->two_conditions)
    LLVMInstructionEraseFromParent(condition);
}

/* Splits the block of the first site before the select of each of its sites. Returns their number; 0: out of memory. */
static uint32_t split_block_of_first_site(struct coro_arena *arena, LLVMBuilderRef builder,
                                          const struct branch_site *sites, uint32_t count)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(sites[0].select);
  pass_values selects = {0};
  for (uint32_t i = 0; i < count && LLVMGetInstructionParent(sites[i].select) == block; i++)
    if (!coro_vec_push(arena, &selects, sites[i].select))
      return 0;
  return split_block_before_each(arena, builder, selects.items, selects.count, "selected") ? selects.count : 0;
}

bool predictable_selects_to_branches(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef function)
{
  branch_sites sites = {0};
  if (!find_selects_to_convert(arena, function, &sites))
    return false;
  for (uint32_t i = 0, count; i < sites.count; i += count) {
    count = split_block_of_first_site(arena, builder, &sites.items[i], sites.count - i);
    if (!count)
      return false;
    for (uint32_t s = i; s < i + count; s++)
      select_to_branch(arena, builder, &sites.items[s]);
  }
  return true;
}
