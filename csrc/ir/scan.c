/* What must be known of IR before LLVM may parse it: how deep its brackets nest, whether it takes the address of an
   intrinsic, whether an attribute has a NUL, whether a list of values is empty, and whether it has the module flag
   "Debug Info Version", whose name is masked.
   Needs: nothing. Leaves: the data of the same size, with the name's last letter changed wherever it is a name. */
#define _GNU_SOURCE /* memmem */
#include "ir/scan.h"

#include <ctype.h>
#include <string.h>

static const char name[] = "Debug Info Version";

enum list { LIST_NONE, LIST_NAMED, LIST_OPEN }; /* of a debug record's values: behind its name, its bracket */

static int hex(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What stands between two quotes, and the name of metadata, may spell any letter as \xx. */
static bool spells(const char *string, size_t length, const char *expected)
{
  size_t at = 0;
  for (; *expected; expected++) {
    if (at == length)
      return false;
    char c = string[at];
    if (c == '\\' && length - at >= 3 && hex(string[at + 1]) >= 0 && hex(string[at + 2]) >= 0) {
      c = (char)(hex(string[at + 1]) << 4 | hex(string[at + 2]));
      at += 2;
    }
    at++;
    if (c != *expected)
      return false;
  }
  return at == length;
}

/* Past a comment that starts at `at`, or `at` itself. */
static size_t skip_comment(const char *data, size_t size, size_t at)
{
  if (data[at] == ';') {
    const char *end = memchr(data + at, '\n', size - at);
    return end ? (size_t)(end - data) : size;
  }
  if (data[at] != '/' || at + 1 == size || data[at + 1] != '*')
    return at;
  for (at += 2; at + 1 < size; at++)
    if (data[at] == '*' && data[at + 1] == '/')
      return at + 2;
  return size;
}

static size_t line_of(const char *data, size_t at)
{
  size_t line = 1;
  for (size_t i = 0; i < at; i++)
    line += data[i] == '\n';
  return line;
}

/* The character that follows, spaces aside; NUL at the end. */
static char next_of(const char *data, size_t size, size_t at)
{
  while (at < size && strchr(" \t\r\n", data[at]))
    at++;
  return at < size ? data[at] : '\0';
}

/* Past the name of a global, which starts at `at`, quoted or not. */
static size_t skip_global(const char *data, size_t size, size_t at)
{
  if (at < size && data[at] == '"') {
    const char *end = memchr(data + at + 1, '"', size - at - 1);
    return end ? (size_t)(end - data) + 1 : size;
  }
  while (at < size && (isalnum((unsigned char)data[at]) || memchr("-$._", data[at], 4)))
    at++;
  return at;
}

/* Whether the global of this name, with its @, is defined by an equals sign: not a function. */
static bool is_variable(const char *data, size_t size, const char *global, size_t length)
{
  for (const char *found = data; (found = memmem(found, size - (size_t)(found - data), global, length)); found++)
    if (next_of(data, size, (size_t)(found - data) + length) == '=')
      return true;
  return false;
}

/* The first letter of the line. */
static size_t line_start(const char *data, size_t at)
{
  size_t line = at;
  while (line && data[line - 1] != '\n')
    line--;
  while (line < at && (data[line] == ' ' || data[line] == '\t'))
    line++;
  return line;
}

/* A string that is no array of bytes, no name and no metadata: of an attribute, a section. `at`: behind the quote. */
static bool has_nul(const char *data, size_t at, size_t length)
{
  bool any = memmem(data + at, length, "\\00", 3) || memchr(data + at, '\0', length);
  if (!any || (at >= 2 && memchr("c!@%$", data[at - 2], 5)))
    return false;
  return data[line_start(data, at)] != '!';
}

static bool is_in_list_of_uses(const char *data, size_t at)
{
  static const char word[] = "uselistorder";
  size_t line = line_start(data, at);
  return at - line >= sizeof word - 1 && !memcmp(data + line, word, sizeof word - 1);
}

/* LLVM's parser frees an intrinsic of a name that was LLVM's once, and looks at its calls alone before it does. Nothing
   but a call may name any: LLVM's verifier says so, too late. What bundles name (llvm.objc) has kept its name.
   `at`: behind the @. */
static bool takes_address(const char *data, size_t size, size_t at)
{
  static const char ours[] = "llvm.", bundled[] = "llvm.objc.";
  size_t first = at + (at < size && data[at] == '"'), end = skip_global(data, size, at);
  if (end - first < sizeof bundled || memcmp(data + first, ours, sizeof ours - 1) ||
      !memcmp(data + first, bundled, sizeof bundled - 1))
    return false;
  char next = next_of(data, size, end);
  return next != '(' && next != '=' && !is_in_list_of_uses(data, at) &&
         !is_variable(data, size, data + at - 1, end - at + 1);
}

/* Past the name of metadata, which starts at `at`. */
static size_t skip_metadata(const char *data, size_t size, size_t at)
{
  while (at < size && (isalnum((unsigned char)data[at]) || memchr("-$._\\", data[at], 5)))
    at++;
  return at;
}

/* Where the text is in such a list behind the character; `named`: it is the name's exclamation mark. */
static enum list list_after(enum list list, char c, bool named)
{
  if (c == '!')
    return named ? LIST_NAMED : LIST_NONE;
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
    return list;
  return c == '(' && list == LIST_NAMED ? LIST_OPEN : LIST_NONE;
}

struct ir_scan ir_scan_text(char *data, size_t size)
{
  struct ir_scan scan = {0};
  bool metadata = false; /* the last token was ! */
  enum list list = LIST_NONE;
  size_t depth = 0;
  for (size_t at = 0; at < size;) {
    size_t after = skip_comment(data, size, at);
    if (after != at) {
      at = after;
      continue;
    }
    char c = data[at++];
    size_t behind = c == '!' ? skip_metadata(data, size, at) : at; /* the name of metadata */
    if (c == ')' && list == LIST_OPEN && !scan.empty_line)
      scan.empty_line = line_of(data, at);
    list = list_after(list, c, spells(data + at, behind - at, "DIArgList"));
    if (c == '"') {
      const char *end = memchr(data + at, '"', size - at);
      size_t length = end ? (size_t)(end - data) - at : size - at;
      if (metadata && spells(data + at, length, name)) {
        data[at + length - 1] = '0'; /* n, or the e of \6e */
        scan.masked = true;
      }
      if (!scan.nul_line && has_nul(data, at, length))
        scan.nul_line = line_of(data, at);
      at += length + (end != NULL);
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (++depth > IR_MOST_NESTED && !scan.deep_line)
        scan.deep_line = line_of(data, at);
    } else if ((c == ')' || c == ']' || c == '}' || c == '>') && depth) {
      depth--;
    } else if (c == '@' && !scan.taken_line && takes_address(data, size, at)) {
      scan.taken_line = line_of(data, at);
    }
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\0')
      metadata = c == '!' && behind == at;
    at = behind > at ? behind : at;
  }
  return scan;
}

struct ir_scan ir_scan_bitcode(char *data, size_t size)
{
  const size_t length = sizeof name - 1;
  struct ir_scan scan = {0};
  for (size_t at = 0; size - at >= length; at++) {
    char *first = memchr(data + at, name[0], size - at - length + 1);
    if (!first)
      break;
    at = (size_t)(first - data);
    if (memcmp(first, name, length))
      continue;
    first[length - 1] = '0';
    scan.masked = true;
  }
  return scan;
}
