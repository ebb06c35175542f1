/* LLVM's own ABIs.
   Needs: coro/abi.h, the seam. Leaves: a table of functions for each. */
#ifndef CORO_ABI_ABI_H
#define CORO_ABI_ABI_H

#include "coro/abi.h"

extern const struct coro_abi coro_abi_switch, coro_abi_retcon, coro_abi_async;

/* The one of LLVM's that lowers ids of this kind. */
const struct coro_abi *coro_abi_of(coro_abi_kind kind);

#endif
