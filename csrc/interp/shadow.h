/* Which bytes of memory are undefined: two bits for each such byte, in a table of 64-byte chunks. An undefined byte
   holds a pattern, so that what foreign code writes there is seen.
   Needs: nothing. Leaves: bytes that nobody marked are defined. */
#ifndef CORO_INTERP_SHADOW_H
#define CORO_INTERP_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chunk { /* which of 64 bytes are undefined */
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

/* False: memory ran out, which it does not where bytes become defined. */
bool shadow_mark(struct shadow *shadow, uint64_t address, uint64_t size, bool undef, bool poison);
/* Makes bytes undefined that were written. False: memory ran out. */
bool shadow_forget(struct shadow *shadow, uint64_t address, uint64_t size, bool poison);
/* Which of up to 64 bytes are undefined, and which of these are poison. */
uint64_t shadow_undefined(const struct shadow *shadow, uint64_t address, unsigned size, uint64_t *poison);
void shadow_free(struct shadow *shadow);

#endif
