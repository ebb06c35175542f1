/* Rules for calls that the lowering itself makes.
   Requires: a walk in progress. */
#include "check/call_rules.h"

#include "check/words.h"

enum { MAX_ATTRIBUTES = 32, OF_CALL = -1 };

static bool has_attribute(LLVMValueRef call, LLVMAttributeRef wanted)
{
  LLVMAttributeRef all[MAX_ATTRIBUTES];
  unsigned count = LLVMGetCallSiteAttributeCount(call, (LLVMAttributeIndex)OF_CALL);
  if (count > MAX_ATTRIBUTES)
    return false;
  LLVMGetCallSiteAttributes(call, (LLVMAttributeIndex)OF_CALL, all);
  for (unsigned i = 0; i < count; i++)
    if (all[i] == wanted)
      return true;
  return false;
}

static bool has_only_attributes_of(LLVMValueRef call, LLVMValueRef source)
{
  LLVMAttributeRef all[MAX_ATTRIBUTES];
  unsigned count = LLVMGetCallSiteAttributeCount(call, (LLVMAttributeIndex)OF_CALL);
  if (!count)
    return true;
  if (count > MAX_ATTRIBUTES || !source)
    return false;
  LLVMGetCallSiteAttributes(call, (LLVMAttributeIndex)OF_CALL, all);
  for (unsigned i = 0; i < count; i++)
    if (!has_attribute(source, all[i]))
      return false;
  return true;
}

/* LLVM's verifier accepts musttail only before a return. */
bool call_is_plain(const struct check_walk *w, LLVMValueRef call, LLVMValueRef source, unsigned convention)
{
  LLVMTailCallKind tail = LLVMIsACallInst(call) ? LLVMGetTailCallKind(call) : LLVMTailCallKindNone;
  bool tails = tail == LLVMTailCallKindNone || tail == LLVMTailCallKindMustTail ||
               (source && LLVMIsACallInst(source) && tail == LLVMGetTailCallKind(source));
  if (LLVMGetNumOperandBundles(call) != (source ? LLVMGetNumOperandBundles(source) : 0) || !tails ||
      !has_only_attributes_of(call, source))
    return check_refute(w->c, w->k, call, "it has an attribute, tail marker or bundle that no presplit call has");
  return LLVMGetInstructionCallConv(call) == convention ||
         check_refute(w->c, w->k, call, "it has another calling convention than its callee");
}

unsigned call_convention_of(LLVMValueRef callee, LLVMValueRef source)
{
  return LLVMIsAFunction(callee) ? LLVMGetFunctionCallConv(callee)
         : source                ? LLVMGetInstructionCallConv(source)
                                 : (unsigned)LLVMCCallConv;
}

bool call_is_of(const struct check_walk *w, LLVMValueRef value, enum intrin intrin)
{
  return LLVMIsACallInst(value) && intrin_of(w->c->low->table, value) == intrin;
}
