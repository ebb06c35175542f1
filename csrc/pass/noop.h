/* The coroutine behind llvm.coro.noop: resuming or destroying it does nothing.
   Needs: ir. Leaves: one constant frame in the module, made at the first call and found again by later ones. */
#ifndef CORO_PASS_NOOP_H
#define CORO_PASS_NOOP_H

#include "pass/pass.h"

LLVMValueRef noop_frame(struct coro_run *run); /* address of the frame */

#endif
