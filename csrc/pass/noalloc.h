/* f.noalloc: the ramp for callers that have room for the frame themselves, with its address as the last parameter.
   Needs: parts. Leaves: see each function. */
#ifndef CORO_PASS_NOALLOC_H
#define CORO_PASS_NOALLOC_H

#include "pass/parts.h"

/* The f.noalloc of a coroutine that was split, where it has one that takes what f takes and the frame; else NULL. */
LLVMValueRef noalloc_of(struct pass_run *run, LLVMValueRef coroutine, struct parts *parts);
/* Likewise, of the coroutine that a coro.id names. */
LLVMValueRef noalloc_named(struct pass_run *run, LLVMValueRef id, struct parts *parts);
/* Whether it takes what the ramp takes, and the frame. */
bool noalloc_fits(struct pass_run *run, LLVMValueRef coroutine, LLVMValueRef noalloc);
/* Whether one can be made of the ramp as it stands; `id` is its coro.id. */
bool noalloc_can_make(LLVMValueRef id, const struct parts *parts);
/* Makes it, without debug information, and has the coro.ids of the coroutine name it. NULL: memory ran out. */
LLVMValueRef noalloc_make(struct pass_run *run, LLVMValueRef id, const struct parts *parts);
/* A call of the ramp becomes one of f.noalloc with a new variable of the caller for the frame. *made is that call; NULL
   where memory ran out. */
bool noalloc_call(struct pass_run *run, LLVMValueRef call, LLVMValueRef noalloc, const struct parts *parts,
                  LLVMValueRef *made);

#endif
