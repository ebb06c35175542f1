/* Looks up the thread-local storage model of a target in llvm_targets.def. */
#include "ir/thread_storage.h"

#include <stdbool.h>
#include <string.h>

#include "base/starts_with.h"

static const struct {
  const char *prefix;
  enum threads threads;
} targets[] = {
#define LLVM_THREAD_STORAGE(prefix, threads) {prefix, THREADS_##threads},
#include "llvm_targets.def"
};

/* True if one component of the triple after the architecture is `word`. */
static bool triple_has_component(const char *triple, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = strchr(triple, '-'); at; at = strchr(at + 1, '-'))
    if (!strncmp(at + 1, word, length) && (!at[1 + length] || at[1 + length] == '-'))
      return true;
  return false;
}

/* In aarch64-none-linux-gnu "none" is the vendor, not the system. */
static bool triple_has_operating_system(const char *triple)
{
  return triple_has_component(triple, "linux") ||
         !(triple_has_component(triple, "none") || triple_has_component(triple, "elf"));
}

enum threads thread_local_storage_support_of(LLVMModuleRef module)
{
  const char *triple = LLVMGetTarget(module);
  /* Without a target, thread_local is assumed to work. */
  enum threads threads = *triple ? THREADS_UNKNOWN : THREADS_MANY;
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    if (coro_starts_with(triple, targets[i].prefix))
      threads = targets[i].threads;
  return threads == THREADS_MANY && *triple && !triple_has_operating_system(triple) ? THREADS_ONE : threads;
}
