/* Where code generators keep the promise of a musttail call.
   Needs: LLVM-C. Leaves: the module as it was. */
#ifndef CORO_IR_TAILCALL_H
#define CORO_IR_TAILCALL_H

#include <stdbool.h>

#include "llvm-c/Core.h"

/* A `musttail` call from `caller`, between functions of one type, becomes a jump on the target of its module, and
   the function does not forbid that. */
bool tailcall_works(LLVMValueRef caller);
/* The parameter, counted from 0, is passed otherwise than its type says: byval, sret, swifterror and their like. */
bool tailcall_passes_apart(LLVMValueRef function, unsigned parameter);
bool tailcall_must(LLVMValueRef call); /* a `musttail` call */
bool tailcall_pops(unsigned convention); /* pops its own arguments, so that the types of the two may differ */
/* LLVM's verifier allows that this call is a musttail one of a function of that type and convention, whose parameters
   are passed as those of `caller`; NULL: as their types say. */
bool tailcall_fits(LLVMTypeRef from, unsigned convention, LLVMValueRef caller, LLVMValueRef call);
/* The strongest kind of tail call that `call`, in front of a return of its result, can be on the target of its module,
   and that LLVM's verifier allows there: musttail, or tail. */
LLVMTailCallKind tailcall_kind_of(LLVMValueRef call);
/* `tail` promises that the callee sees nothing of the caller's stack: no call in the function promises it any more.
   Whether one did. */
bool tailcall_drop(LLVMValueRef function);

#endif
