/* Three dataflow problems on sets of fields: live-in fields (backward), allocas with content (forward), and fields that
   are live at the landings of the suspends before an exit path (forward). A spilled value is live from its definition
   to its last reload. An alloca is live from its first access while an access that can see its current content is
   reachable; if its address escapes, until its lifetime ends, or, without lifetime markers, forever. On the exit path
   from a suspend to the caller, only fields accessed there are live, and those that are live at the landing. */
#include "lowering/field_liveness.h"

#include "graph/dataflow.h"
#include "graph/sets.h"
#include "lowering/abi.h"
#include "lowering/frame_events.h"
#include "lowering/layout.h"

struct flow {
  const struct coro_lowering *low;
  struct coro_arena *arena;
  struct sets sets; /* of fields */
  struct frame_events events;
  struct coro_bits on_exit_path; /* set of nodes on exit paths, which lead to the caller without another suspend */
  graph_set spilled; /* spilled values */
  graph_set live_until_end; /* allocas that stay live once they have content */
  graph_set used_on_exit_path; /* allocas accessed on an exit path */
  graph_set undefined_at_start; /* allocas undefined at the start of their lifetime */
  /* Indexed by node: fields used before a definition in it (upward-exposed); defined or killed in it; allocas that
     become, or stop being, available in it. */
  graph_set *upward_exposed, *defined, *avail_gen, *avail_kill;
  graph_set *live_in; /* indexed by node: live-in fields (backward problem) */
  graph_set *avail_in; /* indexed by node: allocas with content at its head (forward problem) */
  graph_set
      *live_at_landings; /* indexed by node of an exit path: fields live at the landings of the suspends before it */
  struct coro_bits read_later; /* set of events: the accessed content is used again later */
  CORO_VEC(graph_set) positions;
  uint32_t *since; /* indexed by field: start of its current range */
  uint32_t position;
  CORO_VEC(struct pack_range) ranges;
  coro_insts range_fields; /* indexed by range: its field */
};

/* Fields that are always live: the header, the promise, the list of heap blocks, and spilled swifterrors. */
static bool is_excluded_from_liveness(const struct coro_lowering *low, uint32_t field)
{
  const struct coro_field *f = &low->frame.fields[field];
  const struct coro_alloca *a = f->value == IR_NONE ? NULL : coro_alloca_of(&low->allocas, f->value);
  return field == low->frame.heap_field || (a && a->spilled) ||
         (f->kind != CORO_FIELD_SPILL && f->kind != CORO_FIELD_ALLOCA);
}

/* ---- Sets per node ---- */

static bool mark_nodes_on_exit_paths(struct flow *f)
{
  const struct coro_cfg *cfg = &f->low->cfg;
  struct coro_bits suspends_ahead;
  struct worklist nodes;
  uint32_t suspends = f->low->shape.suspend_count;
  uint32_t *landings = CORO_NEW_ARRAY(f->arena, uint32_t, suspends);
  if (!landings || !coro_bits_init(&suspends_ahead, f->arena, cfg->node_count) ||
      !worklist_init(&nodes, f->arena, cfg->node_count))
    return false;
  for (uint32_t k = 0; k < suspends; k++)
    landings[k] = cfg_landing(cfg, k);
  if (!graph_mark_reachable_nodes(&suspends_ahead, f->arena, &cfg->graph, landings, suspends, true))
    return false;
  for (uint32_t k = 0; k < suspends; k++) {
    uint32_t n = cfg_node_of(cfg, f->low->shape.suspends[k].inst);
    for (uint32_t e = cfg->nodes[n].edge_start; e < cfg->nodes[n + 1].edge_start; e++)
      if (cfg->edges[e].clone_kinds && !coro_bits_get(&suspends_ahead, cfg->edges[e].to))
        worklist_enter(&nodes, cfg->edges[e].to);
  }
  cfg_enter_reachable(cfg, &nodes, CLONE_ALL); /* no suspend is ahead of their successors either */
  f->on_exit_path = nodes.entered;
  return true;
}

static void compute_spilled_and_alloca_field_sets(struct flow *f)
{
  const struct coro_lowering *low = f->low;
  for (uint32_t field = 0; field < low->frame.field_count; field++)
    if (low->frame.fields[field].kind == CORO_FIELD_SPILL)
      f->spilled = sets_add_element(&f->sets, f->spilled, field);
  for (uint32_t a = 0; a < low->allocas.count; a++) {
    const struct coro_alloca *item = &low->allocas.items[a];
    uint32_t field = coro_field_of(&low->frame, item->value);
    if (!item->in_frame || item->promise)
      continue;
    /* Without sharing, debuggers read allocas after their last use as well. */
    if (item->escapes || (!low->strategy->overlaps && item->starts.count))
      f->live_until_end = sets_add_element(&f->sets, f->live_until_end, field);
    if (item->starts_empty)
      f->undefined_at_start = sets_add_element(&f->sets, f->undefined_at_start, field);
  }
}

static bool contains_field(struct flow *f, graph_set set, uint32_t field)
{
  return sets_add_element(&f->sets, set, field) == set;
}

static void add_field_to_avail_gen(struct flow *f, uint32_t node, uint32_t field)
{
  f->avail_gen[node] = sets_add_element(&f->sets, f->avail_gen[node], field);
  if (coro_bits_get(&f->on_exit_path, node))
    f->used_on_exit_path = sets_add_element(&f->sets, f->used_on_exit_path, field);
}

static void move_field_from_avail_gen_to_kill(struct flow *f, uint32_t node, uint32_t field)
{
  f->avail_gen[node] = sets_remove_element(&f->sets, f->avail_gen[node], field);
  f->avail_kill[node] = sets_add_element(&f->sets, f->avail_kill[node], field);
}

static void apply_event_to_node_summary(struct flow *f, const struct frame_event *event)
{
  struct sets *sets = &f->sets;
  uint32_t n = event->node, field = event->field;
  bool first = !contains_field(f, f->defined[n], field);
  switch (event->kind) {
  case EVENT_RELOAD: f->upward_exposed[n] = sets_add_element(sets, f->upward_exposed[n], field); return;
  case EVENT_ACCESS:
    if (first)
      f->upward_exposed[n] = sets_add_element(sets, f->upward_exposed[n], field);
    add_field_to_avail_gen(f, n, field);
    return;
  case EVENT_STORED: add_field_to_avail_gen(f, n, field); break;
  case EVENT_STARTS:
    if (contains_field(f, f->undefined_at_start, field))
      move_field_from_avail_gen_to_kill(f, n, field);
    else
      f->avail_gen[n] = sets_add_element(sets, f->avail_gen[n], field);
    break;
  case EVENT_ENDS: move_field_from_avail_gen_to_kill(f, n, field); break;
  case EVENT_DEFINED: break;
  }
  f->defined[n] = sets_add_element(sets, f->defined[n], field);
}

static bool summarize_events_of_nodes(struct flow *f)
{
  graph_set **const by_node[] = {&f->upward_exposed, &f->defined,  &f->avail_gen,       &f->avail_kill,
                                 &f->live_in,        &f->avail_in, &f->live_at_landings};
  for (size_t i = 0; i < sizeof by_node / sizeof *by_node; i++)
    if (!(*by_node[i] = CORO_NEW_ARRAY(f->arena, graph_set, f->low->cfg.node_count)))
      return false;
  if (!frame_events_find(&f->events, f->arena, f->low) || !mark_nodes_on_exit_paths(f) ||
      !coro_bits_init(&f->read_later, f->arena, f->events.items.count))
    return false;
  compute_spilled_and_alloca_field_sets(f);
  for (uint32_t e = 0; e < f->events.items.count; e++)
    apply_event_to_node_summary(f, &f->events.items.items[e]);
  return !coro_arena_failed(f->arena);
}

/* ---- Dataflow ---- */

static graph_set live_out_of_node(struct flow *f, uint32_t node)
{
  const struct graph *g = &f->low->cfg.graph;
  graph_set set = SETS_EMPTY;
  for (uint32_t s = g->succ_start[node]; s < g->succ_start[node + 1]; s++)
    set = sets_union(&f->sets, set, f->live_in[g->succ[s]]);
  return set;
}

static bool replace_set_if_different(graph_set *state, graph_set now)
{
  bool changed = *state != now;
  *state = now;
  return changed;
}

static bool update_live_in_return_changed(void *user, uint32_t node)
{
  struct flow *f = user;
  graph_set before = sets_subtract(&f->sets, live_out_of_node(f, node), f->defined[node]);
  return replace_set_if_different(&f->live_in[node], sets_union(&f->sets, before, f->upward_exposed[node]));
}

static graph_set available_out_of_node(struct flow *f, uint32_t node)
{
  struct sets *sets = &f->sets;
  return sets_union(sets, sets_subtract(sets, f->avail_in[node], f->avail_kill[node]), f->avail_gen[node]);
}

static bool update_available_in_return_changed(void *user, uint32_t node)
{
  struct flow *f = user;
  const struct graph *g = &f->low->cfg.graph;
  graph_set set = SETS_EMPTY;
  for (uint32_t p = g->pred_start[node]; p < g->pred_start[node + 1]; p++)
    set = sets_union(&f->sets, set, available_out_of_node(f, g->pred[p]));
  if (coro_bits_get(&f->on_exit_path, node))
    set = sets_intersection(&f->sets, set, f->used_on_exit_path);
  return replace_set_if_different(&f->avail_in[node], set);
}

/* Allocas that are live at the head of the node. */
static graph_set allocas_live_at_head(struct flow *f, uint32_t node)
{
  return sets_intersection(&f->sets, f->avail_in[node], sets_union(&f->sets, f->live_in[node], f->live_until_end));
}

static graph_set live_at_head(struct flow *f, uint32_t node)
{
  return sets_union(&f->sets, sets_intersection(&f->sets, f->live_in[node], f->spilled), allocas_live_at_head(f, node));
}

/* A field live at a landing stays in the frame on the exit path from its suspend to the caller, or to the next
   suspend, even where other paths join that path. */
static bool update_live_at_landings_return_changed(void *user, uint32_t node)
{
  struct flow *f = user;
  const struct coro_cfg *cfg = &f->low->cfg;
  graph_set set = SETS_EMPTY;
  for (uint32_t p = cfg->graph.pred_start[node]; p < cfg->graph.pred_start[node + 1]; p++) {
    const struct cfg_node *from = &cfg->nodes[cfg->graph.pred[p]];
    bool suspends = from->suspend != IR_NONE && !from->landing;
    if (cfg->edges[cfg->graph.pred_edge[p]].clone_kinds)
      set = sets_union(&f->sets, set,
                       suspends ? live_at_head(f, cfg_landing(cfg, from->suspend))
                                : f->live_at_landings[cfg->graph.pred[p]]);
  }
  return replace_set_if_different(&f->live_at_landings[node], set);
}

static bool solve_dataflow(struct flow *f)
{
  const struct coro_cfg *cfg = &f->low->cfg;
  const struct dataflow live_in = {&cfg->graph, &cfg->rpo, true, update_live_in_return_changed, f};
  const struct dataflow avail_in = {&cfg->graph, &cfg->rpo, false, update_available_in_return_changed, f};
  const struct dataflow live_at_landings = {&cfg->graph, &cfg->rpo, false, update_live_at_landings_return_changed, f};
  return dataflow_solve_by_worklist(&live_in, f->arena) && dataflow_solve_by_worklist(&avail_in, f->arena) &&
         dataflow_solve_by_worklist(&live_at_landings, f->arena);
}

/* ---- Positions ---- */

/* Walks backwards through the node from its live-out set, to find last uses. */
static void mark_events_whose_content_is_used_later(struct flow *f, uint32_t node)
{
  struct sets *sets = &f->sets;
  graph_set later = sets_union(sets, live_out_of_node(f, node), f->live_until_end);
  for (uint32_t e = f->events.start[node + 1]; e-- > f->events.start[node];) {
    const struct frame_event *event = &f->events.items.items[e];
    bool stays = contains_field(f, f->live_until_end, event->field);
    if (contains_field(f, later, event->field))
      coro_bits_set(&f->read_later, e);
    if (event->kind == EVENT_ACCESS)
      later = sets_add_element(sets, later, event->field);
    else if (event->kind > EVENT_ACCESS && !stays)
      later = sets_remove_element(sets, later, event->field);
  }
}

/* Reloads follow the phis and pads of a block, and may follow their spills. */
static uint32_t end_of_phis_and_pads_or_of_first_inst(const struct flow *f, uint32_t node_id)
{
  const struct cfg_node *node = &f->low->cfg.nodes[node_id];
  for (uint32_t i = node->first; i < node->last; i++)
    switch (f->low->fn.opcode[i]) {
    case LLVMPHI:
    case LLVMLandingPad:
    case LLVMCleanupPad:
    case LLVMCatchPad:
    case LLVMCatchSwitch: break;
    default: return i > node->first ? i : node->first + 1;
    }
  return node->last;
}

static bool add_position_if_set_changed(struct flow *f, graph_set set)
{
  return (f->positions.count && f->positions.items[f->positions.count - 1] == set) ||
         coro_vec_push(f->arena, &f->positions, set);
}

/* Live fields after an event, given those before it. */
static graph_set live_after_event(struct flow *f, graph_set now, uint32_t e)
{
  const struct frame_event *event = &f->events.items.items[e];
  bool needed = false;
  switch (event->kind) {
  case EVENT_RELOAD: return now;
  case EVENT_DEFINED: needed = true; break;
  case EVENT_ACCESS:
  case EVENT_STORED: needed = coro_bits_get(&f->read_later, e); break;
  case EVENT_STARTS: needed = !contains_field(f, f->undefined_at_start, event->field); break;
  case EVENT_ENDS: break;
  }
  return needed ? sets_add_element(&f->sets, now, event->field) : sets_remove_element(&f->sets, now, event->field);
}

/* Whether both are accesses of allocas by one instruction. All these allocas are live while it executes, including
   those that it accesses last or first: a callee may write to one of them, and then read another. */
static bool is_access_by_same_instruction(const struct frame_event *a, const struct frame_event *b)
{
  return a->inst == b->inst && (a->kind == EVENT_ACCESS || a->kind == EVENT_STORED) &&
         (b->kind == EVENT_ACCESS || b->kind == EVENT_STORED);
}

static bool add_positions_of_node(struct flow *f, uint32_t node)
{
  struct sets *sets = &f->sets;
  const struct frame_event *events = f->events.items.items;
  uint32_t e = f->events.start[node], end = f->events.start[node + 1],
           body = end_of_phis_and_pads_or_of_first_inst(f, node);
  graph_set on = sets_intersection(sets, sets_subtract(sets, live_out_of_node(f, node), f->defined[node]), f->spilled);
  graph_set now = sets_union(sets, on, allocas_live_at_head(f, node));
  graph_set later = f->live_at_landings[node];
  mark_events_whose_content_is_used_later(f, node);
  for (; e < end && events[e].inst < body && events[e].kind <= EVENT_DEFINED; e++)
    if (events[e].kind == EVENT_DEFINED)
      now = sets_add_element(sets, now, events[e].field);
  if (!add_position_if_set_changed(f, sets_union(sets, later, sets_union(sets, now, live_at_head(f, node)))))
    return false;
  for (uint32_t next; e < end; e = next) {
    graph_set during = now;
    for (next = e; next < end && is_access_by_same_instruction(&events[e], &events[next]); next++)
      during = sets_add_element(sets, during, events[next].field);
    if (next == e) { /* no access */
      during = events[e].kind < EVENT_STARTS ? sets_add_element(sets, now, events[e].field)
                                             : (now = live_after_event(f, now, e));
      next = e + 1;
    }
    if (!add_position_if_set_changed(f, sets_union(sets, later, during)))
      return false;
    for (uint32_t k = e; k < next; k++)
      now = live_after_event(f, now, k);
  }
  return true;
}

/* Adds the positions of all nodes. Nodes after the last suspend come last, because few fields are live there and ranges
   then stay contiguous. */
static bool add_positions_of_suspends_and_nodes(struct flow *f)
{
  const struct coro_lowering *low = f->low;
  for (uint32_t k = 0; k < low->shape.suspend_count; k++)
    if (!coro_vec_push(f->arena, &f->positions, live_at_head(f, cfg_landing(&low->cfg, k))))
      return false;
  for (int last = 0; last < 2; last++)
    for (uint32_t i = 0; i < low->cfg.rpo.count; i++) {
      uint32_t n = low->cfg.rpo.order[i];
      if (f->events.start[n] < f->events.start[n + 1] && coro_bits_get(&low->allocas.suspends_ahead, n) == !last &&
          !add_positions_of_node(f, n))
        return false;
    }
  return !coro_arena_failed(f->arena);
}

/* ---- Ranges ---- */

static bool record_live_range_change(void *user, uint32_t field, bool begins)
{
  struct flow *f = user;
  if (begins) {
    f->since[field] = f->position;
    return true;
  }
  struct pack_range range = {f->since[field], f->position};
  return coro_vec_push(f->arena, &f->range_fields, field) && coro_vec_push(f->arena, &f->ranges, range);
}

static bool make_live_ranges(struct flow *f, struct coro_field_liveness *live)
{
  uint32_t fields = f->low->frame.field_count;
  graph_set before = SETS_EMPTY;
  struct graph_groups groups;
  f->since = CORO_NEW_ARRAY(f->arena, uint32_t, fields);
  if (!f->since)
    return false;
  for (f->position = 0; f->position <= f->positions.count; f->position++) {
    graph_set now = f->position < f->positions.count ? f->positions.items[f->position] : SETS_EMPTY;
    if (!sets_visit_symmetric_difference(&f->sets, before, now, record_live_range_change, f))
      return false;
    before = now;
  }
  live->position_count = f->positions.count;
  live->ranges = CORO_NEW_ARRAY(f->arena, struct pack_range, f->ranges.count);
  if (!live->ranges || !graph_group_by_key(&groups, f->arena, f->range_fields.items, f->ranges.count, fields))
    return false;
  live->start = groups.start;
  for (uint32_t r = 0; r < f->ranges.count; r++)
    live->ranges[r] = f->ranges.items[groups.items[r]];
  return true;
}

coro_status coro_run_field_liveness_stage(struct coro_lowering *low)
{
  struct coro_field_liveness *live = &low->field_liveness;
  uint32_t fields = low->frame.field_count;
  struct flow f = {.low = low, .arena = low->arena};
  if (!low->wants_live && !coro_policies_read_frame(&low->abi->policies))
    return CORO_OK;
  if (!sets_init(&f.sets, low->arena, fields) || !summarize_events_of_nodes(&f) ||
      !coro_bits_init(&live->always, low->arena, fields))
    return CORO_ENOMEM;
  for (uint32_t field = 0; field < fields; field++)
    if (is_excluded_from_liveness(low, field))
      coro_bits_set(&live->always, field);
  return solve_dataflow(&f) && add_positions_of_suspends_and_nodes(&f) && make_live_ranges(&f, live) ? CORO_OK
                                                                                                     : CORO_ENOMEM;
}
