/* Decides whether a call can be a guaranteed tail call (musttail), by the target and by LLVM's verifier rules.
   Requires: LLVM-C.
   Guarantees: only tailcall_remove_tail_markers changes the IR. */
#pragma once

#include <stdbool.h>

#include "llvm-c/Core.h"

/* True if the target compiles `musttail` calls between functions of one type to jumps, and the caller permits tail
   calls. */
bool tailcall_is_guaranteed(LLVMValueRef caller);
/* True if parameter `parameter`, counted from 0, has an ABI attribute such as byval, sret or swifterror. */
bool tailcall_has_abi_attribute(LLVMValueRef function, unsigned parameter);
bool tailcall_is_musttail(LLVMValueRef call); /* a `musttail` call */
bool tailcall_callee_pops_arguments(
    unsigned convention); /* the callee pops its arguments, so that parameter types may differ */
/* True if LLVM's verifier accepts `call` as musttail in a function of this type and convention. The parameter
   attributes are those of `caller`; NULL: none. */
bool tailcall_is_valid_musttail(LLVMTypeRef from, unsigned convention, LLVMValueRef caller, LLVMValueRef call);
/* The strongest kind, musttail or tail, that `call` may have before a return of its result. */
LLVMTailCallKind tailcall_strongest_kind(LLVMValueRef call);
/* Removes all `tail` markers, which promise that the callee does not access the caller's stack. True if there was
   one. */
bool tailcall_remove_tail_markers(LLVMValueRef function);
