/* Lists what presplit instructions do with the memory of an alloca: accesses through its address and through addresses
   derived from it.
   Requires: the stage `number`.
   Guarantees: an access that is not understood counts as one that reads, writes and captures. */
#pragma once

#include "check/check_data.h"

enum memory_effect {
  MEMORY_READS = 1,
  MEMORY_WRITES = 2,
  MEMORY_STARTS = 4,  /* the content is undefined before, or overwritten as a whole, or dead after */
  MEMORY_ESCAPES = 8, /* the address is stored, or passed to code that may store it */
  MEMORY_STORED = 16, /* it is stored by this instruction */
};

struct memory_use {
  uint32_t inst;    /* in the presplit function */
  unsigned effects; /* set of enum memory_effect */
};

struct memory_uses {
  CORO_VEC(struct memory_use) items;
  CORO_VEC(uint32_t) derived; /* presplit values that hold the address, or one computed from it */
  CORO_VEC(uint32_t) returned; /* results of calls that are passed such a value and may contain it */
};

/* Records that a clone uses the address of this memory. Returns true. */
bool record_use_of_memory_address(struct check *c, uint32_t value, unsigned place);
/* Finds all uses. False: out of memory. */
bool memory_uses_find(struct check *c, uint32_t value, struct memory_uses *uses);
/* Adds the uses of `returned`, and the values derived from it, after those that memory_uses_find has found. Required
   for uses before llvm.coro.begin: an address that escapes later keeps its memory in the frame. */
bool memory_uses_add_uses_of_call_results(struct check *c, uint32_t value, struct memory_uses *uses);
/* The bytes of the memory's content. False, and 0 bytes: unknown. */
bool find_size_of_memory(const struct check *c, uint32_t value, uint64_t *bytes);

/* Whether the content moves from the stack or the caller's memory into the frame. */
static inline bool memory_moves_into_frame(const struct check *c, uint32_t memory)
{
  const struct check_memory *item = &c->memories.items[memory];
  return item->places & PLACE_IN_FRAME && (item->places & PLACE_BEFORE_BEGIN || item->value < c->low->fn.arg_count);
}
