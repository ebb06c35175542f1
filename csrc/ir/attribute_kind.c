/* A direct-mapped cache for each thread, so that no lock is needed. */
#include "ir/attribute_kind.h"

#include <string.h>

#include "llvm-c/Core.h"

enum { SLOTS = 64, MAX_LENGTH = 24 };

struct slot {
  char name[MAX_LENGTH + 1]; /* empty: the slot is free */
  unsigned kind;
};

static unsigned slot_of_name(const char *name, size_t length)
{
  return ((unsigned char)name[0] * 7u + (unsigned char)name[length / 2] * 3u + (unsigned char)name[length - 1] * 5u +
          (unsigned)length) %
         SLOTS;
}

unsigned attribute_kind(const char *name)
{
  static _Thread_local struct slot slots[SLOTS];
  size_t length = strlen(name);
  if (!length || length > MAX_LENGTH)
    return LLVMGetEnumAttributeKindForName(name, length);
  struct slot *slot = &slots[slot_of_name(name, length)];
  if (memcmp(slot->name, name, length + 1) != 0) {
    memcpy(slot->name, name, length + 1);
    slot->kind = LLVMGetEnumAttributeKindForName(name, length);
  }
  return slot->kind;
}
