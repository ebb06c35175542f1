/* Textual IR from a corpus of .ll files. Mutations delete, repeat and move lines, and copy tokens between lines,
   because text with random byte changes rarely parses.
   Requires: fuzz.h. */
#include "fuzz.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

struct span {
  size_t start, end;
};

static unsigned next(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Returns the span around a byte between two such separators, including the final one. */
static struct span around(const uint8_t *data, size_t size, size_t at, const char *separators)
{
  struct span span = {at, at};
  while (span.start > 0 && !strchr(separators, data[span.start - 1]))
    span.start--;
  while (span.end < size && !strchr(separators, data[span.end]))
    span.end++;
  span.end += span.end < size;
  return span;
}

/* Replaces `to` by a copy of `from`. */
static size_t replace(uint8_t *data, size_t size, size_t most, struct span to, struct span from)
{
  size_t length = from.end - from.start, rest = size - to.end;
  uint8_t *copy = length ? malloc(length) : NULL;
  if (to.start + length + rest > most || (length && !copy)) {
    free(copy);
    return size;
  }
  if (length)
    memcpy(copy, data + from.start, length);
  memmove(data + to.start + length, data + to.end, rest);
  if (length)
    memcpy(data + to.start, copy, length);
  free(copy);
  return to.start + length + rest;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
  static const char lines[] = "\n", words[] = " ,()[]\n";
  if (!size || next(&seed) % 16 == 0)
    return LLVMFuzzerMutate(data, size, most);
  const char *unit = next(&seed) % 2 ? lines : words;
  struct span here = around(data, size, next(&seed) % size, unit), there = around(data, size, next(&seed) % size, unit);
  switch (next(&seed) % 4) {
  case 0: return replace(data, size, most, here, (struct span){here.start, here.start});
  case 1: return replace(data, size, most, (struct span){here.start, here.start}, there);
  default: return replace(data, size, most, here, there);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  coro_module *module = NULL;
  coro_diags *diags = NULL;
  fuzz_expect(!coro_diags_create(&diags));
  coro_status status = size && data[0] != 'B' && data[0] != 0xde
                           ? coro_module_parse(&module, (const char *)data, size, "input", diags)
                           : (module = NULL, CORO_EPARSE);
  fuzz_expect(!status == !!module &&
              (!size || !status || data[0] == 'B' || data[0] == 0xde || coro_diags_count(diags)));
  if (module)
    fuzz_module(module, (uint8_t)size);
  coro_module_free(module);
  coro_diags_free(diags);
  return 0;
}
