/* Reads and links the hook modules of custom ABIs, once per run.
   Requires: abi. Guarantees: hook modules in the run's arena; their modules live until custom_hooks_free. */
#pragma once

#include "lowering/abi.h"
#include "run/pass.h"

/* The smallest number larger than those in the names of linked hooks in run->module. */
unsigned custom_hooks_first_unused_number(const struct pass_run *run);
/* Reads the hooks of an ABI, if it has any; `symbol_number` makes their names unique. Errors as hook_module_parse;
   EUSAGE: clone_per_suspend with another base than the switch ABI. */
coro_status custom_hooks_parse_into_abi_table(const struct pass_run *run, unsigned symbol_number, size_t abi_index,
                                              struct coro_abi *table);
void custom_hooks_delete_unused(const struct pass_run *run); /* removes unused hooks from run->module */
void custom_hooks_free(const struct pass_run *run); /* must be called after every run, also after a failed one */
