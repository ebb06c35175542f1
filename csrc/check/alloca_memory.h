/* Checks memory of llvm.coro.alloca.alloc, which is on the clone's stack or from the coroutine's allocator.
   Requires: numbered clones.
   Guarantees: memory from the allocator has the requested size and alignment, and is freed where the presplit function
   executes llvm.coro.alloca.free. */
#ifndef CORO_CHECK_ALLOCA_MEMORY_H
#define CORO_CHECK_ALLOCA_MEMORY_H

#include "check/claim_list.h"
#include "check/skipped_code.h"

/* Finds the llvm.coro.alloca.alloc for which a clone calls the allocator. False: out of memory. */
bool alloca_memory_find(struct check *c);
/* Check the clone's code for an llvm.coro.alloca.alloc: memory on the stack, or a call of the allocator. */
bool alloca_memory_on_stack(struct check_walk *w, uint32_t inst, uint32_t alloc);
bool alloca_memory_check_allocation(struct check_walk *w, uint32_t inst, uint32_t alloc);
/* Checks the clone's code for an llvm.coro.alloca.free: a call of the deallocator, or an llvm.stackrestore. */
bool alloca_memory_check_free(struct check_walk *w, uint32_t inst, uint32_t free);
bool alloca_memory_restores_stack(struct check_walk *w, uint32_t inst);
/* Proves that each llvm.stackrestore that a clone executes restores a stack pointer of the same activation: the stack
   of an earlier one is gone. Requires proved claims. */
bool alloca_memory_check_restores(struct check *c);
/* Whether the carrier of a claim is the address of memory on the clone's stack. */
bool alloca_memory_is_on_stack(struct check *c, const struct check_clone *k, LLVMValueRef carrier, uint32_t get);
/* Whether a claim for the result of llvm.coro.alloca.get follows from one for the allocated block. */
bool alloca_memory_follows_from_block(struct check *c, uint32_t claim);

#endif
