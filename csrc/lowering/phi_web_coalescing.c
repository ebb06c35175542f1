/* Groups fields by union-find; see phi_web_coalescing.h. */
#include "lowering/phi_web_coalescing.h"

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

uint32_t *coro_phi_web_of_each_field(const struct coro_lowering *low)
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
