/* The parts of a split coroutine, as its coro.id lists them.
   Needs: ir. Leaves: the module as it was. */
#ifndef CORO_PASS_PARTS_H
#define CORO_PASS_PARTS_H

#include "pass/pass.h"

enum part_slot { PART_SLOT_RESUME, PART_SLOT_DESTROY, PART_SLOT_CLEANUP, PART_SLOT_COUNT };

enum { PART_FRAME }; /* the one argument that f.resume, f.destroy and f.cleanup take */

struct parts {
  LLVMValueRef coroutine;                /* the ramp */
  LLVMValueRef address[PART_SLOT_COUNT]; /* f.resume, f.destroy, f.cleanup */
  LLVMValueRef noalloc;                  /* f.noalloc; NULL where there is none */
  uint64_t frame_size, frame_align;      /* size 0: not known */
  bool apart;                            /* it is of another module, which tells these of f.resume instead: */
  bool keeps_private, never_left; /* what leaving_keeps_private and leaving_never find out of one that is here */
};

/* False: not a coro.id of a coroutine that has been split. */
bool parts_of_id(struct pass_run *run, LLVMValueRef id, struct parts *parts);
/* The id is that of the coroutine that the function is itself, not of one that was inlined. */
bool parts_is_own(struct pass_run *run, LLVMValueRef function, LLVMValueRef id);
/* The coro.id of `coroutine` among the first `most` instructions of `function`, which is that or a copy of it; NULL:
   there is none. It comes before those of coroutines that were inlined. */
LLVMValueRef parts_own_id(struct pass_run *run, LLVMValueRef coroutine, LLVMValueRef function, unsigned most,
                          struct parts *parts);
/* Layout of the frame that a parameter (counted from 0) points to; size 0: not known. */
void parts_layout(LLVMValueRef function, unsigned parameter, uint64_t *size, uint64_t *align);

#endif
