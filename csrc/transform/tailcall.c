/* Decides about tail calls by two rules: target support from llvm_targets.def, and the verifier's conditions for
   musttail. Also removes `tail` markers. */
#include "transform/tailcall.h"

#include <string.h>

#include "ir/attribute_kind.h"
#include "ir/edit.h"

static const struct {
  const char *prefix, *feature; /* required target feature; NULL: none */
  bool works;
} targets[] = {
#define LLVM_TAIL_CALLS(prefix, feature, works) {prefix, feature, works},
#include "llvm_targets.def"
};

static bool function_has_target_feature(LLVMValueRef function, const char *feature)
{
  unsigned length;
  const char *list = edit_string_attribute_value(function, "target-features", &length), *end = list + length;
  size_t wanted = strlen(feature);
  while (list < end) {
    const char *comma = memchr(list, ',', (size_t)(end - list));
    size_t item = (size_t)((comma ? comma : end) - list);
    if (item == wanted && !memcmp(list, feature, item))
      return true;
    list += item + 1;
  }
  return false;
}

/* Set by clang's -fno-optimize-sibling-calls. */
static bool are_tail_calls_disabled(LLVMValueRef function)
{
  unsigned length;
  const char *value = edit_string_attribute_value(function, "disable-tail-calls", &length);
  return length == strlen("true") && !memcmp(value, "true", length);
}

bool tailcall_is_guaranteed(LLVMValueRef caller)
{
  if (are_tail_calls_disabled(caller))
    return false;
  const char *triple = LLVMGetTarget(LLVMGetGlobalParent(caller));
  size_t best = 0, count = sizeof targets / sizeof *targets, found = count;
  if (!*triple)
    return true; /* without a target, tail calls are assumed to work */
  for (size_t i = 0; i < count; i++) {
    size_t length = strlen(targets[i].prefix);
    if (length > best && !strncmp(triple, targets[i].prefix, length)) {
      best = length;
      found = i;
    }
  }
  return found < count && targets[found].works &&
         (!targets[found].feature || function_has_target_feature(caller, targets[found].feature));
}

/* ---- LLVM's verifier rules for musttail ---- */

enum { /* callee-pop conventions, under which the parameter types may differ */
#define LLVM_CONVENTION(name, number) name = (number),
#include "llvm_calls.def"
};

/* Parameter attributes that change how a value is passed. */
static const struct {
  const char *name;
  bool in_tail_cc;
} abi_attributes[] = {
#define LLVM_ABI_ATTRIBUTE(name, in_tail_cc) {name, in_tail_cc},
#include "llvm_calls.def"
};

bool tailcall_has_abi_attribute(LLVMValueRef function, unsigned parameter)
{
  bool has_attribute = false;
  for (size_t i = 0; i < sizeof abi_attributes / sizeof *abi_attributes; i++)
    has_attribute |= edit_has_attribute(function, parameter + 1, abi_attributes[i].name);
  return has_attribute;
}

/* A caller that does not exist yet has no attributes. */
static LLVMAttributeRef caller_parameter_attribute_or_null(LLVMValueRef caller, unsigned attribute_index, unsigned kind)
{
  return caller ? LLVMGetEnumAttributeAtIndex(caller, attribute_index, kind) : NULL;
}

static bool has_same_parameter_abi_attributes(LLVMValueRef caller, LLVMValueRef call, unsigned attribute_index)
{
  for (size_t i = 0; i < sizeof abi_attributes / sizeof *abi_attributes; i++) {
    unsigned kind = attribute_kind(abi_attributes[i].name), align = attribute_kind("align");
    LLVMAttributeRef own = caller_parameter_attribute_or_null(caller, attribute_index, kind);
    if (own != LLVMGetCallSiteEnumAttribute(call, attribute_index, kind))
      return false;
    bool copied = own && (kind == attribute_kind("byval") || kind == attribute_kind("byref"));
    if (copied && LLVMGetEnumAttributeAtIndex(caller, attribute_index, align) !=
                      LLVMGetCallSiteEnumAttribute(call, attribute_index, align))
      return false;
  }
  return true;
}

static bool is_valid_musttail_in_tail_cc(LLVMValueRef caller, unsigned caller_count, LLVMValueRef call, unsigned count)
{
  for (size_t i = 0; i < sizeof abi_attributes / sizeof *abi_attributes; i++) {
    unsigned kind = attribute_kind(abi_attributes[i].name);
    if (abi_attributes[i].in_tail_cc)
      continue;
    for (unsigned p = 1; p <= caller_count; p++)
      if (caller_parameter_attribute_or_null(caller, p, kind))
        return false;
    for (unsigned p = 1; p <= count; p++)
      if (LLVMGetCallSiteEnumAttribute(call, p, kind))
        return false;
  }
  return true;
}

bool tailcall_callee_pops_arguments(unsigned convention)
{
  return convention == TAIL_CC || convention == SWIFT_TAIL_CC;
}

bool tailcall_is_valid_musttail(LLVMTypeRef from, unsigned convention, LLVMValueRef caller, LLVMValueRef call)
{
  LLVMTypeRef to = LLVMGetCalledFunctionType(call);
  unsigned caller_count = LLVMCountParamTypes(from), count = LLVMCountParamTypes(to);
  if (LLVMIsFunctionVarArg(from) || LLVMIsFunctionVarArg(to) || LLVMGetReturnType(from) != LLVMGetReturnType(to) ||
      LLVMGetInstructionCallConv(call) != convention || LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
    return false;
  if (tailcall_callee_pops_arguments(convention))
    return is_valid_musttail_in_tail_cc(caller, caller_count, call, count);
  if (from != to) /* LLVM uniques function types per context */
    return false;
  for (unsigned p = 1; p <= count; p++)
    if (!has_same_parameter_abi_attributes(caller, call, p))
      return false;
  return true;
}

bool tailcall_is_musttail(LLVMValueRef call)
{
  return LLVMGetInstructionOpcode(call) == LLVMCall && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
}

LLVMTailCallKind tailcall_strongest_kind(LLVMValueRef call)
{
  LLVMValueRef caller = edit_function_of(call);
  LLVMTypeRef type = LLVMGlobalGetValueType(caller);
  bool must =
      tailcall_is_guaranteed(caller) && tailcall_is_valid_musttail(type, LLVMGetFunctionCallConv(caller), caller, call);
  return must ? LLVMTailCallKindMustTail : LLVMTailCallKindTail;
}

bool tailcall_remove_tail_markers(LLVMValueRef function)
{
  bool changed = false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (LLVMGetInstructionOpcode(at) == LLVMCall && LLVMGetTailCallKind(at) == LLVMTailCallKindTail) {
        LLVMSetTailCallKind(at, LLVMTailCallKindNone);
        changed = true;
      }
  return changed;
}
