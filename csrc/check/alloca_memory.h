/* Checks memory of llvm.coro.alloca.alloc, which is on the clone's stack or from the coroutine's allocator.
   Requires: numbered clones.
   Guarantees: memory from the allocator has the requested size and alignment, and is freed where the presplit function
   executes llvm.coro.alloca.free. */
#pragma once

#include "check/claim_list.h"
#include "check/skipped_code.h"

/* Finds the llvm.coro.alloca.alloc for which a clone calls the allocator. False: out of memory. */
bool find_alloca_allocs_from_allocator(struct check *c);
/* Check the clone's code for an llvm.coro.alloca.alloc: memory on the stack, or a call of the allocator. */
bool check_alloca_alloc_on_stack(struct check_walk *w, uint32_t inst, uint32_t alloc);
bool check_alloca_alloc_from_allocator(struct check_walk *w, uint32_t inst, uint32_t alloc);
/* Checks the clone's code for an llvm.coro.alloca.free: a call of the deallocator, or an llvm.stackrestore. */
bool check_alloca_free(struct check_walk *w, uint32_t inst, uint32_t free);
bool check_stackrestore_frees_alloca_or_body(struct check_walk *w, uint32_t inst);
/* Proves that each llvm.stackrestore that a clone executes restores a stack pointer of the same activation: the stack
   of an earlier one is gone. Requires proved claims. */
bool check_stackrestores_restore_own_stack(struct check *c);
/* Whether the carrier of a claim is the address of memory on the clone's stack; records that it is used. */
bool is_stack_alloca_of_get_and_record_use(struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                           uint32_t get);
/* Replaces a claim for the result of llvm.coro.alloca.get by one for the allocated block. False: it does not follow. */
bool derive_alloca_get_claim_from_block(struct check *c, uint32_t claim);
