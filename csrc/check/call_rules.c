/* Checks calls that the lowering inserts: calling convention, attributes, arguments. */
#include "check/call_rules.h"

#include "check/funclet.h"
#include "check/verdict.h"
#include "ir/attribute_kind.h"
#include "transform/identical_instruction.h"
#include "transform/tailcall.h"

enum { MAX_ATTRIBUTES = 32, OF_CALL = -1 };

static bool call_site_has_attribute(LLVMValueRef call, LLVMAttributeIndex at, LLVMAttributeRef wanted)
{
  LLVMAttributeRef all[MAX_ATTRIBUTES];
  unsigned count = LLVMGetCallSiteAttributeCount(call, at);
  if (count > MAX_ATTRIBUTES)
    return false;
  LLVMGetCallSiteAttributes(call, at, all);
  for (unsigned i = 0; i < count; i++)
    if (all[i] == wanted)
      return true;
  return false;
}

static bool does_callee_declare_attribute(LLVMValueRef call, LLVMAttributeIndex at, LLVMAttributeRef attribute)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  LLVMAttributeRef all[MAX_ATTRIBUTES];
  unsigned count = LLVMIsAFunction(callee) ? LLVMGetAttributeCountAtIndex(callee, at) : 0;
  if (!count || count > MAX_ATTRIBUTES)
    return false;
  LLVMGetAttributesAtIndex(callee, at, all);
  for (unsigned i = 0; i < count; i++)
    if (all[i] == attribute)
      return true;
  return false;
}

/* The result of llvm.coro.begin is new memory, as that of an allocator. */
static bool is_result_attribute_of_coro_begin(const struct check_walk *w, LLVMValueRef call, LLVMAttributeIndex at,
                                              LLVMAttributeRef attribute)
{
  unsigned kind = LLVMGetEnumAttributeKind(attribute);
  return at == LLVMAttributeReturnIndex && is_call_of_intrinsic(w, call, INTRIN_BEGIN) &&
         (kind == attribute_kind("noalias") || kind == attribute_kind("nonnull"));
}

/* Whether the call has no attribute of the call, of its result, or of an argument that neither the presplit call nor
   (of a value) the declaration of the callee has. */
static bool has_only_attributes_of_source_or_callee(const struct check_walk *w, LLVMValueRef call, LLVMValueRef source)
{
  for (int at = OF_CALL; at <= (int)LLVMGetNumArgOperands(call); at++) {
    LLVMAttributeRef all[MAX_ATTRIBUTES];
    LLVMAttributeIndex index = (LLVMAttributeIndex)at;
    unsigned count = LLVMGetCallSiteAttributeCount(call, index);
    if (count > MAX_ATTRIBUTES)
      return false;
    if (!count || (source && has_equal_attributes(call, source, index)))
      continue;
    LLVMGetCallSiteAttributes(call, index, all);
    for (unsigned i = 0; i < count; i++)
      if (!(source && call_site_has_attribute(source, index, all[i])) &&
          !(at != OF_CALL && does_callee_declare_attribute(call, index, all[i])) &&
          !is_result_attribute_of_coro_begin(w, call, index, all[i]))
        return false;
  }
  return true;
}

/* musttail is accepted: LLVM's verifier ensures that a return follows. */
bool check_call_has_only_source_properties(const struct check_walk *w, LLVMValueRef call, LLVMValueRef source,
                                           unsigned convention)
{
  LLVMTailCallKind tail = LLVMIsACallInst(call) ? LLVMGetTailCallKind(call) : LLVMTailCallKindNone;
  bool tails = tail == LLVMTailCallKindNone || tail == LLVMTailCallKindMustTail ||
               (source && LLVMIsACallInst(source) && tail == LLVMGetTailCallKind(source));
  if (!tails || !has_only_attributes_of_source_or_callee(w, call, source))
    return check_refute(w->c, w->k, call, "it has an attribute or tail marker that no presplit call has");
  if (!funclet_check_bundles_of_call(w, call, source))
    return false;
  return LLVMGetInstructionCallConv(call) == convention ||
         check_refute(w->c, w->k, call, "it has another calling convention than its callee");
}

/* Whether the call has all attributes of the callee's parameter that change how the argument is passed. Others, such as
   noundef, hold for the call without being repeated. It has none that the callee does not declare. */
static bool is_argument_passed_as_declared(LLVMValueRef call, LLVMValueRef callee, unsigned p)
{
  static const char *const of_passing[] = {"zeroext", "signext",   "noext",      "inreg",      "byval",
                                           "byref",   "inalloca",  "sret",       "nest",       "preallocated",
                                           "align",   "swiftself", "swiftasync", "swifterror", "alignstack"};
  LLVMAttributeRef all[MAX_ATTRIBUTES];
  unsigned count = LLVMGetCallSiteAttributeCount(call, p);
  bool same = count <= MAX_ATTRIBUTES;
  for (size_t i = 0; i < sizeof of_passing / sizeof *of_passing && same; i++) {
    unsigned kind = attribute_kind(of_passing[i]);
    same = LLVMGetCallSiteEnumAttribute(call, p, kind) == LLVMGetEnumAttributeAtIndex(callee, p, kind);
  }
  if (same)
    LLVMGetCallSiteAttributes(call, p, all);
  for (unsigned i = 0; i < count && same; i++)
    same = does_callee_declare_attribute(call, p, all[i]);
  return same;
}

bool check_call_passes_declared_attributes(const struct check_walk *w, LLVMValueRef call, LLVMValueRef callee)
{
  bool same = !LLVMGetCallSiteAttributeCount(call, LLVMAttributeReturnIndex) && LLVMIsAFunction(callee);
  for (unsigned p = 1; p <= LLVMGetNumArgOperands(call) && same; p++)
    same = has_equal_attributes(call, callee, p) || is_argument_passed_as_declared(call, callee, p);
  return same || check_refute(w->c, w->k, call, "it passes an argument in another way than its callee declares");
}

bool check_type_and_attributes_of_added_call(const struct check_walk *w, LLVMValueRef call)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (LLVMIsAFunction(callee) && LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(callee))
    return check_refute(w->c, w->k, call, "its type is not that of its callee");
  return check_call_passes_declared_attributes(w, call, callee) &&
         check_call_has_only_source_properties(w, call, NULL, LLVMGetFunctionCallConv(callee));
}

bool check_strongest_tail_call_and_attributes(const struct check_walk *w, LLVMValueRef call, LLVMValueRef callee)
{
  if (LLVMGetNumOperandBundles(call) || LLVMGetTailCallKind(call) != tailcall_strongest_kind(call) ||
      LLVMGetCallSiteAttributeCount(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex))
    return check_refute(w->c, w->k, call, "it is not the strongest tail call, or has an attribute or bundle");
  return check_call_passes_declared_attributes(w, call, callee) &&
         (LLVMGetInstructionCallConv(call) == LLVMGetFunctionCallConv(callee) ||
          check_refute(w->c, w->k, call, "it has another calling convention than its callee"));
}

unsigned convention_of_callee_else_source_else_c(LLVMValueRef callee, LLVMValueRef source)
{
  return LLVMIsAFunction(callee) ? LLVMGetFunctionCallConv(callee)
         : source                ? LLVMGetInstructionCallConv(source)
                                 : (unsigned)LLVMCCallConv;
}

bool is_call_of_intrinsic(const struct check_walk *w, LLVMValueRef value, enum intrin intrin)
{
  return LLVMIsACallInst(value) && intrin_of_call(w->c->low->table, value) == intrin;
}
