/* Recognizes the helper functions f.release and f.drop, which free blocks of the list of heap_list.h, by their code.
   Requires: complete functions. */
#ifndef CORO_CHECK_HEAP_HELPERS_H
#define CORO_CHECK_HEAP_HELPERS_H

#include "check/check_data.h"

/* Whether the function is void (ptr list): while (list) { next = *list; free(list); list = next; } */
bool heap_helper_releases(const struct check *c, LLVMValueRef function);
/* Whether it is void (ptr head, ptr block): while (*head != block) head = *head; *head = *block; free(block); */
bool heap_helper_drops(const struct check *c, LLVMValueRef function);
/* Whether a call is a direct one of a function of the C library, with one argument. */
bool heap_helper_is_library_call(LLVMValueRef call, const char *name);

#endif
