/* Layout: an offset for every field of the frame.
   Needs: fields, and where they are live if they are to share bytes. Leaves: the frame's size and alignment. */
#include <stdlib.h>

#include "base/align.h"
#include "coro/abi.h"
#include "graph/pack.h"

static void live_of(const struct coro_live *live, uint32_t field, struct pack_item *item)
{
  item->live = live->ranges + live->start[field];
  item->live_count = live->start[field + 1] - live->start[field];
  item->shares = !coro_bits_get(&live->always, field);
}

/* Everything behind the header is packed; the index is one of the fields that may fill a hole. Two that `live` says
   are never needed at once may share bytes; NULL: none do. */
static bool pack(struct coro_frame *frame, struct coro_arena *arena, const struct coro_live *live)
{
  const struct coro_frame_header *header = &frame->header;
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
    frame->fields[header->count + i].offset = items[i].offset;
  frame->align = align > header->align ? align : header->align;
  frame->size = coro_align_to(end > header->end ? end : header->end, frame->align);
  return true;
}

/* ---- An order of the ABI's own ---- */

/* Puts the fields behind the header one after another, in this order. */
static void place(struct coro_frame *frame, const uint32_t *order)
{
  const struct coro_frame_header *header = &frame->header;
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

/* Every field behind the header is in the order once. */
static bool is_permutation(const struct coro_lowering *low, const uint32_t *order)
{
  uint32_t first = low->frame.header.count;
  struct coro_bits seen;
  if (!coro_bits_init(&seen, low->arena, low->frame.field_count))
    return false;
  for (uint32_t i = 0; i < low->frame.field_count - first; i++) {
    if (order[i] < first || order[i] >= low->frame.field_count || coro_bits_get(&seen, order[i]))
      return false;
    coro_bits_set(&seen, order[i]);
  }
  return true;
}

/* The ABI puts the fields behind the header in an order of its own. */
static coro_status order_fields(struct coro_lowering *low)
{
  uint32_t count = 0, *order = coro_frame_by_offset(low->arena, &low->frame);
  for (uint32_t i = 0; order && i < low->frame.field_count; i++)
    if (order[i] >= low->frame.header.count)
      order[count++] = order[i];
  if (!order)
    return CORO_ENOMEM;
  coro_status status = low->abi->policies.order(&low->abi->policies, low, order, count);
  if (status == CORO_OK && !is_permutation(low, order))
    return coro_reject(low, "order-of-fields", low->shape.id,
                       "the ABI's order of the frame leaves out a field, or names one twice",
                       "give back the fields that were given, each once");
  if (status == CORO_OK)
    place(&low->frame, order);
  return status;
}

coro_status coro_layout(struct coro_lowering *low)
{
  bool share = low->share && !low->abi->policies.order;
  if (!pack(&low->frame, low->arena, share ? &low->live : NULL))
    return CORO_ENOMEM;
  return low->abi->policies.order && low->shape.suspend_count ? order_fields(low) : CORO_OK;
}
