/* Stages `fields` and `layout`: the frame has a header, then a field for each spilled value and each frame-resident
   alloca. `fields` (frame.c) collects them, `layout` (layout.c) assigns their offsets.
   Requires: select_abi, frame_allocas, alloca_intrinsics, remat; field_liveness, for offsets.
   Guarantees: after `fields` all members but offsets, size and align; after `layout` these, too. */
#pragma once

#include "lowering/alloca.h"
#include "lowering/alloca_intrinsics.h"
#include "lowering/field_liveness.h"
#include "lowering/remat.h"

struct coro_lowering;

struct coro_field {
  coro_field_kind kind;
  uint32_t value; /* value id of a spill or alloca, IR_NONE for header fields */
  LLVMTypeRef type; /* type of a spill; NULL for an alloca */
  uint64_t size, align, offset;
  /* 0, or the alignment of the alloca within the field, computed at run time because the frame's alignment is
     smaller */
  uint64_t realign;
};

/* What the ABI determines: fields that it puts first, with offsets, and limits. */
struct coro_frame_header {
  /* `count` of these: f.resume, f.destroy, the promise, a custom header (one field for its elements) */
  struct coro_field fields[4];
  uint32_t count;
  uint64_t end; /* first byte after them */
  bool padding_is_usable; /* padding in the header may hold other fields */
  uint64_t align; /* minimum alignment of the frame, bytes */
  uint64_t allocator_align; /* of the frame's memory; a more aligned alloca is aligned at run time (realign) */
  uint64_t max_spill_align; /* limit of spills' alignment; pycoro may choose a smaller one, as no address is visible */
  /* The frame's size is a multiple of its alignment; or, if that is greater than size_multiple and at most
     max_spill_align, of size_multiple, because malloc aligns such a frame anyway. Example: size_multiple 8,
     max_spill_align 16, and 40 bytes of fields. A frame aligned to 16 has 40 bytes, one aligned to 32 has 64. 0: it is
     always a multiple of its alignment. */
  uint64_t size_multiple;
  LLVMTypeRef index_type; /* of the suspend index, a field after the header; NULL: none */
};

struct coro_frame {
  struct coro_frame_header header;
  struct coro_field *fields; /* header first, then in program order */
  uint32_t field_count;
  uint32_t *of_value; /* indexed by value: index in fields, or IR_NONE */
  uint32_t value_count;
  uint32_t index_field; /* IR_NONE if a single suspend needs no index */
  uint32_t promise_field; /* IR_NONE without a promise */
  uint32_t heap_field; /* holds the head of the list of all heap blocks (alloca.h, alloca_intrinsics.h), or IR_NONE */
  uint64_t size, align; /* size is rounded up by coro_frame_round_up_size */
};

static inline uint32_t coro_field_of(const struct coro_frame *frame, uint32_t value) /* IR_NONE: none */
{
  return frame->of_value[CORO_INDEX(value, frame->value_count)];
}
coro_status coro_run_fields_stage(struct coro_lowering *low); /* collects the fields */
coro_status coro_run_layout_stage(struct coro_lowering *low); /* assigns offsets */
/* The size of a frame whose fields end at `bytes`, rounded up as size_multiple says. */
uint64_t coro_frame_round_up_size(const struct coro_frame *frame, uint64_t bytes);
/* Finds two fields that overlap although both are live at one position; IR_NONE: none. False: out of memory. */
bool coro_frame_find_live_overlap(const struct coro_lowering *low, uint32_t pair_or_none[2]);
/* Lower bound for the size of any layout of the frame, for reports: the maximal sum of sizes of simultaneously live
   fields, at least that of the header, rounded up to the frame's alignment. Requires layout and live ranges
   (low->wants_live). False: out of memory. */
bool coro_frame_size_lower_bound(struct coro_arena *arena, const struct coro_lowering *low, uint64_t *bound);
/* Indices of all fields, sorted by offset and index. NULL: out of memory. */
uint32_t *coro_frame_indices_by_offset(struct coro_arena *arena, const struct coro_frame *frame);
