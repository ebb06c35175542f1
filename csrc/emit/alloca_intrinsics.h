/* Lowers llvm.coro.alloca.alloc, .get and .free.
   Requires: emission in progress.
   Guarantees: the memory is on the function's stack, or from the allocator or heap if it is live across a suspend. */
#pragma once

#include "emit/emit.h"

/* These functions build at the builder's position. */
/* Allocates a block of at least `size` bytes for the llvm.coro.alloca.alloc `alloc`. */
LLVMValueRef alloca_intrinsic_emit_allocation(struct emit *e, uint32_t alloc, LLVMValueRef size);
/* The result of the llvm.coro.alloca.get `inst`: the first address in its block with the requested alignment. */
LLVMValueRef alloca_intrinsic_emit_address(struct emit *e, LLVMBuilderRef builder, uint32_t inst, LLVMValueRef block);
/* Frees the block for the llvm.coro.alloca.free `inst`, or restores the stack pointer. */
void alloca_intrinsic_emit_free_or_stackrestore(struct emit *e, uint32_t inst, LLVMValueRef block);
