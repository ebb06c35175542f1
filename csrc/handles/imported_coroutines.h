/* Imports coroutines of other modules from the attributes "coro-frame" and "coro-handle" of declarations.
   Requires: ramp, handle_summary.
   Guarantees: a declaration of the exported f.noalloc. */
#ifndef CORO_HANDLES_IMPORTED_COROUTINES_H
#define CORO_HANDLES_IMPORTED_COROUTINES_H

#include "handles/ramp.h"

/* Whether the function is a declaration with the first attribute. */
bool is_imported_coroutine(LLVMValueRef function);
/* *noalloc is the exported f.noalloc; NULL if the attribute has an unknown version. Its name contains the exported
   data, so a module that exports something else does not link. EREJECTED: malformed attribute, or the name is in use;
   ENOMEM. */
coro_status imported_noalloc(struct pass_run *run, LLVMValueRef function, struct clones *clones, LLVMValueRef *noalloc);
/* Fills the ramp's summary from the attributes; malformed ones are ignored. False: the frame is unknown. */
bool imported_ramp(struct pass_run *run, LLVMValueRef function, struct ramp *ramp);
/* The f.noalloc whose name also contains the handle summary. NULL: out of memory. */
LLVMValueRef imported_noalloc_with_summary(struct pass_run *run, const struct ramp *ramp);

#endif
