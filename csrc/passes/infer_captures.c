/* coro-infer-captures: marks arguments of calls in unsplit coroutines that the callee does not capture. coro-split then
   ends the live range of an alloca at its last access, instead of at the end of its lifetime:
     call void @init(ptr %x)                                          ; @init only stores to *%x
     %y = call ptr @get(ptr %x)                                       ; @get returns an address in *%x
   becomes
     call void @init(ptr captures(none) %x)
     %y = call ptr @get(ptr captures(ret: address, provenance) %x)
   A callee may be linkonce_odr or weak_odr. LLVM does not infer attributes from such a body, because the linker may
   select another one. The pass assumes that all definitions of the name capture the same arguments. Clang's output
   before any optimization meets that: another compilation can only have fewer effects.
   Requires: coroutines before coro-split, best before any optimization.
   Guarantees: only attributes of calls change. The cost is that of the traces (handle_effects.h). */
#include "handles/handle_effects.h"
#include "ir/edit.h"
#include "run/passes.h"

static bool infer_captures_of_argument(struct handle_effects *effects, LLVMValueRef call, unsigned argument,
                                       bool *changed)
{
  struct trace trace;
  struct address_effect effect;
  handle_effects_init_trace(effects, effects->run, &trace, edit_function_of(call));
  if (!trace_address_effect(&trace, call, trace_callee_or_await_function(&trace, call), argument, &effect))
    return false;
  if (effect.captures)
    return true;
  edit_add_captures_attribute(call, argument, effect.returns);
  *changed = true;
  return true;
}

static bool infer_captures_of_call(struct handle_effects *effects, LLVMValueRef call, bool *changed)
{
  bool fine = true;
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call) && fine; a++) {
    LLVMValueRef argument = LLVMGetOperand(call, a);
    if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind && !LLVMIsConstant(argument) &&
        !edit_is_captured_only_by_result(call, a))
      fine = infer_captures_of_argument(effects, call, a, changed);
  }
  return fine;
}

static bool infer_captures_in_function(struct handle_effects *effects, LLVMValueRef function, bool *changed)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (edit_is_call(at) && !LLVMGetNumOperandBundles(at) && !infer_captures_of_call(effects, at, changed))
        return false;
  return true;
}

coro_status coro_pass_infer_captures(struct pass_run *run, LLVMValueRef unused, bool *changed)
{
  struct handle_effects effects;
  (void)unused;
  handle_effects_init(&effects, run);
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f; f = LLVMGetNextFunction(f)) {
    bool inferred = false;
    if (!edit_is_presplit_definition(f))
      continue;
    if (!infer_captures_in_function(&effects, f, &inferred) || (inferred && !pass_mark_modified(run, f)))
      return CORO_ENOMEM;
    *changed |= inferred;
  }
  return CORO_OK;
}
