/* Recognizes helper functions by their code: f.release and f.drop, which free blocks of the list of heap_list.h, and
   f.allocate and f.deallocate, for callers of a dynamic coroutine that pass no allocator.
   Requires: complete functions. */
#pragma once

#include "check/skipped_code.h"

/* Whether the function is void (ptr list): while (list) { next = *list; free(list); list = next; } */
bool heap_helper_frees_whole_list(const struct check *c, LLVMValueRef function);
/* Whether it is void (ptr head, ptr block): while (*head != block) head = *head; *head = *block; free(block); */
bool heap_helper_frees_block_of_list(const struct check *c, LLVMValueRef function);
/* Whether callers may pass null as the allocator, so that a direct call of an allocator or deallocator, which takes
   `pointers` pointers before the size or the memory, is incorrect. */
bool heap_helper_must_replace_null_allocator(const struct check *c, unsigned pointers);
/* Whether the helper calls malloc or free if parameter number `pointers` - 1 is null, and else passes its parameters to
   `callee`. */
bool heap_helper_replaces_null_allocator(const struct check_walk *w, LLVMValueRef function, LLVMValueRef callee,
                                         unsigned pointers);
/* Whether a call is a direct one of a function of the C library, with one argument. */
bool heap_helper_is_one_argument_call_of(LLVMValueRef call, const char *name);
