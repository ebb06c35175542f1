/* Instructions that move scalars: select, freeze, bitcast, and element access of vectors and aggregates.
   Requires: values as flattened cells. Guarantees: an invalid element index gives poison. */

#include "interp/handlers.h"
#include "interp/memory.h"
#include "ir/operand.h"

static bool are_defined_and_equal(const struct cell *a, const struct cell *b)
{
  return !a->undef && !b->undef && a->bits == b->bits;
}

void run_select(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  const struct cell *conditions = operand_cells(act, op, 0), *a = operand_cells(act, op, 1),
                    *b = operand_cells(act, op, 2);
  bool one = op->operands[0].type->count == 1;
  struct cell *out = result_cells(act, op);
  for (uint32_t i = 0; i < op->type->count; i++) {
    const struct cell *condition = &conditions[one ? 0 : i];
    unsigned bits = op->type->leaves[i].bits;
    if (condition->poison)
      out[i] = cell_poison(bits);
    else if (condition->undef)
      out[i] = are_defined_and_equal(&a[i], &b[i]) ? a[i] : cell_undef(bits);
    else
      out[i] = condition->bits ? a[i] : b[i];
  }
}

/* freeze clears poison, but the value stays marked as undefined: programs must not depend on it. */
static struct cell clear_poison_but_keep_undef_bits(const struct op *op, const struct cell *a, unsigned from_bits,
                                                    unsigned to_bits)
{
  (void)op, (void)from_bits, (void)to_bits;
  return (struct cell){a->bits, a->undef, false};
}

HANDLER(run_freeze, compute_each_scalar, clear_poison_but_keep_undef_bits)

static bool have_same_scalar_leaves(const struct layout *a, const struct layout *b)
{
  if (a->count != b->count || a->packed != b->packed)
    return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (a->leaves[i].bits != b->leaves[i].bits)
      return false;
  return true;
}

void run_bitcast(struct interp *in, struct activation *act, const struct op *op)
{
  const struct layout *from = op->operands[0].type;
  if (have_same_scalar_leaves(from, op->type))
    cells_move(result_cells(act, op), operand_cells(act, op, 0), op->type->count);
  else
    memory_bitcast_cells(in, from, operand_cells(act, op, 0), op->type, result_cells(act, op));
}

/* The index; UINT32_MAX: out of range or undefined. */
static uint32_t element_index_or_uint32_max(const struct activation *act, const struct op *op, uint32_t k,
                                            uint32_t count)
{
  const struct cell *index = operand_cells(act, op, k);
  return index->undef || index->bits >= count ? UINT32_MAX : (uint32_t)index->bits;
}

void run_extract_element(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  uint32_t index = element_index_or_uint32_max(act, op, 1, op->operands[0].type->count);
  if (index == UINT32_MAX)
    cells_fill_with_poison(op->type, result_cells(act, op));
  else
    *result_cells(act, op) = operand_cells(act, op, 0)[index];
}

void run_insert_element(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  uint32_t index = element_index_or_uint32_max(act, op, 2, op->type->count);
  struct cell value = *operand_cells(act, op, 1);
  if (index == UINT32_MAX) {
    cells_fill_with_poison(op->type, result_cells(act, op));
    return;
  }
  cells_move(result_cells(act, op), operand_cells(act, op, 0), op->type->count);
  result_cells(act, op)[index] = value;
}

bool decode_shuffle(struct decoding *d)
{
  unsigned count = LLVMGetNumMaskElements(d->op->inst);
  int *mask = CORO_NEW_ARRAY(d->in->arena, int, count);
  for (unsigned i = 0; mask && i < count; i++)
    mask[i] = LLVMGetMaskValue(d->op->inst, i);
  d->op->more = mask;
  return mask != NULL;
}

void run_shuffle_vector(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  const int *mask = op->more;
  int first = (int)op->operands[0].type->count;
  for (uint32_t i = 0; i < op->type->count; i++) {
    if (mask[i] < 0)
      result_cells(act, op)[i] = cell_poison(op->type->leaves[i].bits);
    else
      result_cells(act, op)[i] =
          mask[i] < first ? operand_cells(act, op, 0)[mask[i]] : operand_cells(act, op, 1)[mask[i] - first];
  }
}

/* `detail` becomes the index of the first selected cell. */
bool decode_indices(struct decoding *d)
{
  unsigned count = LLVMGetNumIndices(d->op->inst);
  const unsigned *indices = LLVMGetIndices(d->op->inst);
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(d->op->inst, AGGREGATE));
  d->op->detail = 0;
  for (unsigned i = 0; i < count; i++) {
    bool structure = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    for (unsigned k = 0; structure && k < indices[i]; k++) {
      const struct layout *before = layout_of_llvm_type(d->in, LLVMStructGetTypeAtIndex(type, k));
      if (!before)
        return false;
      d->op->detail += before->count;
    }
    type = structure ? LLVMStructGetTypeAtIndex(type, indices[i]) : LLVMGetElementType(type);
    const struct layout *child = layout_of_llvm_type(d->in, type);
    if (!child)
      return false;
    d->op->detail += structure ? 0 : indices[i] * child->count;
  }
  return true;
}

void run_extract_value(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  cells_move(result_cells(act, op), operand_cells(act, op, 0) + op->detail, op->type->count);
}

void run_insert_value(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  cells_move(result_cells(act, op), operand_cells(act, op, 0), op->type->count);
  cells_move(result_cells(act, op) + op->detail, operand_cells(act, op, 1), op->operands[1].type->count);
}
