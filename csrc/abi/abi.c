/* Table of LLVM's ABIs, indexed by the kind of coro.id that selects them. */
#include "abi/abi.h"

const struct coro_abi *coro_abi_of(coro_abi_kind kind)
{
  static const struct coro_abi *const all[] = {&coro_abi_switch, &coro_abi_retcon, &coro_abi_dynamic, &coro_abi_async};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]->ids & 1u << kind)
      return all[i];
  return NULL;
}
