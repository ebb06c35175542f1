/* Passes written in Python, for the duration of one run.
   Requires: state.h. */
#pragma once

#include "state.h"

struct core_passes {
  coro_custom_pass *passes;
  struct pass_hook *hooks; /* one per pass */
  size_t count;
  PyObject *core;         /* borrowed */
  PyObject *module; /* the Module object that the Python passes receive; NULL until the first of them is called */
  PyThreadState **thread; /* thread state of the caller, detached while the engine runs */
};

/* Converts a tuple of (name, level, function), or None; the level is a coro_pass_level. Python functions receive the
   lent Module, the function or None, and the pass's text in the pass string. -1 with an exception set; call
   core_passes_free_content in any case. */
int core_passes_from_tuple(struct core_passes *passes, PyObject *core, PyObject *given, PyThreadState **thread);
void core_passes_free_content(struct core_passes *passes);
