/* Frame: which field each value and variable has, and at which offset.
   Needs: choose, variables, storage, remat; for offsets live. Leaves: a layout in bytes; the function as it was. */
#ifndef CORO_CORO_FRAME_H
#define CORO_CORO_FRAME_H

#include "coro/alloca.h"
#include "coro/live.h"
#include "coro/remat.h"
#include "coro/storage.h"

struct coro_field {
  coro_field_kind kind;
  uint32_t value;   /* value id of a spill or alloca, IR_NONE for the header */
  LLVMTypeRef type; /* of what a spill stores; NULL for an alloca */
  uint64_t size, align, offset;
  uint64_t realign; /* 0, or the alignment of the variable somewhere in the field, found at run time: the frame's own
                       is not enough for it */
};

/* What an ABI puts in front: fields with offsets, and the first free byte behind them. */
struct coro_frame_header {
  struct coro_field fields[4];
  uint32_t count;
  uint64_t end;
  bool open;               /* what alignment leaves free between its fields is for others */
  uint64_t align;          /* of the frame at least */
  uint64_t most_align;     /* that the allocator promises */
  uint64_t spill_align;    /* spills are never aligned to more: nobody can see their address */
  uint64_t size_align;     /* of the size, where malloc aligns the frame enough; 0: that of the frame */
  LLVMTypeRef index_type;  /* NULL: no index */
};

struct coro_frame {
  struct coro_frame_header header;
  struct coro_field *fields; /* header first, then in program order of what they hold */
  uint32_t field_count;
  uint32_t *of_value;        /* by value, of value_count: index in fields, or IR_NONE */
  uint32_t value_count;
  uint32_t index_field;      /* IR_NONE where one suspend needs no number */
  uint32_t promise_field;    /* IR_NONE where there is no promise */
  uint32_t heap_field;       /* the list of what is on the heap, IR_NONE where there are none */
  LLVMTypeRef index_type;
  uint64_t size, align;      /* size is rounded up as coro_frame_round does */
};

static inline uint32_t coro_field_of(const struct coro_frame *frame, uint32_t value) /* IR_NONE: it has none */
{
  return frame->of_value[CORO_INDEX(value, frame->value_count)];
}
coro_status coro_fields(struct coro_lowering *low); /* which there are */
coro_status coro_layout(struct coro_lowering *low); /* gives them offsets */
/* The size of a frame of this alignment that has so many bytes. */
uint64_t coro_frame_round(const struct coro_frame *frame, uint64_t bytes);
/* Two fields that have a byte in common though both are needed at some place, as they stand; IR_NONE: there are none.
   False: memory ran out. */
bool coro_frame_overlap(const struct coro_lowering *low, uint32_t pair[2]);
/* Indices of all fields, by offset and then by index. NULL: memory ran out. */
uint32_t *coro_frame_by_offset(struct coro_arena *arena, const struct coro_frame *frame);

#endif
