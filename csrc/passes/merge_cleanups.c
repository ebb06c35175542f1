/* Merges duplicate cleanups: the cleanup of a coroutine ended by an exception, and that of one destroyed at its
   final suspend. A frontend generates both from the same scopes: one entered from the suspend, with a selector of
   its destination, and a copy for exceptions. Merging them before optimization keeps them equal whatever passes do. */
#include "passes/merge_cleanups.h"

#include "ir/clone.h"
#include "ir/constant_fold.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "transform/debug_nodes.h"
#include "transform/identical_instruction.h"

/* Limits: blocks of a cleanup, its instructions with results, blocks after it, instructions that read the exception. */
enum { MAX_ITEMS = 64 };

struct pair {
  LLVMValueRef kept, copy;
};

struct blocks {
  LLVMBasicBlockRef items[MAX_ITEMS];
  unsigned count;
};

struct cleanup_merge {
  struct pass_run *run;
  LLVMBasicBlockRef from; /* ends in the branch on llvm.coro.is_in_ramp */
  LLVMBasicBlockRef propagation; /* where the exception propagates */
  LLVMBasicBlockRef entry; /* first block of the remaining cleanup */
  LLVMValueRef selector; /* phi at its entry: the destination selector */
  LLVMValueRef selector_switch; /* the switch on the selector */
  struct coro_map counterparts; /* value of the remaining cleanup -> value of the copy */
  struct coro_map copies; /* instructions that propagate the exception -> the same after the cleanup */
  struct pair values[MAX_ITEMS], paths[MAX_ITEMS];
  unsigned value_count, path_count;
};

/* ---- Traversal ---- */

static bool is_phi(LLVMValueRef value)
{
  return edit_is_instruction(value) && LLVMGetInstructionOpcode(value) == LLVMPHI;
}

static bool is_lifetime_marker(const struct cleanup_merge *j, LLVMValueRef instruction)
{
  return edit_is_call(instruction) && intrin_is_lifetime(intrin_of(j->run->intrin, instruction));
}

static LLVMValueRef skip_lifetime_markers(const struct cleanup_merge *j, LLVMValueRef instruction)
{
  while (is_lifetime_marker(j, instruction))
    instruction = LLVMGetNextInstruction(instruction);
  return instruction;
}

/* The successor reached from a block through branches on known selectors. The last such phi becomes j->number. NULL:
   another condition decides. */
static LLVMBasicBlockRef successor_by_selector(struct cleanup_merge *j, LLVMBasicBlockRef from, LLVMBasicBlockRef block)
{
  LLVMValueRef known = NULL;
  for (unsigned i = 0; i < MAX_ITEMS; i++) {
    LLVMValueRef first = LLVMGetFirstInstruction(block), next = first;
    if (is_phi(first)) {
      LLVMValueRef value = edit_incoming_from(first, from);
      known = value == j->selector ? known : value;
      if (!known || !LLVMIsAConstantInt(known))
        return NULL;
      j->selector = first;
      next = LLVMGetNextInstruction(first);
    }
    next = skip_lifetime_markers(j, next);
    bool jumps = flow_is_jump(next);
    if (!jumps && !(known && flow_branch_operand(next) == j->selector))
      return block;
    from = block;
    block = LLVMGetSuccessor(next, jumps ? 0 : constant_successor(next, j->selector, known));
  }
  return NULL;
}

/* ---- Equivalence of the cleanups ---- */

/* The next instruction with an effect, from this one on; NULL if it depends on the path. */
static LLVMValueRef next_instruction_with_effect(const struct cleanup_merge *j, LLVMValueRef i)
{
  for (unsigned jumps = 0; jumps < MAX_ITEMS; jumps++) {
    i = skip_lifetime_markers(j, i);
    if (is_phi(i))
      return NULL;
    if (!flow_is_jump(i) || LLVMGetInstructionParent(i) == j->propagation)
      return i;
    i = LLVMGetFirstInstruction(LLVMGetSuccessor(i, 0));
  }
  return NULL;
}

static bool match_instruction_pair(struct cleanup_merge *j, LLVMValueRef kept, LLVMValueRef copy)
{
  bool same = is_identical_operation(kept, copy) && have_equivalent_operands(&j->counterparts, kept, copy) &&
              j->value_count < MAX_ITEMS && coro_map_put(&j->counterparts, coro_map_key(kept), coro_map_key(copy));
  if (same)
    j->values[j->value_count++] = (struct pair){kept, copy};
  return same;
}

static bool enqueue_block_pair(struct cleanup_merge *j, LLVMBasicBlockRef kept, LLVMBasicBlockRef copy)
{
  struct pair path = {next_instruction_with_effect(j, LLVMGetFirstInstruction(kept)),
                      next_instruction_with_effect(j, LLVMGetFirstInstruction(copy))};
  for (unsigned i = 0; i < j->path_count; i++)
    if (j->paths[i].kept == path.kept)
      return j->paths[i].copy == path.copy;
  if (!path.kept || !path.copy || j->path_count == MAX_ITEMS)
    return false;
  j->paths[j->path_count++] = path;
  return true;
}

/* Compares both from here up to branches, or to where the copy propagates the exception and the other switches on
   the selector. */
static bool match_paths_until_branch(struct cleanup_merge *j, LLVMValueRef kept, LLVMValueRef copy)
{
  while (kept && copy && !LLVMIsATerminatorInst(kept) && LLVMGetInstructionParent(copy) != j->propagation) {
    if (!match_instruction_pair(j, kept, copy))
      return false;
    kept = next_instruction_with_effect(j, LLVMGetNextInstruction(kept));
    copy = next_instruction_with_effect(j, LLVMGetNextInstruction(copy));
  }
  if (!kept || !copy)
    return false;
  if (LLVMGetInstructionParent(copy) == j->propagation) {
    bool other = j->selector_switch && j->selector_switch != kept;
    j->selector_switch = kept;
    return !other && LLVMIsATerminatorInst(kept) && flow_switch_operand(kept) == j->selector;
  }
  LLVMValueRef condition = flow_condition(kept),
               other_condition = LLVMIsATerminatorInst(copy) ? flow_condition(copy) : NULL;
  return condition && other_condition && is_equivalent_value(&j->counterparts, condition, other_condition) &&
         enqueue_block_pair(j, LLVMGetSuccessor(kept, 0), LLVMGetSuccessor(copy, 0)) &&
         enqueue_block_pair(j, LLVMGetSuccessor(kept, 1), LLVMGetSuccessor(copy, 1));
}

/* Compares all blocks. A back edge to the cleanup's entry may carry another selector, so it counts as different. */
static bool are_cleanups_identical(struct cleanup_merge *j, LLVMBasicBlockRef copy)
{
  bool same = true;
  j->paths[j->path_count++] = (struct pair){next_instruction_with_effect(j, LLVMGetNextInstruction(j->selector)),
                                            next_instruction_with_effect(j, LLVMGetFirstInstruction(copy))};
  for (unsigned i = 0; i < j->path_count && same; i++)
    same = match_paths_until_branch(j, j->paths[i].kept, j->paths[i].copy);
  return same && j->selector_switch;
}

/* ---- Effects of the additional edge ---- */

static bool is_in_entry_block(LLVMValueRef instruction)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
  return block == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block)) && !LLVMIsATerminatorInst(instruction);
}

/* Whether the value is available on both paths: the copy uses it too, or it dominates both. */
static bool is_available_on_both_paths(const struct cleanup_merge *j, LLVMValueRef value)
{
  if (!edit_is_instruction(value) || is_in_entry_block(value))
    return true;
  for (unsigned i = 0; i < j->value_count; i++)
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(j->values[i].copy); o++)
      if (LLVMGetOperand(j->values[i].copy, o) == value)
        return true;
  return false;
}

static bool is_block_among(const struct blocks *blocks, LLVMBasicBlockRef block)
{
  for (unsigned i = 0; i < blocks->count; i++)
    if (blocks->items[i] == block)
      return true;
  return false;
}

static bool add_successors_to_match(struct blocks *blocks, LLVMValueRef terminator)
{
  for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++) {
    LLVMBasicBlockRef to = LLVMGetSuccessor(terminator, i);
    if (is_block_among(blocks, to))
      continue;
    if (blocks->count == MAX_ITEMS)
      return false;
    blocks->items[blocks->count++] = to;
  }
  return true;
}

/* Whether debug records of the block only use values that are available on both paths, or defined in these blocks. */
static bool has_available_debug_records(const struct cleanup_merge *j, const struct blocks *blocks,
                                        LLVMBasicBlockRef block)
{
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(j->selector));
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r)) {
      if (LLVMDbgRecordGetKind(r) == LLVMDbgRecordLabel)
        continue;
      if (!ir_node_is_of_one_value(context, LLVMDbgVariableRecordGetExpression(r)))
        return false;
      LLVMValueRef value = LLVMDbgVariableRecordGetValue(r, 0);
      if (value && !is_available_on_both_paths(j, value) && !is_block_among(blocks, LLVMGetInstructionParent(value)))
        return false;
    }
  return true;
}

static bool has_available_debug_records_inside(const struct cleanup_merge *j)
{
  struct blocks blocks = {{j->entry}, 1};
  for (unsigned i = 0; i < j->value_count; i++) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(j->values[i].kept);
    if (!is_block_among(&blocks, block) && blocks.count < MAX_ITEMS)
      blocks.items[blocks.count++] = block;
  }
  bool available = true;
  for (unsigned b = 0; b < blocks.count && available; b++)
    available = has_available_debug_records(j, &blocks, blocks.items[b]);
  return available;
}

/* Whether the block has no phi and only uses such values. */
static bool uses_only_available_values(const struct cleanup_merge *j, const struct blocks *blocks,
                                       LLVMBasicBlockRef block)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++) {
      LLVMValueRef value = LLVMGetOperand(i, o);
      if (is_phi(i) || (!LLVMValueIsBasicBlock(value) && !is_available_on_both_paths(j, value) &&
                        !is_block_among(blocks, LLVMGetInstructionParent(value))))
        return false;
    }
  return true;
}

/* Whether blocks after the cleanup use no value defined on one path only. */
static bool uses_available_values_after(const struct cleanup_merge *j)
{
  struct blocks blocks = {.count = 0};
  bool free = add_successors_to_match(&blocks, j->selector_switch);
  for (unsigned b = 0; b < blocks.count && free; b++)
    free = uses_only_available_values(j, &blocks, blocks.items[b]) &&
           has_available_debug_records(j, &blocks, blocks.items[b]) &&
           add_successors_to_match(&blocks, LLVMGetBasicBlockTerminator(blocks.items[b]));
  return free;
}

/* ---- The exception ---- */

/* Whether the alloca is only loaded and stored directly, so the cleanup's calls cannot modify it. */
static bool is_loaded_and_stored_only(const struct cleanup_merge *j, LLVMValueRef address)
{
  if (!LLVMIsAAllocaInst(address) || !is_in_entry_block(address))
    return false;
  for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool written = LLVMIsAStoreInst(user) && LLVMGetOperand(user, STORE_VALUE) != address;
    if (!written && !LLVMIsALoadInst(user) && !is_lifetime_marker(j, user))
      return false;
  }
  return true;
}

/* Whether the propagated exception is loaded from allocas and built by few instructions. */
static bool is_exception_loaded_in_cleanup(const struct cleanup_merge *j)
{
  unsigned count = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(j->propagation); i; i = LLVMGetNextInstruction(i)) {
    if (count++ == MAX_ITEMS)
      return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMLoad && edit_is_unordered_nonvolatile_load(i) &&
        is_loaded_and_stored_only(j, LLVMGetOperand(i, LOAD_ADDRESS)))
      continue;
    if (opcode != LLVMInsertValue && opcode != LLVMResume)
      return false;
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++) {
      LLVMValueRef value = LLVMGetOperand(i, o);
      if (!LLVMIsConstant(value) && !(edit_is_instruction(value) && LLVMGetInstructionParent(value) == j->propagation))
        return false;
    }
  }
  return true;
}

/* Builds a phi at the entry; other paths have no exception, and do not use one. */
static LLVMValueRef build_phi_at_cleanup_entry(const struct cleanup_merge *j, LLVMBuilderRef builder, LLVMValueRef read)
{
  LLVMTypeRef type = LLVMTypeOf(read);
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(j->entry));
  LLVMValueRef phi = LLVMBuildPhi(builder, type, ""), none = LLVMGetPoison(type);
  for (unsigned k = 0; k < LLVMCountIncoming(j->selector); k++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(j->selector, k);
    LLVMAddIncoming(phi, &none, &from, 1);
  }
  LLVMBasicBlockRef from = j->from;
  LLVMAddIncoming(phi, &read, &from, 1);
  return phi;
}

/* Loads the exception before the cleanup. Returns the block that propagates it afterwards. */
static LLVMBasicBlockRef carry_exception_past_cleanup(struct cleanup_merge *j, LLVMBuilderRef builder)
{
  LLVMBasicBlockRef to = LLVMAppendBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(j->selector)),
                                                       LLVMGetBasicBlockParent(j->from), "propagated");
  for (LLVMValueRef i = LLVMGetFirstInstruction(j->propagation); i; i = LLVMGetNextInstruction(i)) {
    LLVMValueRef copy;
    if (LLVMGetInstructionOpcode(i) == LLVMLoad) {
      edit_position_builder_before(builder, LLVMGetBasicBlockTerminator(j->from));
      copy = build_phi_at_cleanup_entry(j, builder, clone_instruction(builder, i, NULL));
    } else {
      LLVMPositionBuilderAtEnd(builder, to);
      copy = clone_instruction(builder, i, &j->copies);
    }
    coro_map_put(&j->copies, coro_map_key(i), coro_map_key(copy));
  }
  return to;
}

/* The largest selector of the phi, or of phis it depends on; false: unknown, or no larger number exists. */
static bool find_largest_selector(LLVMValueRef phi, uint64_t *greatest)
{
  if (LLVMGetIntTypeWidth(LLVMTypeOf(phi)) < 8)
    return false;
  struct pair phis[MAX_ITEMS] = {{phi, NULL}};
  for (unsigned i = 0, count = 1; i < count; i++)
    for (unsigned k = 0; k < LLVMCountIncoming(phis[i].kept); k++) {
      LLVMValueRef value = LLVMGetIncomingValue(phis[i].kept, k);
      uint64_t selector;
      if (edit_constant(value, &selector)) {
        *greatest = selector > *greatest ? selector : *greatest;
        continue;
      }
      bool known = false;
      for (unsigned p = 0; p < count; p++)
        known |= phis[p].kept == value;
      if (known)
        continue;
      if (!is_phi(value) || count == MAX_ITEMS)
        return false;
      phis[count++].kept = value;
    }
  return *greatest < INT8_MAX;
}

/* ---- */

static bool find_identical_cleanups(struct cleanup_merge *j, LLVMValueRef end, LLVMValueRef final,
                                    LLVMBasicBlockRef *copy)
{
  j->from = LLVMGetInstructionParent(end);
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(j->from), in_ramp = flow_condition(branch);
  LLVMBasicBlockRef suspended = LLVMGetInstructionParent(final);
  LLVMValueRef suspend_switch = LLVMGetBasicBlockTerminator(suspended);
  if (LLVMGetNumOperandBundles(end) || !in_ramp || !edit_is_call(in_ramp) ||
      intrin_of(j->run->intrin, in_ramp) != INTRIN_IS_IN_RAMP || flow_switch_operand(suspend_switch) != final)
    return false;
  LLVMValueRef destroyed = LLVMConstInt(LLVMTypeOf(final), 1, false);
  *copy = LLVMGetSuccessor(branch, 0);
  j->propagation = LLVMGetSuccessor(branch, 1);
  j->entry = successor_by_selector(
      j, suspended, LLVMGetSuccessor(suspend_switch, constant_successor(suspend_switch, final, destroyed)));
  return j->entry && j->selector && LLVMGetInstructionParent(j->selector) == j->entry &&
         !is_phi(LLVMGetNextInstruction(j->selector)) && !is_phi(LLVMGetFirstInstruction(j->propagation));
}

bool merge_exception_cleanups(struct pass_run *run, LLVMValueRef end, LLVMValueRef final)
{
  struct cleanup_merge j = {.run = run};
  LLVMBasicBlockRef copy;
  uint64_t selector = 0;
  coro_map_init(&j.counterparts, run->arena);
  coro_map_init(&j.copies, run->arena);
  if (!find_identical_cleanups(&j, end, final, &copy) || !are_cleanups_identical(&j, copy) ||
      !has_available_debug_records_inside(&j) || !uses_available_values_after(&j) ||
      !is_exception_loaded_in_cleanup(&j) || !find_largest_selector(j.selector, &selector) ||
      !coro_map_reserve(&j.copies, MAX_ITEMS))
    return false;
  LLVMValueRef new_selector = LLVMConstInt(LLVMTypeOf(j.selector), selector + 1, false);
  if (constant_successor(j.selector_switch, j.selector,
                         new_selector)) /* the switch may have cases that no edge selects */
    return false;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(end)));
  LLVMAddCase(j.selector_switch, new_selector, carry_exception_past_cleanup(&j, builder));
  LLVMDisposeBuilder(builder);
  LLVMAddIncoming(j.selector, &new_selector, &j.from, 1);
  LLVMSetSuccessor(LLVMGetBasicBlockTerminator(j.from), 0, j.entry);
  return true;
}
