/* Merges duplicate cleanups: the cleanup of a coroutine ended by an exception, and that of one destroyed at its final
   suspend. A frontend generates both from the same scopes: one entered from the suspend, with a selector of its
   destination, and a copy for exceptions. Merging them before optimization keeps them equal whatever passes do.
   Requires: a coroutine before coro-split.
   Guarantees: equivalent code with one cleanup. */
#include "pass/merge_cleanups.h"

#include "ir/debug_nodes.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/identical_instruction.h"
#include "ir/operand.h"

/* Limits: blocks of a cleanup, its instructions with results, blocks after it, instructions that read the exception. */
enum { MOST = 64 };

struct pair {
  LLVMValueRef kept, copy;
};

struct blocks {
  LLVMBasicBlockRef items[MOST];
  unsigned count;
};

struct join {
  const struct intrin_table *table;
  LLVMBasicBlockRef from; /* ends in the branch on llvm.coro.is_in_ramp */
  LLVMBasicBlockRef out; /* where the exception propagates */
  LLVMBasicBlockRef entry; /* first block of the remaining cleanup */
  LLVMValueRef number; /* phi at its entry: the destination selector */
  LLVMValueRef choice; /* the switch on the selector */
  struct pair values[MOST], ways[MOST];
  unsigned value_count, way_count;
};

/* ---- Traversal ---- */

static bool is_phi(LLVMValueRef value)
{
  return edit_is_instruction(value) && LLVMGetInstructionOpcode(value) == LLVMPHI;
}

static bool is_marker(const struct join *j, LLVMValueRef instruction)
{
  return edit_is_call(instruction) && intrin_is_lifetime(intrin_of(j->table, instruction));
}

static LLVMValueRef behind_markers(const struct join *j, LLVMValueRef instruction)
{
  while (is_marker(j, instruction))
    instruction = LLVMGetNextInstruction(instruction);
  return instruction;
}

static LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef from)
{
  for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
    if (LLVMGetIncomingBlock(phi, k) == from)
      return LLVMGetIncomingValue(phi, k);
  return NULL;
}

/* The successor reached from a block through branches on known selectors. The last such phi becomes j->number. NULL:
   another condition decides. */
static LLVMBasicBlockRef come_from(struct join *j, LLVMBasicBlockRef from, LLVMBasicBlockRef block)
{
  LLVMValueRef known = NULL;
  for (unsigned i = 0; i < MOST; i++) {
    LLVMValueRef first = LLVMGetFirstInstruction(block), behind = first;
    if (is_phi(first)) {
      LLVMValueRef value = incoming_from(first, from);
      known = value == j->number ? known : value;
      if (!known || !LLVMIsAConstantInt(known))
        return NULL;
      j->number = first;
      behind = LLVMGetNextInstruction(first);
    }
    behind = behind_markers(j, behind);
    bool jumps = flow_is_jump(behind);
    if (!jumps && !(known && flow_branch_operand(behind) == j->number))
      return block;
    from = block;
    block = LLVMGetSuccessor(behind, jumps ? 0 : flow_successor_for(behind, known));
  }
  return NULL;
}

/* ---- Equivalence of the cleanups ---- */

/* The next instruction with an effect, from this one on; NULL if it depends on the path. */
static LLVMValueRef next_in(const struct join *j, LLVMValueRef i)
{
  for (unsigned jumps = 0; jumps < MOST; jumps++) {
    i = behind_markers(j, i);
    if (is_phi(i))
      return NULL;
    if (!flow_is_jump(i) || LLVMGetInstructionParent(i) == j->out)
      return i;
    i = LLVMGetFirstInstruction(LLVMGetSuccessor(i, 0));
  }
  return NULL;
}

static bool is_same_value(const struct join *j, LLVMValueRef kept, LLVMValueRef copy)
{
  for (unsigned i = 0; i < j->value_count; i++)
    if (j->values[i].kept == kept)
      return j->values[i].copy == copy;
  return kept == copy;
}

static bool is_same(struct join *j, LLVMValueRef kept, LLVMValueRef copy)
{
  unsigned count = (unsigned)LLVMGetNumOperands(kept);
  if (!is_identical_operation(kept, copy) || (unsigned)LLVMGetNumOperands(copy) != count || j->value_count == MOST)
    return false;
  for (unsigned o = 0; o < count; o++)
    if (!is_same_value(j, LLVMGetOperand(kept, o), LLVMGetOperand(copy, o)))
      return false;
  j->values[j->value_count++] = (struct pair){kept, copy};
  return true;
}

static bool add_ways(struct join *j, LLVMBasicBlockRef kept, LLVMBasicBlockRef copy)
{
  struct pair way = {next_in(j, LLVMGetFirstInstruction(kept)), next_in(j, LLVMGetFirstInstruction(copy))};
  for (unsigned i = 0; i < j->way_count; i++)
    if (j->ways[i].kept == way.kept)
      return j->ways[i].copy == way.copy;
  if (!way.kept || !way.copy || j->way_count == MOST)
    return false;
  j->ways[j->way_count++] = way;
  return true;
}

/* Compares both from here up to branches, or to where the copy propagates the exception and the other switches on
   the selector. */
static bool is_same_way(struct join *j, LLVMValueRef kept, LLVMValueRef copy)
{
  while (kept && copy && !LLVMIsATerminatorInst(kept) && LLVMGetInstructionParent(copy) != j->out) {
    if (!is_same(j, kept, copy))
      return false;
    kept = next_in(j, LLVMGetNextInstruction(kept));
    copy = next_in(j, LLVMGetNextInstruction(copy));
  }
  if (!kept || !copy)
    return false;
  if (LLVMGetInstructionParent(copy) == j->out) {
    bool other = j->choice && j->choice != kept;
    j->choice = kept;
    return !other && LLVMIsATerminatorInst(kept) && flow_switch_operand(kept) == j->number;
  }
  LLVMValueRef condition = flow_condition(kept), asked = LLVMIsATerminatorInst(copy) ? flow_condition(copy) : NULL;
  return condition && asked && is_same_value(j, condition, asked) &&
         add_ways(j, LLVMGetSuccessor(kept, 0), LLVMGetSuccessor(copy, 0)) &&
         add_ways(j, LLVMGetSuccessor(kept, 1), LLVMGetSuccessor(copy, 1));
}

/* Compares all blocks. A back edge to the cleanup's entry may carry another selector, so it counts as different. */
static bool is_same_cleanup(struct join *j, LLVMBasicBlockRef copy)
{
  bool same = true;
  j->ways[j->way_count++] =
      (struct pair){next_in(j, LLVMGetNextInstruction(j->number)), next_in(j, LLVMGetFirstInstruction(copy))};
  for (unsigned i = 0; i < j->way_count && same; i++)
    same = is_same_way(j, j->ways[i].kept, j->ways[i].copy);
  return same && j->choice;
}

/* ---- Effects of the additional edge ---- */

static bool is_in_entry(LLVMValueRef instruction)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
  return block == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block)) && !LLVMIsATerminatorInst(instruction);
}

/* Whether the value is available on both paths: the copy uses it too, or it dominates both. */
static bool is_everywhere(const struct join *j, LLVMValueRef value)
{
  if (!edit_is_instruction(value) || is_in_entry(value))
    return true;
  for (unsigned i = 0; i < j->value_count; i++)
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(j->values[i].copy); o++)
      if (LLVMGetOperand(j->values[i].copy, o) == value)
        return true;
  return false;
}

static bool is_among(const struct blocks *blocks, LLVMBasicBlockRef block)
{
  for (unsigned i = 0; i < blocks->count; i++)
    if (blocks->items[i] == block)
      return true;
  return false;
}

static bool add_successors(struct blocks *blocks, LLVMValueRef terminator)
{
  for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++) {
    LLVMBasicBlockRef to = LLVMGetSuccessor(terminator, i);
    if (is_among(blocks, to))
      continue;
    if (blocks->count == MOST)
      return false;
    blocks->items[blocks->count++] = to;
  }
  return true;
}

/* Whether debug records of the block only use values that are available on both paths, or defined in these blocks. */
static bool is_told_freely(const struct join *j, const struct blocks *blocks, LLVMBasicBlockRef block)
{
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(j->number));
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r)) {
      if (LLVMDbgRecordGetKind(r) == LLVMDbgRecordLabel)
        continue;
      if (!ir_node_is_of_one_value(context, LLVMDbgVariableRecordGetExpression(r)))
        return false;
      LLVMValueRef value = LLVMDbgVariableRecordGetValue(r, 0);
      if (value && !is_everywhere(j, value) && !is_among(blocks, LLVMGetInstructionParent(value)))
        return false;
    }
  return true;
}

static bool is_told_freely_inside(const struct join *j)
{
  struct blocks blocks = {{j->entry}, 1};
  for (unsigned i = 0; i < j->value_count; i++) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(j->values[i].kept);
    if (!is_among(&blocks, block) && blocks.count < MOST)
      blocks.items[blocks.count++] = block;
  }
  bool freely = true;
  for (unsigned b = 0; b < blocks.count && freely; b++)
    freely = is_told_freely(j, &blocks, blocks.items[b]);
  return freely;
}

/* Whether the block has no phi and only uses such values. */
static bool is_free(const struct join *j, const struct blocks *blocks, LLVMBasicBlockRef block)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++) {
      LLVMValueRef value = LLVMGetOperand(i, o);
      if (is_phi(i) || (!LLVMValueIsBasicBlock(value) && !is_everywhere(j, value) &&
                        !is_among(blocks, LLVMGetInstructionParent(value))))
        return false;
    }
  return true;
}

/* Whether blocks after the cleanup use no value defined on one path only. */
static bool is_free_behind(const struct join *j)
{
  struct blocks blocks = {.count = 0};
  bool free = add_successors(&blocks, j->choice);
  for (unsigned b = 0; b < blocks.count && free; b++)
    free = is_free(j, &blocks, blocks.items[b]) && is_told_freely(j, &blocks, blocks.items[b]) &&
           add_successors(&blocks, LLVMGetBasicBlockTerminator(blocks.items[b]));
  return free;
}

/* ---- The exception ---- */

/* Whether the alloca is only loaded and stored directly, so the cleanup's calls cannot modify it. */
static bool is_private(const struct join *j, LLVMValueRef address)
{
  if (!LLVMIsAAllocaInst(address) || !is_in_entry(address))
    return false;
  for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool written = LLVMIsAStoreInst(user) && LLVMGetOperand(user, STORE_VALUE) != address;
    if (!written && !LLVMIsALoadInst(user) && !is_marker(j, user))
      return false;
  }
  return true;
}

/* Whether the propagated exception is loaded from allocas and built by few instructions. */
static bool is_read_here(const struct join *j)
{
  unsigned count = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(j->out); i; i = LLVMGetNextInstruction(i)) {
    if (count++ == MOST)
      return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMLoad && edit_is_plain_load(i) && is_private(j, LLVMGetOperand(i, LOAD_ADDRESS)))
      continue;
    if (opcode != LLVMInsertValue && opcode != LLVMResume)
      return false;
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++) {
      LLVMValueRef value = LLVMGetOperand(i, o);
      if (!LLVMIsConstant(value) && !(edit_is_instruction(value) && LLVMGetInstructionParent(value) == j->out))
        return false;
    }
  }
  return true;
}

static LLVMValueRef copy_to(LLVMBuilderRef builder, LLVMValueRef instruction)
{
  LLVMValueRef copy = LLVMInstructionClone(instruction);
  LLVMInsertIntoBuilder(builder, copy);
  return copy;
}

/* Builds a phi at the entry; other paths have no exception, and do not use one. */
static LLVMValueRef merge_at_entry(const struct join *j, LLVMBuilderRef builder, LLVMValueRef read)
{
  LLVMTypeRef type = LLVMTypeOf(read);
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(j->entry));
  LLVMValueRef phi = LLVMBuildPhi(builder, type, ""), none = LLVMGetPoison(type);
  for (unsigned k = 0; k < LLVMCountIncoming(j->number); k++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(j->number, k);
    LLVMAddIncoming(phi, &none, &from, 1);
  }
  LLVMBasicBlockRef from = j->from;
  LLVMAddIncoming(phi, &read, &from, 1);
  return phi;
}

static LLVMValueRef copied(const struct pair *copies, unsigned count, LLVMValueRef value)
{
  for (unsigned i = 0; i < count; i++)
    if (copies[i].kept == value)
      return copies[i].copy;
  return value;
}

/* Loads the exception before the cleanup. Returns the block that propagates it afterwards. */
static LLVMBasicBlockRef carry_exception(struct join *j, LLVMBuilderRef builder)
{
  LLVMBasicBlockRef to = LLVMAppendBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(j->number)),
                                                       LLVMGetBasicBlockParent(j->from), "propagated");
  j->value_count = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(j->out); i; i = LLVMGetNextInstruction(i)) {
    LLVMValueRef copy;
    if (LLVMGetInstructionOpcode(i) == LLVMLoad) {
      edit_insert_before(builder, LLVMGetBasicBlockTerminator(j->from));
      copy = merge_at_entry(j, builder, copy_to(builder, i));
    } else {
      LLVMPositionBuilderAtEnd(builder, to);
      copy = copy_to(builder, i);
    }
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i) && LLVMGetInstructionOpcode(i) != LLVMLoad; o++)
      LLVMSetOperand(copy, o, copied(j->values, j->value_count, LLVMGetOperand(i, o)));
    j->values[j->value_count++] = (struct pair){i, copy};
  }
  return to;
}

/* The largest selector of the phi, or of phis it depends on; false: unknown, or no larger number exists. */
static bool greatest_number(LLVMValueRef phi, uint64_t *greatest)
{
  if (LLVMGetIntTypeWidth(LLVMTypeOf(phi)) < 8)
    return false;
  struct pair phis[MOST] = {{phi, NULL}};
  for (unsigned i = 0, count = 1; i < count; i++)
    for (unsigned k = 0; k < LLVMCountIncoming(phis[i].kept); k++) {
      LLVMValueRef value = LLVMGetIncomingValue(phis[i].kept, k);
      uint64_t number;
      if (edit_constant(value, &number)) {
        *greatest = number > *greatest ? number : *greatest;
        continue;
      }
      bool known = false;
      for (unsigned p = 0; p < count; p++)
        known |= phis[p].kept == value;
      if (known)
        continue;
      if (!is_phi(value) || count == MOST)
        return false;
      phis[count++].kept = value;
    }
  return *greatest < INT8_MAX;
}

/* ---- */

static bool find_ways(struct join *j, LLVMValueRef end, LLVMValueRef final, LLVMBasicBlockRef *copy)
{
  j->from = LLVMGetInstructionParent(end);
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(j->from), asked = flow_condition(branch);
  LLVMBasicBlockRef suspended = LLVMGetInstructionParent(final);
  LLVMValueRef chooses = LLVMGetBasicBlockTerminator(suspended);
  if (LLVMGetNumOperandBundles(end) || !asked || !edit_is_call(asked) ||
      intrin_of(j->table, asked) != INTRIN_IS_IN_RAMP || flow_switch_operand(chooses) != final)
    return false;
  LLVMValueRef destroyed = LLVMConstInt(LLVMTypeOf(final), 1, false);
  *copy = LLVMGetSuccessor(branch, 0);
  j->out = LLVMGetSuccessor(branch, 1);
  j->entry = come_from(j, suspended, LLVMGetSuccessor(chooses, flow_successor_for(chooses, destroyed)));
  return j->entry && j->number && LLVMGetInstructionParent(j->number) == j->entry &&
         !is_phi(LLVMGetNextInstruction(j->number)) && !is_phi(LLVMGetFirstInstruction(j->out));
}

bool merge_exception_cleanups(const struct intrin_table *table, LLVMValueRef end, LLVMValueRef final)
{
  struct join j = {.table = table};
  LLVMBasicBlockRef copy;
  uint64_t number = 0;
  if (!find_ways(&j, end, final, &copy) || !is_same_cleanup(&j, copy) || !is_told_freely_inside(&j) ||
      !is_free_behind(&j) || !is_read_here(&j) || !greatest_number(j.number, &number))
    return false;
  LLVMValueRef leads = LLVMConstInt(LLVMTypeOf(j.number), number + 1, false);
  if (flow_successor_for(j.choice, leads)) /* the switch may have cases that no edge selects */
    return false;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(end)));
  LLVMAddCase(j.choice, leads, carry_exception(&j, builder));
  LLVMDisposeBuilder(builder);
  LLVMAddIncoming(j.number, &leads, &j.from, 1);
  LLVMSetSuccessor(LLVMGetBasicBlockTerminator(j.from), 0, j.entry);
  return true;
}
