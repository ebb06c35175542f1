/* Shadow memory: tracks which bytes are undefined. An undefined byte is filled with a pattern, so that writes by native
   code are detected.
   Requires: nothing. Guarantees: unmarked bytes are defined. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chunk { /* marks of 64 bytes */
  uint64_t key, undef, poison;
};

struct shadow {
  struct chunk *chunks;
  size_t count, capacity;
};

static inline unsigned char *bytes_at(uint64_t address)
{
  return (unsigned char *)(uintptr_t)address;
}

/* False: out of memory; cannot happen if bytes become defined. */
bool shadow_mark_bytes(struct shadow *shadow, uint64_t address, uint64_t size, bool undef, bool poison);
/* Makes bytes undefined. False: out of memory. */
bool shadow_fill_and_mark_undefined(struct shadow *shadow, uint64_t address, uint64_t size, bool poison);
/* Masks of the undefined and poison bytes among up to 64. */
uint64_t shadow_query_undefined_bytes(const struct shadow *shadow, uint64_t address, unsigned size, uint64_t *poison);
void shadow_free(struct shadow *shadow);
