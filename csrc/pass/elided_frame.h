/* Elided frames: the allocas that elision creates for the frames of coroutines. Each carries metadata that names the
   functions which its header holds, so that a later visit can call them directly after the ramp has been inlined:
     %f.frame = alloca [48 x i8], align 8, !coro.elided !0      !0 = !{ptr @f.resume, ptr @f.cleanup}
   Requires: parts. Guarantees: metadata that is lost, or names a function that is gone, only means indirect calls. */
#ifndef CORO_PASS_ELIDED_FRAME_H
#define CORO_PASS_ELIDED_FRAME_H

#include "pass/calls.h"
#include "pass/parts.h"

/* The default of max-frame-bytes: the elided frames that one function may hold. The most that a function of
   tests/elision and tests/real holds is 1,808 bytes; musl gives a thread a stack of eight times this. */
enum { ELIDED_FRAME_BYTES = 16384 };

/* Why the frame does not go into `caller`, which has elided frames already; NULL: it is within the limit. */
const char *elided_frame_excess(struct pass_run *run, const struct parts *parts, LLVMValueRef caller);
/* Creates the alloca for a frame at the start of `function`. */
LLVMValueRef elided_frame_build(struct pass_run *run, const struct parts *parts, LLVMValueRef function,
                                const char *name);
/* The function that llvm.coro.subfn.addr yields if its handle is an elided frame; NULL: it is none. */
LLVMValueRef elided_frame_part(struct pass_run *run, LLVMValueRef subfn_addr);
/* Removes the metadata from all functions. False: memory ran out. */
bool elided_frame_strip(struct pass_run *run, bool *changed);

#endif
