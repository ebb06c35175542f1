/* f.noalloc: a variant of the ramp whose last parameter is the address of caller-provided memory for the frame.
   Requires: clones. */
#ifndef CORO_HANDLES_NOALLOC_H
#define CORO_HANDLES_NOALLOC_H

#include "run/clones.h"

/* The f.noalloc of a split coroutine, if it exists with the parameters of f and the frame; else NULL. */
LLVMValueRef noalloc_of(struct pass_run *run, LLVMValueRef coroutine, struct clones *clones);
/* The same for the coroutine of a coro.id. */
LLVMValueRef noalloc_named(struct pass_run *run, LLVMValueRef id, struct clones *clones);
/* Whether its parameters are the ramp's and the frame. */
bool noalloc_fits(struct pass_run *run, LLVMValueRef coroutine, LLVMValueRef noalloc);
/* Whether it can be created from the current ramp; `id` is the ramp's coro.id. */
bool noalloc_can_create(LLVMValueRef id, const struct clones *clones);
/* Creates it, without debug information, and adds it to the coroutine's array of clones. NULL: out of memory. */
LLVMValueRef noalloc_create(struct pass_run *run, LLVMValueRef id, const struct clones *clones);
/* Replaces a call of the ramp by one of f.noalloc with a new alloca of the caller. *made is the new call; NULL if
   out of memory. */
bool noalloc_call(struct pass_run *run, LLVMValueRef call, LLVMValueRef noalloc, const struct clones *clones,
                  LLVMValueRef *made);

#endif
