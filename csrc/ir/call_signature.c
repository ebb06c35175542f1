/* Prints the parts of a function's signature that a call must repeat: calling convention, types, ABI attributes. */
#include "ir/call_signature.h"

#include "ir/attribute_kind.h"

/* Attributes that change where or how a value is passed. */
static const char *const abi_flags[] = {"inreg", "signext", "swiftasync", "swifterror", "swiftself", "zeroext"};
static const char *const abi_types[] = {"byval", "inalloca", "preallocated", "sret"};

static LLVMAttributeRef enum_attribute_at(LLVMValueRef function, unsigned index, const char *name)
{
  return LLVMGetEnumAttributeAtIndex(function, index, attribute_kind(name));
}

/* Appends " name" to `text` for each of these attributes that is present. */
static char *append_present_abi_attributes(struct coro_arena *arena, LLVMValueRef function, unsigned index, char *text)
{
  for (size_t i = 0; text && i < sizeof abi_flags / sizeof *abi_flags; i++)
    if (enum_attribute_at(function, index, abi_flags[i]))
      text = coro_arena_printf(arena, "%s %s", text, abi_flags[i]);
  for (size_t i = 0; text && i < sizeof abi_types / sizeof *abi_types; i++) {
    LLVMAttributeRef attribute = enum_attribute_at(function, index, abi_types[i]);
    if (!attribute)
      continue;
    char *type = LLVMPrintTypeToString(LLVMGetTypeAttributeValue(attribute));
    text = coro_arena_printf(arena, "%s %s(%s)", text, abi_types[i], type);
    LLVMDisposeMessage(type);
  }
  return text;
}

static char *append_printed_type(struct coro_arena *arena, char *text, const char *separator, LLVMTypeRef type)
{
  char *name = LLVMPrintTypeToString(type);
  char *appended = text ? coro_arena_printf(arena, "%s%s%s", text, separator, name) : NULL;
  LLVMDisposeMessage(name);
  return appended;
}

const char *ir_call_signature_text(struct coro_arena *arena, LLVMValueRef function)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  char *text = coro_arena_printf(arena, "cc %u", LLVMGetFunctionCallConv(function));
  text = text ? append_present_abi_attributes(arena, function, LLVMAttributeReturnIndex, text) : NULL;
  text = append_printed_type(arena, text, " ", LLVMGetReturnType(type));
  text = text ? coro_arena_printf(arena, "%s (", text) : NULL;
  for (unsigned i = 0; text && i < LLVMCountParams(function); i++) {
    text = append_printed_type(arena, text, i ? ", " : "", LLVMTypeOf(LLVMGetParam(function, i)));
    text = text ? append_present_abi_attributes(arena, function, i + 1, text) : NULL;
  }
  return text ? coro_arena_printf(arena, "%s)", text) : NULL;
}
