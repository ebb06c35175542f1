/* Checks heap memory for allocas of dynamic size: blocks from malloc in a singly linked list. Its head is in the
   frame. The first bytes of a block hold the address of the next one; the list ends with null.
   Requires: a simulation in progress.
   Guarantees: each block is large and aligned enough, and is inserted into the list; the helper functions free it. */
#pragma once

#include "check/skipped_code.h"

/* Whether this is the offset of the head of the list in the frame. */
bool heap_list_is_head_offset(const struct check *c, uint64_t offset);
/* Whether the address is that of the head. */
bool heap_list_is_head_address(const struct check *c, const struct check_clone *k, LLVMValueRef address);
/* Whether the ramp chooses the address of the head by a phi where paths with and without llvm.coro.begin join: that in
   the frame, or an alloca of the lowering. */
bool heap_list_is_phi_of_head_addresses(const struct check *c, const struct check_clone *k, LLVMValueRef address);
/* Whether the alloca always holds null after the entry block. */
bool heap_list_is_alloca_always_null(const struct check_clone *k, LLVMValueRef alloca);
/* Whether a store is one that initializes the list, or inserts a block, as the walk has found. */
bool heap_list_is_init_or_insertion_store(struct check_walk *w, uint32_t inst);
/* Checks a call of malloc that allocates the block of an alloca or llvm.coro.alloca.alloc. */
bool heap_list_check_malloc_call(struct check_walk *w, uint32_t inst, uint32_t presplit);
/* Checks a call of f.drop, which frees one block, at an llvm.coro.alloca.free. */
bool heap_list_check_drop_call(struct check_walk *w, uint32_t inst, uint32_t free);
/* Whether the call passes the list to a function, as only the call of f.release does. */
bool heap_list_is_release_call(const struct check_walk *w, uint32_t inst);
/* Finds the functions that free one block, and all, before the simulation. */
bool heap_list_find_helpers(struct check *c); /* true */
/* After the simulation: checks that blocks are freed where paths with and without llvm.coro.begin have joined. */
bool heap_list_check_joins(struct check *c, const struct check_clone *k);
/* Checks a call of f.release, which frees all blocks: it runs once, at `presplit`, which frees the frame. */
bool heap_list_check_release_call(struct check_walk *w, uint32_t inst, uint32_t presplit);
/* Checks that the instruction computes the address of an alloca in the block that the clone has allocated for it, and
   records the use of the memory. */
bool heap_list_check_address(struct check *c, const struct check_clone *k, uint32_t inst, uint32_t presplit);
/* The block of an llvm.coro.alloca.alloc, given an address in it that is large and aligned enough; NULL: it is not. */
LLVMValueRef heap_list_block_of_address_or_null(struct check *c, const struct check_clone *k, LLVMValueRef address,
                                                uint32_t alloc);
