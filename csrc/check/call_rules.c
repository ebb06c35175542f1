/* Checks calls that the lowering inserts: calling convention, attributes, arguments. */
#include "check/call_rules.h"

#include "check/verdict.h"
#include "transform/tailcall.h"

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

static bool has_attributes_of_parameter(LLVMValueRef call, LLVMValueRef callee, unsigned index)
{
  LLVMAttributeRef own[MAX_ATTRIBUTES], declared[MAX_ATTRIBUTES];
  unsigned count = LLVMGetCallSiteAttributeCount(call, index);
  if (count > MAX_ATTRIBUTES || count != LLVMGetAttributeCountAtIndex(callee, index))
    return false;
  LLVMGetCallSiteAttributes(call, index, own);
  LLVMGetAttributesAtIndex(callee, index, declared);
  for (unsigned i = 0; i < count; i++)
    if (own[i] != declared[i])
      return false;
  return true;
}

bool call_passes_declared(const struct check_walk *w, LLVMValueRef call, LLVMValueRef callee)
{
  bool same = !LLVMGetCallSiteAttributeCount(call, LLVMAttributeReturnIndex) && LLVMIsAFunction(callee);
  for (unsigned p = 1; p <= LLVMGetNumArgOperands(call) && same; p++)
    same = has_attributes_of_parameter(call, callee, p);
  return same || check_refute(w->c, w->k, call, "it passes an argument in another way than its callee declares");
}

bool call_is_tail(const struct check_walk *w, LLVMValueRef call, LLVMValueRef callee)
{
  if (LLVMGetNumOperandBundles(call) || LLVMGetTailCallKind(call) != tailcall_strongest_kind(call) ||
      LLVMGetCallSiteAttributeCount(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex))
    return check_refute(w->c, w->k, call, "it is not the strongest tail call, or has an attribute or bundle");
  return call_passes_declared(w, call, callee) &&
         (LLVMGetInstructionCallConv(call) == LLVMGetFunctionCallConv(callee) ||
          check_refute(w->c, w->k, call, "it has another calling convention than its callee"));
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
