/* Executes memory intrinsics and hints other than llvm.coro.*.
   Requires: memory.c.
   Guarantees: hints have no effect. */
#include <string.h>

#include "interp/execution_error.h"
#include "interp/handlers.h"
#include "interp/memory.h"
#include "ir/operand.h"

void copy_first_operand_to_result(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  memmove(result_cells(act, op), operand_cells(act, op, 0), op->type->count * sizeof(struct cell));
}

void store_zero_result(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  for (uint32_t i = 0; i < op->type->count; i++)
    result_cells(act, op)[i] = cell_of(0);
}

/* The size is unknown: -1 as a maximum, 0 as a minimum. */
HANDLER(run_object_size, store_integer, operand_cells(act, op, 1)->bits ? 0 : integer_mask(op->type->leaves[0].bits))

void run_trap(struct interp *in, struct activation *act, const struct op *op)
{
  (void)act;
  interp_stop_undefined_behavior(in, op, "trap", "the program traps");
}

void run_assume(struct interp *in, struct activation *act, const struct op *op)
{
  if (!interp_read_defined_operand(in, act, op, 0, "an assumption") && !in->status)
    interp_stop_undefined_behavior(in, op, "assume", "the condition of llvm.assume is false");
}

/* ---- Memory ---- */

void run_copy_bytes(struct interp *in, struct activation *act, const struct op *op)
{
  uint64_t to = (uint64_t)interp_read_defined_operand(in, act, op, 0, "an address");
  uint64_t from = (uint64_t)interp_read_defined_operand(in, act, op, 1, "an address");
  uint64_t size = interp_read_size_operand_saturated(in, act, op, 2, "a size");
  if (!in->status)
    memory_copy_bytes_checked(in, op, to, from, size);
}

void run_fill_bytes(struct interp *in, struct activation *act, const struct op *op)
{
  uint64_t to = (uint64_t)interp_read_defined_operand(in, act, op, 0, "an address");
  uint64_t size = interp_read_size_operand_saturated(in, act, op, 2, "a size");
  if (!in->status)
    memory_fill_bytes_checked(in, op, to, *operand_cells(act, op, 1), size);
}

/* lifetime.start makes the alloca's contents undefined, lifetime.end makes them poison. */
static void make_alloca_content_undefined(struct interp *in, const struct activation *act, const struct op *op,
                                          bool is_lifetime_end)
{
  LLVMValueRef variable = LLVMGetOperand(op->inst, LIFETIME_OF);
  const struct layout *type =
      LLVMIsAAllocaInst(variable) ? layout_of_llvm_type(in, LLVMGetAllocatedType(variable)) : NULL;
  LLVMValueRef count = type ? LLVMGetOperand(variable, ALLOCA_COUNT) : NULL;
  if (!type || !LLVMIsAConstantInt(count))
    return;
  uint64_t address = (uint64_t)interp_read_defined_operand(in, act, op, 0, "a lifetime marker"), size;
  if (__builtin_mul_overflow(type->size, LLVMConstIntGetZExtValue(count), &size))
    size = UINT64_MAX;
  if (!in->status && object_check_access(in, op, address, size, true))
    memory_set_undefined(in, address, size, is_lifetime_end);
}

HANDLER(run_lifetime_start, make_alloca_content_undefined, false)
HANDLER(run_lifetime_end, make_alloca_content_undefined, true)

void run_pointer_mask(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  for (uint32_t i = 0; i < op->type->count; i++) {
    const struct cell *pointer = operand_cells(act, op, 0) + i, *mask = operand_cells(act, op, 1) + i;
    bool undef = pointer->undef || mask->undef, poison = pointer->poison || mask->poison;
    result_cells(act, op)[i] = poison ? cell_poison(64) : undef ? cell_undef(64) : cell_of(pointer->bits & mask->bits);
  }
}
