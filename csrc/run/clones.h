/* Reads the clones of a split coroutine, and its f.noalloc (the ramp without allocation), from the constant array of
   its coro.id.
   Requires: ir.
   Guarantees: the module is unchanged. */
#pragma once

#include "run/pass.h"

enum clone_slot { CLONE_SLOT_RESUME, CLONE_SLOT_DESTROY, CLONE_SLOT_CLEANUP, CLONE_SLOT_COUNT };

enum { CLONE_PARAMETER_FRAME }; /* the only parameter of f.resume, f.destroy and f.cleanup */

struct clones {
  LLVMValueRef coroutine; /* the ramp */
  LLVMValueRef address[CLONE_SLOT_COUNT]; /* f.resume, f.destroy, f.cleanup */
  LLVMValueRef noalloc; /* f.noalloc, or NULL */
  uint64_t frame_size, frame_align; /* size 0: unknown */
  /* imported: defined by another module, which exports the following facts about f.resume: */
  bool imported;
  bool keeps_frame_private; /* result of check_resume_keeps_frame_private */
  bool no_exceptional_exit; /* result of resume_never_exits_exceptionally */
};

/* False: not a coro.id of a split coroutine. */
bool clones_read_from_split_id(struct pass_run *run, LLVMValueRef id, struct clones *clones);
/* Whether the id is the function's own, not one of an inlined ramp. */
bool clones_is_id_of_function(struct pass_run *run, LLVMValueRef function, LLVMValueRef id);
/* The coro.id of `coroutine` in the first `most` instructions of `function`, the ramp or a copy of it; NULL: none.
   It precedes those of inlined coroutines. */
LLVMValueRef clones_find_id(struct pass_run *run, LLVMValueRef coroutine, LLVMValueRef function, unsigned most,
                            struct clones *clones);
/* Layout of the frame that a parameter (from 0) points to; size 0: unknown. */
void clones_read_frame_size_and_align(LLVMValueRef function, unsigned parameter, uint64_t *size, uint64_t *align);
