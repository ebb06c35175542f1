/* Adapts custom ABIs to the engine's ABI tables.
   Requires: abi. Guarantees: one table per ABI, in the arena. */
#ifndef CORO_API_CUSTOM_ABI_H
#define CORO_API_CUSTOM_ABI_H

#include "run/pass.h"

/* Fills run->abis from run->options. ENOMEM; EUSAGE for an invalid base. */
coro_status custom_abis(struct pass_run *run);

#endif
