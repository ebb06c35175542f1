/* Where a target keeps what each thread has one of.
   Needs: LLVM-C. Leaves: the module as it was. */
#include "ir/threads.h"

#include <stdbool.h>
#include <string.h>

static const struct {
  const char *prefix;
  enum threads threads;
} targets[] = {
#define LLVM_THREADS(prefix, threads) {prefix, THREADS_##threads},
#include "facts/targets.def"
};

/* Between the hyphens of the triple there is this word. */
static bool has_word(const char *triple, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = strchr(triple, '-'); at; at = strchr(at + 1, '-'))
    if (!strncmp(at + 1, word, length) && (!at[1 + length] || at[1 + length] == '-'))
      return true;
  return false;
}

/* The same word may be the vendor of a system: aarch64-none-linux-gnu. */
static bool has_system(const char *triple)
{
  return has_word(triple, "linux") || !(has_word(triple, "none") || has_word(triple, "elf"));
}

enum threads threads_of(LLVMModuleRef module)
{
  const char *triple = LLVMGetTarget(module);
  enum threads threads = *triple ? THREADS_UNKNOWN : THREADS_MANY; /* no target, none that cannot */
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    if (!strncmp(triple, targets[i].prefix, strlen(targets[i].prefix)))
      threads = targets[i].threads;
  return threads == THREADS_MANY && *triple && !has_system(triple) ? THREADS_ONE : threads;
}
