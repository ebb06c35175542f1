/* Lowerings of a file with the same code. Only the first is attacked, because the mutants of the others are equal. Both
   layouts create the same frame if no fields overlap, and custom ABIs do not lower coroutines that they do not select.
   Requires: witnesses of complete clones. */
#include <string.h>

#include "attack/attack.h"
#include "base/digest.h"

static struct {
  uint64_t digests[256]; /* of the ABI and the code; further lowerings of a file are all attacked */
  size_t count;
} attacked;

void attack_next_file(void)
{
  attacked.count = 0;
}

static uint64_t digest_of_code(const struct coro_lowering *low)
{
  static const struct digest_key key = {{1, 2}};
  uint64_t digest = keyed_hash_of_bytes(&key, &low->abi, sizeof low->abi);
  for (uint32_t n = 0; n < low->witness->clones.count; n++) {
    char *text = LLVMPrintValueToString(low->witness->clones.items[n].function);
    const uint64_t words[] = {digest, keyed_hash_of_bytes(&key, text, strlen(text))};
    digest = keyed_hash_of_bytes(&key, words, sizeof words);
    LLVMDisposeMessage(text);
  }
  return digest;
}

bool attack_is_repeated(const struct coro_lowering *low)
{
  uint64_t digest = digest_of_code(low);
  for (size_t i = 0; i < attacked.count; i++)
    if (attacked.digests[i] == digest)
      return true;
  if (attacked.count < sizeof attacked.digests / sizeof *attacked.digests)
    attacked.digests[attacked.count++] = digest;
  return false;
}
