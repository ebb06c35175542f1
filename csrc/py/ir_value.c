/* Queries of values of any kind.
   Requires: the module locked.
   Guarantees: see ir_queries.def. */
#include "ir.h"

PyObject *ir_get_name(struct value_object *self)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(self->value, &length);
  return core_text_sized(name ? name : "", length);
}

static PyObject *text_and_dispose(char *text)
{
  PyObject *result = core_text(text);
  LLVMDisposeMessage(text);
  return result;
}

PyObject *ir_get_type(struct value_object *self)
{
  return core_type_new(self->module, LLVMTypeOf(self->value));
}

PyObject *ir_get_text(struct value_object *self)
{
  return text_and_dispose(LLVMPrintValueToString(self->value));
}

PyObject *ir_get_operands(struct value_object *self)
{
  return core_ir_each(self->module, self->value, (unsigned)LLVMGetNumOperands(self->value), LLVMGetOperand);
}

/* Whether LLVM keeps a use list: constant data has none. */
static bool has_uses(LLVMValueRef value)
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

/* Whether a user of a block is a terminator that branches to it. */
static bool branches_to_block(LLVMValueRef user)
{
  return LLVMIsATerminatorInst(user) && LLVMGetInstructionParent(user);
}

PyObject *ir_get_predecessors(struct value_object *self)
{
  PyObject *list = PyList_New(0);
  for (LLVMUseRef use = LLVMGetFirstUse(self->value); list && use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    PyObject *block = branches_to_block(user) ? core_ir_block(self->module, LLVMGetInstructionParent(user)) : NULL;
    if (branches_to_block(user) && (!block || PyList_Append(list, block) < 0))
      Py_CLEAR(list);
    Py_XDECREF(block);
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
  LLVMUseRef first = has_uses(self->value) ? LLVMGetFirstUse(self->value) : NULL;
  for (LLVMUseRef use = first; list && use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!is_user_in_module(user, module))
      continue;
    core_list_append(&list, core_ir_value(self->module, user));
  }
  return list;
}
