/* Elided frames: the allocas that elision creates for coroutine frames. Each has metadata that names the functions in
   its header, so that a later visit can call them directly after the ramp has been inlined:
     %f.frame = alloca [48 x i8], align 8, !coro.elided !0      !0 = !{ptr @f.resume, ptr @f.cleanup}
   Requires: clones.
   Guarantees: if the metadata is lost, or names a deleted function, calls stay indirect. */
#ifndef CORO_HANDLES_ELIDED_FRAME_H
#define CORO_HANDLES_ELIDED_FRAME_H

#include "run/clones.h"
#include "run/intrinsic_calls.h"

/* Default of max-frame-bytes, the limit of elided frames per function. The maximum in tests/elision and tests/real
   is 1,808 bytes; musl's default thread stack is eight times the limit. */
enum { ELIDED_FRAME_BYTES = 16384 };

/* The reason why the frame exceeds the limit in `caller`; NULL: it does not. */
const char *elided_frame_excess(struct pass_run *run, const struct clones *clones, LLVMValueRef caller);
/* Creates the alloca for a frame at the start of `function`. */
LLVMValueRef elided_frame_build(struct pass_run *run, const struct clones *clones, LLVMValueRef function,
                                const char *name);
/* The result of llvm.coro.subfn.addr if its handle is an elided frame; NULL: it is not. */
LLVMValueRef elided_frame_clone(struct pass_run *run, LLVMValueRef subfn_addr);
/* Marks the calls of f.cleanup on the elided frames of a function that destroy other coroutines as `alwaysinline`. The
   handles in the frame are known only after these calls are inlined. LLVM considers most of them cold, because they
   clean up after an exception. Not in functions with `minsize`. */
void elided_frames_inline_cleanups(struct pass_run *run, LLVMValueRef function, bool *changed);
/* Removes the metadata from all functions. False: out of memory. */
bool elided_frame_strip(struct pass_run *run, bool *changed);

#endif
