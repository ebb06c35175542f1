/* Escapes: by which uses someone may keep a pointer.
   Needs: ir. Leaves: the function as it was. */
#ifndef CORO_PASS_ESCAPES_H
#define CORO_PASS_ESCAPES_H

#include "pass/calls.h"

/* The uses by which someone may keep the pointer: it is stored, returned, merged with others or passed to a call. */
bool pass_escapes(struct pass_run *run, LLVMValueRef pointer, pass_values *uses); /* false: memory ran out */

#endif
