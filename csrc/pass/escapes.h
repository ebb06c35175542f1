/* Escapes: by which uses someone may keep a pointer.
   Needs: ir. Leaves: the function as it was. */
#ifndef CORO_PASS_ESCAPES_H
#define CORO_PASS_ESCAPES_H

#include "pass/calls.h"

/* A call that tells the optimiser of a pointer, or asks it, or has a sanitizer report it: nobody who goes on with it is
   given the pointer by that. */
bool pass_is_hint(LLVMValueRef call);

/* The uses by which someone may keep the pointer: it is stored, returned, merged with others, passed to a call, or made
   a number that is more than masked once and compared. */
bool pass_escapes(struct pass_run *run, LLVMValueRef pointer, pass_values *uses); /* false: memory ran out */

#endif
