/* Computes nearest common dominators of uses; see reload_points.h. */
#include "lowering/reload_points.h"

#include "ir/edit.h"
#include "lowering/layout.h"
#include "lowering/lowering.h"

enum { MAX_STEPS = 64 }; /* limit of steps up the dominator tree; beyond it the reload is at the head */

const unsigned coro_reload_clone_kinds[CORO_RELOAD_CLONE_KINDS] = {CLONE_RESUME, CLONE_DESTROY, CLONE_CLEANUP};

struct finder {
  struct coro_lowering *low;
  struct graph_loops loops;
  struct coro_bits saved; /* set of nodes: the coroutine is saved at the head, so the frame may be freed */
  /* indexed by node: the first node dominating it within its region that defines a spilled value; IR_NONE: none */
  uint32_t *first_definition;
};

/* ---- Where reloads are impossible ---- */

static bool find_nodes_after_save(struct finder *f)
{
  const struct coro_lowering *low = f->low;
  struct worklist nodes;
  if (!worklist_init(&nodes, low->arena, low->cfg.node_count))
    return false;
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (coro_shape_may_be_destroyed_after(&low->shape, i))
      cfg_enter_successors(&low->cfg, &nodes, cfg_node_of(&low->cfg, i), CLONE_ALL);
  cfg_enter_reachable(&low->cfg, &nodes, CLONE_ALL);
  f->saved = nodes.entered;
  return true;
}

/* Whether `node` is in no loop that excludes `region`, which dominates it. A dominator of a loop node that the loop's
   header dominates is in the loop. */
static bool is_in_no_deeper_loop(const struct finder *f, uint32_t node, uint32_t region)
{
  uint32_t loop = f->loops.loop[node];
  return loop == GRAPH_NONE || graph_dominates(&f->low->cfg.dom, f->loops.header[loop], region);
}

static bool may_reload_at_node(const struct finder *f, uint32_t node, uint32_t region, unsigned clone_kind)
{
  const struct coro_lowering *low = f->low;
  const struct cfg_node *n = &low->cfg.nodes[node];
  return n->clone_kinds & clone_kind && !n->folded && !coro_bits_get(&f->saved, node) &&
         !coro_bits_get(&low->crossing.maybe_freed, node) && !cfg_is_catchswitch(&low->cfg, &low->fn, node) &&
         is_in_no_deeper_loop(f, node, region);
}

/* The nearest common dominator of both within `region` where a reload is possible. A region that starts only because
   clones skip edges may not be on the path; then the reload is at `region`. */
static uint32_t common_reload_point_or_region(const struct finder *f, uint32_t one, uint32_t other, uint32_t region,
                                              unsigned clone_kind)
{
  const struct graph_dom *dom = &f->low->cfg.dom;
  for (unsigned steps = 0; one != region && graph_dominates(dom, region, one) && steps < MAX_STEPS; steps++) {
    if (graph_dominates(dom, one, other) && may_reload_at_node(f, one, region, clone_kind))
      return one;
    one = dom->idom[one];
  }
  return region;
}

/* ---- Uses ---- */

/* NULL: out of memory. */
static struct coro_reload *find_or_create_reload(struct finder *f, uint32_t value, uint32_t region)
{
  struct coro_reload_points *reads = &f->low->reload_points;
  uint64_t index, key = coro_map_pair(value, region);
  if (coro_map_get(&reads->of, key, &index))
    return &reads->items.items[index];
  struct coro_reload read = {value, region, {IR_NONE, IR_NONE, IR_NONE}};
  if (!coro_map_put(&reads->of, key, reads->items.count) || !coro_vec_push(f->low->arena, &reads->items, read))
    return NULL;
  return &reads->items.items[reads->items.count - 1];
}

/* Whether values are merged at the region by a phi instead of reloaded there; reloads are in its predecessors. */
static bool region_merges_values_by_phi(const struct coro_lowering *low, uint32_t region)
{
  return cfg_is_catchswitch(&low->cfg, &low->fn, region) ||
         (coro_bits_get(&low->crossing.maybe_freed, region) && !low->cfg.nodes[region].landing);
}

/* Records a use. *is_new is false if it was known. */
static bool record_reload_use(struct finder *f, uint32_t value, uint32_t node, unsigned clone_kinds, bool *is_new)
{
  uint32_t region = f->low->crossing.reload_region[node];
  struct coro_reload *read = find_or_create_reload(f, value, region);
  *is_new = false;
  for (unsigned r = 0; read && r < CORO_RELOAD_CLONE_KINDS; r++) {
    if (!(clone_kinds & coro_reload_clone_kinds[r]))
      continue;
    *is_new |= read->at[r] == IR_NONE;
    read->at[r] = common_reload_point_or_region(f, read->at[r] == IR_NONE ? node : read->at[r], node, region,
                                                coro_reload_clone_kinds[r]);
  }
  return read != NULL;
}

/* A rematerialized value is computed at the head of its region, which uses its operands there. */
static bool add_reload_of_value(struct finder *f, uint32_t value, uint32_t node, unsigned clone_kinds)
{
  const struct coro_lowering *low = f->low;
  uint32_t field = coro_field_of(&low->frame, value), def = ir_inst_of_value(&low->fn, value);
  uint32_t region = low->crossing.reload_region[node];
  bool again = field == IR_NONE && def != IR_NONE && coro_bits_get(&low->remat.rematerialized, value), news = false;
  if (region_merges_values_by_phi(low, region) ||
      (!again && (field == IR_NONE || low->frame.fields[field].kind != CORO_FIELD_SPILL)))
    return true;
  if (!record_reload_use(f, value, again ? region : node, clone_kinds, &news))
    return false;
  if (!again || !news)
    return true;
  for (uint32_t o = low->fn.operand_start[def]; o < low->fn.operand_start[def + 1]; o++)
    if (low->fn.operands[o] != IR_NONE && !(low->fn.operands[o] & IR_BLOCK) &&
        !add_reload_of_value(f, low->fn.operands[o], region, clone_kinds))
      return false;
  return true;
}

static bool add_reload_for_use(void *context, uint32_t value, uint32_t inst, uint32_t node)
{
  struct finder *f = context;
  const struct coro_lowering *low = f->low;
  const uint32_t *epoch = low->crossing.epoch;
  (void)inst;
  return value == IR_NONE || epoch[coro_node_that_defines_value(&low->fn, &low->cfg, value)] == epoch[node] ||
         add_reload_of_value(f, value, node, low->cfg.nodes[node].clone_kinds & CLONE_ALL_BUT_RAMP);
}

static bool find_first_dominating_definitions(struct finder *f)
{
  const struct coro_lowering *low = f->low;
  const struct coro_cfg *cfg = &low->cfg;
  struct coro_bits made;
  f->first_definition = CORO_NEW_ARRAY(low->arena, uint32_t, cfg->node_count);
  if (!f->first_definition || !coro_bits_init(&made, low->arena, cfg->node_count))
    return false;
  for (uint32_t k = 0; k < low->frame.field_count; k++)
    if (low->frame.fields[k].kind == CORO_FIELD_SPILL)
      coro_bits_set(&made, coro_node_that_defines_value(&low->fn, cfg, low->frame.fields[k].value));
  for (uint32_t i = 0; i < cfg->rpo.count; i++) {
    uint32_t n = cfg->rpo.order[i], before = cfg->dom.idom[n], first = IR_NONE;
    if (n != before && n != low->crossing.reload_region[n])
      first =
          f->first_definition[before] == IR_NONE && coro_bits_get(&made, before) ? before : f->first_definition[before];
    f->first_definition[n] = first;
  }
  return true;
}

/* With shared bytes, moves the reload before the definition of other spilled values that may overwrite them. */
static uint32_t point_before_overwriting_definitions(const struct finder *f, uint32_t at, uint32_t region,
                                                     unsigned clone_kind)
{
  uint32_t first = at == region ? IR_NONE : f->first_definition[at];
  if (first == IR_NONE)
    return at;
  return may_reload_at_node(f, first, region, clone_kind) ? first : region;
}

/* Whether the landing is empty in this clone and its code starts in `node`. */
static bool does_landing_only_lead_to_node(const struct coro_cfg *cfg, uint32_t node, uint32_t region,
                                           unsigned clone_kind)
{
  bool only = cfg->nodes[region].landing;
  for (uint32_t e = cfg->nodes[region].edge_start; only && e < cfg->nodes[region + 1].edge_start; e++)
    only = !(cfg->edges[e].clone_kinds & clone_kind) || cfg->edges[e].to == node;
  return only;
}

/* Moves each reload before the definitions that overwrite its shared bytes, if fields overlap; then a reload that
   gains nothing back to the head, so that debuggers see the value immediately after the resume. */
static void move_reloads_before_overwrites_or_to_head(struct finder *f)
{
  const struct coro_lowering *low = f->low;
  for (uint32_t i = 0; i < low->reload_points.items.count; i++) {
    struct coro_reload *read = &low->reload_points.items.items[i];
    for (unsigned r = 0; r < CORO_RELOAD_CLONE_KINDS; r++) {
      if (read->at[r] != IR_NONE && low->strategy->overlaps)
        read->at[r] = point_before_overwriting_definitions(f, read->at[r], read->region, coro_reload_clone_kinds[r]);
      if (read->at[r] != IR_NONE &&
          does_landing_only_lead_to_node(&low->cfg, read->at[r], read->region, coro_reload_clone_kinds[r]))
        read->at[r] = read->region;
    }
  }
}

static bool has_spilled_values(const struct coro_frame *frame)
{
  for (uint32_t f = 0; f < frame->field_count; f++)
    if (frame->fields[f].kind == CORO_FIELD_SPILL)
      return true;
  return false;
}

coro_status coro_run_reload_points_stage(struct coro_lowering *low)
{
  struct finder f = {.low = low};
  coro_map_init(&low->reload_points.of, low->arena);
  if (!has_spilled_values(&low->frame) || edit_has_function_attribute(low->function, "optnone"))
    return CORO_OK;
  if (!graph_find_natural_loops(&f.loops, low->arena, &low->cfg.graph, &low->cfg.dom) || !find_nodes_after_save(&f) ||
      !find_first_dominating_definitions(&f))
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (!coro_visit_operands_used_in_clones(low, i, add_reload_for_use, &f))
      return CORO_ENOMEM;
  move_reloads_before_overwrites_or_to_head(&f);
  return CORO_OK;
}

uint32_t coro_reload_point_or_region(const struct coro_lowering *low, uint32_t value, uint32_t region,
                                     unsigned clone_kind)
{
  uint64_t index;
  for (unsigned r = 0; r < CORO_RELOAD_CLONE_KINDS; r++)
    if (clone_kind == coro_reload_clone_kinds[r] &&
        coro_map_get(&low->reload_points.of, coro_map_pair(value, region), &index) &&
        low->reload_points.items.items[index].at[r] != IR_NONE)
      return low->reload_points.items.items[index].at[r];
  return region;
}

uint32_t coro_reload_point_or_region_for_node(const struct coro_lowering *low, uint32_t value, uint32_t region,
                                              uint32_t node, unsigned clone_kind)
{
  uint32_t at = coro_reload_point_or_region(low, value, region, clone_kind);
  return graph_dominates(&low->cfg.dom, at, node) ? at : region;
}
