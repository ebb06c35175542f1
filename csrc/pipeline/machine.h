/* The machines that functions name by their attributes.
   Needs: child, target. Leaves: the module as it was. */
#ifndef CORO_PIPELINE_MACHINE_H
#define CORO_PIPELINE_MACHINE_H

#include "base/map.h"
#include "pass/pass.h"

/* LLVM's passes ask for the machine of every function with a body, and end the process where a processor cannot run
   the code that the triple asks for. Such a function is refused: EREJECTED, ENOMEM. What is not known to be fine is
   tried in a child process, once: `tried` remembers, and is empty at first. */
coro_status machine_check(struct pass_run *run, struct coro_map *tried);

#endif
