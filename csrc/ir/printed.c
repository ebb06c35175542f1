/* Prints a module once and finds each function's text in it. */
#include "ir/printed.h"

#include <stdlib.h>
#include <string.h>

#include "llvm_printed.h"

static const char define[] = "\n" LLVM_PRINTED_DEFINE;

/* LLVM prints functions in module order, and no string or comment that it prints starts a line with "define ". */
static bool index_printed_definitions(struct ir_printed *printed, LLVMModuleRef module)
{
  const char *at = printed->text;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f))
      continue;
    at = strstr(at, define);
    if (!at)
      return true;
    at += strlen(define);
    if (!coro_map_put(&printed->definitions, coro_map_key(f), (uint64_t)(at - printed->text)))
      return false;
  }
  return true;
}

bool ir_printed_print_module(struct ir_printed *printed, struct coro_arena *arena, LLVMModuleRef module)
{
  printed->text = LLVMPrintModuleToString(module);
  coro_map_init(&printed->definitions, arena);
  return index_printed_definitions(printed, module);
}

bool ir_printed_print_function(struct ir_printed *printed, struct coro_arena *arena, LLVMValueRef function,
                               LLVMValueRef key_function)
{
  char *text = LLVMPrintValueToString(function); /* without the empty line that precedes it in a module */
  size_t size = strlen(text) + 1;
  printed->text = malloc(size + 1); /* LLVMDisposeMessage calls free */
  if (printed->text) {
    printed->text[0] = '\n';
    memcpy(printed->text + 1, text, size);
  }
  LLVMDisposeMessage(text);
  coro_map_init(&printed->definitions, arena);
  const char *at = printed->text ? strstr(printed->text, define) : NULL;
  return printed->text && (!at || coro_map_put(&printed->definitions, coro_map_key(key_function),
                                               (uint64_t)(at + strlen(define) - printed->text)));
}

const char *ir_printed_text_from_function_on_or_null(const struct ir_printed *printed, LLVMValueRef function)
{
  uint64_t start = 0;
  return printed->text && coro_map_get(&printed->definitions, coro_map_key(function), &start) ? printed->text + start
                                                                                              : NULL;
}

const char *ir_printed_text_from_comment_on_or_null(const struct ir_printed *printed, LLVMValueRef function)
{
  const char *at = ir_printed_text_from_function_on_or_null(printed, function);
  if (!at)
    return NULL;
  const char *end = at - strlen(define);
  for (at = end; at > printed->text && at[-1] != '\n';)
    at--;
  return at < end && *at == ';' ? at : NULL;
}

void ir_printed_free(struct ir_printed *printed)
{
  LLVMDisposeMessage(printed->text);
  *printed = (struct ir_printed){0};
}

static bool is_printable_ascii(unsigned char c)
{
  return c == '\n' || c == '\t' || (c >= ' ' && c < 0x7f);
}

char *ir_print_module_as_ascii(LLVMModuleRef module)
{
  static const char digits[] = "0123456789ABCDEF";
  char *text = LLVMPrintModuleToString(module);
  size_t length = 0, unprintable = 0;
  for (; text[length]; length++)
    unprintable += !is_printable_ascii((unsigned char)text[length]);
  if (!unprintable)
    return text;
  char *escaped = malloc(length + 2 * unprintable + 1), *to = escaped;
  for (size_t i = 0; escaped && i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    *to++ = is_printable_ascii(c) ? (char)c : '\\';
    if (!is_printable_ascii(c)) {
      *to++ = digits[c >> 4];
      *to++ = digits[c & 15];
    }
  }
  if (escaped)
    *to = '\0';
  LLVMDisposeMessage(text);
  return escaped;
}
