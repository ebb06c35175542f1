/* Gives globals and functions addresses in the interpreter's memory.
   Requires: memory_object.h, code.h.
   Guarantees: each global has a unique address. */
#pragma once

#include "interp/state.h"

/* 0: neither a global variable nor a function, or failed. */
uint64_t global_address_or_allocate(struct interp *in, LLVMValueRef global);
