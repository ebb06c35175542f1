/* The Python types of natively compiled generators and coroutines, with the methods of CPython's own.
   Requires: channel.h. */
#pragma once

#include "channel.h"

/* Creates a generator or coroutine suspended before its body, or calls the Python function if a bool was passed for an
   int. NULL with an exception set. */
PyObject *native_create_object_or_call_python(PyObject *native, PyObject *args);
void native_free_spare_objects(struct native_object *native); /* called when the native is deallocated */
