/* Finds selects with predictable conditions in loops of one block, and turns them into branches. */
#include "loops/predictable_select.h"

#include <string.h>

#include "base/bits.h"
#include "base/vec.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "ir/split_block.h"
#include "llvm-c/DebugInfo.h"
#include "llvm_metadata.h"
#include "loops/loop_period.h"
#include "run/intrinsic_calls.h"

static const char mark_attribute[] = "pycoro-drives-elided";

enum { MIN_CHAIN = 2 }; /* instructions of the dependency chain that a branch must skip */

/* A loop, and sets of its instructions, by instruction - first. */
struct select_loop {
  struct loop_block block;
  struct coro_bits carried; /* depends on a phi that is not a counter */
  struct coro_bits carries; /* such a phi depends on it in the next iteration */
  struct coro_bits computed_counters; /* counters other than phis */
  struct coro_bits skipped; /* computed only for one operand of the select */
};

struct branch_site {
  LLVMValueRef select;
  bool when_true; /* the instructions compute the true operand */
  bool two_conditions; /* both operands of the condition decide whether the instructions are executed */
  pass_values skipped; /* in program order */
  pass_values second; /* instructions that only compute the second condition */
};

/* A term that the loop adds to a carried value: the counter plus a constant. */
struct term_use {
  LLVMValueRef user, term, select; /* `select`: the first one in the loop that becomes a branch */
  unsigned operand;
  bool follows; /* the term is computed after the select */
};

typedef CORO_VEC(struct branch_site) branch_sites;
typedef CORO_VEC(struct term_use) term_uses;

void predictable_selects_mark(LLVMValueRef function)
{
  if (edit_has_string_attribute(function, mark_attribute))
    return;
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(context, mark_attribute, (unsigned)strlen(mark_attribute), "", 0));
}

/* ---- Dependencies between iterations ---- */

static bool is_in(const struct coro_bits *set, const struct select_loop *l, uint32_t inst)
{
  return inst != IR_NONE && coro_bits_get(set, inst - l->block.first);
}

static uint32_t operand_count(const struct select_loop *l, uint32_t inst)
{
  return l->block.fn->operand_start[inst + 1] - l->block.fn->operand_start[inst];
}

static bool has_operand_in(const struct select_loop *l, const struct coro_bits *set, uint32_t inst)
{
  for (uint32_t i = 0; i < operand_count(l, inst); i++)
    if (is_in(set, l, loop_operand(&l->block, inst, i)))
      return true;
  return false;
}

static void find_dependencies_between_iterations(struct select_loop *l)
{
  const struct loop_block *block = &l->block;
  for (uint32_t i = block->first; i < block->end; i++) {
    bool phi = block->fn->opcode[i] == LLVMPHI;
    if (phi ? block->period[i - block->first] == PERIOD_NONE : has_operand_in(l, &l->carried, i))
      coro_bits_set(&l->carried, i - block->first);
    uint32_t next = phi && is_in(&l->carried, l, i) ? loop_next_value(block, i) : IR_NONE;
    if (next != IR_NONE)
      coro_bits_set(&l->carries, next - block->first);
    if (!phi && loop_is_counter(block, i))
      coro_bits_set(&l->computed_counters, i - block->first);
  }
  for (uint32_t i = block->end; i-- > block->first && block->fn->opcode[i] != LLVMPHI;)
    for (uint32_t o = 0; o < operand_count(l, i) && is_in(&l->carries, l, i); o++)
      if (loop_operand(block, i, o) != IR_NONE)
        coro_bits_set(&l->carries, loop_operand(block, i, o) - block->first);
}

/* ---- Selects ---- */

static bool may_be_skipped(const struct select_loop *l, uint32_t inst)
{
  LLVMValueRef at = l->block.fn->insts[inst];
  unsigned opcode = l->block.fn->opcode[inst];
  if (loop_is_binary_opcode(opcode) || opcode == LLVMICmp || opcode == LLVMFNeg || opcode == LLVMFCmp ||
      opcode == LLVMGetElementPtr || LLVMIsACastInst(at))
    return true;
  return opcode == LLVMCall &&
         edit_call_or_callee_has_attribute(at, (unsigned)LLVMAttributeFunctionIndex, "speculatable");
}

/* `last`: the computed operand of the select. */
static bool is_used_only_by_skipped(const struct select_loop *l, uint32_t inst, uint32_t last, uint32_t select)
{
  for (LLVMUseRef use = LLVMGetFirstUse(l->block.fn->insts[inst]); use; use = LLVMGetNextUse(use)) {
    uint32_t user = ir_inst(l->block.fn, LLVMGetUser(use));
    bool inside = user != IR_NONE && user >= l->block.first && user < l->block.end;
    if (!inside || !(user == select ? inst == last : is_in(&l->skipped, l, user)))
      return false;
  }
  return true;
}

/* Finds the instructions that only compute `last`, which is used only by `user`. */
static void find_used_only_for(struct select_loop *l, uint32_t last, uint32_t user)
{
  coro_bits_clear(&l->skipped);
  for (uint32_t i = last + 1; i-- > l->block.first && l->block.fn->opcode[i] != LLVMPHI;)
    if (!loop_is_counter(&l->block, i) && may_be_skipped(l, i) && is_used_only_by_skipped(l, i, last, user))
      coro_bits_set(&l->skipped, i - l->block.first);
}

static bool list_skipped(struct coro_arena *arena, const struct select_loop *l, uint32_t last, pass_values *list)
{
  for (uint32_t i = l->block.first; i <= last; i++)
    if (is_in(&l->skipped, l, i) && !coro_vec_push(arena, list, l->block.fn->insts[i]))
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
  if (!is_in(&l->carried, l, last) || l->block.fn->insts[last] == other || l->block.fn->insts[last] == condition)
    return 0;
  find_used_only_for(l, last, select);
  for (uint32_t i = l->block.first; i <= last; i++) {
    chain += is_in(&l->skipped, l, i) && is_in(&l->carried, l, i);
    for (int o = 0; o < LLVMGetNumOperands(l->block.fn->insts[i]) && is_in(&l->skipped, l, i); o++)
      uses_kept |= LLVMGetOperand(l->block.fn->insts[i], (unsigned)o) == other;
  }
  return uses_kept && is_in(&l->skipped, l, last) ? chain : 0;
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
  if (!is_in(&l->carries, l, select) || !is_in(&l->carried, l, select) || !has_predictable_condition(l, select))
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

/* Whether the instruction is a counter plus or minus a loop-invariant value. */
static bool is_term(const struct select_loop *l, uint32_t inst)
{
  return is_in(&l->computed_counters, l, inst) && loop_is_sum(&l->block, inst) &&
         !has_operand_in(l, &l->computed_counters, inst);
}

static bool add_term_uses(struct coro_arena *arena, struct select_loop *l, uint32_t select, term_uses *uses)
{
  for (uint32_t i = l->block.first; i < l->block.end; i++)
    for (uint32_t o = 0; o < operand_count(l, i) && is_in(&l->carried, l, i) && loop_is_sum(&l->block, i); o++) {
      uint32_t by = loop_operand(&l->block, i, o);
      struct term_use use = {.user = l->block.fn->insts[i], .select = l->block.fn->insts[select], .operand = o};
      if (!is_term(l, by))
        continue;
      use.term = l->block.fn->insts[by];
      use.follows = by > select;
      if (!coro_vec_push(arena, uses, use))
        return false;
    }
  return true;
}

static bool is_loop_of_one_block(LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
    if (LLVMGetSuccessor(end, s) == block)
      return LLVMIsABranchInst(end) != NULL;
  return false;
}

static bool find_sites_of_loop(struct coro_arena *arena, struct select_loop *l, branch_sites *sites, term_uses *uses)
{
  uint32_t count = l->block.end - l->block.first, first_select = IR_NONE;
  if (!coro_bits_init(&l->carried, arena, count) || !coro_bits_init(&l->carries, arena, count) ||
      !coro_bits_init(&l->computed_counters, arena, count) || !coro_bits_init(&l->skipped, arena, count))
    return false;
  find_dependencies_between_iterations(l);
  for (uint32_t i = l->block.first; i < l->block.end; i++) {
    uint32_t before = sites->count;
    if (l->block.fn->opcode[i] == LLVMSelect && !add_site_of_select(arena, l, i, sites))
      return false;
    if (sites->count > before && first_select == IR_NONE)
      first_select = i;
  }
  return first_select == IR_NONE || add_term_uses(arena, l, first_select, uses);
}

static bool find_sites(struct coro_arena *arena, LLVMValueRef function, branch_sites *sites, term_uses *uses)
{
  struct ir_fn fn;
  struct select_loop loop;
  if (!ir_number(&fn, arena, function))
    return false;
  for (uint32_t b = 0; b < fn.block_count; b++)
    if (is_loop_of_one_block(fn.blocks[b]) &&
        (!loop_block_init(&loop.block, arena, &fn, b) || !find_sites_of_loop(arena, &loop, sites, uses)))
      return false;
  return true;
}

/* ---- Branches ---- */

/* Moves an instruction to the builder's position. The builder would change its debug location otherwise. */
static void move_to_builder(LLVMBuilderRef builder, LLVMValueRef instruction)
{
  LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(builder);
  LLVMSetCurrentDebugLocation2(builder, NULL);
  LLVMInstructionRemoveFromParent(instruction);
  LLVMInsertIntoBuilderWithName(builder, instruction, LLVMGetValueName2(instruction, &(size_t){0}));
  LLVMSetCurrentDebugLocation2(builder, location);
}

/* Computes the term before the first branch, and hides from the code generator what it is. Otherwise that turns
   `carried + (counter + 1)` into `(carried + counter) + 1`, which makes the dependency chain longer. Code in another
   block and an operand of freeze are not combined. */
static void compute_term_first(LLVMBuilderRef builder, const struct term_use *use)
{
  LLVMPositionBuilderBefore(builder, use->select);
  if (use->follows)
    move_to_builder(builder, use->term);
  LLVMValueRef hidden = LLVMBuildFreeze(builder, use->term, "");
  LLVMSetOperand(use->user, use->operand, hidden);
}

static void move_to_end(LLVMBuilderRef builder, LLVMBasicBlockRef block, const pass_values *instructions)
{
  LLVMPositionBuilderAtEnd(builder, block);
  for (uint32_t i = 0; i < instructions->count; i++)
    move_to_builder(builder, instructions->items[i]);
}

/* Ends the block with a branch to `computes` if the condition is `when`, else to `rest`. A select may have a poison
   condition, a branch may not. */
static void branch_on(LLVMBuilderRef builder, LLVMBasicBlockRef block, LLVMValueRef condition, bool when,
                      LLVMBasicBlockRef computes, LLVMBasicBlockRef rest)
{
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMBuildCondBr(builder, LLVMBuildFreeze(builder, condition, ""), when ? computes : rest, when ? rest : computes);
}

static void select_to_branch(struct coro_arena *arena, LLVMContextRef context, LLVMBuilderRef builder,
                             const struct branch_site *site)
{
  LLVMValueRef select = site->select;
  LLVMBasicBlockRef head = LLVMGetInstructionParent(select), rest = split_block(arena, builder, select, "selected");
  LLVMMoveBasicBlockAfter(rest, head);
  LLVMBasicBlockRef computes = LLVMInsertBasicBlockInContext(context, rest, "computed");
  /* the split replaced phis, so the operands are read after it */
  LLVMValueRef condition = LLVMGetOperand(select, SELECT_CONDITION);
  LLVMValueRef computed = LLVMGetOperand(select, site->when_true ? SELECT_TRUE : SELECT_FALSE);
  LLVMValueRef kept = LLVMGetOperand(select, site->when_true ? SELECT_FALSE : SELECT_TRUE);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderBefore(builder, select);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(select));
  LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(select), "");
  LLVMAddIncoming(phi, (LLVMValueRef[]){computed, kept}, (LLVMBasicBlockRef[]){computes, head}, 2);
  if (site->two_conditions) {
    LLVMBasicBlockRef second = LLVMInsertBasicBlockInContext(context, computes, "second");
    branch_on(builder, head, LLVMGetOperand(condition, FIRST_OPERAND), site->when_true, second, rest);
    move_to_end(builder, second, &site->second);
    branch_on(builder, second, LLVMGetOperand(condition, SECOND_OPERAND), site->when_true, computes, rest);
    LLVMAddIncoming(phi, &kept, &second, 1);
  } else {
    branch_on(builder, head, condition, site->when_true, computes, rest);
  }
  move_to_end(builder, computes, &site->skipped);
  LLVMBuildBr(builder, rest);
  edit_move_value_name(arena, phi, select);
  edit_replace(select, phi);
  if (site->two_conditions)
    LLVMInstructionEraseFromParent(condition);
}

bool predictable_selects_to_branches(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  branch_sites sites = {0};
  term_uses uses = {0};
  if (!edit_has_string_attribute(function, mark_attribute))
    return true;
  LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, mark_attribute,
                                   (unsigned)strlen(mark_attribute));
  *changed = true;
  const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;
  if (edit_has_attribute(function, on_function, "optsize") || edit_has_attribute(function, on_function, "minsize"))
    return true;
  if (!find_sites(run->arena, function, &sites, &uses))
    return false;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(run->context);
  for (uint32_t i = 0; i < uses.count; i++)
    compute_term_first(builder, &uses.items[i]);
  for (uint32_t i = 0; i < sites.count; i++)
    select_to_branch(run->arena, run->context, builder, &sites.items[i]);
  LLVMDisposeBuilder(builder);
  return true;
}
