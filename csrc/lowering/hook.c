/* A table of the arguments of each hook. */
#include "lowering/hook.h"

static const struct {
  const char *name;
  enum hook_argument arguments[HOOK_MAX_ARGUMENTS];
} hooks[HOOK_COUNT] = {
#define CORO_HOOK(name, result, more, retcon, async, signature, ...) {#name, {__VA_ARGS__}},
#include "lowering/hooks.def"
};

unsigned hook_defined_argument_count(enum hook hook)
{
  unsigned count = 0;
  while (count < HOOK_MAX_ARGUMENTS && hooks[hook].arguments[count] != ARG_NONE)
    count++;
  return count;
}

enum hook_argument hook_argument_kind(enum hook hook, unsigned index)
{
  return hooks[hook].arguments[index];
}

const char *hook_name_without_abi_prefix(enum hook hook)
{
  return hooks[hook].name;
}
