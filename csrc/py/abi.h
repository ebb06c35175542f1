/* ABIs written in Python.
   Needs: state.h. Leaves: options for a run. */
#ifndef CORO_PY_ABI_H
#define CORO_PY_ABI_H

#include "state.h"

struct hooks;

struct core_abis {
  coro_custom_abi *abis;
  struct hooks *hooks;
  size_t count;
  PyThreadState **thread; /* where the run keeps the state of its thread while the engine works */
};

/* Of a tuple of (base as an int, name as bytes, dict of what is called by the name of the hook), or of None. The tuple
   must outlive the run. -1 with an exception set; core_abis_drop in either case. */
int core_abis_take(struct core_abis *abis, PyObject *given, PyThreadState **thread);
void core_abis_drop(struct core_abis *abis);

#endif
