/* Emission: calls of the lowering's own.
   Needs: emission under way. Leaves: calls at the builder's position, which name the pad that it is in. */
#include "emit/call.h"

#include "ir/edit.h"

/* NULL where the builder is in no pad. */
static LLVMOperandBundleRef funclet(const struct emit *e)
{
  static const char tag[] = "funclet";
  LLVMValueRef pad = e->pad == IR_NONE ? NULL : e->values[e->pad];
  return pad ? LLVMCreateOperandBundle(tag, sizeof tag - 1, &pad, 1) : NULL;
}

static void dispose(LLVMOperandBundleRef bundle)
{
  if (bundle)
    LLVMDisposeOperandBundle(bundle);
}

void emit_as_declared(struct emit *e, LLVMValueRef callee, LLVMValueRef call)
{
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(callee));
  for (unsigned p = 1; p <= LLVMCountParams(callee); p++) {
    struct edit_attributes all = edit_attributes_of(e->low->arena, callee, p);
    for (unsigned i = 0; i < all.count; i++)
      LLVMAddCallSiteAttribute(call, p, all.items[i]);
  }
}

LLVMValueRef emit_call_as(struct emit *e, const struct emit_callee *callee)
{
  LLVMOperandBundleRef bundle = funclet(e);
  LLVMValueRef call = LLVMBuildCallWithOperandBundles(e->builder, callee->type, callee->function, callee->arguments,
                                                      callee->count, &bundle, bundle != NULL, "");
  dispose(bundle);
  return call;
}

LLVMValueRef emit_call(struct emit *e, LLVMValueRef function, LLVMValueRef *arguments, unsigned count)
{
  struct emit_callee callee = {LLVMGlobalGetValueType(function), function, arguments, count};
  LLVMValueRef call = emit_call_as(e, &callee);
  emit_as_declared(e, function, call);
  return call;
}

LLVMValueRef emit_invoke_as(struct emit *e, const struct emit_callee *callee, LLVMBasicBlockRef normal,
                            LLVMBasicBlockRef unwind)
{
  LLVMOperandBundleRef bundle = funclet(e);
  LLVMValueRef call = LLVMBuildInvokeWithOperandBundles(e->builder, callee->type, callee->function, callee->arguments,
                                                        callee->count, normal, unwind, &bundle, bundle != NULL, "");
  dispose(bundle);
  return call;
}
