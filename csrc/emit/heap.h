/* Heap: variables of unknown size that are needed after a suspend. Each is in a block of malloc's with a link to the
   one before in front; the frame has the head of the list, and what frees the frame frees the list first.
   Needs: emission under way, a frame with a heap field. Leaves: f.release, which frees a list, f.drop, which frees one
   of it. */
#ifndef CORO_EMIT_HEAP_H
#define CORO_EMIT_HEAP_H

#include "emit/emit.h"

void heap_begin(struct emit *e); /* the list is empty; at the builder's position */
/* A variable that holds `count` values; its address. */
LLVMValueRef heap_allocate(struct emit *e, const struct coro_alloca *item, LLVMValueRef count);
/* A new block with room for `bytes` (of the width of a pointer) aligned to `align`, and the address in it. */
LLVMValueRef heap_block(struct emit *e, LLVMValueRef bytes, uint64_t align);
LLVMValueRef heap_address(struct emit *e, LLVMBuilderRef builder, LLVMValueRef block, uint64_t align);
void heap_drop(struct emit *e, LLVMValueRef block); /* frees one block, at the builder's position */
void heap_release(struct emit *e); /* frees the list, at the builder's position */
/* llvm.stacksave and llvm.stackrestore mean one and the same stack. True: `restore` is of a pair with a suspend in
   between, and dropped. */
bool heap_drops_stack_mark(const struct emit *e, uint32_t restore);

#endif
