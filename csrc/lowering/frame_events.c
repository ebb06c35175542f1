/* Collects events from uses, allocas and reload points, and sorts them by node. */
#include "lowering/frame_events.h"

#include <stdlib.h>

#include "base/compare.h"
#include "ir/operand.h"

struct collector {
  struct frame_events *events;
  struct coro_arena *arena;
  const struct coro_lowering *low;
  struct coro_map seen; /* pairs of a value and the node that reloads it */
};

static bool add_frame_event(struct collector *c, enum frame_event_kind kind, uint32_t field, uint32_t node,
                            uint32_t inst)
{
  return coro_vec_push(c->arena, &c->events->items,
                       ((struct frame_event){.node = node, .inst = inst, .kind = kind, .field = field}));
}

/* A use of a rematerialized value is a use of its operands. */
static bool add_reload_events_at_node(struct collector *c, uint32_t value, uint32_t reload_node)
{
  const struct coro_lowering *low = c->low;
  uint32_t field = coro_field_of(&low->frame, value), def = ir_inst_of_value(&low->fn, value);
  uint64_t seen, key = coro_map_pair(value, reload_node);
  bool again = field == IR_NONE && def != IR_NONE && coro_bits_get(&low->remat.rematerialized, value);
  if ((!again && field == IR_NONE) || coro_map_get(&c->seen, key, &seen))
    return true;
  if (!coro_map_put(&c->seen, key, 1))
    return false;
  if (!again)
    return low->frame.fields[field].kind != CORO_FIELD_SPILL || add_frame_event(c, EVENT_RELOAD, field, reload_node, 0);
  for (uint32_t o = low->fn.operand_start[def]; o < low->fn.operand_start[def + 1]; o++)
    if (!(low->fn.operands[o] & IR_BLOCK) && !add_reload_events_at_node(c, low->fn.operands[o], reload_node))
      return false;
  return true;
}

/* A use in the epoch of the definition does not access the frame. */
static bool add_reload_events_of_use(void *context, uint32_t value, uint32_t inst, uint32_t node)
{
  struct collector *c = context;
  const struct coro_lowering *low = c->low;
  const struct coro_crossing *crossing = &low->crossing;
  bool fine = true;
  (void)inst;
  if (crossing->epoch[coro_node_that_defines_value(&low->fn, &low->cfg, value)] == crossing->epoch[node])
    return true;
  for (unsigned r = 0; r < CORO_RELOAD_CLONE_KINDS && fine; r++)
    if (low->cfg.nodes[node].clone_kinds & coro_reload_clone_kinds[r])
      fine = add_reload_events_at_node(
          c, value, coro_reload_point_or_region(low, value, crossing->reload_region[node], coro_reload_clone_kinds[r]));
  return fine;
}

static bool add_definition_event(struct collector *c, uint32_t field)
{
  const struct coro_lowering *low = c->low;
  uint32_t value = low->frame.fields[field].value, inst = ir_inst_of_value(&low->fn, value);
  uint32_t node = coro_node_that_defines_value(&low->fn, &low->cfg, value), first = low->cfg.nodes[node].first;
  return add_frame_event(c, EVENT_DEFINED, field, node, inst == IR_NONE || inst < first ? first : inst);
}

static bool add_events_at_insts(struct collector *c, enum frame_event_kind kind, uint32_t field,
                                const coro_insts *insts)
{
  for (uint32_t i = 0; i < insts->count; i++)
    if (!add_frame_event(c, kind, field, cfg_node_of(&c->low->cfg, insts->items[i]), insts->items[i]))
      return false;
  return true;
}

/* Whether the instruction writes the whole alloca without reading it. An instruction with two such operands occurs
   twice. */
static bool overwrites_whole_alloca(const struct coro_lowering *low, const struct coro_alloca *a, uint32_t access_index)
{
  const coro_insts *accesses = &a->accesses;
  uint32_t inst = accesses->items[access_index];
  LLVMValueRef access = low->fn.insts[inst], variable = ir_value(&low->fn, a->value);
  if ((access_index && accesses->items[access_index - 1] == inst) ||
      (access_index + 1 < accesses->count && accesses->items[access_index + 1] == inst))
    return false;
  if (low->fn.opcode[inst] != LLVMStore || LLVMGetOperand(access, STORE_ADDRESS) != variable)
    return false;
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(access, STORE_VALUE));
  return ir_has_fixed_size(low->sizes, type) && LLVMStoreSizeOfType(low->layout, type) >= a->size;
}

static bool add_alloca_access_events(struct collector *c, uint32_t field, const struct coro_alloca *a)
{
  for (uint32_t i = 0; i < a->accesses.count; i++) {
    uint32_t inst = a->accesses.items[i];
    enum frame_event_kind kind = overwrites_whole_alloca(c->low, a, i) ? EVENT_STORED : EVENT_ACCESS;
    if (!add_frame_event(c, kind, field, cfg_node_of(&c->low->cfg, inst), inst))
      return false;
  }
  return true;
}

static bool add_events_of_alloca(struct collector *c, const struct coro_alloca *a)
{
  const struct coro_lowering *low = c->low;
  uint32_t field = coro_field_of(&low->frame, a->value), begin = low->shape.begin;
  return add_alloca_access_events(c, field, a) && add_events_at_insts(c, EVENT_STARTS, field, &a->starts) &&
         add_events_at_insts(c, EVENT_ENDS, field, &a->ends) &&
         /* coro.begin copies the content into the frame */
         (!a->copy_in || add_frame_event(c, EVENT_ACCESS, field, cfg_node_of(&low->cfg, begin), begin));
}

static int compare_frame_events(const void *left, const void *right)
{
  const struct frame_event *a = left, *b = right;
  int order = compare_numbers(a->node, b->node);
  order = order ? order : compare_numbers(a->inst, b->inst);
  order = order ? order : compare_numbers((uint32_t)a->kind, (uint32_t)b->kind);
  return order ? order : compare_numbers(a->field, b->field);
}

static bool sort_frame_events(struct collector *c)
{
  uint32_t nodes = c->low->cfg.node_count, n = 0;
  c->events->start = CORO_NEW_ARRAY(c->arena, uint32_t, nodes + 1);
  if (!c->events->start)
    return false;
  if (c->events->items.count)
    qsort(c->events->items.items, c->events->items.count, sizeof *c->events->items.items, compare_frame_events);
  for (uint32_t e = 0; e < c->events->items.count; e++)
    while (n <= c->events->items.items[e].node)
      c->events->start[n++] = e;
  while (n <= nodes)
    c->events->start[n++] = c->events->items.count;
  return true;
}

bool frame_events_find(struct frame_events *events, struct coro_arena *arena, const struct coro_lowering *low)
{
  struct collector c = {.events = events, .arena = arena, .low = low};
  *events = (struct frame_events){0};
  coro_map_init(&c.seen, arena);
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (!coro_visit_operands_used_in_clones(low, i, add_reload_events_of_use, &c))
      return false;
  for (uint32_t field = 0; field < low->frame.field_count; field++)
    if (low->frame.fields[field].kind == CORO_FIELD_SPILL && !add_definition_event(&c, field))
      return false;
  for (uint32_t a = 0; a < low->allocas.count; a++)
    if (low->allocas.items[a].in_frame && !low->allocas.items[a].promise &&
        !add_events_of_alloca(&c, &low->allocas.items[a]))
      return false;
  return sort_frame_events(&c);
}
