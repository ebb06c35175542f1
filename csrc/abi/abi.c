/* Table of LLVM's ABIs, indexed by the kind of coro.id that selects them. */
#include "abi/abi.h"

const struct coro_abi *coro_abi_of(coro_abi_kind kind)
{
  static const struct coro_abi *const all[] = {
#define CORO_ABI(name) &coro_abi_##name,
#include "abi/abis.def"
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]->ids & 1u << kind)
      return all[i];
  return NULL;
}
