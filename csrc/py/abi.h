/* Converts custom ABIs written in Python to options of a run.
   Requires: state.h.
   Guarantees: options for a run. */
#pragma once

#include "state.h"

struct abi_methods;

struct core_abis {
  coro_custom_abi *abis;
  struct abi_methods *methods;
  size_t count;
  PyThreadState **thread; /* where the run stores its thread state while the engine runs without the GIL */
};

/* Converts a tuple of (base ABI, name, dict of callables, hook_module, clone_per_suspend), or None. The tuple must
   outlive the run. Returns -1 with an exception set. Call core_abis_free_content in either case. */
int core_abis_from_tuple(struct core_abis *abis, PyObject *given, PyThreadState **thread);
void core_abis_free_content(struct core_abis *abis);
