/* f.noalloc: a variant of the ramp whose last parameter is the address of caller-provided memory for the frame.
   coro-elide and coro-annotation-elide call it where the ramp is not inlined. Overview and terms: handle_trace.h.
   Requires: clones, elided_frame.
   Guarantees: the ramp is unchanged. */
#pragma once

#include "run/clones.h"

/* The f.noalloc of a split coroutine, if its coro.id lists one and it fits, with *clones set; else NULL. */
LLVMValueRef noalloc_of_ramp(struct pass_run *run, LLVMValueRef coroutine, struct clones *clones);
/* The same, from a coro.id of the coroutine. */
LLVMValueRef noalloc_of_id(struct pass_run *run, LLVMValueRef id, struct clones *clones);
/* Whether its parameters are the ramp's and the frame. */
bool noalloc_has_parameters_of_ramp(struct pass_run *run, LLVMValueRef coroutine, LLVMValueRef noalloc);
/* Whether it can be created from the current ramp; `id` is the ramp's coro.id. */
bool noalloc_can_be_created(LLVMValueRef id, const struct clones *clones);
/* Creates it, with debug information by noalloc_debug, and adds it to the array of clones in the coroutine's coro.ids.
   NULL: out of memory. */
LLVMValueRef noalloc_create_and_add_to_clone_array(struct pass_run *run, LLVMValueRef id, const struct clones *clones);
/* Replaces a call of the ramp by one of f.noalloc with a new elided frame of the caller. *made is the new call. False:
   out of memory. */
bool elide_ramp_call_by_noalloc_call(struct pass_run *run, LLVMValueRef call, LLVMValueRef noalloc,
                                     const struct clones *clones, LLVMValueRef *made);
