/* Addresses of the module's variables and functions.
   Needs: object.h, code.h. Leaves: each variable at an address of its own. */
#ifndef CORO_INTERP_GLOBAL_H
#define CORO_INTERP_GLOBAL_H

#include "interp/state.h"

uint64_t global_address(struct interp *in, LLVMValueRef global); /* a variable or a function; 0: none, or failed */

#endif
