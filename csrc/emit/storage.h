/* Storage: llvm.coro.alloca.alloc, .get and .free in a part.
   Needs: emission under way. Leaves: the memory on the part's stack, or with an allocator, and its address. */
#ifndef CORO_EMIT_STORAGE_H
#define CORO_EMIT_STORAGE_H

#include "emit/emit.h"

/* Lowers one of llvm.coro.alloca.alloc, .get and .free at the builder's position. */
void storage_lower(struct emit *e, uint32_t inst);
/* The address that llvm.coro.alloca.get `inst` gives, with `block` in its token's place. */
LLVMValueRef storage_address(struct emit *e, LLVMBuilderRef builder, uint32_t inst, LLVMValueRef block);

#endif
