/* Converts custom ABIs of the public API to the engine's ABI tables (lowering/abi.h), with policies that call the
   client.
   Requires: abi.
   Guarantees: one table per ABI, in the arena. */
#pragma once

#include "run/pass.h"

/* Fills run->abis from run->options, and parses their hooks. ENOMEM; EUSAGE for an invalid base, or both `order` and
   `layout`; errors of custom_hooks_parse_into_abi_table. */
coro_status register_custom_abis(struct pass_run *run);
