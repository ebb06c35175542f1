/* A Module behind its methods: one coro_module, held by one thread at a time.
   Needs: state.h. Leaves: see there. */
#ifndef CORO_PY_HELD_H
#define CORO_PY_HELD_H

#include <stdatomic.h>

#include "ir_table.h"

struct module_object {
  struct core_object base;
  coro_module *module; /* NULL once closed */
  uint64_t generation; /* of the module when it was last held, to be read while another thread holds it */
  atomic_bool busy;
  struct value_table values; /* the live objects of its values */
  PyObject *owner;           /* a weak reference to the pycoro.Module; NULL: none was told */
  PyObject *metadata_names;  /* of kinds that LLVM does not know by itself, by number; NULL: none asked for yet */
  bool lent;            /* to a pass: `module` is the run's */
  unsigned long lent_to; /* the thread that the pass is called on */
};

#endif
