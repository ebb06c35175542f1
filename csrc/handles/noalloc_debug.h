/* Debug information of f.noalloc: a subprogram in which the ramp appears inlined.
   Requires: a ramp with a subprogram; without one nothing happens.
   Guarantees: the ramp is unchanged; f.noalloc has its lines and parameters. */
#pragma once

#include "run/pass.h"

struct noalloc_debug {
  LLVMContextRef context;
  LLVMMetadataRef call; /* location at which the ramp is inlined; NULL: no debug information */
};

/* noalloc_create calls this before it copies the body. False: out of memory. */
bool noalloc_debug_set_subprogram_if_any(struct noalloc_debug *d, struct pass_run *run, LLVMValueRef function,
                                         LLVMValueRef noalloc);
/* The location in the copy for a location of the ramp (may be NULL): the callback `locate` of struct inline_call. */
LLVMMetadataRef noalloc_debug_locate(void *debug, LLVMMetadataRef at);
/* Called afterwards: describes the parameters. False: out of memory. */
bool noalloc_debug_describe_parameters_and_loops(struct noalloc_debug *d, struct pass_run *run, LLVMValueRef function,
                                                 LLVMValueRef noalloc);
