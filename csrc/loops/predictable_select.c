/* Finds selects with predictable conditions in loops of one block, and turns them into branches. */
#include "loops/predictable_select.h"

#include "base/bits.h"
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
  struct coro_bits skipped; /* by instruction - block.first: computed only for one operand of the select */
};

struct branch_site {
  LLVMValueRef select;
  bool when_true; /* the instructions compute the true operand */
  bool two_conditions; /* both operands of the condition decide whether the instructions are executed */
  pass_values skipped; /* in program order */
  pass_values second; /* instructions that only compute the second condition */
};

typedef CORO_VEC(struct branch_site) branch_sites;

/* `last`: the computed operand of the select. */
static bool is_used_only_by_skipped(const struct select_loop *l, uint32_t inst, uint32_t last, uint32_t select)
{
  for (LLVMUseRef use = LLVMGetFirstUse(l->block.fn->insts[inst]); use; use = LLVMGetNextUse(use)) {
    uint32_t user = ir_inst(l->block.fn, LLVMGetUser(use));
    bool inside = user != IR_NONE && user >= l->block.first && user < l->block.end;
    if (!inside || !(user == select ? inst == last : loop_is_in(&l->skipped, &l->block, user)))
      return false;
  }
  return true;
}

/* Finds the instructions that only compute `last`, which is used only by `user`. */
static void find_used_only_for(struct select_loop *l, uint32_t last, uint32_t user)
{
  coro_bits_clear(&l->skipped);
  for (uint32_t i = last + 1; i-- > l->block.first && l->block.fn->opcode[i] != LLVMPHI;)
    if (!loop_is_counter(&l->block, i) && loop_may_skip(&l->block, i) && is_used_only_by_skipped(l, i, last, user))
      coro_bits_set(&l->skipped, i - l->block.first);
}

static bool list_skipped(struct coro_arena *arena, const struct select_loop *l, uint32_t last, pass_values *list)
{
  for (uint32_t i = l->block.first; i <= last; i++)
    if (loop_is_in(&l->skipped, &l->block, i) && !coro_vec_push(arena, list, l->block.fn->insts[i]))
      return false;
  return true;
}

/* Finds the instructions that only compute operand `computed` of the select. Returns the number of those that depend on
   the previous iteration, and 0 if they do not use the other operand: then the select chooses between two values, and
   does not keep one. */
static uint32_t find_skipped(struct select_loop *l, uint32_t select, uint32_t computed, uint32_t kept)
{
  uint32_t last = loop_operand(&l->block, select, computed), chain = 0;
  LLVMValueRef other = LLVMGetOperand(l->block.fn->insts[select], kept);
  LLVMValueRef condition = LLVMGetOperand(l->block.fn->insts[select], SELECT_CONDITION);
  bool uses_kept = false;
  if (!loop_is_in(&l->block.carried, &l->block, last) || l->block.fn->insts[last] == other ||
      l->block.fn->insts[last] == condition)
    return 0;
  find_used_only_for(l, last, select);
  for (uint32_t i = l->block.first; i <= last; i++) {
    chain += loop_is_in(&l->skipped, &l->block, i) && loop_is_in(&l->block.carried, &l->block, i);
    for (int o = 0; o < LLVMGetNumOperands(l->block.fn->insts[i]) && loop_is_in(&l->skipped, &l->block, i); o++)
      uses_kept |= LLVMGetOperand(l->block.fn->insts[i], (unsigned)o) == other;
  }
  return uses_kept && loop_is_in(&l->skipped, &l->block, last) ? chain : 0;
}

/* Whether the instructions are executed if two conditions hold. Then each gets a branch, which needs no instruction
   besides the comparison. */
static bool find_second_condition(struct coro_arena *arena, struct select_loop *l, uint32_t select,
                                  struct branch_site *site)
{
  uint32_t both = loop_operand(&l->block, select, SELECT_CONDITION), second;
  if (l->block.fn->opcode[both] != (site->when_true ? LLVMAnd : LLVMOr) ||
      LLVMGetNextUse(LLVMGetFirstUse(l->block.fn->insts[both])))
    return true;
  second = loop_operand(&l->block, both, SECOND_OPERAND);
  if (second == IR_NONE || loop_operand(&l->block, both, FIRST_OPERAND) == second)
    return true;
  site->two_conditions = true;
  find_used_only_for(l, second, both);
  return list_skipped(arena, l, second, &site->second);
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
  if (!loop_is_in(&l->block.carries, &l->block, select) || !loop_is_in(&l->block.carried, &l->block, select) ||
      !has_predictable_condition(l, select))
    return true;
  struct branch_site site = {.select = l->block.fn->insts[select], .when_true = true};
  if (find_skipped(l, select, SELECT_TRUE, SELECT_FALSE) < MIN_CHAIN) {
    site.when_true = false;
    if (find_skipped(l, select, SELECT_FALSE, SELECT_TRUE) < MIN_CHAIN)
      return true;
  }
  if (!list_skipped(arena, l, select, &site.skipped) || !find_second_condition(arena, l, select, &site))
    return false;
  return coro_vec_push(arena, sites, site);
}

static bool find_sites_of_loop(struct coro_arena *arena, struct select_loop *l, branch_sites *sites)
{
  if (!coro_bits_init(&l->skipped, arena, l->block.end - l->block.first))
    return false;
  for (uint32_t i = l->block.first; i < l->block.end; i++)
    if (l->block.fn->opcode[i] == LLVMSelect && !add_site_of_select(arena, l, i, sites))
      return false;
  return true;
}

static bool find_sites(struct coro_arena *arena, LLVMValueRef function, branch_sites *sites)
{
  struct ir_fn fn;
  struct select_loop loop;
  if (!ir_number(&fn, arena, function))
    return false;
  for (uint32_t b = 0; b < fn.block_count; b++)
    if (loop_is_one_block(fn.blocks[b]) &&
        (!loop_block_init(&loop.block, arena, &fn, b) || !find_sites_of_loop(arena, &loop, sites)))
      return false;
  return true;
}

/* The instructions are skipped on some paths, where a debug record must not refer to them. */
static void move_to_end(struct coro_arena *arena, LLVMBuilderRef builder, LLVMBasicBlockRef block,
                        const pass_values *instructions)
{
  LLVMPositionBuilderAtEnd(builder, block);
  for (uint32_t i = 0; i < instructions->count; i++) {
    ir_record_remove_value(arena, instructions->items[i]);
    split_move_instruction(builder, instructions->items[i]);
  }
}

/* Ends the block with a branch to `computes` if the condition is `when`, else to `rest`. A select may have a poison
   condition, a branch may not. */
static void branch_on(LLVMBuilderRef builder, LLVMBasicBlockRef block, LLVMValueRef condition, bool when,
                      LLVMBasicBlockRef computes, LLVMBasicBlockRef rest)
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
    branch_on(builder, head, LLVMGetOperand(condition, FIRST_OPERAND), site->when_true, second, rest);
    move_to_end(arena, builder, second, &site->second);
    branch_on(builder, second, LLVMGetOperand(condition, SECOND_OPERAND), site->when_true, computes, rest);
    LLVMAddIncoming(phi, &kept, &second, 1);
  } else {
    branch_on(builder, head, condition, site->when_true, computes, rest);
  }
  move_to_end(arena, builder, computes, &site->skipped);
  LLVMBuildBr(builder, rest);
  edit_move_value_name(arena, phi, select);
  edit_replace(select, phi);
  if (site->two_conditions)
    LLVMInstructionEraseFromParent(condition);
}

/* Splits the block of the first site before the select of each of its sites. Returns their number; 0: out of memory. */
static uint32_t split_block_of_sites(struct coro_arena *arena, LLVMBuilderRef builder, const struct branch_site *sites,
                                     uint32_t count)
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
  if (!find_sites(arena, function, &sites))
    return false;
  for (uint32_t i = 0, count; i < sites.count; i += count) {
    count = split_block_of_sites(arena, builder, &sites.items[i], sites.count - i);
    if (!count)
      return false;
    for (uint32_t s = i; s < i + count; s++)
      select_to_branch(arena, builder, &sites.items[s]);
  }
  return true;
}
