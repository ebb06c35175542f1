/* ABIs of the caller's, as the engine's table of an ABI.
   Needs: abi. Leaves: a table for each, in the arena. */
#ifndef CORO_API_CUSTOM_ABI_H
#define CORO_API_CUSTOM_ABI_H

#include "pass/pass.h"

/* Fills run->abis from run->options. ENOMEM; EUSAGE for a base that is no ABI. */
coro_status custom_abis(struct pass_run *run);

#endif
