/* Queries of instructions for data other than operands: ordering, alignment, indices. LLVM-C is only called for opcodes
   that have the data.
   Requires: the module locked.
   Guarantees: None for other instructions. */
#include "ir.h"
#include "ir_keywords.h"

PyObject *ir_get_ordering(struct value_object *self)
{
  int ordering = -1;
  switch (LLVMGetInstructionOpcode(self->value)) {
  case LLVMLoad:
  case LLVMStore:
  case LLVMFence:
  case LLVMAtomicRMW: ordering = (int)LLVMGetOrdering(self->value); break;
  case LLVMAtomicCmpXchg: ordering = (int)LLVMGetCmpXchgSuccessOrdering(self->value); break;
  default: break;
  }
  const char *word = ir_keyword(&ir_orderings, ordering);
  return word ? core_make_str(word) : Py_NewRef(Py_None);
}

PyObject *ir_get_align(struct value_object *self)
{
  if (self->kind == IR_INSTRUCTION)
    switch (LLVMGetInstructionOpcode(self->value)) {
    case LLVMAlloca:
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: break;
    default: Py_RETURN_NONE;
    }
  unsigned align = LLVMGetAlignment(self->value);
  return align ? PyLong_FromUnsignedLong(align) : Py_NewRef(Py_None);
}

static PyObject *shuffle_mask_item(const void *instruction, size_t index)
{
  int element = LLVMGetMaskValue(((const struct value_object *)instruction)->value, (unsigned)index);
  return element == LLVMGetUndefMaskElem() ? Py_NewRef(Py_None) : PyLong_FromLong(element);
}

PyObject *ir_get_indices(struct value_object *self)
{
  switch (LLVMGetInstructionOpcode(self->value)) {
  case LLVMExtractValue:
  case LLVMInsertValue:
    return core_make_tuple(LLVMGetNumIndices(self->value), core_make_int_item, LLVMGetIndices(self->value));
  case LLVMShuffleVector: return core_make_tuple(LLVMGetNumMaskElements(self->value), shuffle_mask_item, self);
  default: Py_RETURN_NONE;
  }
}
