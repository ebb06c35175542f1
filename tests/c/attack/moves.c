/* Mutations that move instructions in their block, or the fields of the frame.
   Requires: a clone under attack. */
#include "attack/attack.h"
#include "check.h"
#include "ir/operand.h"

static bool reads_or_writes(LLVMValueRef inst)
{
  return attack_has_effect(inst) || LLVMGetInstructionOpcode(inst) == LLVMLoad;
}

/* Whether `user` has `value` as an operand. */
static bool uses(LLVMValueRef user, LLVMValueRef value)
{
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
    if (LLVMGetOperand(user, i) == value)
      return true;
  return false;
}

static bool may_pass(LLVMValueRef inst, LLVMValueRef other)
{
  return !LLVMIsATerminatorInst(other) && LLVMGetInstructionOpcode(other) != LLVMPHI && !LLVMIsALandingPadInst(other) &&
         !uses(other, inst) && !uses(inst, other);
}

static void move_before(struct attack *a, LLVMValueRef inst, LLVMValueRef before)
{
  LLVMInstructionRemoveFromParent(inst);
  LLVMPositionBuilderBefore(a->builder, before);
  LLVMInsertIntoBuilder(a->builder, inst);
}

/* ---- Moves ---- */

/* What a move passes, from harmless to certainly wrong. */
enum passed { PASSED_NOTHING, PASSED_EFFECTS, PASSED_SAME_BYTES, PASSED_COPIES_BY_COPY };

/* The offset of the bytes of the frame that a load or store accesses; UINT64_MAX: none, or unknown. */
static uint64_t accessed_offset(const struct attack *a, LLVMValueRef inst)
{
  bool store = LLVMIsAStoreInst(inst) != NULL;
  return store || LLVMIsALoadInst(inst)
             ? attack_frame_offset(a, LLVMGetOperand(inst, store ? STORE_ADDRESS : LOAD_ADDRESS))
             : UINT64_MAX;
}

static enum passed passing(const struct attack *a, LLVMValueRef inst, LLVMValueRef other)
{
  bool copy = witness_entry_of_value(a->low->witness, inst).kind == WITNESS_COPY,
       other_copy = witness_entry_of_value(a->low->witness, other).kind == WITNESS_COPY;
  bool effect = attack_has_effect(inst), other_effect = attack_has_effect(other);
  uint64_t offset = accessed_offset(a, inst);
  if (!reads_or_writes(other) || (!effect && !other_effect))
    return PASSED_NOTHING;
  if (copy && other_copy && !(LLVMIsALoadInst(inst) && offset != accessed_offset(a, other) && LLVMIsAStoreInst(other)))
    return PASSED_COPIES_BY_COPY;
  if (offset != UINT64_MAX && offset == accessed_offset(a, other))
    return PASSED_SAME_BYTES;
  return PASSED_EFFECTS; /* other code reads the header of a suspended coroutine only */
}

static void judge_move(struct attack *a, LLVMValueRef inst, LLVMValueRef before, enum passed passed)
{
  static const char *const names[] = {"", "moved", "moved-over-access", "moved-copy"};
  LLVMValueRef next = LLVMGetNextInstruction(inst);
  if (passed == PASSED_NOTHING || !attack_is_drawn())
    return;
  move_before(a, inst, before);
  attack_judge(a, names[passed], inst);
  move_before(a, inst, next);
}

/* Moves an access down and up as far as possible in its block. */
static void move_in_block(struct attack *a, LLVMValueRef inst)
{
  enum passed passed = PASSED_NOTHING, last;
  LLVMValueRef to = LLVMGetNextInstruction(inst), before = inst;
  for (; may_pass(inst, to); to = LLVMGetNextInstruction(to)) {
    last = passing(a, inst, to);
    passed = last > passed ? last : passed;
  }
  judge_move(a, inst, to, passed);
  passed = PASSED_NOTHING;
  for (LLVMValueRef at = LLVMGetPreviousInstruction(inst); at && may_pass(inst, at);
       at = LLVMGetPreviousInstruction(at)) {
    before = at;
    last = passing(a, inst, at);
    passed = last > passed ? last : passed;
  }
  judge_move(a, inst, before, passed);
}

/* ---- Switches ---- */

static void swap_cases(struct attack *a, LLVMValueRef terminator)
{
  for (unsigned i = 1; i + 1 < LLVMGetNumSuccessors(terminator); i++) {
    LLVMBasicBlockRef one = LLVMGetSuccessor(terminator, i), two = LLVMGetSuccessor(terminator, i + 1);
    if (attack_are_same_target(one, two) || attack_are_same_target(two, one) || !attack_is_drawn())
      continue;
    LLVMSetSuccessor(terminator, i, two);
    LLVMSetSuccessor(terminator, i + 1, one);
    attack_judge(a, "swapped-cases", terminator);
    LLVMSetSuccessor(terminator, i, one);
    LLVMSetSuccessor(terminator, i + 1, two);
  }
}

/* ---- Fields of the frame ---- */

/* The addresses in all clones that are a constant number of bytes from the frame. */
struct addresses {
  CORO_VEC(LLVMValueRef) items;
};

static void find_addresses(struct attack *a, uint64_t offset, struct addresses *found)
{
  for (uint32_t n = 0; n < a->low->witness->clones.count; n++) {
    LLVMValueRef frame = a->low->witness->clones.items[n].frame;
    for (LLVMUseRef use = frame ? LLVMGetFirstUse(frame) : NULL; use; use = LLVMGetNextUse(use)) {
      LLVMValueRef gep = LLVMGetUser(use), index = NULL;
      if (LLVMIsAGetElementPtrInst(gep) && LLVMGetNumOperands(gep) == 2)
        index = LLVMGetOperand(gep, FIRST_INDEX);
      if (index && LLVMIsAConstantInt(index) && LLVMConstIntGetZExtValue(index) == offset)
        CHECK(coro_vec_push(a->arena, &found->items, gep), "memory");
    }
  }
}

static void set_offset(const struct addresses *addresses, uint64_t offset)
{
  for (uint32_t i = 0; i < addresses->items.count; i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(addresses->items.items[i], FIRST_INDEX));
    LLVMSetOperand(addresses->items.items[i], FIRST_INDEX, LLVMConstInt(type, offset, false));
  }
}

static bool overlap(const struct coro_field *one, const struct coro_field *two)
{
  return one->offset < two->offset + two->size && two->offset < one->offset + one->size;
}

/* Whether no other field starts where this one does. */
static bool has_own_offset(const struct coro_frame *frame, const struct coro_field *field)
{
  for (uint32_t f = 0; f < frame->field_count; f++)
    if (&frame->fields[f] != field && frame->fields[f].size && frame->fields[f].offset == field->offset)
      return false;
  return true;
}

/* Puts a field where another one is, as a wrong layout does. */
static void merge_fields(struct attack *a, struct coro_field *field, const struct coro_field *into)
{
  uint64_t old = field->offset;
  struct addresses addresses = {0};
  if (field == into || !field->size || !into->size || field->value == IR_NONE || overlap(field, into) ||
      into->offset % field->align || into->offset + field->size > a->low->frame.size ||
      !has_own_offset(&a->low->frame, field) || !attack_is_drawn())
    return;
  find_addresses(a, old, &addresses);
  set_offset(&addresses, into->offset);
  field->offset = into->offset;
  if (addresses.items.count)
    attack_judge(a, "merged-fields", addresses.items.items[0]);
  set_offset(&addresses, old);
  field->offset = old;
}

void attack_layout(struct attack *a)
{
  struct coro_frame *frame = &a->low->frame;
  for (uint32_t f = 0; f < frame->field_count; f++)
    for (uint32_t into = 0; into < frame->field_count; into++)
      merge_fields(a, &frame->fields[f], &frame->fields[into]);
}

void attack_moves(struct attack *a, uint32_t index)
{
  LLVMValueRef inst = a->fn.insts[index];
  if (!LLVMIsATerminatorInst(inst) && reads_or_writes(inst) && !attack_is_dead(inst))
    move_in_block(a, inst);
  if (LLVMGetInstructionOpcode(inst) == LLVMSwitch)
    swap_cases(a, inst);
}
