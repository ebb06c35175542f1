/* Prints types with named structs expanded, for readers of the text that do not know the struct's definition. */
#include "ir/expanded_type.h"

#include <stdio.h>
#include <string.h>

struct type_printer {
  char text[4096];
  size_t length;
  bool failed; /* too long, or opaque */
};

static void append_text(struct type_printer *s, const char *text)
{
  size_t length = strlen(text);
  s->failed = s->failed || length >= sizeof s->text - s->length;
  if (s->failed)
    return;
  memcpy(s->text + s->length, text, length);
  s->length += length;
}

static void print_type_expanded(struct type_printer *s, LLVMTypeRef type);

static void print_struct_body(struct type_printer *s, LLVMTypeRef type)
{
  unsigned count = LLVMCountStructElementTypes(type);
  append_text(s, LLVMIsPackedStruct(type) ? "<{ " : "{ ");
  s->failed = s->failed || LLVMIsOpaqueStruct(type);
  for (unsigned i = 0; i < count && !s->failed; i++) {
    append_text(s, i ? ", " : "");
    print_type_expanded(s, LLVMStructGetTypeAtIndex(type, i));
  }
  append_text(s, LLVMIsPackedStruct(type) ? " }>" : " }");
}

static void print_array_or_vector(struct type_printer *s, LLVMTypeRef type, const char *open, uint64_t count,
                                  const char *close)
{
  char head[40];
  snprintf(head, sizeof head, "%s%llu x ", open, (unsigned long long)count);
  append_text(s, head);
  print_type_expanded(s, LLVMGetElementType(type));
  append_text(s, close);
}

static void print_type_expanded(struct type_printer *s, LLVMTypeRef type)
{
  char *text = NULL;
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind: print_struct_body(s, type); break;
  case LLVMArrayTypeKind: print_array_or_vector(s, type, "[", LLVMGetArrayLength2(type), "]"); break;
  case LLVMVectorTypeKind: print_array_or_vector(s, type, "<", LLVMGetVectorSize(type), ">"); break;
  default:
    text = LLVMPrintTypeToString(type);
    append_text(s, text);
    LLVMDisposeMessage(text);
  }
}

const char *ir_print_expanded_type(struct coro_arena *arena, LLVMTypeRef type)
{
  struct type_printer type_printer;
  type_printer.length = 0;
  type_printer.failed = false;
  print_type_expanded(&type_printer, type);
  return coro_arena_strndup(arena, type_printer.text, type_printer.failed ? 0 : type_printer.length);
}
