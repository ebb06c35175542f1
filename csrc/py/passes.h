/* Passes written in Python, for the time of one run.
   Needs: state.h. Leaves: nothing. */
#ifndef CORO_PY_PASSES_H
#define CORO_PY_PASSES_H

#include "state.h"

struct core_passes {
  coro_custom_pass *passes;
  struct pass_hook *hooks; /* what each of them calls */
  size_t count;
  PyObject *core;         /* borrowed */
  PyObject *module;       /* what is lent to them; NULL until one is called */
  PyThreadState **thread; /* of the run's caller, detached while the engine works */
};

/* From a tuple of (name, level, function), or None: level as coro_pass_level counts; the function is given the lent
   Module, the function or None, and the element of the pass string. -1 with an exception set; to be dropped
   in any case. */
int core_passes_take(struct core_passes *passes, PyObject *core, PyObject *given, PyThreadState **thread);
void core_passes_drop(struct core_passes *passes);

#endif
