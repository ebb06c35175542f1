/* Queries of constants other than globals, of inline assembly and of metadata.
   Requires: the module locked.
   Guarantees: see ir_queries.def. */
#include <string.h>

#include "ir.h"

/* An integer of any width, parsed from LLVM's signed text. UsageError if Python's limit of digits is exceeded. */
static PyObject *python_int_of_constant(struct core_state *state, LLVMValueRef value)
{
  if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 1)
    return PyLong_FromLong((long)LLVMConstIntGetZExtValue(value));
  if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
    return PyLong_FromLongLong(LLVMConstIntGetSExtValue(value));
  char *text = LLVMPrintValueToString(value);
  const char *digits = strrchr(text, ' ');
  PyObject *object = PyUnicode_FromString(digits ? digits + 1 : text);
  PyObject *result = object ? PyObject_CallFunction((PyObject *)&PyLong_Type, "O", object) : NULL;
  Py_XDECREF(object);
  LLVMDisposeMessage(text);
  if (!result && PyErr_ExceptionMatches(PyExc_ValueError)) {
    PyErr_Clear();
    core_raise_named(
        state, "UsageError",
        "the integer has more digits than Python converts; raise the limit with sys.set_int_max_str_digits");
  }
  return result;
}

/* A float whose format is exactly representable as double. */
static PyObject *python_float_of_constant_or_none(LLVMValueRef value)
{
  LLVMBool lost = false;
  double number = LLVMConstRealGetDouble(value, &lost);
  return lost ? Py_NewRef(Py_None) : PyFloat_FromDouble(number);
}

static PyObject *python_bytes_of_constant(LLVMValueRef value)
{
  size_t length = 0;
  const char *text = LLVMGetAsString(value, &length);
  return PyBytes_FromStringAndSize(text, (Py_ssize_t)length);
}

PyObject *ir_get_constant_value(struct value_object *self)
{
  LLVMValueRef value = self->value;
  LLVMTypeKind type = LLVMGetTypeKind(LLVMTypeOf(value));
  if (LLVMIsAConstantInt(value) && type == LLVMIntegerTypeKind)
    return python_int_of_constant(core_state_of(self->module), value);
  if (LLVMIsAConstantFP(value) && type != LLVMVectorTypeKind && type != LLVMScalableVectorTypeKind)
    return python_float_of_constant_or_none(value);
  if (LLVMIsAConstantDataArray(value) && LLVMIsConstantString(value))
    return python_bytes_of_constant(value);
  return Py_NewRef(Py_None);
}

PyObject *ir_get_string(struct value_object *self)
{
  unsigned length = 0;
  const char *text = LLVMIsAMDString(self->value) ? LLVMGetMDString(self->value, &length) : NULL;
  return text ? core_make_str_of_size(text, length) : Py_NewRef(Py_None);
}
