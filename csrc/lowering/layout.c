/* Stage `layout`: first-fit decreasing (graph/pack.c), or the order or the offsets of a custom ABI. */
#include "lowering/layout.h"

#include "base/align.h"
#include "graph/pack.h"
#include "llvm-c/DebugInfo.h"
#include "lowering/abi.h"
#include "lowering/coroutine_info.h"

/* ---- Coalescing of phi webs, by union-find ----

   Groups the fields of values that a phi merges, if their size and alignment are equal. The packing (graph/pack.c)
   gives a group one offset if live ranges permit it and the frame does not grow. A reload then does not depend on the
   path, and blocks that only differ in reloads become equal. */

struct unite {
  const struct coro_lowering *low;
  uint32_t *parent; /* indexed by field: parent in its set; the representative is its own parent */
  bool *more; /* indexed by representative: the set has other members */
};

static uint32_t find_field_representative(struct unite *u, uint32_t field)
{
  while (u->parent[field] != field)
    field = u->parent[field] = u->parent[u->parent[field]];
  return field;
}

/* The field of a spilled value; IR_NONE for constants, addresses of allocas and rematerialized values. */
static uint32_t field_of_spilled_value(const struct unite *u, uint32_t value)
{
  const struct coro_frame *frame = &u->low->frame;
  uint32_t field = value == IR_NONE || value & IR_BLOCK ? IR_NONE : coro_field_of(frame, value);
  return field != IR_NONE && frame->fields[field].kind == CORO_FIELD_SPILL ? field : IR_NONE;
}

static void unite_fields_if_equal_size_and_align(struct unite *u, uint32_t one, uint32_t other)
{
  const struct coro_field *fields = u->low->frame.fields;
  if (one == IR_NONE || other == IR_NONE || fields[one].size != fields[other].size ||
      fields[one].align != fields[other].align)
    return;
  one = find_field_representative(u, one);
  other = find_field_representative(u, other);
  if (one == other)
    return;
  u->parent[one < other ? other : one] = one < other ? one : other;
  u->more[one < other ? one : other] = true;
}

static void unite_fields_of_phi(struct unite *u, uint32_t phi)
{
  const struct ir_fn *fn = &u->low->fn;
  uint32_t first = field_of_spilled_value(u, ir_value_of_inst(fn, phi));
  for (uint32_t i = 0; i < ir_phi_count(fn, phi); i++) {
    uint32_t field = field_of_spilled_value(u, ir_operand(fn, phi, i));
    unite_fields_if_equal_size_and_align(u, first, field);
    first = first == IR_NONE ? field : first;
  }
}

/* Indexed by field: a number common to the fields of one web; 0: not in a web. NULL: out of memory. */
static uint32_t *coro_phi_web_of_each_field(const struct coro_lowering *low)
{
  uint32_t count = low->frame.field_count;
  struct unite u = {.low = low};
  u.parent = CORO_NEW_ARRAY(low->arena, uint32_t, (size_t)count + 1);
  u.more = CORO_NEW_ARRAY(low->arena, bool, (size_t)count + 1);
  uint32_t *together = CORO_NEW_ARRAY(low->arena, uint32_t, (size_t)count + 1);
  if (!u.parent || !u.more || !together)
    return NULL;
  for (uint32_t f = 0; f < count; f++)
    u.parent[f] = f;
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (low->fn.opcode[i] == LLVMPHI)
      unite_fields_of_phi(&u, i);
  for (uint32_t f = 0; f < count; f++)
    together[f] = u.more[find_field_representative(&u, f)] ? find_field_representative(&u, f) + 1 : 0;
  return together;
}

static void set_live_ranges_of_pack_item(const struct coro_field_liveness *live, uint32_t field, struct pack_item *item)
{
  item->live = live->ranges + live->start[field];
  item->live_count = live->start[field + 1] - live->start[field];
  item->shares = !coro_bits_get(&live->always, field);
}

/* Whether fields that are never live at the same time may share bytes; not if the ABI orders them. */
static bool may_fields_share_bytes(const struct coro_lowering *low)
{
  return low->strategy->overlaps && !low->abi->policies.order;
}

/* Converts the fields from index `first` on to items for packing. NULL: out of memory. */
static struct pack_item *make_pack_items(const struct coro_lowering *low, uint32_t first_field)
{
  uint32_t count = low->frame.field_count - first_field;
  struct pack_item *items = CORO_NEW_ARRAY(low->arena, struct pack_item, count);
  for (uint32_t i = 0; items && i < count; i++) {
    const struct coro_field *field = &low->frame.fields[first_field + i];
    items[i] = (struct pack_item){.size = field->size, .align = field->align, .offset = field->offset};
    items[i].fixed = first_field + i < low->frame.header.count;
    if (may_fields_share_bytes(low))
      set_live_ranges_of_pack_item(&low->field_liveness, first_field + i, &items[i]);
  }
  return items;
}

bool coro_frame_find_live_overlap(const struct coro_lowering *low, uint32_t pair_or_none[2])
{
  struct pack_item *items = make_pack_items(low, 0);
  return items && pack_find_conflicting_items_or_none(low->arena, items, low->frame.field_count, pair_or_none);
}

static void compute_frame_size_and_alignment(struct coro_frame *frame)
{
  uint64_t end = frame->header.end;
  frame->align = frame->header.align;
  for (uint32_t f = frame->header.count; f < frame->field_count; f++) {
    const struct coro_field *field = &frame->fields[f];
    end = field->offset + field->size > end ? field->offset + field->size : end;
    frame->align = field->align > frame->align ? field->align : frame->align;
  }
  frame->size = coro_frame_round_up_size(frame, end);
}

/* Whether padding of the header may be used; a custom layout starts after the header. */
static bool is_header_padding_usable(const struct coro_lowering *low)
{
  return low->frame.header.padding_is_usable && !low->abi->policies.layout;
}

/* Packs all fields after the header, and into the header's padding before an aligned promise. The index is one of
   the packed fields. `group_of_field`: fields of the same number should share an offset; NULL: none. */
static bool pack_fields_and_compute_frame_size(struct coro_lowering *low, const uint32_t *group_of_field)
{
  struct coro_frame *frame = &low->frame;
  bool open = is_header_padding_usable(low);
  uint32_t first = open ? 0 : frame->header.count, count = frame->field_count - first;
  uint64_t end, align;
  struct pack_item *items = make_pack_items(low, first);
  if (!items)
    return false;
  for (uint32_t i = 0; group_of_field && i < count; i++)
    items[i].kind = group_of_field[first + i];
  if (!pack_items_into_frame(low->arena, items, count, open ? 0 : frame->header.end, &end, &align))
    return false;
  for (uint32_t i = 0; i < count; i++)
    frame->fields[first + i].offset = items[i].offset;
  compute_frame_size_and_alignment(frame);
  return true;
}

/* ---- Strategies of layouts.def ---- */

static bool pack_fields_without_coalescing(struct coro_lowering *low)
{
  return pack_fields_and_compute_frame_size(low, NULL);
}

static bool pack_fields_with_phi_webs(struct coro_lowering *low)
{
  uint32_t *together = coro_phi_web_of_each_field(low);
  return together && pack_fields_and_compute_frame_size(low, together);
}

static bool always(LLVMValueRef function)
{
  (void)function;
  return true;
}

static bool has_no_debug_info(LLVMValueRef function)
{
  return !LLVMGetSubprogram(function);
}

static const struct layout_strategy strategies[] = {
#define CORO_LAYOUT(name, parameter, applies, assign_offsets, overlaps) {applies, assign_offsets, overlaps},
#include "lowering/layouts.def"
};

const struct layout_strategy *layout_strategy_for(enum frame_layout layout, LLVMValueRef function)
{
  return strategies[layout].applies(function) ? &strategies[layout] : &strategies[0];
}

/* The fields after the header, by offset. NULL: out of memory. */
static uint32_t *fields_after_header_by_offset(const struct coro_lowering *low)
{
  uint32_t count = 0, *order = coro_frame_indices_by_offset(low->arena, &low->frame);
  for (uint32_t i = 0; order && i < low->frame.field_count; i++)
    if (order[i] >= low->frame.header.count)
      order[count++] = order[i];
  return order;
}

/* ---- Order chosen by the ABI ---- */

/* Lays out the fields after the header in this order. */
static void assign_offsets_in_order(struct coro_frame *frame, const uint32_t *order)
{
  uint64_t end = frame->header.end;
  for (uint32_t i = 0; i < frame->field_count - frame->header.count; i++) {
    struct coro_field *field = &frame->fields[order[i]];
    field->offset = coro_align_to(end, field->align);
    end = field->offset + field->size;
  }
}

/* Whether the order contains every field after the header once. */
static bool is_permutation_of_non_header_fields(const struct coro_lowering *low, const uint32_t *order)
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

static coro_status order_fields_by_policy(struct coro_lowering *low)
{
  const struct coro_policies *policies = &low->abi->policies;
  uint32_t *order = fields_after_header_by_offset(low);
  if (!order)
    return CORO_ENOMEM;
  coro_status status = policies->order(policies, low, order, low->frame.field_count - low->frame.header.count);
  if (status == CORO_OK && !is_permutation_of_non_header_fields(low, order))
    return coro_reject(low, "order-of-fields", low->shape.id,
                       "the ABI's order() is not a permutation of the frame's fields", "return each given field once");
  if (status == CORO_OK)
    assign_offsets_in_order(&low->frame, order);
  return status;
}

/* ---- Offsets chosen by the ABI ---- */

static const char *field_place_text(struct coro_lowering *low, uint32_t f)
{
  const struct coro_field *field = &low->frame.fields[f];
  return coro_arena_printf(low->arena, "%s (offset %llu, size %llu)", coro_info_field_name(low, f),
                           (unsigned long long)field->offset, (unsigned long long)field->size);
}

static coro_status check_offset_chosen_by_policy(struct coro_lowering *low, uint32_t f, uint64_t offset)
{
  const struct coro_frame_header *header = &low->frame.header;
  const struct coro_field *field = &low->frame.fields[f];
  const char *abi = low->abi->policies.name, *name = coro_info_field_name(low, f);
  if (offset < header->end)
    return coro_reject(low, "layout-before-start", low->shape.id,
                       coro_arena_printf(low->arena, "%s places %s at byte %llu, inside the frame's header", abi, name,
                                         (unsigned long long)offset),
                       "place all fields at or after the given start");
  if (offset % field->align)
    return coro_reject(low, "layout-alignment", low->shape.id,
                       coro_arena_printf(low->arena, "%s places %s at byte %llu, which is not aligned", abi, name,
                                         (unsigned long long)offset),
                       "use a multiple of each field's alignment");
  if (offset > IR_MAX_BYTES - field->size - low->frame.align)
    return coro_reject(low, "frame-too-large", low->shape.id,
                       coro_arena_printf(low->arena, "%s places %s beyond the largest offset", abi, name),
                       "use smaller offsets");
  return CORO_OK;
}

static coro_status check_overlap_chosen_by_policy(struct coro_lowering *low)
{
  uint32_t pair[2];
  if (!coro_frame_find_live_overlap(low, pair))
    return CORO_ENOMEM;
  if (pair[0] == IR_NONE)
    return CORO_OK;
  return coro_reject(low, "layout-overlap", low->shape.id,
                     coro_arena_printf(low->arena, "%s lets %s overlap %s, but both are live at the same time",
                                       low->abi->policies.name, field_place_text(low, pair[1]),
                                       field_place_text(low, pair[0])),
                     low->strategy->overlaps ? "only fields that are never live at the same time may overlap"
                                             : "use separate bytes, or allow sharing with coro-split<reuse-storage>");
}

static coro_status place_fields_by_policy(struct coro_lowering *low)
{
  const struct coro_policies *policies = &low->abi->policies;
  struct coro_frame *frame = &low->frame;
  uint32_t count = frame->field_count - frame->header.count, *fields = fields_after_header_by_offset(low);
  uint64_t *offsets = CORO_NEW_ARRAY(low->arena, uint64_t, count);
  if (!fields || !offsets)
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < count; i++)
    offsets[i] = frame->fields[fields[i]].offset;
  coro_status status = policies->layout(policies, low, fields, count, offsets);
  for (uint32_t i = 0; i < count && status == CORO_OK; i++)
    status = check_offset_chosen_by_policy(low, fields[i], offsets[i]);
  if (status != CORO_OK)
    return status;
  for (uint32_t i = 0; i < count; i++)
    frame->fields[fields[i]].offset = offsets[i];
  return check_overlap_chosen_by_policy(low);
}

coro_status coro_run_layout_stage(struct coro_lowering *low)
{
  const struct coro_policies *policies = &low->abi->policies;
  coro_status status = CORO_OK;
  if (!(policies->order ? &strategies[LAYOUT_separate] : low->strategy)->assign_offsets(low))
    return CORO_ENOMEM;
  if (low->shape.suspend_count && policies->order)
    status = order_fields_by_policy(low);
  else if (low->shape.suspend_count && policies->layout)
    status = place_fields_by_policy(low);
  compute_frame_size_and_alignment(&low->frame);
  return status;
}
