/* LLVM's ABIs, and the dynamic returned-continuation ABI of Swift's LLVM.
   Requires: lowering/abi.h, the ABI interface.
   Guarantees: one table of functions per ABI. */
#pragma once

#include "lowering/abi.h"

#define CORO_ABI(name) extern const struct coro_abi coro_abi_##name;
#include "abi/abis.def"

/* LLVM's ABI for coroutine ids of this kind. */
const struct coro_abi *coro_abi_of(coro_abi_kind kind);
