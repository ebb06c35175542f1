/* Share: where each field of the frame holds something that is still needed.
   Places are instructions, and one for each landing. A spilled value's field is taken from its definition to the heads
   of the epochs that read it back. A variable's is taken for its lifetime; without one, from its first access to its
   last, or, once its address got out, for good. On the way out from a suspend to the caller nothing is taken that is
   not accessed there: what is needed later is needed at the landing.
   Needs: all stages up to the collected frame. Leaves: bits by field over places. */
#include "coro/share.h"

#include "base/fault.h"
#include "coro/live.h"

struct sharer {
  const struct coro_lowering *low;
  struct coro_arena *arena;
  struct coro_bits *lives;
  uint32_t *seen; /* by node: stamp of the walk that came by */
  uint32_t *stack;
  uint32_t stamp;
  struct coro_bits outward; /* by node: on the way from a suspend to the caller, which never comes back to a suspend */
};

static void take(struct coro_bits *live, uint32_t first, uint32_t last)
{
  for (uint32_t i = first; i < last;) {
    if (i % 64 == 0 && last - i >= 64) {
      live->words[i / 64] = UINT64_MAX;
      i += 64;
    } else {
      coro_bits_set(live, i++);
    }
  }
}

static uint32_t first_place(const struct coro_lowering *low, uint32_t node)
{
  const struct cfg_node *n = &low->cfg.nodes[node];
  return n->landing ? low->fn.inst_count + node - low->cfg.fragment_count : n->first;
}

static uint32_t last_place(const struct coro_lowering *low, uint32_t node)
{
  const struct cfg_node *n = &low->cfg.nodes[node];
  return n->landing ? first_place(low, node) + 1 : n->last;
}

/* From the head of the epoch that reads the value back, backwards to its definition. */
static void take_spill(struct sharer *s, uint32_t field, uint32_t head)
{
  const struct coro_lowering *low = s->low;
  uint32_t value = low->frame.fields[field].value, inst = ir_inst_of_value(&low->fn, value), top = 0;
  uint32_t def = coro_node_of_value(&low->fn, &low->cfg, value);
  uint32_t from = inst == IR_NONE || inst < low->cfg.nodes[def].first ? first_place(low, def) : inst;
  struct coro_bits *live = &s->lives[field];
  if (coro_bits_get(live, first_place(low, head)))
    return; /* an earlier walk came by */
  take(live, from, last_place(low, def));
  take(live, first_place(low, head), first_place(low, head) + 1);
  s->stack[top++] = head;
  while (top) {
    uint32_t n = s->stack[--top];
    for (uint32_t p = low->cfg.graph.pred_start[n]; p < low->cfg.graph.pred_start[n + 1]; p++) {
      uint32_t before = low->cfg.graph.pred[p];
      if (before == def || coro_bits_get(live, last_place(low, before) - 1))
        continue;
      take(live, first_place(low, before), last_place(low, before));
      if (!FAULTY(s->arena, spill_freed_early))
        s->stack[top++] = before;
    }
  }
}

/* Marks what can be reached from the accesses, themselves included. */
static bool reach(const struct sharer *s, const struct coro_alloca *a, bool backwards, struct coro_bits *reached)
{
  uint32_t *starts = CORO_NEW_ARRAY(s->arena, uint32_t, a->accesses.count + 1), count = 0;
  if (!starts || !coro_bits_init(reached, s->arena, s->low->cfg.node_count))
    return false;
  for (uint32_t i = 0; i < a->accesses.count; i++)
    starts[count++] = s->low->cfg.node_of_inst[a->accesses.items[i]];
  if (a->copy_in)
    starts[count++] = s->low->cfg.node_of_inst[s->low->shape.begin];
  return graph_reach(reached, s->arena, &s->low->cfg.graph, starts, count, backwards);
}

static bool is_accessed_outward(const struct sharer *s, const struct coro_alloca *a)
{
  for (uint32_t i = 0; i < a->accesses.count; i++)
    if (coro_bits_get(&s->outward, s->low->cfg.node_of_inst[a->accesses.items[i]]))
      return true;
  return false;
}

static bool take_accesses(struct sharer *s, const struct coro_alloca *a, struct coro_bits *live)
{
  struct coro_bits ahead, behind;
  bool outward = is_accessed_outward(s, a);
  if (!reach(s, a, false, &ahead) || !reach(s, a, true, &behind))
    return false;
  for (uint32_t n = 0; n < s->low->cfg.node_count; n++)
    if (coro_bits_get(&ahead, n) && ((a->escapes && !FAULTY(s->arena, escape_shared)) || coro_bits_get(&behind, n)) &&
        (outward || !coro_bits_get(&s->outward, n)))
      take(live, first_place(s->low, n), last_place(s->low, n));
  return true;
}

static void take_lifetime(struct sharer *s, const struct coro_alloca *a, uint32_t start, struct coro_bits *live)
{
  const struct coro_cfg *cfg = &s->low->cfg;
  uint32_t node = cfg->node_of_inst[start], first = start, top = 0;
  bool outward = is_accessed_outward(s, a);
  s->stamp++;
  for (;;) {
    uint32_t last = last_place(s->low, node),
             end = cfg->nodes[node].landing ? last : coro_first_of(&a->ends, first, last);
    if (!FAULTY(s->arena, lifetime_forgotten))
      take(live, first, end == last ? last : end + 1);
    if (end == last)
      for (uint32_t e = cfg->nodes[node].edge_start; e < cfg->nodes[node + 1].edge_start; e++)
        if (s->seen[cfg->edges[e].to] != s->stamp && (outward || !coro_bits_get(&s->outward, cfg->edges[e].to))) {
          s->seen[cfg->edges[e].to] = s->stamp;
          s->stack[top++] = cfg->edges[e].to;
        }
    if (!top)
      return;
    node = s->stack[--top];
    first = first_place(s->low, node);
  }
}

static bool take_alloca(struct sharer *s, const struct coro_alloca *a)
{
  struct coro_bits *live = &s->lives[s->low->frame.of_value[a->value]];
  for (uint32_t i = 0; i < a->accesses.count; i++)
    coro_bits_set(live, a->accesses.items[i]);
  if (!a->starts.count)
    return take_accesses(s, a, live);
  for (uint32_t i = 0; i < a->starts.count; i++)
    take_lifetime(s, a, a->starts.items[i], live);
  if (a->copy_in) /* from where the frame is filled to wherever its lifetime has begun by then */
    take(live, s->low->shape.begin, last_place(s->low, s->low->cfg.node_of_inst[s->low->shape.begin]));
  return true;
}

static bool take_use(void *user, const struct coro_field_use *use)
{
  struct sharer *s = user;
  const struct coro_lowering *low = s->low;
  if (low->frame.fields[use->field].kind != CORO_FIELD_SPILL)
    return true;
  take_spill(s, use->field, low->crossing.epoch[use->node]);
  return true;
}

static bool find_outward(struct sharer *s)
{
  const struct coro_cfg *cfg = &s->low->cfg;
  struct coro_bits suspends_ahead;
  uint32_t suspends = s->low->shape.suspend_count, top = 0;
  uint32_t *landings = CORO_NEW_ARRAY(s->arena, uint32_t, suspends);
  if (!landings || !coro_bits_init(&suspends_ahead, s->arena, cfg->node_count) ||
      !coro_bits_init(&s->outward, s->arena, cfg->node_count))
    return false;
  for (uint32_t k = 0; k < suspends; k++)
    landings[k] = cfg_landing(cfg, k);
  if (!graph_reach(&suspends_ahead, s->arena, &cfg->graph, landings, suspends, true))
    return false;
  for (uint32_t k = 0; k < suspends; k++) {
    uint32_t n = cfg->node_of_inst[s->low->shape.suspends[k].inst];
    for (;;) {
      for (uint32_t e = cfg->nodes[n].edge_start; e < cfg->nodes[n + 1].edge_start; e++) {
        uint32_t to = cfg->edges[e].to;
        if (!cfg->edges[e].parts || coro_bits_get(&suspends_ahead, to) || coro_bits_get(&s->outward, to))
          continue;
        coro_bits_set(&s->outward, to);
        s->stack[top++] = to;
      }
      if (!top)
        break;
      n = s->stack[--top];
    }
  }
  return true;
}

/* The list of what is on the heap is needed to the end, and what keeps a swifterror from one suspend to the next. */
static bool may_share(const struct coro_lowering *low, uint32_t f)
{
  const struct coro_field *field = &low->frame.fields[f];
  uint32_t a = field->value == IR_NONE ? IR_NONE : low->allocas.of_value[field->value];
  return f != low->frame.heap_field && (a == IR_NONE || !low->allocas.items[a].kept) &&
         (field->kind == CORO_FIELD_SPILL || field->kind == CORO_FIELD_ALLOCA);
}

bool coro_share_find(const struct coro_bits **lives, struct coro_arena *arena, const struct coro_lowering *low)
{
  struct sharer s = {.low = low, .arena = arena};
  uint32_t places = low->fn.inst_count + low->cfg.node_count - low->cfg.fragment_count;
  s.lives = CORO_NEW_ARRAY(arena, struct coro_bits, low->frame.field_count);
  s.seen = CORO_NEW_ARRAY(arena, uint32_t, low->cfg.node_count);
  s.stack = CORO_NEW_ARRAY(arena, uint32_t, low->cfg.node_count + 1);
  if (!s.lives || !s.seen || !s.stack || !find_outward(&s))
    return false;
  for (uint32_t f = 0; f < low->frame.field_count; f++)
    if (may_share(low, f) && !coro_bits_init(&s.lives[f], arena, places))
      return false;
  if (!coro_each_field_use(low, take_use, &s))
    return false;
  for (uint32_t a = 0; a < low->allocas.count; a++)
    if (low->allocas.items[a].in_frame && !low->allocas.items[a].promise && !take_alloca(&s, &low->allocas.items[a]))
      return false;
  *lives = s.lives;
  return true;
}
