/* Converts custom ABIs of the public API to the engine's ABI tables (lowering/abi.h), with policies that call the
   client.
   Requires: abi.
   Guarantees: one table per ABI, in the arena; the modules of their hooks live until custom_hooks_free. */
#pragma once

#include "run/pass.h"

/* Fills run->abis from run->options, and parses their hooks. ENOMEM; EUSAGE for an invalid base, or both `order` and
   `layout`; errors of hook_module_parse. */
coro_status register_custom_abis(struct pass_run *run);
void custom_hooks_delete_unused(const struct pass_run *run); /* removes unused hooks from run->module */
void custom_hooks_free(const struct pass_run *run); /* must be called after every run, also after a failed one */
