/* Elided frames: the allocas that elision creates for coroutine frames. Metadata of the alloca names the functions in
   the frame's header, so that calls through the header become direct once the ramp is inlined. Overview and terms:
   handle_trace.h. Example:
     %f.frame = alloca [48 x i8], align 8, !coro.elided !0      !0 = !{ptr @f.resume, ptr @f.cleanup}
   Requires: clones.
   Guarantees: if the metadata is lost, or names a deleted function, calls stay indirect. */
#pragma once

#include "run/clones.h"
#include "run/intrinsic_calls.h"

/* Default of max-frame-bytes, the limit of the sum of elided frames in a function. musl's default thread stack is eight
   times as large. */
enum { ELIDED_FRAME_BYTES = 16384 };

/* The reason, for a remark, why `caller` may not contain this frame: it and the elided frames that are already in
   `caller` exceed the limit. NULL: they do not. */
const char *elided_frame_limit_excess_reason(struct pass_run *run, const struct clones *clones, LLVMValueRef caller);
/* Creates the alloca, at the start of `function`. The client has proved that one coroutine at most uses it at a time.
   It has no lifetime markers. */
LLVMValueRef elided_frame_build(struct pass_run *run, const struct clones *clones, LLVMValueRef function);
/* Starts the lifetime of a frame, a result of elided_frame_build, before the instruction that creates the coroutine. */
void elided_frame_start_lifetime(struct pass_run *run, LLVMValueRef frame, LLVMValueRef creation);
/* End the lifetime of an elided frame after a call that destroys its coroutine: coroutines that exist one after
   the other share memory. On other paths it ends with the function, or with the next creation. The calls are those of
   `subfn_addr`, before it is replaced, if it is the address in the destroy slot: a later pass may merge f.cleanup
   with f.resume. Other operands than elided frames with a start of the lifetime are ignored. */
void elided_frame_end_lifetime_after_destroy(struct pass_run *run, LLVMValueRef destroy);
void elided_frame_end_lifetime_after_calls_of(struct pass_run *run, LLVMValueRef subfn_addr);
/* The result of llvm.coro.subfn.addr, from the metadata, if its handle is an elided frame; otherwise NULL. */
LLVMValueRef elided_frame_clone_of_subfn_addr_or_null(struct pass_run *run, LLVMValueRef subfn_addr);
/* Marks calls of f.cleanup on elided frames of `function`. any_on_heap: `function` creates a coroutine that is not
   elided. There are two cases:
   - `alwaysinline` if any_on_heap, and f.cleanup resumes or destroys coroutines by handles that it loads. Inlining may
     show which coroutines these are, and permit their elision. LLVM would not inline most of these calls: they are
     cold, because they clean up after an exception. Not if f.cleanup is long, or `function` has `minsize`.
   - `noinline` in an unsplit coroutine if f.cleanup is not short and calls clones of other coroutines. In a chain of
     coroutines that each destroy the next, LLVM would inline several cleanups into each caller. That multiplies the
     code and saves only calls. */
void elided_frames_mark_cleanup_calls(struct pass_run *run, LLVMValueRef function, bool any_on_heap, bool *changed);
/* Removes the metadata from all functions, in coro-cleanup: later passes do not use it. False: out of memory. */
bool elided_frame_strip_metadata_of_module(struct pass_run *run, bool *changed);
