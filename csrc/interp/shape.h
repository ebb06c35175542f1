/* What makes a function a coroutine, and what its calls of llvm.coro.* have to do with each other.
   Needs: ir_number. Leaves: the facts in struct function, and in the struct call of each call. */
#ifndef CORO_INTERP_SHAPE_H
#define CORO_INTERP_SHAPE_H

#include "interp/state.h"

void coroutine_find(struct interp *in, struct function *function);
void coroutine_decode(struct decoding *d, struct call *call);

#endif
