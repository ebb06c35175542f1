/* Emits code that allocates heap memory for allocas of dynamic size, or that cannot move to the frame, that are live
   across a suspend. Blocks from malloc form a singly linked list. Its head is in the frame; freeing the frame frees the
   list first. Before llvm.coro.begin the head is an alloca of the ramp. There the blocks move to the frame's list. The
   ramp frees those that are left before it returns or unwinds.
   Requires: emission in progress, a frame with a heap field (emit_free_of_heap_list_if_any: possibly without).
   Guarantees: f.release frees a whole list, f.drop frees one block. */
#pragma once

#include "emit/emit.h"

void emit_heap_list_initialization(struct emit *e); /* initializes the list at the builder's position */
/* Allocates an alloca of `count` elements and returns its address. */
LLVMValueRef emit_heap_allocation_of_alloca(struct emit *e, const struct coro_alloca *item, LLVMValueRef count);
/* Allocates `bytes` (pointer-sized integer) aligned to `align`, and returns the address. */
LLVMValueRef emit_heap_block_allocation_and_insertion(struct emit *e, LLVMValueRef bytes, uint64_t align);
LLVMValueRef emit_aligned_address_in_heap_block(struct emit *e, LLVMBuilderRef builder, LLVMValueRef block,
                                                uint64_t align);
void emit_free_of_heap_block(struct emit *e, LLVMValueRef block); /* frees one block, at the builder's position */
/* The address of the list's head in the node: in the frame, or that of an empty list before llvm.coro.begin. At a join
   of paths with and without llvm.coro.begin a phi selects one of them (see lowering/begin_joins.h). */
LLVMValueRef emit_address_of_heap_list(struct emit *e, uint32_t node);
/* Frees the blocks that the ramp allocated before llvm.coro.begin, where it has not executed it on all paths. */
void emit_free_of_early_heap_blocks_if_any(struct emit *e, uint32_t node);
/* Frees the list at the builder's position in the node. Does nothing if there is no list, or no frame on all paths. */
void emit_free_of_heap_list_if_any(struct emit *e, uint32_t node);
/* Whether `restore` is dropped: its llvm.stacksave ran on another stack, because a suspend lies between them. */
bool stackrestore_is_dropped(const struct emit *e, uint32_t restore);
