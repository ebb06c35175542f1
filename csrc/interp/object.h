/* Objects of memory, for the files that make and end them.
   Needs: room.h. Leaves: nothing. */
#ifndef CORO_INTERP_OBJECT_H
#define CORO_INTERP_OBJECT_H

#include "interp/room.h"

struct block {
  struct block *next, **link; /* in the list of whom it belongs to; next also in that of what is gone */
  struct block *left, *right; /* in the tree */
  uint64_t start, size;
  struct origin origin;
  bool dead;
};

static inline unsigned char *bytes_at(uint64_t address)
{
  return (unsigned char *)(uintptr_t)address;
}

struct block *object_new(struct interp *in, uint64_t size, uint64_t align, struct origin origin); /* on no list; NULL */
void object_end(struct interp *in, const struct op *op, struct block *block); /* it may not be used any more */
/* The object that has the byte at the address or ends there, gone or not; NULL. */
struct block *object_at(struct memory *memory, uint64_t address);
bool object_fits(uint64_t size, uint64_t align); /* there may be an object of that size */
void object_name(const struct block *block, char *text, size_t size); /* for people */
/* Whether all pages can be touched, as far as the system tells: for memory that is nobody's here. */
bool probe_range(struct interp *in, uint64_t address, uint64_t size, bool write);

#endif
