/* Finds the frame fields that lose their content to another field in the same bytes. Each field gets the span from its
   first event to its last write, in a topological order of the CFG's strongly connected components. A field is intact
   at the end if all overlapping fields are written before its first event.
   Requires: a frame layout.
   Guarantees: debug->shared and debug->overwritten are filled; the function is unchanged. */
#include "debug/records.h"
#include "lowering/frame_events.h"

enum { MOST_COMPARED = 64 }; /* limit of overlapping fields that are compared */

/* First event and last write of a field, as positions in topological order. */
struct span {
  uint64_t first, last;
};

struct search {
  const struct coro_lowering *low;
  struct graph_scc scc;
  struct span *spans; /* indexed by field */
  uint32_t over[MOST_COMPARED], count; /* fields that start before the current offset and end after it */
  uint64_t dropped; /* end of the fields dropped because of the limit */
};

static struct span span_of_event(const struct search *s, uint32_t node, uint32_t inst)
{
  uint32_t component = s->scc.component[node];
  uint64_t place = (uint64_t)(s->scc.count - component) << 32;
  bool repeated = s->scc.cyclic[component];
  return (struct span){repeated ? place : place | inst, repeated ? place | UINT32_MAX : place | inst};
}

/* A value defined before coro.begin is stored at coro.begin. */
static struct span span_of_spill(const struct search *s, const struct frame_event *event)
{
  const struct coro_lowering *low = s->low;
  uint32_t inst = ir_inst_of_value(&low->fn, low->frame.fields[event->field].value), begin = low->shape.begin;
  if (inst == IR_NONE || cfg_inst_dominates(&low->cfg, inst, begin))
    return span_of_event(s, cfg_node_of(&low->cfg, begin), begin);
  if (cfg_is_catchswitch(&low->cfg, &low->fn, event->node)) /* it is stored in one of the successor pads */
    return (struct span){0, UINT64_MAX};
  return span_of_event(s, event->node, event->inst);
}

static bool find_write_spans_of_fields(struct search *s, struct coro_arena *arena)
{
  const struct coro_frame *frame = &s->low->frame;
  struct frame_events events;
  s->spans = CORO_NEW_ARRAY(arena, struct span, frame->field_count);
  if (!s->spans || !graph_strongly_connected_components(&s->scc, arena, &s->low->cfg.graph) ||
      !frame_events_find(&events, arena, s->low))
    return false;
  for (uint32_t f = 0; f < frame->field_count; f++)
    s->spans[f] = (struct span){UINT64_MAX, 0};
  for (uint32_t e = 0; e < events.items.count; e++) {
    const struct frame_event *event = &events.items.items[e];
    struct span *span = &s->spans[event->field];
    if (event->kind == EVENT_RELOAD)
      continue;
    struct span at =
        event->kind == EVENT_DEFINED ? span_of_spill(s, event) : span_of_event(s, event->node, event->inst);
    span->first = at.first < span->first ? at.first : span->first;
    span->last = at.last > span->last ? at.last : span->last;
  }
  for (uint32_t f = 0; f < frame->field_count; f++)
    if (s->spans[f].first > s->spans[f].last) /* no event is known */
      s->spans[f] = (struct span){0, UINT64_MAX};
  return true;
}

static void mark_fields_with_shared_bytes(const struct search *s, struct coro_debug *debug, uint32_t a, uint32_t b)
{
  coro_bits_set(&debug->shared, a);
  coro_bits_set(&debug->shared, b);
  if (s->spans[b].last >= s->spans[a].first)
    coro_bits_set(&debug->overwritten, a);
  if (s->spans[a].last >= s->spans[b].first)
    coro_bits_set(&debug->overwritten, b);
}

/* Adds a field to those compared with later ones. Beyond the limit, all fields count as overwritten. */
static void add_compared_field_or_drop_all_at_limit(struct search *s, struct coro_bits *overwritten, uint32_t f)
{
  const struct coro_field *fields = s->low->frame.fields;
  for (uint32_t i = 0; i < s->count && s->count == MOST_COMPARED; i++) {
    uint64_t end = fields[s->over[i]].offset + fields[s->over[i]].size;
    s->dropped = end > s->dropped ? end : s->dropped;
    coro_bits_set(overwritten, s->over[i]);
  }
  s->count = s->count == MOST_COMPARED ? 0 : s->count;
  s->over[s->count++] = f;
}

bool debug_find_shared_fields(const struct coro_lowering *low, struct coro_debug *debug)
{
  const struct coro_field *fields = low->frame.fields;
  struct search s = {.low = low};
  const uint32_t *order = coro_frame_indices_by_offset(low->arena, &low->frame);
  if (!order || !coro_bits_init(&debug->shared, low->arena, low->frame.field_count) ||
      !coro_bits_init(&debug->overwritten, low->arena, low->frame.field_count))
    return false;
  for (uint32_t i = 0; i < low->frame.field_count; i++) {
    uint32_t f = order[i], kept = 0;
    for (uint32_t k = 0; k < s.count; k++)
      if (fields[s.over[k]].offset + fields[s.over[k]].size > fields[f].offset)
        s.over[kept++] = s.over[k];
    s.count = kept;
    if (s.count && !s.spans && !find_write_spans_of_fields(&s, low->arena))
      return false;
    for (uint32_t k = 0; k < s.count; k++)
      mark_fields_with_shared_bytes(&s, debug, f, s.over[k]);
    if (s.dropped > fields[f].offset) {
      coro_bits_set(&debug->shared, f);
      coro_bits_set(&debug->overwritten, f);
    }
    add_compared_field_or_drop_all_at_limit(&s, &debug->overwritten, f);
  }
  return true;
}
