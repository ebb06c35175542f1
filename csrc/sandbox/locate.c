/* Turns LLVM's parse error message into a diagnostic. LLVM reports line and column; a scan of the lines before finds
   the function and block. Linear in the text before the error. */
#include "sandbox/locate.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/starts_with.h"
#include "ir/verify.h"
#include "llvm_version.h"

struct span {
  const char *at;
  size_t length;
};

struct line_context {
  struct span function, block, source;
};

/* The name in "define ... @name(" or @"name"(. */
static struct span name_defined_in_line(struct span line)
{
  const char *end = line.at + line.length, *at = memchr(line.at, '@', line.length);
  if (!at || ++at == end)
    return (struct span){NULL, 0};
  const char *stop = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : memchr(at, '(', (size_t)(end - at));
  at += *at == '"';
  return stop ? (struct span){at, (size_t)(stop - at)} : (struct span){NULL, 0};
}

/* "entry:" or "7:  ; preds = ...", assumed not to be indented. */
static struct span block_label_in_line(struct span line)
{
  size_t i = 0;
  if (line.length && line.at[0] == '"') {
    const char *quote = memchr(line.at + 1, '"', line.length - 1);
    i = quote ? (size_t)(quote - line.at) + 1 : line.length;
  } else {
    while (i < line.length && line.at[i] &&
           strchr("-$._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", line.at[i]))
      i++;
  }
  return i && i < line.length && line.at[i] == ':' ? (struct span){line.at, i} : (struct span){NULL, 0};
}

static struct span trim_spaces(struct span s)
{
  while (s.length && (*s.at == ' ' || *s.at == '\t')) {
    s.at++;
    s.length--;
  }
  while (s.length && s.at[s.length - 1] && strchr(" \r\n", s.at[s.length - 1]))
    s.length--;
  return s;
}

static struct line_context find_line_context(const char *data, size_t size, unsigned long wanted)
{
  struct line_context context = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
  const char *at = data, *end = data + size;
  for (unsigned long number = 1; number <= wanted; number++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    struct span line = {at, (size_t)((newline ? newline : end) - at)};
    struct span found;
    if (line.length > 7 && !strncmp(line.at, "define ", 7)) {
      context.function = name_defined_in_line(line);
      context.block = (struct span){NULL, 0};
    } else if (context.function.at && (found = block_label_in_line(line)).at) {
      context.block = found;
    } else if (line.length && line.at[0] == '}' && number < wanted) {
      context.function = context.block = (struct span){NULL, 0};
    }
    context.source = trim_spaces(line);
    if (!newline)
      break;
    at = newline + 1;
  }
  return context;
}

/* Length in bytes of the first UTF-8 character; 0: invalid UTF-8, or NUL. */
static size_t utf8_length(const unsigned char *at, size_t length)
{
  size_t size = !*at ? 0 : *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
  if (size > length)
    return 0;
  for (size_t i = 1; i < size; i++)
    if ((at[i] & 0xc0) != 0x80)
      return 0;
  return size;
}

static bool is_utf8(struct span s)
{
  size_t at = 0, step = 1;
  for (; at < s.length && step; at += step)
    step = utf8_length((const unsigned char *)s.at + at, s.length - at);
  return step != 0;
}

/* The prefix and at most 400 bytes of whole characters; "" if the text is not UTF-8. */
static const char *copy_text_if_utf8(struct coro_arena *arena, const char *prefix, struct span s)
{
  if (!s.at || !is_utf8(s))
    return "";
  size_t length = s.length < 400 ? s.length : 400;
  while (length < s.length && (s.at[length] & 0xc0) == 0x80)
    length--;
  return coro_arena_printf(arena, "%s%.*s", prefix, (int)length, s.at);
}

/* ---- Hints ---- */

static const char CORRECT_LINE[] = "correct the line; " LLVM_NAME "'s `opt -S` reports the same";

static bool span_contains(struct span s, const char *word)
{
  size_t length = strlen(word);
  for (size_t i = 0; i + length <= s.length; i++)
    if (!memcmp(s.at + i, word, length))
      return true;
  return false;
}

static bool span_starts_with(struct span s, const char *word)
{
  return s.length >= strlen(word) && coro_starts_with(s.at, word);
}

static bool is_file_path(struct span s)
{
  static const char *const suffixes[] = {".ll", ".bc", ".cpp", ".cc", ".c"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    size_t length = strlen(suffixes[i]);
    if (s.length > length && !memcmp(s.at + s.length - length, suffixes[i], length))
      return true;
  }
  return false;
}

/* The line does not occur in IR, but does at the start of C and C++ files. */
static bool is_c_source_line(struct span line)
{
  static const char *const starts[] = {"#",      "//",       "/*",     "int ",      "struct ",
                                       "class ", "template", "using ", "namespace "};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (span_starts_with(line, starts[i]))
      return true;
  return false;
}

/* LLVM reads some typed pointers, but no load or getelementptr without the type of what they access. */
static bool has_typed_pointers(struct span line)
{
  return (span_contains(line, " load ") || span_contains(line, " getelementptr ")) && span_contains(line, "*");
}

/* LLVM 23 prints attributes and floating-point literals that LLVM 22 does not parse. */
static bool is_syntax_of_newer_llvm(struct span line, const char *message)
{
  static const char *const words[] = {
      "dead_on_return(", "denormal_fpenv(", " nooutline", " noipa",  " f0x",     "+inf",    "-inf",
      "+qnan",           "-qnan",           "+nan(0x",    "-nan(0x", "+snan(0x", "-snan(0x"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (span_contains(line, words[i]))
      return true;
  /* a decimal number that is not exact in its type */
  return !strncmp(message, "floating point constant ", 24) &&
         (span_contains(line, "float ") || span_contains(line, "half ") || span_contains(line, "fp80 ") ||
          span_contains(line, "fp128 "));
}

/* The hint for a rejected line of `size` bytes of input, without surrounding spaces. */
static const char *hint_for_rejected_line(struct span line, size_t size, const char *message)
{
  if (line.length == size && is_file_path(line))
    return "this is a path, not IR: in Python, Module.from_file reads a file";
  if (is_c_source_line(line))
    return "this is C or C++: `pycoro explore FILE` shows its coroutines; "
           "`" LLVM_PROGRAM("clang++") " -std=c++20 -Xclang -disable-llvm-passes -S -emit-llvm FILE` writes its IR";
  if (has_typed_pointers(line))
    return "this is IR of an older LLVM: read it with `pycoro upgrade`, or Module(..., upgrade=True)";
  if (is_syntax_of_newer_llvm(line, message))
    return "this is IR of a newer LLVM: read it with `pycoro upgrade`, or Module(..., upgrade=True)";
  return CORRECT_LINE;
}

coro_status ir_locate_parse_error(coro_diags *diags, const char *message, const char *name, const char *data,
                                  size_t size)
{
  coro_diag diag = {.status = CORO_EPARSE, .rule = "parse", .message = message};
  diag.hint = CORRECT_LINE;
  size_t skip = strlen(name);
  char *rest = NULL;
  unsigned long line =
      strncmp(message, name, skip) || message[skip] != ':' ? 0 : strtoul(message + skip + 1, &rest, 10);
  unsigned long column = line && *rest == ':' ? strtoul(rest + 1, &rest, 10) : 0;
  struct coro_arena *arena = diags && line && !strncmp(rest, ": error: ", 9) ? coro_arena_create() : NULL;
  if (!arena)
    return coro_diags_add(diags, &diag);
  rest += 9;
  struct line_context context = find_line_context(data, size, line);
  diag.function = copy_text_if_utf8(arena, "", context.function);
  diag.block = copy_text_if_utf8(arena, "%", context.block);
  diag.instruction = copy_text_if_utf8(arena, "", context.source);
  diag.hint = hint_for_rejected_line(context.source, trim_spaces((struct span){data, size}).length, rest);
  if (!strncmp(rest, "invalid intrinsic", 17)) /* this hint fits better than those for verifier messages */
    diag.hint = ir_hint_for_verifier_message(arena, rest, diag.instruction ? diag.instruction : "");
  struct span words = {rest, strcspn(rest, "\n")};
  if (!is_utf8(context.source))
    diag.hint = "the line is not text; LLVM IR is UTF-8 text, or bitcode, which starts with the letters BC";
  diag.message = coro_arena_printf(arena, "line %lu, column %lu: %s", line, column,
                                   is_utf8(words) ? coro_arena_strndup(arena, rest, words.length) : "not LLVM IR");
  coro_diags_add(diags, &diag);
  coro_arena_free(arena);
  return CORO_EPARSE;
}
