/* Queries of call, invoke and callbr.
   Requires: the module locked.
   Guarantees: None for other values. */
#include <stdio.h>
#include <string.h>

#include "ir.h"

static bool is_call(LLVMValueRef value)
{
  return LLVMIsACallInst(value) || LLVMIsAInvokeInst(value) || LLVMIsACallBrInst(value);
}

PyObject *ir_get_callee(struct value_object *self)
{
  return core_ir_value(self->module, is_call(self->value) ? LLVMGetCalledValue(self->value) : NULL);
}

PyObject *ir_get_intrinsic(struct value_object *self)
{
  LLVMValueRef callee = is_call(self->value) ? LLVMGetCalledValue(self->value) : NULL;
  LLVMValueRef function = callee ? LLVMIsAFunction(callee) : NULL;
  unsigned id = function ? LLVMGetIntrinsicID(function) : 0;
  size_t length = 0;
  const char *name = id ? LLVMIntrinsicGetName(id, &length) : NULL;
  if (!id && function) { /* one of another version of LLVM */
    name = LLVMGetValueName2(function, &length);
    name = length > 10 && !memcmp(name, "llvm.coro.", 10) ? name : NULL;
  }
  return name ? core_text_sized(name, length) : Py_NewRef(Py_None);
}

PyObject *ir_get_call_arguments(struct value_object *self)
{
  if (!is_call(self->value))
    return Py_NewRef(Py_None);
  return core_ir_each(self->module, self->value, LLVMGetNumArgOperands(self->value), LLVMGetOperand);
}

PyObject *ir_get_function_type(struct value_object *self)
{
  if (self->kind == IR_FUNCTION)
    return core_type_new(self->module, LLVMGlobalGetValueType(self->value));
  return is_call(self->value) ? core_type_new(self->module, LLVMGetCalledFunctionType(self->value))
                              : Py_NewRef(Py_None);
}

PyObject *ir_get_calling_convention(struct value_object *self)
{
  static const char *const words[] = {
      [LLVMCCallConv] = "ccc",
      [LLVMFastCallConv] = "fastcc",
      [LLVMColdCallConv] = "coldcc",
      [LLVMGHCCallConv] = "ghccc",
      [LLVMAnyRegCallConv] = "anyregcc",
      [LLVMPreserveMostCallConv] = "preserve_mostcc",
      [LLVMPreserveAllCallConv] = "preserve_allcc",
      [LLVMSwiftCallConv] = "swiftcc",
      [LLVMCXXFASTTLSCallConv] = "cxx_fast_tlscc",
      [18] = "tailcc",
      [19] = "cfguard_checkcc",
      [20] = "swifttailcc",
      [21] = "preserve_nonecc",
  };
  bool function = self->kind == IR_FUNCTION;
  if (!function && !is_call(self->value))
    return Py_NewRef(Py_None);
  unsigned number = function ? LLVMGetFunctionCallConv(self->value) : LLVMGetInstructionCallConv(self->value);
  if (number < sizeof words / sizeof *words && words[number])
    return core_text(words[number]);
  char text[16];
  snprintf(text, sizeof text, "cc%u", number);
  return core_text(text);
}

/* (tag, values) of an operand bundle. */
static PyObject *bundle_item(const void *call, size_t index)
{
  const struct value_object *self = call;
  LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(self->value, (unsigned)index);
  size_t length;
  const char *tag = LLVMGetOperandBundleTag(bundle, &length);
  unsigned count = LLVMGetNumOperandBundleArgs(bundle);
  PyObject *name = core_text_sized(tag, length), *values = PyTuple_New((Py_ssize_t)count);
  for (unsigned i = 0; values && i < count; i++) {
    core_tuple_set(&values, (Py_ssize_t)i, core_ir_value(self->module, LLVMGetOperandBundleArgAtIndex(bundle, i)));
  }
  PyObject *pair = name && values ? PyTuple_Pack(2, name, values) : NULL;
  Py_XDECREF(name);
  Py_XDECREF(values);
  LLVMDisposeOperandBundle(bundle);
  return pair;
}

PyObject *ir_get_bundles(struct value_object *self)
{
  unsigned count = is_call(self->value) ? LLVMGetNumOperandBundles(self->value) : 0;
  return core_tuple(count, bundle_item, self);
}
