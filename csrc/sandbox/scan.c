/* Scans IR lexically before LLVM parses it (see scan.h). Linear in the text, except for lookups of names that are
   not called. */
#define _GNU_SOURCE /* memmem */
#include "sandbox/scan.h"

#include <ctype.h>
#include <string.h>

static const char flag_name[] = "Debug Info Version";

enum arg_list { LIST_NONE, LIST_NAMED, LIST_OPEN }; /* DIArgList: after its name, after its bracket */

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Quoted strings and metadata names may encode any letter as \xx. */
static bool is_escape_of(const char *string, size_t length, const char *expected)
{
  size_t at = 0;
  for (; *expected; expected++) {
    if (at == length)
      return false;
    char c = string[at];
    if (c == '\\' && length - at >= 3 && hex_digit(string[at + 1]) >= 0 && hex_digit(string[at + 2]) >= 0) {
      c = (char)(hex_digit(string[at + 1]) << 4 | hex_digit(string[at + 2]));
      at += 2;
    }
    at++;
    if (c != *expected)
      return false;
  }
  return at == length;
}

/* Returns the end of a comment that starts at `at`, else `at`. */
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

/* The next character that is not white space; NUL at the end. */
static char next_nonspace_or_nul(const char *data, size_t size, size_t at)
{
  while (at < size && strchr(" \t\r\n", data[at]))
    at++;
  return at < size ? data[at] : '\0';
}

/* Returns the end of the global's name, quoted or not, that starts at `at`. */
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

/* True if `global` (including @) is defined with an equals sign, so that it is not a function. */
static bool is_defined_as_variable_or_alias(const char *data, size_t size, const char *global, size_t length)
{
  for (const char *found = data; (found = memmem(found, size - (size_t)(found - data), global, length)); found++)
    if (next_nonspace_or_nul(data, size, (size_t)(found - data) + length) == '=')
      return true;
  return false;
}

/* The first character of the line that is not white space. */
static size_t first_nonspace_of_line(const char *data, size_t at)
{
  size_t line = at;
  while (line && data[line - 1] != '\n')
    line--;
  while (line < at && (data[line] == ' ' || data[line] == '\t'))
    line++;
  return line;
}

/* True for a string with a NUL that is not a byte array, name or metadata: an attribute, a section. `at`: after the
   quote. */
static bool is_attribute_or_section_with_nul(const char *data, size_t at, size_t length)
{
  bool any = memmem(data + at, length, "\\00", 3) || memchr(data + at, '\0', length);
  if (!any || (at >= 2 && memchr("c!@%$", data[at - 2], 5)))
    return false;
  return data[first_nonspace_of_line(data, at)] != '!';
}

static bool is_in_uselistorder(const char *data, size_t at)
{
  static const char word[] = "uselistorder";
  size_t line = first_nonspace_of_line(data, at);
  return at - line >= sizeof word - 1 && !memcmp(data + line, word, sizeof word - 1);
}

/* LLVM's auto-upgrade frees the declaration of an obsolete intrinsic and rewrites only its calls; the verifier
   rejects other uses too late. The intrinsics that bundles name (llvm.objc) are not upgraded. `at`: after the @. */
static bool takes_intrinsic_address(const char *data, size_t size, size_t at)
{
  static const char ours[] = "llvm.", bundled[] = "llvm.objc.";
  size_t first = at + (at < size && data[at] == '"'), end = skip_global(data, size, at);
  if (end - first < sizeof bundled || memcmp(data + first, ours, sizeof ours - 1) ||
      !memcmp(data + first, bundled, sizeof bundled - 1))
    return false;
  char next = next_nonspace_or_nul(data, size, end);
  return next != '(' && next != '=' && !is_in_uselistorder(data, at) &&
         !is_defined_as_variable_or_alias(data, size, data + at - 1, end - at + 1);
}

/* Returns the end of the metadata name that starts at `at`. */
static size_t skip_metadata_name(const char *data, size_t size, size_t at)
{
  while (at < size && (isalnum((unsigned char)data[at]) || memchr("-$._\\", data[at], 5)))
    at++;
  return at;
}

/* The state after a character; `named`: it is the exclamation mark of !DIArgList. */
static enum arg_list arg_list_after(enum arg_list arg_list, char c, bool named)
{
  if (c == '!')
    return named ? LIST_NAMED : LIST_NONE;
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
    return arg_list;
  return c == '(' && arg_list == LIST_NAMED ? LIST_OPEN : LIST_NONE;
}

struct ir_scan ir_scan_text_and_mask_flag(char *data, size_t size)
{
  struct ir_scan scan = {0};
  bool metadata = false; /* the last token was ! */
  enum arg_list arg_list = LIST_NONE;
  size_t depth = 0;
  for (size_t at = 0; at < size;) {
    size_t after = skip_comment(data, size, at);
    if (after != at) {
      at = after;
      continue;
    }
    char c = data[at++];
    size_t name_end = c == '!' ? skip_metadata_name(data, size, at) : at; /* end of a metadata name */
    if (c == ')' && arg_list == LIST_OPEN && !scan.empty_line)
      scan.empty_line = line_of(data, at);
    arg_list = arg_list_after(arg_list, c, is_escape_of(data + at, name_end - at, "DIArgList"));
    if (c == '"') {
      const char *end = memchr(data + at, '"', size - at);
      size_t length = end ? (size_t)(end - data) - at : size - at;
      if (metadata && is_escape_of(data + at, length, flag_name)) {
        data[at + length - 1] = '0'; /* n, or the e of \6e */
        scan.masked = true;
      }
      if (!scan.nul_line && is_attribute_or_section_with_nul(data, at, length))
        scan.nul_line = line_of(data, at);
      at += length + (end != NULL);
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (++depth > IR_MAX_NESTING && !scan.deep_line)
        scan.deep_line = line_of(data, at);
    } else if ((c == ')' || c == ']' || c == '}' || c == '>') && depth) {
      depth--;
    } else if (c == '@' && !scan.address_taken_line && takes_intrinsic_address(data, size, at)) {
      scan.address_taken_line = line_of(data, at);
    }
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\0')
      metadata = c == '!' && name_end == at;
    at = name_end > at ? name_end : at;
  }
  return scan;
}

struct ir_scan ir_scan_bitcode_and_mask_flag(char *data, size_t size)
{
  const size_t length = sizeof flag_name - 1;
  struct ir_scan scan = {0};
  for (size_t at = 0; size - at >= length; at++) {
    char *first = memchr(data + at, flag_name[0], size - at - length + 1);
    if (!first)
      break;
    at = (size_t)(first - data);
    if (memcmp(first, flag_name, length))
      continue;
    first[length - 1] = '0';
    scan.masked = true;
  }
  return scan;
}
