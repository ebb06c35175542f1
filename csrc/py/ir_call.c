/* Queries of call, invoke and callbr.
   Requires: the module locked.
   Guarantees: None for other values. */
#include <string.h>

#include "ir.h"
#include "ir_keywords.h"

PyObject *ir_get_intrinsic(struct value_object *self)
{
  LLVMValueRef callee = ir_is_call(self->value) ? LLVMGetCalledValue(self->value) : NULL;
  LLVMValueRef function = callee ? LLVMIsAFunction(callee) : NULL;
  unsigned id = function ? LLVMGetIntrinsicID(function) : 0;
  size_t length = 0;
  const char *name = id ? LLVMIntrinsicGetName(id, &length) : NULL;
  if (!id && function) { /* one of another version of LLVM */
    name = LLVMGetValueName2(function, &length);
    name = length > 10 && !memcmp(name, "llvm.coro.", 10) ? name : NULL;
  }
  return name ? core_make_str_of_size(name, length) : Py_NewRef(Py_None);
}

PyObject *ir_get_calling_convention(struct value_object *self)
{
  bool function = self->kind == IR_FUNCTION;
  if (!function && !ir_is_call(self->value))
    return Py_NewRef(Py_None);
  unsigned number = function ? LLVMGetFunctionCallConv(self->value) : LLVMGetInstructionCallConv(self->value);
  const char *word = ir_keyword(&ir_conventions, (int)number);
  return word ? core_make_str(word) : PyUnicode_FromFormat("cc%u", number);
}

/* (tag, values) of an operand bundle. */
static PyObject *make_bundle_pair(const void *call, size_t index)
{
  const struct value_object *self = call;
  LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(self->value, (unsigned)index);
  size_t length;
  const char *tag = LLVMGetOperandBundleTag(bundle, &length);
  unsigned count = LLVMGetNumOperandBundleArgs(bundle);
  PyObject *name = core_make_str_of_size(tag, length), *values = PyTuple_New((Py_ssize_t)count);
  for (unsigned i = 0; values && i < count; i++)
    core_tuple_set(&values, (Py_ssize_t)i, core_ir_value(self->module, LLVMGetOperandBundleArgAtIndex(bundle, i)));
  PyObject *pair = name && values ? PyTuple_Pack(2, name, values) : NULL;
  Py_XDECREF(name);
  Py_XDECREF(values);
  LLVMDisposeOperandBundle(bundle);
  return pair;
}

PyObject *ir_get_bundles(struct value_object *self)
{
  unsigned count = ir_is_call(self->value) ? LLVMGetNumOperandBundles(self->value) : 0;
  return core_make_tuple(count, make_bundle_pair, self);
}
