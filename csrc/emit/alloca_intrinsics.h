/* Lowers llvm.coro.alloca.alloc, .get and .free.
   Requires: emission in progress.
   Guarantees: the memory is on the function's stack, or from the allocator if it is live across a suspend. */
#ifndef CORO_EMIT_ALLOCA_INTRINSICS_H
#define CORO_EMIT_ALLOCA_INTRINSICS_H

#include "emit/emit.h"

/* All functions build at the builder's position. Allocates a block of `size` bytes for llvm.coro.alloca.alloc
   `alloc`. */
LLVMValueRef alloca_intrinsic_allocate(struct emit *e, uint32_t alloc, LLVMValueRef size);
/* The result of llvm.coro.alloca.get `inst`: the address in `block`. */
LLVMValueRef alloca_intrinsic_address(struct emit *e, LLVMBuilderRef builder, uint32_t inst, LLVMValueRef block);
void alloca_intrinsic_free(struct emit *e, uint32_t inst, LLVMValueRef block);

#endif
