/* Heap: variables of unknown size that are needed after a suspend. Each is allocated by malloc with a link to the one
   before in front; the frame has the head of the list, and what frees the frame frees the list first.
   Needs: emission under way, a frame with a heap field. Leaves: f.release, which frees a list. */
#ifndef CORO_CORO_HEAP_H
#define CORO_CORO_HEAP_H

#include "coro/emit.h"

void heap_begin(struct emit *e);                            /* the list is empty; at the builder's position */
LLVMValueRef heap_allocate(struct emit *e, uint32_t alloca); /* the variable's address */
void heap_release(struct emit *e);                          /* frees the list, at the builder's position */
/* llvm.stacksave and llvm.stackrestore mean one and the same stack. A pair with a suspend in between is dropped; true
   if `inst` is of one. */
bool heap_drops_stack_mark(struct emit *e, uint32_t inst);

#endif
