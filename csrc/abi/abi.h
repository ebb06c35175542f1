/* LLVM's ABIs, and the dynamic returned-continuation ABI of Swift's LLVM.
   Requires: lowering/abi.h, the ABI interface.
   Guarantees: one table of functions per ABI. */
#ifndef CORO_ABI_ABI_H
#define CORO_ABI_ABI_H

#include "lowering/abi.h"

#define CORO_ABI(name) extern const struct coro_abi coro_abi_##name;
#include "abi/abis.def"

/* LLVM's ABI for coroutine ids of this kind. */
const struct coro_abi *coro_abi_of(coro_abi_kind kind);

#endif
