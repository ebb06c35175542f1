/* Queries of functions and blocks.
   Requires: the module locked.
   Guarantees: see ir_queries.def. */
#include "ir.h"

PyObject *ir_get_blocks(struct value_object *self)
{
  PyObject *tuple = PyTuple_New((Py_ssize_t)LLVMCountBasicBlocks(self->value));
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(self->value);
  for (Py_ssize_t i = 0; tuple && block; block = LLVMGetNextBasicBlock(block)) {
    core_tuple_set(&tuple, i++, core_ir_block(self->module, block));
  }
  return tuple;
}

PyObject *ir_get_arguments(struct value_object *self)
{
  return core_ir_each(self->module, self->value, LLVMCountParams(self->value), LLVMGetParam);
}

PyObject *ir_get_terminator(struct value_object *self)
{
  return core_ir_value(self->module, LLVMGetBasicBlockTerminator(LLVMValueAsBasicBlock(self->value)));
}

PyObject *ir_get_instructions(struct value_object *self)
{
  Py_ssize_t count = 0, at = 0;
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMValueAsBasicBlock(self->value));
  for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i))
    count++;
  PyObject *tuple = PyTuple_New(count);
  for (LLVMValueRef i = first; tuple && i; i = LLVMGetNextInstruction(i)) {
    core_tuple_set(&tuple, at++, core_ir_value(self->module, i));
  }
  return tuple;
}

PyObject *ir_get_block_parent(struct value_object *self)
{
  return core_ir_value(self->module, LLVMGetBasicBlockParent(LLVMValueAsBasicBlock(self->value)));
}

PyObject *ir_get_argument_parent(struct value_object *self)
{
  return core_ir_value(self->module, LLVMGetParamParent(self->value));
}
