/* How a function is called, in LLVM's language.
   Needs: LLVM-C. Leaves: the module as it was. */
#include "ir/calltype.h"

#include <string.h>

/* Attributes that change where or how a value is passed. */
static const char *const plain[] = {"inreg", "signext", "swiftasync", "swifterror", "swiftself", "zeroext"};
static const char *const typed[] = {"byval", "inalloca", "preallocated", "sret"};

static LLVMAttributeRef attribute_at(LLVMValueRef function, unsigned index, const char *name)
{
  return LLVMGetEnumAttributeAtIndex(function, index, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* Puts " name" behind `text` for each that is there. */
static char *add_attributes(struct coro_arena *arena, LLVMValueRef function, unsigned index, char *text)
{
  for (size_t i = 0; text && i < sizeof plain / sizeof *plain; i++)
    if (attribute_at(function, index, plain[i]))
      text = coro_arena_printf(arena, "%s %s", text, plain[i]);
  for (size_t i = 0; text && i < sizeof typed / sizeof *typed; i++) {
    LLVMAttributeRef attribute = attribute_at(function, index, typed[i]);
    if (!attribute)
      continue;
    char *type = LLVMPrintTypeToString(LLVMGetTypeAttributeValue(attribute));
    text = coro_arena_printf(arena, "%s %s(%s)", text, typed[i], type);
    LLVMDisposeMessage(type);
  }
  return text;
}

static char *add_type(struct coro_arena *arena, char *text, const char *between, LLVMTypeRef type)
{
  char *name = LLVMPrintTypeToString(type);
  char *longer = text ? coro_arena_printf(arena, "%s%s%s", text, between, name) : NULL;
  LLVMDisposeMessage(name);
  return longer;
}

const char *ir_call_type(struct coro_arena *arena, LLVMValueRef function)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  char *text = coro_arena_printf(arena, "cc %u", LLVMGetFunctionCallConv(function));
  text = text ? add_attributes(arena, function, LLVMAttributeReturnIndex, text) : NULL;
  text = add_type(arena, text, " ", LLVMGetReturnType(type));
  text = text ? coro_arena_printf(arena, "%s (", text) : NULL;
  for (unsigned i = 0; text && i < LLVMCountParams(function); i++) {
    text = add_type(arena, text, i ? ", " : "", LLVMTypeOf(LLVMGetParam(function, i)));
    text = text ? add_attributes(arena, function, i + 1, text) : NULL;
  }
  return text ? coro_arena_printf(arena, "%s)", text) : NULL;
}
