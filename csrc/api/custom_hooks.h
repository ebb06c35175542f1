/* The hooks of the caller's ABIs.
   Needs: abi. Leaves: the template of each, in the arena of the run; its module until it is given back. */
#ifndef CORO_API_CUSTOM_HOOKS_H
#define CORO_API_CUSTOM_HOOKS_H

#include "coro/abi.h"
#include "pass/pass.h"

/* A number that, like all above, is in no name of run->module. */
unsigned custom_hooks_first(const struct pass_run *run);
/* The hooks of an ABI of the options, if it has any, under names with the number. As hook_module_parse; EUSAGE where its
   base has no place for them. */
coro_status custom_hooks_read(const struct pass_run *run, unsigned number, size_t abi, struct coro_abi *table);
void custom_hooks_unlink(const struct pass_run *run); /* run->module keeps of them what is called in it */
void custom_hooks_free(const struct pass_run *run); /* whatever the status of the others */

#endif
