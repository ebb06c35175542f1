/* Queries of instructions in general, and of terminators.
   Requires: the module locked.
   Guarantees: see ir_queries.def. */
#include "ir.h"

static PyObject *opcode_text(unsigned opcode)
{
  static const char *const texts[] = {
#define IR_OPCODE(name, text) [LLVM##name] = text,
#include "ir_opcodes.def"
  };
  const char *text = opcode < sizeof texts / sizeof *texts ? texts[opcode] : NULL;
  return text ? core_text(text)
              : PyErr_Format(PyExc_SystemError, "LLVM has an opcode %u that pycoro does not know", opcode);
}

PyObject *ir_get_opcode(struct value_object *self)
{
  return opcode_text(LLVMGetInstructionOpcode(self->value));
}

PyObject *ir_get_constant_opcode(struct value_object *self)
{
  return LLVMIsAConstantExpr(self->value) ? opcode_text(LLVMGetConstOpcode(self->value)) : Py_NewRef(Py_None);
}

PyObject *ir_get_instruction_parent(struct value_object *self)
{
  return core_ir_block(self->module, LLVMGetInstructionParent(self->value));
}

PyObject *ir_get_next(struct value_object *self)
{
  return core_ir_value(self->module, LLVMGetNextInstruction(self->value));
}

PyObject *ir_get_previous(struct value_object *self)
{
  return core_ir_value(self->module, LLVMGetPreviousInstruction(self->value));
}

PyObject *ir_get_is_terminator(struct value_object *self)
{
  return PyBool_FromLong(LLVMIsATerminatorInst(self->value) != NULL);
}

static LLVMValueRef nth_successor(LLVMValueRef terminator, unsigned index)
{
  return LLVMBasicBlockAsValue(LLVMGetSuccessor(terminator, index));
}

PyObject *ir_get_successors(struct value_object *self)
{
  unsigned count = LLVMIsATerminatorInst(self->value) ? LLVMGetNumSuccessors(self->value) : 0;
  return core_ir_each(self->module, self->value, count, nth_successor);
}

/* The n-th case value of a switch, whose successor has number n + 1. */
static LLVMValueRef nth_case_value(LLVMValueRef instruction, unsigned index)
{
  return LLVMGetSwitchCaseValue(instruction, index + 1);
}

PyObject *ir_get_case_values(struct value_object *self)
{
  unsigned count = LLVMIsASwitchInst(self->value) ? LLVMGetNumSuccessors(self->value) - 1 : 0;
  return core_ir_each(self->module, self->value, count, nth_case_value);
}

static LLVMValueRef nth_incoming_block(LLVMValueRef phi, unsigned index)
{
  return LLVMBasicBlockAsValue(LLVMGetIncomingBlock(phi, index));
}

PyObject *ir_get_incoming_blocks(struct value_object *self)
{
  unsigned count = LLVMIsAPHINode(self->value) ? LLVMCountIncoming(self->value) : 0;
  return core_ir_each(self->module, self->value, count, nth_incoming_block);
}
