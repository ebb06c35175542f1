/* Live: which fields of the frame are needed at which suspend. From each use after a suspend the walk goes backwards
   to the definition, or to where a variable's lifetime starts, and notes the landings on its way.
   Needs: all stages up to the frame. Leaves: one bit for each field and suspend. */
#include "coro/live.h"

struct walker {
  struct coro_live *live;
  struct coro_arena *arena;
  const struct coro_lowering *low;
  uint32_t *seen;  /* by node: the last field whose walk came by, plus one */
  uint32_t *born;  /* by node: the last field, plus one, whose lifetime starts in it */
  uint32_t *stack;
  CORO_VEC(struct coro_field_use) uses, starts; /* starts: of lifetimes; in program order */
};

bool live_at(const struct coro_live *live, uint32_t field, uint32_t suspend)
{
  return live->suspend_count && coro_bits_get(&live->bits, field * live->suspend_count + suspend);
}

uint32_t live_first(const struct coro_live *live, uint32_t field)
{
  for (uint32_t k = 0; k < live->suspend_count; k++)
    if (live_at(live, field, k))
      return k;
  return CORO_NONE;
}

struct field_uses {
  const struct coro_lowering *low;
  coro_field_use_fn *visit;
  void *user;
};

/* Where a value that is made again is needed, its operands are. */
static bool visit_value(void *user, uint32_t value, uint32_t inst, uint32_t node)
{
  const struct field_uses *f = user;
  const struct coro_lowering *low = f->low;
  struct coro_field_use use = {low->frame.of_value[value], node, inst};
  uint32_t def = ir_inst_of_value(&low->fn, value);
  if (use.field != IR_NONE)
    return f->visit(f->user, &use);
  if (def == IR_NONE || !coro_bits_get(&low->remat.again, value))
    return true;
  for (uint32_t o = low->fn.operand_start[def]; o < low->fn.operand_start[def + 1]; o++)
    if (!(low->fn.operands[o] & IR_BLOCK) && !visit_value(user, low->fn.operands[o], inst, node))
      return false;
  return true;
}

bool coro_each_field_use(const struct coro_lowering *low, coro_field_use_fn *visit, void *user)
{
  struct field_uses uses = {low, visit, user};
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (!coro_each_use(&low->fn, &low->shape, &low->cfg, i, visit_value, &uses))
      return false;
  return true;
}

static bool note_use(void *user, const struct coro_field_use *use)
{
  struct walker *w = user;
  bool start = w->low->shape.intrin[use->inst] == INTRIN_LIFETIME_START;
  return start ? coro_vec_push(w->arena, &w->starts, *use) : coro_vec_push(w->arena, &w->uses, *use);
}

/* Notes node n, and pushes what comes before it unless the field begins to be there in n. */
static uint32_t visit(struct walker *w, uint32_t field, uint32_t n, bool begins, uint32_t top)
{
  const struct coro_cfg *cfg = &w->low->cfg;
  w->seen[n] = field + 1;
  if (cfg->nodes[n].landing && !cfg_is_done_landing(cfg, n))
    coro_bits_set(&w->live->bits, field * w->live->suspend_count + cfg->nodes[n].suspend);
  if (begins)
    return top;
  for (uint32_t p = cfg->graph.pred_start[n]; p < cfg->graph.pred_start[n + 1]; p++)
    if (w->seen[cfg->graph.pred[p]] != field + 1)
      w->stack[top++] = cfg->graph.pred[p];
  return top;
}

static void walk(struct walker *w, const struct coro_field_use *use, const struct coro_field_use *starts,
                 uint32_t start_count)
{
  uint32_t field = use->field;
  uint32_t def = coro_node_of_value(&w->low->fn, &w->low->cfg, w->low->frame.fields[field].value);
  bool begins = use->node == def;
  for (uint32_t s = 0; s < start_count && w->born[use->node] == field + 1; s++)
    begins |= starts[s].node == use->node && starts[s].inst < use->inst;
  uint32_t top = visit(w, field, use->node, begins, 0);
  while (top) {
    uint32_t n = w->stack[--top];
    if (w->seen[n] != field + 1)
      top = visit(w, field, n, n == def || w->born[n] == field + 1, top);
  }
}

/* Sorted by field, else in the order they have; start[f] is where field f's begin. False: memory ran out. */
static bool by_field(struct walker *w, const struct coro_field_use *items, uint32_t count,
                     struct coro_field_use **sorted, uint32_t **start)
{
  uint32_t fields = w->low->frame.field_count;
  *start = CORO_NEW_ARRAY(w->arena, uint32_t, fields + 2);
  *sorted = CORO_NEW_ARRAY(w->arena, struct coro_field_use, count);
  if (!*start || !*sorted)
    return false;
  for (uint32_t u = 0; u < count; u++)
    (*start)[items[u].field + 2]++;
  for (uint32_t f = 0; f < fields; f++)
    (*start)[f + 2] += (*start)[f + 1];
  for (uint32_t u = 0; u < count; u++)
    (*sorted)[(*start)[items[u].field + 1]++] = items[u];
  return true;
}

/* Uses of one field are walked one after another, so that `seen` tells them apart from those of the next. */
static bool walk_fields(struct walker *w)
{
  struct coro_field_use *uses, *starts;
  uint32_t *use_start, *birth;
  if (!by_field(w, w->uses.items, w->uses.count, &uses, &use_start) ||
      !by_field(w, w->starts.items, w->starts.count, &starts, &birth))
    return false;
  for (uint32_t f = 0; f < w->low->frame.field_count; f++) {
    for (uint32_t s = birth[f]; s < birth[f + 1]; s++)
      w->born[starts[s].node] = f + 1;
    for (uint32_t u = use_start[f]; u < use_start[f + 1]; u++)
      walk(w, &uses[u], starts + birth[f], birth[f + 1] - birth[f]);
  }
  return true;
}

/* A variable whose address got out may be needed at every suspend from there on. */
static void mark_escaped(struct walker *w, uint32_t field, uint32_t from)
{
  const struct coro_cfg *cfg = &w->low->cfg;
  uint32_t top = 0;
  w->stack[top++] = from;
  while (top) {
    uint32_t n = w->stack[--top];
    if (w->seen[n] == IR_NONE - field)
      continue;
    w->seen[n] = IR_NONE - field;
    if (cfg->nodes[n].landing && !cfg_is_done_landing(cfg, n))
      coro_bits_set(&w->live->bits, field * w->live->suspend_count + cfg->nodes[n].suspend);
    for (uint32_t e = cfg->nodes[n].edge_start; e < cfg->nodes[n + 1].edge_start; e++)
      w->stack[top++] = cfg->edges[e].to;
  }
}

bool live_find(struct coro_live *live, struct coro_arena *arena, const struct coro_lowering *low)
{
  struct walker w = {.live = live, .arena = arena, .low = low};
  live->suspend_count = low->shape.suspend_count;
  w.seen = CORO_NEW_ARRAY(arena, uint32_t, low->cfg.node_count);
  w.born = CORO_NEW_ARRAY(arena, uint32_t, low->cfg.node_count);
  /* Every edge is pushed at most once a walk, those into its first node twice; and the start. */
  w.stack = CORO_NEW_ARRAY(arena, uint32_t, 2 * low->cfg.edge_count + 1);
  uint64_t pairs = (uint64_t)low->frame.field_count * live->suspend_count;
  if (pairs > UINT32_MAX) /* half a gigabyte of bits: nobody reads such a report, so it does without */
    live->suspend_count = 0;
  if (!w.seen || !w.born || !w.stack ||
      !coro_bits_init(&live->bits, arena, low->frame.field_count * live->suspend_count))
    return false;
  if (!live->suspend_count)
    return true;
  if (!coro_each_field_use(low, note_use, &w) || !walk_fields(&w))
    return false;
  for (uint32_t a = 0; a < low->allocas.count; a++) {
    const struct coro_alloca *item = &low->allocas.items[a];
    uint32_t field = low->frame.of_value[item->value];
    if (item->in_frame && item->use != IR_NONE && live_first(live, field) == CORO_NONE)
      mark_escaped(&w, field, item->use_node);
  }
  return true;
}
