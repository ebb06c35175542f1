/* The object Module: one coro_module, locked by one thread at a time.
   Requires: state.h. */
#pragma once

#include <stdatomic.h>

#include "ir_table.h"

struct module_object {
  struct core_object base;
  coro_module *module; /* NULL once closed */
  uint64_t generation; /* the module's generation when last unlocked; readable while another thread has the lock */
  atomic_bool busy;
  struct value_table values; /* live Value objects of the module */
  PyObject *owner; /* weak reference to the pycoro.Module, or NULL */
  PyObject *metadata_names; /* names of metadata kinds that are not LLVM's own, by number; NULL until first used */
  bool lent; /* lent to a pass: `module` belongs to the run */
  unsigned long borrowing_thread; /* the thread that runs the pass */
};

/* Locks all modules of a tuple; free the result with PyMem_Free. On failure NULL, an exception is set, and none is
   locked. */
const coro_module **module_acquire_all(struct core_state *state, PyObject *modules, Py_ssize_t count);
void module_release_all(PyObject *modules, Py_ssize_t count); /* unlocks the first `count` */
