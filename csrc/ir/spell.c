/* Whoever has only the text of a type knows no named struct: here its elements are spelt out.
   Needs: LLVM-C. Leaves: text in an arena. */
#include "ir/spell.h"

#include <stdio.h>
#include <string.h>

struct speller {
  char text[4096];
  size_t length;
  bool failed; /* it is too long, or has no spelling */
};

static void put(struct speller *s, const char *text)
{
  size_t length = strlen(text);
  s->failed = s->failed || length >= sizeof s->text - s->length;
  if (s->failed)
    return;
  memcpy(s->text + s->length, text, length);
  s->length += length;
}

static void spell(struct speller *s, LLVMTypeRef type);

static void spell_struct(struct speller *s, LLVMTypeRef type)
{
  unsigned count = LLVMCountStructElementTypes(type);
  put(s, LLVMIsPackedStruct(type) ? "<{ " : "{ ");
  s->failed = s->failed || LLVMIsOpaqueStruct(type);
  for (unsigned i = 0; i < count && !s->failed; i++) {
    put(s, i ? ", " : "");
    spell(s, LLVMStructGetTypeAtIndex(type, i));
  }
  put(s, LLVMIsPackedStruct(type) ? " }>" : " }");
}

static void spell_sequence(struct speller *s, LLVMTypeRef type, const char *open, uint64_t count, const char *close)
{
  char head[40];
  snprintf(head, sizeof head, "%s%llu x ", open, (unsigned long long)count);
  put(s, head);
  spell(s, LLVMGetElementType(type));
  put(s, close);
}

static void spell(struct speller *s, LLVMTypeRef type)
{
  char *text = NULL;
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind: spell_struct(s, type); break;
  case LLVMArrayTypeKind: spell_sequence(s, type, "[", LLVMGetArrayLength2(type), "]"); break;
  case LLVMVectorTypeKind: spell_sequence(s, type, "<", LLVMGetVectorSize(type), ">"); break;
  default:
    text = LLVMPrintTypeToString(type);
    put(s, text);
    LLVMDisposeMessage(text);
  }
}

const char *ir_spell(struct coro_arena *arena, LLVMTypeRef type)
{
  struct speller speller;
  speller.length = 0;
  speller.failed = false;
  spell(&speller, type);
  return coro_arena_strndup(arena, speller.text, speller.failed ? 0 : speller.length);
}
