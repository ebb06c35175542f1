/* Stage `fields`: collects the fields of the frame, with type, size, alignment and reason; the ABI's header first. */
#include "lowering/frame.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/align.h"
#include "base/arena.h"
#include "lowering/abi.h"
#include "lowering/lowering.h"

static struct coro_field make_spill_field(const struct ir_fn *fn, uint32_t value, uint64_t max_align,
                                          LLVMTargetDataRef layout)
{
  LLVMTypeRef type = LLVMTypeOf(ir_value(fn, value));
  if (LLVMGetTypeKind(type) == LLVMTokenTypeKind) /* a storage token is spilled as its address */
    type = LLVMPointerTypeInContext(LLVMGetTypeContext(type), 0);
  struct coro_field field = {.kind = CORO_FIELD_SPILL, .value = value, .type = type};
  field.size = LLVMABISizeOfType(layout, field.type);
  field.align = LLVMABIAlignmentOfType(layout, field.type);
  if (field.align > max_align)
    field.align = max_align;
  return field;
}

static struct coro_field make_alloca_field(const struct coro_alloca *alloca, uint64_t max_align)
{
  struct coro_field field = {.kind = CORO_FIELD_ALLOCA,
                             .value = alloca->value,
                             .size = alloca->size,
                             .align = alloca->align ? alloca->align : 1};
  if (field.align > max_align) {
    field.size += field.align - max_align;
    field.realign = field.align;
    field.align = max_align;
  }
  return field;
}

static void append_spill_and_alloca_fields(const struct coro_lowering *low, struct coro_frame *frame)
{
  for (uint32_t value = 0; value < ir_value_count(&low->fn); value++) {
    const struct coro_alloca *a = coro_alloca_of(&low->allocas, value);
    frame->of_value[value] = IR_NONE;
    if (a && a->in_frame && a->promise) {
      frame->of_value[value] = frame->promise_field;
    } else if (a && (a->in_frame || a->spilled)) {
      frame->of_value[value] = frame->field_count;
      frame->fields[frame->field_count++] = make_alloca_field(a, frame->header.allocator_align);
    } else if (coro_bits_get(&low->remat.spilled, value)) {
      frame->of_value[value] = frame->field_count;
      frame->fields[frame->field_count++] =
          make_spill_field(&low->fn, value, frame->header.max_spill_align, low->layout);
    }
  }
}

static uint32_t count_spills_and_frame_allocas(const struct coro_lowering *low)
{
  uint32_t count = 0;
  for (uint32_t value = 0; value < ir_value_count(&low->fn); value++)
    count += coro_bits_get(&low->remat.spilled, value);
  for (uint32_t a = 0; a < low->allocas.count; a++)
    count += low->allocas.items[a].in_frame || low->allocas.items[a].spilled;
  return count;
}

static void append_header_and_index_fields(struct coro_frame *frame, LLVMTargetDataRef layout)
{
  const struct coro_frame_header *header = &frame->header;
  for (uint32_t i = 0; i < header->count; i++) {
    if (header->fields[i].kind == CORO_FIELD_PROMISE)
      frame->promise_field = frame->field_count;
    frame->fields[frame->field_count++] = header->fields[i];
  }
  if (!header->index_type)
    return;
  frame->index_field = frame->field_count;
  uint64_t size = LLVMABISizeOfType(layout, header->index_type);
  frame->fields[frame->field_count++] = (struct coro_field){
      .kind = CORO_FIELD_INDEX, .value = IR_NONE, .type = header->index_type, .size = size, .align = size};
}

/* The first value that is allocated on the heap, or IR_NONE. */
static uint32_t first_heap_allocated_value_or_none(const struct ir_fn *fn, const struct coro_allocas *allocas,
                                                   const struct coro_alloca_intrinsics *storage)
{
  for (uint32_t a = 0; a < allocas->count; a++)
    if (allocas->items[a].heap)
      return allocas->items[a].value;
  return storage->list ? ir_value_of_inst(fn, storage->first) : IR_NONE;
}

static void append_heap_list_field(struct coro_frame *frame, const struct ir_fn *fn, uint32_t value,
                                   LLVMTargetDataRef layout)
{
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(fn->function));
  if (value == IR_NONE)
    return;
  frame->heap_field = frame->field_count;
  frame->fields[frame->field_count++] = (struct coro_field){.kind = CORO_FIELD_ALLOCA,
                                                            .value = value,
                                                            .size = ir_pointer_size(context, layout),
                                                            .align = ir_pointer_align(context, layout),
                                                            .type = LLVMPointerTypeInContext(context, 0)};
}

coro_status coro_run_fields_stage(struct coro_lowering *low)
{
  struct coro_frame *frame = &low->frame;
  *frame = (struct coro_frame){.index_field = IR_NONE, .promise_field = IR_NONE, .heap_field = IR_NONE};
  low->abi->header(low, &frame->header);
  uint32_t count = frame->header.count + 2 + count_spills_and_frame_allocas(low);
  frame->fields = CORO_NEW_ARRAY(low->arena, struct coro_field, count);
  frame->value_count = ir_value_count(&low->fn);
  frame->of_value = CORO_NEW_ARRAY(low->arena, uint32_t, frame->value_count);
  if (!frame->fields || !frame->of_value)
    return CORO_ENOMEM;
  append_header_and_index_fields(frame, low->layout);
  append_spill_and_alloca_fields(low, frame);
  append_heap_list_field(frame, &low->fn,
                         first_heap_allocated_value_or_none(&low->fn, &low->allocas, &low->alloca_intrinsics),
                         low->layout);
  return CORO_OK;
}

uint64_t coro_frame_round_up_size(const struct coro_frame *frame, uint64_t bytes)
{
  const struct coro_frame_header *header = &frame->header;
  bool usual = header->size_multiple && header->size_multiple < frame->align && frame->align <= header->max_spill_align;
  return coro_align_to(bytes, usual ? header->size_multiple : frame->align);
}

static int compare_field_offsets(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b; /* {offset, field} pairs */
  return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

uint32_t *coro_frame_indices_by_offset(struct coro_arena *arena, const struct coro_frame *frame)
{
  uint64_t (*keys)[2] = coro_arena_zalloc(arena, frame->field_count, sizeof *keys);
  uint32_t *order = CORO_NEW_ARRAY(arena, uint32_t, frame->field_count);
  if (!keys || !order)
    return NULL;
  for (uint32_t f = 0; f < frame->field_count; f++) {
    keys[f][0] = frame->fields[f].offset;
    keys[f][1] = f;
  }
  qsort(keys, frame->field_count, sizeof *keys, compare_field_offsets);
  for (uint32_t i = 0; i < frame->field_count; i++)
    order[i] = (uint32_t)keys[i][1];
  return order;
}

/* ---- Lower bound of the size ---- */

struct coro_lowering;

/* Maximal sum of sizes of fields live at one position, by a sweep over the ends of live ranges. Fields that are always
   live are added separately. */
static bool compute_max_live_bytes(struct coro_arena *arena, const struct coro_lowering *low, uint64_t *max_bytes)
{
  const struct coro_field_liveness *live = &low->field_liveness;
  uint64_t *changes = CORO_NEW_ARRAY(arena, uint64_t, live->position_count + 1), bytes = 0;
  *max_bytes = 0;
  if (!changes)
    return false;
  for (uint32_t f = 0; f < low->frame.field_count; f++)
    for (uint32_t r = live->start[f]; r < live->start[f + 1]; r++) {
      changes[live->ranges[r].first] += low->frame.fields[f].size;
      changes[live->ranges[r].end] -= low->frame.fields[f].size;
    }
  for (uint32_t position = 0; position < live->position_count; position++) {
    bytes += changes[position];
    *max_bytes = bytes > *max_bytes ? bytes : *max_bytes;
  }
  return true;
}

bool coro_frame_size_lower_bound(struct coro_arena *arena, const struct coro_lowering *low, uint64_t *bound)
{
  const struct coro_frame *frame = &low->frame;
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  if (!compute_max_live_bytes(arena, low, bound))
    return false;
  coro_arena_rewind(arena, scratch);
  for (uint32_t f = 0; f < frame->field_count; f++)
    *bound += coro_bits_get(&low->field_liveness.always, f) ? frame->fields[f].size : 0;
  *bound = coro_frame_round_up_size(frame, *bound > frame->header.end ? *bound : frame->header.end);
  return true;
}
