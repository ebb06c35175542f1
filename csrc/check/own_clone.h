/* Checks the clones that a custom ABI adds to those in the frame's slots: clones with the signature of abi.clone, or
   one for each suspend.
   Requires: numbered clones.
   Guarantees: a call of abi.passed.N is the parameter of such a clone; the function in the frame's resume slot calls
   it. */
#ifndef CORO_CHECK_OWN_CLONE_H
#define CORO_CHECK_OWN_CLONE_H

#include "check/check_data.h"

/* The function that resumes a suspend (IR_NONE: any). */
LLVMValueRef own_clone_resuming(const struct check *c, uint32_t suspend);
/* Whether the clone has the signature of abi.clone. */
bool own_clone_has_prototype(const struct check *c, const struct check_clone *k);
/* Whether the resume pointer in the frame is the clone of the suspend where the coroutine is suspended. */
bool own_clone_is_in_slot(const struct check *c);
/* The suspend whose clone a function is; IR_NONE: none. */
uint32_t own_clone_suspend(const struct check *c, LLVMValueRef function);
/* What the clone returns; NULL: nothing. */
LLVMTypeRef own_clone_result(const struct check *c, const struct check_clone *k);
/* Whether the presplit instruction calls abi.passed.N; `parameter` is N. */
bool own_clone_is_query(const struct check *c, uint32_t presplit, unsigned *parameter);
bool own_clone_is_passed(const struct check *c, const struct check_clone *k, LLVMValueRef carrier, uint32_t presplit);
/* Checks the function in the frame's resume slot, if another one resumes the coroutine. */
bool own_clone_check_adapter(struct check *c);

#endif
