/* Types of LLVM's as Python's objects, pycoro.ir.Type.
   Needs: state.h. Leaves: see there. */
#ifndef CORO_PY_IR_TYPE_H
#define CORO_PY_IR_TYPE_H

#include "state.h"

/* A Type of a `_core.Module`, which it keeps. Types are unique in a module, so that two objects of one type are equal.
   NULL with an exception set. */
PyObject *core_type_new(PyObject *module, LLVMTypeRef type);
/* Of an object that is a Type of the module. NULL with TypeError, UsageError set; `what` says what the type is for. */
LLVMTypeRef core_type_of(PyObject *module, PyObject *object, const char *what);
/* What a caller means by an object: a Type of the module, or the text of one, which is read. The caller holds the
   module. Errors as for core_type_of. */
LLVMTypeRef core_type_take(PyObject *module, coro_module *held, PyObject *object, const char *what);

/* Module.type_read, Module.type_make */
PyObject *core_type_read(PyObject *module, PyObject *text);
PyObject *core_type_make(PyObject *module, PyObject *args);

#endif
