/* Emits calls that have no presplit counterpart; see call.h. */
#include "emit/call.h"

#include "check/witness.h"
#include "ir/edit.h"

/* The funclet bundle for the current pad; NULL outside of a pad. */
static LLVMOperandBundleRef make_funclet_bundle(const struct emit *e)
{
  static const char tag[] = "funclet";
  LLVMValueRef pad = e->pad == IR_NONE ? NULL : e->values[e->pad];
  return pad ? LLVMCreateOperandBundle(tag, sizeof tag - 1, &pad, 1) : NULL;
}

static void dispose_bundle(LLVMOperandBundleRef bundle)
{
  if (bundle)
    LLVMDisposeOperandBundle(bundle);
}

LLVMValueRef emit_call_as(struct emit *e, const struct emit_callee *callee)
{
  LLVMOperandBundleRef bundle = make_funclet_bundle(e);
  LLVMValueRef call = LLVMBuildCallWithOperandBundles(e->builder, callee->type, callee->function, callee->arguments,
                                                      callee->count, &bundle, bundle != NULL, "");
  dispose_bundle(bundle);
  witness_record_counterpart(e->low->witness, call, WITNESS_LOWERED, e->current_inst);
  return call;
}

LLVMValueRef emit_call(struct emit *e, LLVMValueRef function, LLVMValueRef *arguments, unsigned count)
{
  struct emit_callee callee = {LLVMGlobalGetValueType(function), function, arguments, count};
  LLVMValueRef call = emit_call_as(e, &callee);
  edit_copy_convention_and_param_attributes(e->low->arena, function, call);
  return call;
}

LLVMValueRef emit_invoke_as(struct emit *e, const struct emit_callee *callee, LLVMBasicBlockRef normal,
                            LLVMBasicBlockRef unwind)
{
  LLVMOperandBundleRef bundle = make_funclet_bundle(e);
  LLVMValueRef call = LLVMBuildInvokeWithOperandBundles(e->builder, callee->type, callee->function, callee->arguments,
                                                        callee->count, normal, unwind, &bundle, bundle != NULL, "");
  dispose_bundle(bundle);
  witness_record_counterpart(e->low->witness, call, WITNESS_LOWERED, e->current_inst);
  return call;
}

bool emit_inlined_body(struct emit *e, uint32_t inst, struct inline_call *call, LLVMValueRef *result)
{
  call->builder = e->builder;
  call->entry = e->entry;
  call->copied = e->low->witness ? witness_record_inlined_copy : NULL;
  call->record = e->low->witness;
  witness_record_body(e->low->witness, &(struct witness_body){call->callee, e->function, inst, call->tail});
  return inline_body_at_builder_position(e->low->arena, call, result);
}
