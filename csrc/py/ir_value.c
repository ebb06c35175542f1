/* What may be asked of values of any kind.
   Needs: the module held. Leaves: see ir_looks.def. */
#include "ir.h"

PyObject *ir_look_name(struct value_object *self)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(self->value, &length);
  return core_text_sized(name ? name : "", length);
}

static PyObject *taken(char *text)
{
  PyObject *result = core_text(text);
  LLVMDisposeMessage(text);
  return result;
}

PyObject *ir_look_type(struct value_object *self)
{
  return taken(LLVMPrintTypeToString(LLVMTypeOf(self->value)));
}

PyObject *ir_look_text(struct value_object *self)
{
  return taken(LLVMPrintValueToString(self->value));
}

PyObject *ir_look_operands(struct value_object *self)
{
  int count = LLVMGetNumOperands(self->value);
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; i++) {
    PyObject *item = core_ir_value(self->module, LLVMGetOperand(self->value, (unsigned)i));
    if (!item || PyTuple_SetItem(tuple, i, item) < 0)
      Py_CLEAR(tuple);
  }
  return tuple;
}

/* A context may hold more than the module, and its constants are used by whatever is in it. */
static bool is_of(LLVMValueRef user, LLVMModuleRef module)
{
  if (LLVMIsAInstruction(user)) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
    LLVMValueRef function = block ? LLVMGetBasicBlockParent(block) : NULL;
    return function && LLVMGetGlobalParent(function) == module;
  }
  return !LLVMIsAGlobalValue(user) || LLVMGetGlobalParent(user) == module;
}

/* Whether LLVM keeps the uses of it: plain data belongs to no module. */
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

PyObject *ir_look_users(struct value_object *self)
{
  LLVMModuleRef module = coro_module_llvm(((struct module_object *)self->module)->module);
  PyObject *list = PyList_New(0);
  LLVMUseRef first = has_uses(self->value) ? LLVMGetFirstUse(self->value) : NULL;
  for (LLVMUseRef use = first; list && use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!is_of(user, module))
      continue;
    PyObject *item = core_ir_value(self->module, user);
    if (!item || PyList_Append(list, item) < 0)
      Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}
