/* Checks the list of heap blocks that a ramp allocates for allocas before llvm.coro.begin. Its head is an alloca of the
   ramp. Directly after llvm.coro.begin the list moves to the frame (heap_list.h), and the alloca holds null. The ramp
   frees the blocks of the alloca's list directly before each return or unwinding exit. If it has executed
   llvm.coro.begin, there are none; otherwise the lifetime of the presplit allocas ends there, and no clone exists.
   Requires: heap_list.c has recorded the accesses of both lists in `list_accesses`, and the calls in `list_calls`.
   Guarantees: no other instruction accesses the alloca; each block is in one list, and is not freed twice. */
#pragma once

#include "check/check_data.h"

/* Whether the address is the alloca of the list in this clone, a ramp: the first one that code of the lowering uses as
   a list. Records it. */
bool early_heap_list_is_address(const struct check *c, struct check_clone *k, LLVMValueRef address);
/* Whether the call is directly before the instruction by which its block leaves the presplit function. */
bool early_heap_list_is_freed_at_exit(const struct check_clone *k, uint32_t call);
/* After the simulation of a ramp. */
bool early_heap_list_check(struct check *c, const struct check_clone *k);
