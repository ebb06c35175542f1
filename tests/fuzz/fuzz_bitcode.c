/* Bitcode, which LLVM writes from the input's text (it cannot read all of it again). LLVM's reader trusts bitcode and
   crashes on flipped bits, so this target fuzzes the processing of well-formed files. With PYCORO_FUZZ_RAW in the
   environment the input is the bitcode; use it with -fork=1 -ignore_crashes=1.
   Requires: fuzz.h. */
#include "fuzz.h"

static void fuzz_bitcode(const char *data, size_t size, uint8_t choice)
{
  coro_module *module = NULL;
  if (!coro_module_parse(&module, data, size, "input", NULL))
    fuzz_module(module, choice);
  coro_module_free(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  coro_module *module = NULL;
  char *bitcode;
  size_t length;
  if (getenv("PYCORO_FUZZ_RAW")) {
    fuzz_bitcode((const char *)data, size, (uint8_t)size);
    return 0;
  }
  if (!size || data[0] == 'B' || data[0] == 0xde || coro_module_parse(&module, (const char *)data, size, "input", NULL))
    return 0;
  fuzz_expect(!coro_module_bitcode(module, &bitcode, &length));
  coro_module_free(module);
  fuzz_bitcode(bitcode, length, (uint8_t)size);
  coro_string_free(bitcode);
  return 0;
}
