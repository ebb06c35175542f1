/* Checks the clones that a custom ABI adds to those in the frame's slots: clones with the signature of abi.clone, or
   one for each suspend.
   Requires: numbered clones.
   Guarantees: a call of abi.passed.N is the parameter of such a clone; the function in the frame's resume slot calls
   it. */
#pragma once

#include "check/check_data.h"

/* The function that resumes a suspend (IR_NONE: any). */
LLVMValueRef find_function_resuming_suspend(const struct check *c, uint32_t suspend);
/* Whether the clone has the signature of abi.clone. */
bool clone_has_prototype_of_abi_clone(const struct check *c, const struct check_clone *k);
/* Whether the resume pointer in the frame is the clone of the suspend where the coroutine is suspended. */
bool is_clone_of_suspend_in_resume_slot(const struct check *c);
/* The suspend whose clone a function is; IR_NONE: none. */
uint32_t suspend_of_own_clone_or_none(const struct check *c, LLVMValueRef function);
/* The result type of a clone with the signature of abi.clone; NULL: void, or another clone. */
LLVMTypeRef result_type_of_own_clone_or_null(const struct check *c, const struct check_clone *k);
/* Whether the presplit instruction calls abi.passed.N; `parameter` is N. */
bool is_abi_passed_marker(const struct check *c, uint32_t presplit, unsigned *parameter);
bool is_value_of_abi_passed_call(const struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                 uint32_t presplit);
/* Checks the function in the frame's resume slot, if another one resumes the coroutine. */
bool check_adapter_in_resume_slot(struct check *c);
