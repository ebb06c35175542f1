/* Storage: the memory of llvm.coro.alloca.alloc, .get and .free in a part.
   Needs: emission under way. Leaves: the memory on the part's stack, or with an allocator, and its address. */
#ifndef CORO_EMIT_STORAGE_H
#define CORO_EMIT_STORAGE_H

#include "emit/emit.h"

/* All at the builder's position. What llvm.coro.alloca.alloc `alloc` stands for: a block of `size` bytes. */
LLVMValueRef storage_allocate(struct emit *e, uint32_t alloc, LLVMValueRef size);
/* The address in `block` that llvm.coro.alloca.get `inst` gives. */
LLVMValueRef storage_address(struct emit *e, LLVMBuilderRef builder, uint32_t inst, LLVMValueRef block);
/* Does what llvm.coro.alloca.free `inst` does. */
void storage_give_back(struct emit *e, uint32_t inst, LLVMValueRef block);

#endif
