/* Queries and changes of the attributes of functions and calls; see edit_attributes.h. */
#include "ir/edit_attributes.h"

#include <string.h>

#include "ir/attribute_kind.h"

static bool has_attribute_of_kind(LLVMValueRef of, unsigned index, unsigned kind)
{
  return (LLVMIsAFunction(of) ? LLVMGetEnumAttributeAtIndex : LLVMGetCallSiteEnumAttribute)(of, index, kind);
}

bool edit_has_attribute(LLVMValueRef of, unsigned index, const char *name)
{
  return has_attribute_of_kind(of, index, attribute_kind(name));
}

bool edit_has_function_attribute(LLVMValueRef of, const char *name)
{
  return edit_has_attribute(of, (unsigned)LLVMAttributeFunctionIndex, name);
}

LLVMAttributeRef edit_stack_argument_attribute(LLVMValueRef function, unsigned index)
{
  static const char *const names[] = {"byval", "inalloca", "preallocated"};
  LLVMAttributeRef found = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
    found = LLVMGetEnumAttributeAtIndex(function, index, attribute_kind(names[i]));
  return found;
}

unsigned edit_parameter_index(LLVMValueRef parameter)
{
  unsigned index = 0;
  while ((parameter = LLVMGetPreviousParam(parameter)))
    index++;
  return index;
}

bool edit_has_parameter_with_attribute(LLVMValueRef function, const char *const *names, size_t count)
{
  for (unsigned p = 1; p <= LLVMCountParams(function); p++)
    for (size_t i = 0; i < count; i++)
      if (edit_has_attribute(function, p, names[i]))
        return true;
  return false;
}

bool edit_is_presplit_definition(LLVMValueRef function)
{
  return LLVMGetFirstBasicBlock(function) && edit_has_function_attribute(function, "presplitcoroutine");
}

void edit_add_attribute(LLVMValueRef of, unsigned index, const char *name)
{
  LLVMAttributeRef attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(of)), attribute_kind(name), 0);
  (LLVMIsAFunction(of) ? LLVMAddAttributeAtIndex : LLVMAddCallSiteAttribute)(of, index, attribute);
}

void edit_add_function_attribute(LLVMValueRef of, const char *name)
{
  edit_add_attribute(of, (unsigned)LLVMAttributeFunctionIndex, name);
}

void edit_remove_attribute(LLVMValueRef of, unsigned index, const char *name)
{
  (LLVMIsAFunction(of) ? LLVMRemoveEnumAttributeAtIndex : LLVMRemoveCallSiteEnumAttribute)(of, index,
                                                                                           attribute_kind(name));
}

void edit_remove_function_attribute(LLVMValueRef of, const char *name)
{
  edit_remove_attribute(of, (unsigned)LLVMAttributeFunctionIndex, name);
}

uint64_t edit_enum_attribute_value_or_0(LLVMValueRef function, unsigned index, const char *name)
{
  LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, index, attribute_kind(name));
  return attribute ? LLVMGetEnumAttributeValue(attribute) : 0;
}

bool edit_has_string_attribute(LLVMValueRef function, const char *name)
{
  return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name)) != NULL;
}

const char *edit_string_attribute_value(LLVMValueRef function, const char *name, unsigned *length)
{
  LLVMAttributeRef attribute =
      LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
  *length = 0;
  return attribute ? LLVMGetStringAttributeValue(attribute, length) : "";
}

/* The lowest four bits of the attribute are what the result may capture, the next four what may be captured otherwise;
   captures(none) is zero. */
enum { CAPTURES_BY_RESULT = 15 };

static uint64_t captures_of_argument(LLVMValueRef call, unsigned argument)
{
  unsigned kind = attribute_kind("captures");
  LLVMValueRef callee = LLVMGetCalledValue(call);
  LLVMAttributeRef captures = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
  if (!captures && LLVMIsAFunction(callee) && argument < LLVMCountParams(callee))
    captures = LLVMGetEnumAttributeAtIndex(callee, argument + 1, kind);
  return captures ? LLVMGetEnumAttributeValue(captures) : UINT64_MAX;
}

bool edit_is_nocapture(LLVMValueRef call, unsigned argument)
{
  return captures_of_argument(call, argument) == 0;
}

bool edit_is_captured_only_by_result(LLVMValueRef call, unsigned argument)
{
  return captures_of_argument(call, argument) <= CAPTURES_BY_RESULT;
}

void edit_add_captures_attribute(LLVMValueRef call, unsigned argument, bool by_result)
{
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(call));
  uint64_t value = by_result ? CAPTURES_BY_RESULT : 0;
  LLVMAddCallSiteAttribute(call, argument + 1, LLVMCreateEnumAttribute(context, attribute_kind("captures"), value));
}

bool edit_call_or_callee_has_attribute(LLVMValueRef call, unsigned index, const char *name)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  unsigned kind = attribute_kind(name);
  return has_attribute_of_kind(call, index, kind) ||
         (LLVMIsAFunction(callee) && has_attribute_of_kind(callee, index, kind));
}

bool edit_call_or_callee_has_function_attribute(LLVMValueRef call, const char *name)
{
  return edit_call_or_callee_has_attribute(call, (unsigned)LLVMAttributeFunctionIndex, name);
}

struct edit_attributes edit_list_attributes(struct coro_arena *arena, LLVMValueRef from, LLVMAttributeIndex at)
{
  bool function = LLVMIsAFunction(from);
  unsigned count = function ? LLVMGetAttributeCountAtIndex(from, at) : LLVMGetCallSiteAttributeCount(from, at);
  struct edit_attributes all = {CORO_NEW_ARRAY(arena, LLVMAttributeRef, count), count};
  if (!all.items)
    return (struct edit_attributes){0};
  (function ? LLVMGetAttributesAtIndex : LLVMGetCallSiteAttributes)(from, at, all.items);
  return all;
}

static void copy_call_attributes_at_index(struct coro_arena *arena, LLVMValueRef from, LLVMValueRef to,
                                          LLVMAttributeIndex at, unsigned except)
{
  struct edit_attributes all = edit_list_attributes(arena, from, at);
  for (unsigned i = 0; i < all.count; i++)
    if (!except || !LLVMIsEnumAttribute(all.items[i]) || LLVMGetEnumAttributeKind(all.items[i]) != except)
      LLVMAddCallSiteAttribute(to, at, all.items[i]);
}

void edit_copy_convention_and_param_attributes(struct coro_arena *arena, LLVMValueRef callee, LLVMValueRef call)
{
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(callee));
  for (unsigned p = 1; p <= LLVMCountParams(callee); p++) {
    struct edit_attributes all = edit_list_attributes(arena, callee, p);
    for (unsigned i = 0; i < all.count; i++)
      LLVMAddCallSiteAttribute(call, p, all.items[i]);
  }
}

void edit_call_copy_attributes(struct coro_arena *arena, LLVMValueRef from, LLVMValueRef to, const char *except)
{
  unsigned arguments = LLVMGetNumArgOperands(from), kind = except ? attribute_kind(except) : 0;
  copy_call_attributes_at_index(arena, from, to, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
  for (unsigned at = 0; at <= arguments; at++) /* index 0 is the result */
    copy_call_attributes_at_index(arena, from, to, at, kind);
}

void edit_copy_attributes(struct coro_arena *arena, LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex at,
                          bool (*holds)(LLVMAttributeRef))
{
  struct edit_attributes all = edit_list_attributes(arena, from, at);
  for (unsigned i = 0; i < all.count; i++)
    if (!holds || holds(all.items[i]))
      LLVMAddAttributeAtIndex(to, at, all.items[i]);
}
