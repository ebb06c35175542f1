/* Finds fields of the frame that share bytes, and checks that each field is aligned and inside the frame. Sharing
   itself is no error: the claims and memory_flow.h then prove that each reader finds its own content.
   Requires: a frame with offsets. */
#pragma once

#include "check/check_data.h"

/* Proves that each field is aligned and within the frame. */
bool frame_overlap_check_alignment_and_bounds(struct check *c);
/* Whether the field shares bytes with another; with `spill`, with a spilled value. False also if memory runs out. */
bool frame_overlap_is_shared(struct check *c, uint32_t field, bool spill);
/* Whether the address is in the frame: `offset` bytes into it, rounded down to `align` at run time (1: not). */
bool frame_overlap_is_frame_address(const struct check_clone *k, LLVMValueRef address, uint64_t *offset,
                                    uint64_t *align);
bool frame_overlap_is_constant_ptrmask(LLVMValueRef call); /* an llvm.ptrmask with a constant mask */
/* Whether this is the address at which the memory of a field of an alloca starts. */
bool frame_overlap_is_start_of_alloca_field(const struct coro_field *field, uint64_t offset, uint64_t align);
/* Whether the address at which an alloca or byval-like argument is placed is that of its field, and the field is
   large enough. */
bool frame_overlap_is_address_of_fitting_field(const struct check *c, uint32_t value, const struct coro_field *field,
                                               uint64_t offset, uint64_t align);
/* Whether the bytes of the two ranges intersect. */
static inline bool frame_overlap_intersects(uint64_t offset, uint64_t size, uint64_t other, uint64_t other_size)
{
  return size && other_size && offset < other + other_size && other < offset + size;
}
/* The field of an alloca or byval-like argument; NULL: none. */
static inline const struct coro_field *frame_overlap_field(const struct check *c, uint32_t value)
{
  uint32_t field = c->low->frame.of_value[value];
  return field == IR_NONE ? NULL : &c->low->frame.fields[field];
}
