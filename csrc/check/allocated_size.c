/* Checks the size that a call allocates for an alloca; see allocated_size.h. */
#include "check/allocated_size.h"

#include "check/claim_list.h"
#include "check/verdict.h"
#include "ir/operand.h"

/* Whether the lowering computes the value by this instruction; without flags, which would make the result poison for
   some operands. */
static bool is_flagless_step_of_size(const struct check_clone *k, LLVMValueRef value, LLVMOpcode opcode)
{
  uint32_t inst = ir_inst(&k->fn, value);
  if (inst == IR_NONE || k->entries[inst].kind != WITNESS_NONE || k->fn.opcode[inst] != opcode)
    return false;
  if (opcode == LLVMZExt)
    return !LLVMGetNNeg(value);
  bool fixed = opcode == LLVMTrunc || LLVMIsAConstantInt(LLVMGetOperand(value, SECOND_OPERAND));
  return fixed && !LLVMGetNUW(value) && !LLVMGetNSW(value);
}

static unsigned pointer_width_in_bits(const struct check_walk *w)
{
  return (unsigned)(8 * ir_pointer_size(w->c->low->context, w->c->low->layout));
}

/* The number of low bits outside of which an integer of the presplit function is zero. */
static unsigned integer_width_before_zext(LLVMValueRef number)
{
  return LLVMGetIntTypeWidth(LLVMTypeOf(LLVMIsAZExtInst(number) ? LLVMGetOperand(number, CAST_SOURCE) : number));
}

/* The value without casts, the carrier of `count` unless the lowering computes it; NULL: a cast may truncate it to
   fewer bits than a pointer has, which an alloca does not. */
static LLVMValueRef strip_size_casts_or_null(const struct check_walk *w, LLVMValueRef size, LLVMValueRef count)
{
  const struct check_clone *k = w->k;
  unsigned narrowest = LLVMGetIntTypeWidth(LLVMTypeOf(size));
  while (is_flagless_step_of_size(k, size, LLVMZExt) || is_flagless_step_of_size(k, size, LLVMTrunc)) {
    size = LLVMGetOperand(size, CAST_SOURCE);
    if (LLVMGetIntTypeWidth(LLVMTypeOf(size)) < narrowest)
      narrowest = LLVMGetIntTypeWidth(LLVMTypeOf(size));
  }
  return narrowest >= integer_width_before_zext(count) || narrowest >= pointer_width_in_bits(w) ? size : NULL;
}

/* The number of elements, if the size is that number, cast, times the size of an element, plus constants; else NULL.
   The constants must not be negative, because the block would then have fewer bytes than the alloca. */
static LLVMValueRef element_count_of_size_or_null(const struct check_walk *w, LLVMValueRef size, LLVMValueRef count,
                                                  uint64_t element, uint64_t *added)
{
  const struct check_clone *k = w->k;
  uint64_t limit = (uint64_t)1 << (LLVMGetIntTypeWidth(LLVMTypeOf(size)) - 1);
  for (*added = 0; is_flagless_step_of_size(k, size, LLVMAdd); size = LLVMGetOperand(size, ADD_LEFT)) {
    uint64_t addend = LLVMConstIntGetZExtValue(LLVMGetOperand(size, ADD_RIGHT));
    if (addend >= limit - *added)
      return NULL;
    *added += addend;
  }
  if (is_flagless_step_of_size(k, size, LLVMMul) &&
      LLVMConstIntGetZExtValue(LLVMGetOperand(size, SECOND_OPERAND)) == element) {
    size = LLVMGetOperand(size, FIRST_OPERAND);
    element = 1;
  }
  return element == 1 ? strip_size_casts_or_null(w, size, count) : NULL;
}

/* Whether the size is a number without its casts, or is computed in an integer as wide as a pointer. Then it only wraps
   for allocas that no address space has room for. */
static bool is_plain_count_or_computed_wide_enough(const struct check_walk *w, LLVMValueRef size, LLVMValueRef count)
{
  unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(size));
  LLVMValueRef number = strip_size_casts_or_null(w, size, count);
  bool computes =
      !number || is_flagless_step_of_size(w->k, number, LLVMAdd) || is_flagless_step_of_size(w->k, number, LLVMMul);
  return width <= 64 && (!computes || width >= pointer_width_in_bits(w));
}

bool allocated_size_check(const struct check_walk *w, uint32_t inst, unsigned argument, uint32_t presplit,
                          unsigned operand, uint64_t element, uint64_t *added)
{
  LLVMValueRef call = check_walk_inst(w, inst), size = LLVMGetOperand(call, argument);
  LLVMValueRef count = LLVMGetOperand(w->c->low->fn.insts[presplit], operand);
  bool fits;
  if (!is_plain_count_or_computed_wide_enough(w, size, count))
    return check_unsupported(w->c, "the size of an allocation in an integer that is narrower than a pointer");
  if (LLVMIsAConstantInt(size) && LLVMIsAConstantInt(count)) {
    uint64_t elements = LLVMConstIntGetZExtValue(count), bytes = LLVMConstIntGetZExtValue(size);
    *added = bytes - elements * element;
    fits = !element || (elements <= UINT64_MAX / element && elements * element <= bytes);
  } else {
    LLVMValueRef carrier = element_count_of_size_or_null(w, size, count, element, added);
    fits = carrier && claim_presplit_operand(w->c, w->k, inst, carrier, presplit, operand);
  }
  return fits || check_refute(w->c, w->k, call, "it allocates another size");
}
