/* Frame: which field each value and variable has, and at which offset.
   Needs: number, shape, crossing, allocas, remat. Leaves: a layout in bytes; the function as it was. */
#include "coro/frame.h"

#include <stdlib.h>

#include "base/align.h"
#include "base/fault.h"
#include "graph/pack.h"

static bool is_spilled(const struct coro_crossing *crossing, const struct coro_remat *remat, uint32_t value)
{
  return coro_bits_get(&crossing->crosses, value) && !coro_bits_get(&remat->again, value);
}

static struct coro_field spill_field(const struct ir_fn *fn, uint32_t value, uint64_t most, LLVMTargetDataRef layout)
{
  LLVMTypeRef type = LLVMTypeOf(ir_value(fn, value));
  if (LLVMGetTypeKind(type) == LLVMTokenTypeKind) /* of storage: its address */
    type = LLVMPointerTypeInContext(LLVMGetTypeContext(type), 0);
  struct coro_field field = {.kind = CORO_FIELD_SPILL, .value = value, .type = type};
  field.size = LLVMABISizeOfType(layout, field.type);
  field.align = LLVMABIAlignmentOfType(layout, field.type);
  if (field.align > most)
    field.align = most;
  return field;
}

static struct coro_field alloca_field(const struct coro_alloca *alloca, uint64_t most)
{
  struct coro_field field = {.kind = CORO_FIELD_ALLOCA,
                             .value = alloca->value,
                             .size = alloca->size,
                             .align = alloca->align ? alloca->align : 1};
  if (field.align > most) {
    field.size += field.align - most;
    field.realign = field.align;
    field.align = most;
  }
  return field;
}

static void collect(struct coro_frame *frame, const struct ir_fn *fn, const struct coro_crossing *crossing,
                    const struct coro_allocas *allocas, const struct coro_remat *remat,
                    const struct coro_frame_header *header, LLVMTargetDataRef layout)
{
  for (uint32_t value = 0; value < ir_value_count(fn); value++) {
    uint32_t a = allocas->of_value[value];
    frame->of_value[value] = IR_NONE;
    if (a != IR_NONE && allocas->items[a].in_frame && allocas->items[a].promise) {
      frame->of_value[value] = frame->promise_field;
    } else if (a != IR_NONE && (allocas->items[a].in_frame || allocas->items[a].kept)) {
      frame->of_value[value] = frame->field_count;
      frame->fields[frame->field_count++] = alloca_field(&allocas->items[a], header->most_align);
    } else if (is_spilled(crossing, remat, value)) {
      frame->of_value[value] = frame->field_count;
      frame->fields[frame->field_count++] = spill_field(fn, value, header->spill_align, layout);
    }
  }
}

static uint32_t count_fields(const struct ir_fn *fn, const struct coro_crossing *crossing,
                             const struct coro_allocas *allocas, const struct coro_remat *remat)
{
  uint32_t count = 0;
  for (uint32_t value = 0; value < ir_value_count(fn); value++)
    count += is_spilled(crossing, remat, value);
  for (uint32_t a = 0; a < allocas->count; a++)
    count += allocas->items[a].in_frame || allocas->items[a].kept;
  return count;
}

static void place_header(struct coro_frame *frame, const struct coro_frame_header *header, LLVMTargetDataRef layout)
{
  for (uint32_t i = 0; i < header->count; i++) {
    if (header->fields[i].kind == CORO_FIELD_PROMISE)
      frame->promise_field = frame->field_count;
    frame->fields[frame->field_count++] = header->fields[i];
  }
  if (!header->index_type)
    return;
  frame->index_field = frame->field_count;
  frame->index_type = header->index_type;
  uint64_t size = LLVMABISizeOfType(layout, header->index_type);
  frame->fields[frame->field_count++] = (struct coro_field){
      .kind = CORO_FIELD_INDEX, .value = IR_NONE, .type = header->index_type, .size = size, .align = size};
}

static void live_of(const struct coro_live *live, uint32_t field, struct pack_item *item)
{
  item->live = live->ranges + live->start[field];
  item->live_count = live->start[field + 1] - live->start[field];
  item->shares = !coro_bits_get(&live->always, field);
}

/* Everything behind the header is packed; the index is one of the fields that may fill a hole. */
bool coro_frame_lay_out(struct coro_frame *frame, struct coro_arena *arena, const struct coro_frame_header *header,
                        const struct coro_live *live)
{
  uint32_t count = frame->field_count - header->count;
  struct pack_item *items = CORO_NEW_ARRAY(arena, struct pack_item, count);
  if (!items)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    const struct coro_field *field = &frame->fields[header->count + i];
    items[i] = (struct pack_item){.size = field->size, .align = field->align};
    if (live)
      live_of(live, header->count + i, &items[i]);
  }
  uint64_t end = header->end, align = 1;
  if (!pack_items(arena, items, count, header->end, &end, &align))
    return false;
  for (uint32_t i = 0; i < count; i++)
    frame->fields[header->count + i].offset = items[i].offset - FAULTY(arena, offset_short);
  frame->align = align > header->align ? align : header->align;
  frame->size = coro_align_to(end > header->end ? end : header->end, frame->align) - 8 * FAULTY(arena, size_short);
  return true;
}

/* The first value that is on the heap, IR_NONE where none is. */
static uint32_t first_on_heap(const struct ir_fn *fn, const struct coro_allocas *allocas,
                              const struct coro_storage *storage)
{
  for (uint32_t a = 0; a < allocas->count; a++)
    if (allocas->items[a].heap)
      return allocas->items[a].value;
  return storage->list ? ir_value_of_inst(fn, storage->first) : IR_NONE;
}

void coro_frame_place(struct coro_frame *frame, const struct coro_frame_header *header, const uint32_t *order)
{
  uint64_t end = header->end;
  frame->align = header->align;
  for (uint32_t i = 0; i < frame->field_count - header->count; i++) {
    struct coro_field *field = &frame->fields[order[i]];
    field->offset = coro_align_to(end, field->align);
    end = field->offset + field->size;
    frame->align = field->align > frame->align ? field->align : frame->align;
  }
  frame->size = coro_align_to(end, frame->align);
}

static int by_key(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b; /* {offset, field} pairs */
  return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

uint32_t *coro_frame_by_offset(struct coro_arena *arena, const struct coro_frame *frame)
{
  uint64_t (*keys)[2] = coro_arena_zalloc(arena, frame->field_count, sizeof *keys);
  uint32_t *order = CORO_NEW_ARRAY(arena, uint32_t, frame->field_count);
  if (!keys || !order)
    return NULL;
  for (uint32_t f = 0; f < frame->field_count; f++) {
    keys[f][0] = frame->fields[f].offset;
    keys[f][1] = f;
  }
  qsort(keys, frame->field_count, sizeof *keys, by_key);
  for (uint32_t i = 0; i < frame->field_count; i++)
    order[i] = (uint32_t)keys[i][1];
  return order;
}

static void add_heap_field(struct coro_frame *frame, const struct ir_fn *fn, uint32_t value, LLVMTargetDataRef layout)
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

bool coro_frame_collect(struct coro_frame *frame, struct coro_arena *arena, const struct ir_fn *fn,
                        const struct coro_crossing *crossing, const struct coro_allocas *allocas,
                        const struct coro_remat *remat, const struct coro_storage *storage,
                        const struct coro_frame_header *header, LLVMTargetDataRef layout)
{
  *frame = (struct coro_frame){.index_field = IR_NONE, .promise_field = IR_NONE, .heap_field = IR_NONE};
  uint32_t count = header->count + 2 + count_fields(fn, crossing, allocas, remat);
  frame->fields = CORO_NEW_ARRAY(arena, struct coro_field, count);
  frame->of_value = CORO_NEW_ARRAY(arena, uint32_t, ir_value_count(fn));
  if (!frame->fields || !frame->of_value)
    return false;
  place_header(frame, header, layout);
  collect(frame, fn, crossing, allocas, remat, header, layout);
  add_heap_field(frame, fn, first_on_heap(fn, allocas, storage), layout);
  return true;
}
