/* Masking of the name of the module flag "Debug Info Version" in IR that has not been parsed yet.
   Needs: nothing. Leaves: the data of the same size, with the name's last letter changed wherever it is a name. */
#include "ir/mask.h"

#include <string.h>

static const char name[] = "Debug Info Version";

static int hex(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The string between two quotes may spell any letter as \xx. */
static bool is_name(const char *string, size_t length)
{
  size_t at = 0;
  for (const char *expected = name; *expected; expected++) {
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
  const char *end = NULL;
  if (data[at] == ';') {
    end = memchr(data + at, '\n', size - at);
    return end ? (size_t)(end - data) : size;
  }
  if (data[at] != '/' || at + 1 == size || data[at + 1] != '*')
    return at;
  for (at += 2; at + 1 < size; at++)
    if (data[at] == '*' && data[at + 1] == '/')
      return at + 2;
  return size;
}

bool ir_mask_text(char *data, size_t size)
{
  bool found = false, metadata = false; /* the last token was ! */
  for (size_t at = 0; at < size;) {
    size_t after = skip_comment(data, size, at);
    if (after != at) {
      at = after;
      continue;
    }
    char c = data[at++];
    if (c == '"') {
      const char *end = memchr(data + at, '"', size - at);
      size_t length = end ? (size_t)(end - data) - at : size - at;
      if (metadata && is_name(data + at, length)) {
        data[at + length - 1] = '0'; /* n, or the e of \6e */
        found = true;
      }
      at += length + (end != NULL);
    }
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\0')
      metadata = c == '!';
  }
  return found;
}

bool ir_mask_bitcode(char *data, size_t size)
{
  const size_t length = sizeof name - 1;
  bool found = false;
  for (size_t at = 0; size - at >= length; at++) {
    char *first = memchr(data + at, name[0], size - at - length + 1);
    if (!first)
      break;
    at = (size_t)(first - data);
    if (memcmp(first, name, length))
      continue;
    first[length - 1] = '0';
    found = true;
  }
  return found;
}
