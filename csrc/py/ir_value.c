/* Queries that list values: the blocks of a function, the instructions of a block, users and predecessors.
   Requires: the module locked.
   Guarantees: see ir_queries.def. */
#include "ir.h"

/* Whether LLVM keeps a use list: constant data has none. */
static bool has_use_list(LLVMValueRef value)
{
  switch (LLVMGetValueKind(value)) {
  case LLVMUndefValueValueKind:
  case LLVMPoisonValueValueKind:
  case LLVMConstantAggregateZeroValueKind:
  case LLVMConstantDataArrayValueKind:
  case LLVMConstantDataVectorValueKind:
  case LLVMConstantIntValueKind:
  case LLVMConstantFPValueKind:
  case LLVMConstantPointerNullValueKind:
  case LLVMConstantTargetNoneValueKind:
  case LLVMConstantTokenNoneValueKind: return false;
  default: return true;
  }
}

/* Whether the user is a terminator in a block, and so branches to the block that it uses. */
static bool is_inserted_terminator(LLVMValueRef user)
{
  return LLVMIsATerminatorInst(user) && LLVMGetInstructionParent(user);
}

PyObject *ir_get_predecessors(struct value_object *self)
{
  PyObject *list = PyList_New(0);
  for (LLVMUseRef use = LLVMGetFirstUse(self->value); list && use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (is_inserted_terminator(user))
      core_list_append(&list, core_ir_block(self->module, LLVMGetInstructionParent(user)));
  }
  return list;
}

/* Whether a user belongs to the module. Constants of a context may have users in other modules. */
static bool is_user_in_module(LLVMValueRef user, LLVMModuleRef module)
{
  if (LLVMIsAInstruction(user)) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
    LLVMValueRef function = block ? LLVMGetBasicBlockParent(block) : NULL;
    return function && LLVMGetGlobalParent(function) == module;
  }
  return !LLVMIsAGlobalValue(user) || LLVMGetGlobalParent(user) == module;
}

PyObject *ir_get_users(struct value_object *self)
{
  LLVMModuleRef module = coro_module_llvm(((struct module_object *)self->module)->module);
  PyObject *list = PyList_New(0);
  LLVMUseRef first = has_use_list(self->value) ? LLVMGetFirstUse(self->value) : NULL;
  for (LLVMUseRef use = first; list && use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!is_user_in_module(user, module))
      continue;
    core_list_append(&list, core_ir_value(self->module, user));
  }
  return list;
}

PyObject *ir_get_blocks(struct value_object *self)
{
  PyObject *tuple = PyTuple_New((Py_ssize_t)LLVMCountBasicBlocks(self->value));
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(self->value);
  for (Py_ssize_t i = 0; tuple && block; block = LLVMGetNextBasicBlock(block))
    core_tuple_set(&tuple, i++, core_ir_block(self->module, block));
  return tuple;
}

PyObject *ir_get_instructions(struct value_object *self)
{
  Py_ssize_t count = 0, at = 0;
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMValueAsBasicBlock(self->value));
  for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i))
    count++;
  PyObject *tuple = PyTuple_New(count);
  for (LLVMValueRef i = first; tuple && i; i = LLVMGetNextInstruction(i))
    core_tuple_set(&tuple, at++, core_ir_value(self->module, i));
  return tuple;
}
