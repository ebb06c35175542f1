/* LLVM's ABIs, and the dynamic returned-continuation ABI of Swift's LLVM.
   Requires: lowering/abi.h, the ABI interface.
   Guarantees: one table of functions per ABI. */
#ifndef CORO_ABI_ABI_H
#define CORO_ABI_ABI_H

#include "lowering/abi.h"

extern const struct coro_abi coro_abi_switch, coro_abi_retcon, coro_abi_dynamic, coro_abi_async;

/* LLVM's ABI for coroutine ids of this kind. */
const struct coro_abi *coro_abi_of(coro_abi_kind kind);

#endif
