/* Debug information of f.noalloc: its own subprogram, in which the ramp is inlined, as a debugger understands it.
   Needs: nodes, inline. Leaves: the ramp as it was; f.noalloc with the ramp's lines and parameters. */
#ifndef CORO_PASS_NOALLOC_DEBUG_H
#define CORO_PASS_NOALLOC_DEBUG_H

#include "pass/pass.h"

struct noalloc_debug {
  LLVMContextRef context;
  LLVMMetadataRef call; /* where the ramp is inlined; NULL: it has no debug information */
};

/* Before the body is copied. False: memory ran out. */
bool noalloc_debug_begin(struct noalloc_debug *d, struct pass_run *run, LLVMValueRef function, LLVMValueRef noalloc);
/* The copy's location for the ramp's, which may be NULL: an inline_call's. */
LLVMMetadataRef noalloc_debug_locate(void *debug, LLVMMetadataRef at);
/* Once it is: what the parameters are. False: memory ran out. */
bool noalloc_debug_end(struct noalloc_debug *d, struct pass_run *run, LLVMValueRef function, LLVMValueRef noalloc);

#endif
