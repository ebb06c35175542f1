/* Joining: what ends a coroutine that an exception has ended is what ends one at its final suspend.
   Needs: a coroutine before coro-split. Leaves: one that does the same, and one cleanup of the two.

   A frontend makes both out of the same scopes: the way from a suspend, with a number that says where the cleanup leads
   in the end, and a copy of it for exceptions. Where they are one before any pass has looked at them, whatever a pass
   then does to the cleanup holds for both ways to it. */
#include "pass/join.h"

#include "ir/alike.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/nodes.h"
#include "ir/operand.h"

/* Blocks of a cleanup, instructions that it computes with, blocks behind it, instructions that read the exception. */
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
  LLVMBasicBlockRef from;     /* ends in the question whether this is the ramp */
  LLVMBasicBlockRef out;      /* where the exception propagates */
  LLVMBasicBlockRef entry;    /* the cleanup that is kept begins there */
  LLVMValueRef number;        /* phi at its entry: where it leads in the end */
  LLVMValueRef choice;        /* the switch on it */
  struct pair values[MOST], ways[MOST];
  unsigned value_count, way_count;
};

/* ---- Walking ---- */

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

/* Where control goes on that comes from a block and first only chooses by a number that is known. Its last phi is
   j->number. NULL: it chooses by something else. */
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
    if (!jumps && !(known && flow_chooses_by(behind) == j->number))
      return block;
    from = block;
    block = LLVMGetSuccessor(behind, jumps ? 0 : flow_way(behind, known));
  }
  return NULL;
}

/* ---- Whether both do the same ---- */

/* The next instruction, at this one or behind it, that does something; NULL where that depends on the way there. */
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
  if (!alike(kept, copy) || (unsigned)LLVMGetNumOperands(copy) != count || j->value_count == MOST)
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

/* Up to where both branch, or where the copy lets the exception propagate and the other chooses by the number. */
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
    return !other && LLVMIsATerminatorInst(kept) && flow_switched(kept) == j->number;
  }
  LLVMValueRef condition = flow_condition(kept), asked = LLVMIsATerminatorInst(copy) ? flow_condition(copy) : NULL;
  return condition && asked && is_same_value(j, condition, asked) &&
         add_ways(j, LLVMGetSuccessor(kept, 0), LLVMGetSuccessor(copy, 0)) &&
         add_ways(j, LLVMGetSuccessor(kept, 1), LLVMGetSuccessor(copy, 1));
}

/* What comes back to where the one that is kept begins might bring another number, and is not the same. */
static bool is_same_cleanup(struct join *j, LLVMBasicBlockRef copy)
{
  bool same = true;
  j->ways[j->way_count++] =
      (struct pair){next_in(j, LLVMGetNextInstruction(j->number)), next_in(j, LLVMGetFirstInstruction(copy))};
  for (unsigned i = 0; i < j->way_count && same; i++)
    same = is_same_way(j, j->ways[i].kept, j->ways[i].copy);
  return same && j->choice;
}

/* ---- Whether one way more is no harm ---- */

static bool is_in_entry(LLVMValueRef instruction)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
  return block == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block)) && !LLVMIsATerminatorInst(instruction);
}

/* There on either way to the cleanup, as the copy uses it too, or every way comes by it. */
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

/* Debug records in the block name what is there on either way, or was made in one of these. What has several values is
   not asked for each. */
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

/* The block has no phi, and uses what is there on either way, or was made in one of these. */
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

/* Blocks behind the cleanup use nothing that was made on one way to it. */
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

/* A variable that is only read and written here, so that nothing the cleanup calls changes it; itself, it stores
   nothing. */
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

/* It is read from variables, put together of what is read, and propagated, in few instructions. */
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

/* On every other way there is none: so none of those reads what was one once. */
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

/* The exception is read before the cleanup. Gives the block where it propagates behind that. */
static LLVMBasicBlockRef carry_exception(struct join *j, LLVMBuilderRef builder)
{
  LLVMBasicBlockRef to = LLVMAppendBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(j->number)),
                                                       LLVMGetBasicBlockParent(j->from), "propagated");
  j->value_count = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(j->out); i; i = LLVMGetNextInstruction(i)) {
    LLVMValueRef copy;
    if (LLVMGetInstructionOpcode(i) == LLVMLoad) {
      edit_before(builder, LLVMGetBasicBlockTerminator(j->from));
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

/* The greatest number that the phi, or one that it takes a number from, may have; false: nobody knows, or there may be
   none above it. */
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
      intrin_of(j->table, asked) != INTRIN_IS_IN_RAMP || flow_switched(chooses) != final)
    return false;
  LLVMValueRef destroyed = LLVMConstInt(LLVMTypeOf(final), 1, false);
  *copy = LLVMGetSuccessor(branch, 0);
  j->out = LLVMGetSuccessor(branch, 1);
  j->entry = come_from(j, suspended, LLVMGetSuccessor(chooses, flow_way(chooses, destroyed)));
  return j->entry && j->number && LLVMGetInstructionParent(j->number) == j->entry &&
         !is_phi(LLVMGetNextInstruction(j->number)) && !is_phi(LLVMGetFirstInstruction(j->out));
}

bool join_cleanups(const struct intrin_table *table, LLVMValueRef end, LLVMValueRef final)
{
  struct join j = {.table = table};
  LLVMBasicBlockRef copy;
  uint64_t number = 0;
  if (!find_ways(&j, end, final, &copy) || !is_same_cleanup(&j, copy) || !is_told_freely_inside(&j) ||
      !is_free_behind(&j) || !is_read_here(&j) || !greatest_number(j.number, &number))
    return false;
  LLVMValueRef leads = LLVMConstInt(LLVMTypeOf(j.number), number + 1, false);
  if (flow_way(j.choice, leads)) /* what no way brings, there may be a case for */
    return false;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(end)));
  LLVMAddCase(j.choice, leads, carry_exception(&j, builder));
  LLVMDisposeBuilder(builder);
  LLVMAddIncoming(j.number, &leads, &j.from, 1);
  LLVMSetSuccessor(LLVMGetBasicBlockTerminator(j.from), 0, j.entry);
  return true;
}
