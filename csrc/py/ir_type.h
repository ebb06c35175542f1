/* LLVM types as Python objects, pycoro.ir.Type.
   Requires: state.h. */
#pragma once

#include "state.h"

/* A Type of a `_core.Module`, which it keeps alive. Types are unique within a module, so equality compares them.
   NULL with an exception set. */
PyObject *core_type_new(PyObject *module, LLVMTypeRef type);
/* Converts an argument to a type: a Type of the module, or text to parse. The module is locked by the caller. NULL with
   TypeError or UsageError set; `what` names the role of the type. */
LLVMTypeRef core_type_of_object_or_text(PyObject *module, coro_module *locked, PyObject *object, const char *what);
/* Width in bits of an integer or a float. */
unsigned ir_bit_width_of_number(LLVMTypeRef type);

/* Module.type_read, Module.type_make */
PyObject *core_type_read(PyObject *module, PyObject *text);
PyObject *core_type_make(PyObject *module, PyObject *args);
