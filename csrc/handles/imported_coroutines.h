/* Imports coroutines of other modules from attributes of declarations: "coro-frame", the size and alignment of the
   frame, and "coro-handle", the handle summary. pycoro.summary sets them (`--import-summary`); coro-early rejects
   malformed ones. Overview and terms: handle_trace.h.
   Requires: ramp, handle_summary.
   Guarantees: a declaration of the exported f.noalloc. */
#pragma once

#include "handles/ramp.h"

/* Whether the function is a declaration with "coro-frame". */
bool is_imported_coroutine(LLVMValueRef function);
/* *noalloc is a declaration of the exported f.noalloc; NULL if "coro-frame" has an unknown version. Its name contains
   the frame's size and alignment, so the link fails if the defining module exports others. Also sets *clones.
   EREJECTED: an attribute is malformed, or the name is in use; ENOMEM. */
coro_status imported_noalloc_declare(struct pass_run *run, LLVMValueRef function, struct clones *clones,
                                     LLVMValueRef *noalloc);
/* Fills the ramp's summary from the attributes. True, with a reason in ramp->unknown_reason, if only the handle is
   unknown, as with a malformed "coro-handle". False: the frame is unknown, too. */
bool imported_ramp_summarize_if_frame_known(struct pass_run *run, LLVMValueRef function, struct ramp *ramp);
/* A declaration of the alias of f.noalloc whose name also contains the handle summary (export_summaries.h), for clients
   that use the summary. NULL: out of memory. */
LLVMValueRef imported_noalloc_declare_with_summary(struct pass_run *run, const struct ramp *ramp);
