/* Hooks of tagged.py. Each frame contains a header, and the running coroutines form a chain, innermost last.
   clang -O1 -emit-llvm -c tagged.c */
#include <stdbool.h>
#include <stdint.h>

struct header {
  uint64_t magic;
  const char *name;
  struct header *parent; /* the coroutine that started or last resumed this one */
};

enum { DEEPEST = 1024 };

__attribute__((weak)) struct header *tagged_chain[DEEPEST];
__attribute__((weak)) int32_t tagged_depth;

struct header abi_header = {UINT64_C(0xC0207A66ED), 0, 0};

static void enter(struct header *header)
{
  header->parent = tagged_depth ? tagged_chain[tagged_depth - 1] : 0;
  if (tagged_depth < DEEPEST)
    tagged_chain[tagged_depth] = header;
  tagged_depth++;
}

void abi_begin(void *frame, struct header *header, const char *name)
{
  (void)frame;
  header->name = name;
  enter(header);
}

void abi_resumed(void *frame, int32_t index, bool destroyed, struct header *header)
{
  (void)frame, (void)index, (void)destroyed;
  enter(header);
}

void abi_suspend(void *frame, int32_t index)
{
  (void)frame, (void)index;
  tagged_depth--;
}

void abi_end(void *frame)
{
  (void)frame;
  tagged_depth--;
}

/* Reports the names of the running coroutine and its awaiters through `tell`. Returns their number, or -1 for an
   invalid header. */
__attribute__((weak)) int32_t tagged_walk(void (*tell)(const char *name))
{
  int32_t count = 0;
  for (struct header *h = tagged_depth ? tagged_chain[tagged_depth - 1] : 0; h; h = h->parent, count++) {
    if (h->magic != abi_header.magic)
      return -1;
    tell(h->name);
  }
  return count;
}
