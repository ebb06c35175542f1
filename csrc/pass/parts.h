/* The clones of a split coroutine, as listed by its coro.id.
   Requires: ir.
   Guarantees: the module is unchanged. */
#ifndef CORO_PASS_PARTS_H
#define CORO_PASS_PARTS_H

#include "pass/pass.h"

enum part_slot { PART_SLOT_RESUME, PART_SLOT_DESTROY, PART_SLOT_CLEANUP, PART_SLOT_COUNT };

enum { PART_FRAME }; /* the only parameter of f.resume, f.destroy and f.cleanup */

struct parts {
  LLVMValueRef coroutine;                /* the ramp */
  LLVMValueRef address[PART_SLOT_COUNT]; /* f.resume, f.destroy, f.cleanup */
  LLVMValueRef noalloc;                  /* f.noalloc, or NULL */
  uint64_t frame_size, frame_align;      /* size 0: unknown */
  /* imported: defined by another module, which exports the following facts about f.resume: */
  bool apart;
  bool keeps_private, never_left; /* results of leaving_keeps_private and leaving_never */
};

/* False: not a coro.id of a split coroutine. */
bool parts_of_id(struct pass_run *run, LLVMValueRef id, struct parts *parts);
/* Whether the id is the function's own, not one of an inlined ramp. */
bool parts_is_own(struct pass_run *run, LLVMValueRef function, LLVMValueRef id);
/* The coro.id of `coroutine` in the first `most` instructions of `function`, the ramp or a copy of it; NULL: none.
   It precedes those of inlined coroutines. */
LLVMValueRef parts_own_id(struct pass_run *run, LLVMValueRef coroutine, LLVMValueRef function, unsigned most,
                          struct parts *parts);
/* Layout of the frame that a parameter (from 0) points to; size 0: unknown. */
void parts_layout(LLVMValueRef function, unsigned parameter, uint64_t *size, uint64_t *align);

#endif
