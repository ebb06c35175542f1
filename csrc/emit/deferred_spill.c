/* Decides whether a spill can be deferred, by a walk over the nodes after the definition; see deferred_spill.h. */
#include "emit/deferred_spill.h"

#include "emit/frame_address.h"
#include "graph/worklist.h"
#include "ir/operand.h"
#include "lowering/layout.h"

/* Limits for the search of one value, so that the cost of all is linear. Beyond them the spill is not deferred. */
enum { MAX_USERS = 64, MAX_NODES = 256 };

struct deferral {
  const struct coro_lowering *low;
  uint32_t value, node; /* the node defines the value */
  coro_insts uses;      /* nodes that use the value, or a value computed from it, which a clone may rematerialize */
};

/* Adds the nodes in which the instruction uses its operands: for a phi, those from which control comes. */
static bool add_nodes_of_use(struct deferral *d, uint32_t inst)
{
  const struct ir_fn *fn = &d->low->fn;
  uint32_t count = fn->opcode[inst] == LLVMPHI ? ir_phi_count(fn, inst) : 0,
           nodes[2] = {d->low->cfg.node_of_inst[inst]};
  if (!count)
    return coro_vec_push(d->low->arena, &d->uses, nodes[0]);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t from = ir_operand(fn, inst, count + i);
    for (uint32_t n = from == IR_NONE ? 0 : cfg_exit_nodes_of_block(&d->low->cfg, from & ~IR_BLOCK, nodes); n-- > 0;)
      if (d->uses.count > MAX_NODES || !coro_vec_push(d->low->arena, &d->uses, nodes[n]))
        return false;
  }
  return true;
}

/* Adds an edge from each value to each instruction that uses it, by the numbered operands: LLVM's uses change when an
   instruction moves into a clone (emit/copy.c). False: out of memory. */
static bool build_graph_of_users(const struct coro_lowering *low, struct graph *users)
{
  const struct ir_fn *fn = &low->fn;
  struct graph_edge *edges = coro_arena_alloc(low->arena, fn->operand_start[fn->inst_count] * sizeof *edges);
  uint32_t count = 0;
  for (uint32_t i = 0; edges && i < fn->inst_count; i++)
    for (uint32_t k = 0; k < fn->operand_start[i + 1] - fn->operand_start[i]; k++) {
      uint32_t operand = ir_operand(fn, i, k);
      if (operand != IR_NONE && !(operand & IR_BLOCK))
        edges[count++] = (struct graph_edge){operand, ir_value_of_inst(fn, i)};
    }
  return edges && graph_build(users, low->arena, ir_value_count(fn), edges, count);
}

/* False: there are too many users, or no memory. */
static bool find_nodes_of_users(struct deferral *d)
{
  const struct graph *users = &d->low->scratch->users;
  coro_insts values = {0}; /* the value, then its users; again the value if it is a phi that uses itself */
  if (!users->succ_start && !build_graph_of_users(d->low, &d->low->scratch->users))
    return false;
  bool fine = coro_vec_push(d->low->arena, &values, d->value);
  for (uint32_t i = 0; fine && i < values.count; i++)
    for (uint32_t u = users->succ_start[values.items[i]]; fine && u < users->succ_start[values.items[i] + 1]; u++) {
      uint32_t user = users->succ[u];
      bool known = false;
      for (uint32_t k = 1; k < values.count && !known; k++)
        known = values.items[k] == user;
      fine = known || (values.count < MAX_USERS && coro_vec_push(d->low->arena, &values, user) &&
                       add_nodes_of_use(d, ir_inst_of_value(&d->low->fn, user)));
    }
  return fine;
}

static bool is_node_of_user(const struct deferral *d, uint32_t node)
{
  bool uses = false;
  for (uint32_t i = 0; i < d->uses.count && !uses; i++)
    uses = d->uses.items[i] == node;
  return uses;
}

/* The number of the walk: two may be in progress. */
enum walk { WALK_FROM_DEFINITION, WALK_TO_USE, WALKS };

/* Starts a walk over the nodes. NULL: out of memory. */
static struct worklist *start_walk_at_or_null(const struct coro_lowering *low, enum walk walk, uint32_t start)
{
  struct emit_scratch *scratch = low->scratch;
  if (!scratch->spill_walks) {
    struct worklist *walks = CORO_NEW_ARRAY(low->arena, struct worklist, WALKS);
    for (unsigned w = 0; w < WALKS && walks; w++)
      if (!worklist_init(&walks[w], low->arena, low->cfg.node_count))
        return NULL;
    scratch->spill_walks = walks;
  }
  struct worklist *nodes = scratch->spill_walks ? &scratch->spill_walks[walk] : NULL;
  if (nodes) {
    worklist_restart(nodes);
    worklist_enter(nodes, start);
  }
  return nodes;
}

/* Whether the value may be used on a path from `start` that does not compute it again. */
static bool may_reach_use_before_recomputation(const struct deferral *d, uint32_t start)
{
  const struct coro_cfg *cfg = &d->low->cfg;
  struct worklist *nodes = start_walk_at_or_null(d->low, WALK_TO_USE, start);
  for (uint32_t n; nodes && worklist_take(nodes, &n);) {
    if (n == d->node)
      continue;
    if (is_node_of_user(d, n) || nodes->count > MAX_NODES)
      return true;
    for (uint32_t k = cfg->nodes[n].edge_start; k < cfg->nodes[n + 1].edge_start; k++)
      worklist_enter(nodes, cfg->edges[k].to);
  }
  return !nodes;
}

/* Whether the deferred value is stored before the presplit suspend or llvm.coro.save. */
static bool is_deferred_value_stored_before(const struct coro_lowering *low, uint32_t value, uint32_t suspend)
{
  const struct coro_cfg *cfg = &low->cfg;
  return cfg_inst_dominates(cfg, ir_inst_of_value(&low->fn, value), suspend) &&
         low->crossing.epoch[cfg->node_of_inst[suspend]] ==
             low->crossing.epoch[coro_node_that_defines_value(&low->fn, cfg, value)];
}

/* Whether the suspend that ends the node finds the value in the frame if it is live there. */
static bool is_stored_or_dead_at_suspend_of_node(const struct deferral *d, uint32_t node)
{
  const struct coro_lowering *low = d->low;
  const struct coro_suspend *suspend = &low->shape.suspends[low->cfg.nodes[node].suspend];
  uint32_t at = suspend->save == IR_NONE ? suspend->inst : suspend->save;
  if (low->cfg.node_of_inst[at] == node && is_deferred_value_stored_before(low, d->value, at))
    return true;
  for (uint32_t k = low->cfg.nodes[node].edge_start; k < low->cfg.nodes[node + 1].edge_start; k++)
    if (may_reach_use_before_recomputation(d, low->cfg.edges[k].to))
      return false;
  return true;
}

/* Whether each path from the definition stores the value before a reload, and before a suspend at which it is live. */
static bool can_be_deferred(const struct deferral *d)
{
  const struct coro_cfg *cfg = &d->low->cfg;
  struct worklist *nodes = start_walk_at_or_null(d->low, WALK_FROM_DEFINITION, d->node);
  for (uint32_t n; nodes && worklist_take(nodes, &n);) {
    bool other_epoch = d->low->crossing.epoch[n] != d->low->crossing.epoch[d->node];
    if (nodes->count > MAX_NODES || (other_epoch && may_reach_use_before_recomputation(d, n)))
      return false;
    bool suspends = cfg->nodes[n].suspend != IR_NONE && !cfg->nodes[n].landing;
    if (suspends && !is_stored_or_dead_at_suspend_of_node(d, n))
      return false;
    for (uint32_t k = cfg->nodes[n].edge_start; !suspends && !other_epoch && k < cfg->nodes[n + 1].edge_start; k++)
      worklist_enter(nodes, cfg->edges[k].to);
  }
  return nodes != NULL;
}

/* The answer is the same for each clone that computes the value, and is searched once. False: no, or no memory. */
static bool can_be_deferred_memoized(const struct coro_lowering *low, uint32_t value, uint32_t node)
{
  struct emit_scratch *scratch = low->scratch;
  struct deferral d = {.low = low, .value = value, .node = node};
  enum { UNKNOWN, DEFERRED, NOT_DEFERRED };
  if (!scratch->deferrals &&
      !(scratch->deferrals = CORO_NEW_ARRAY(low->arena, unsigned char, ir_value_count(&low->fn))))
    return false;
  unsigned char *answer = &scratch->deferrals[value];
  if (*answer == UNKNOWN)
    *answer = find_nodes_of_users(&d) && can_be_deferred(&d) ? DEFERRED : NOT_DEFERRED;
  return *answer == DEFERRED;
}

static bool defer_spill_if_possible(struct emit *e, uint32_t value, uint32_t node)
{
  const struct coro_lowering *low = e->low;
  uint32_t field = low->frame.of_value[value];
  return field != IR_NONE && low->frame.fields[field].kind == CORO_FIELD_SPILL && low->shape.abi == CORO_ABI_SWITCH &&
         coro_bits_get(&low->crossing.maybe_freed, node) && can_be_deferred_memoized(low, value, node) &&
         coro_vec_push(low->arena, &e->deferred_spills, value);
}

void emit_or_defer_spill_of_definition(struct emit *e, uint32_t value, uint32_t node)
{
  if (cfg_may_spill(&e->low->cfg, e->clone_kind, node) && !defer_spill_if_possible(e, value, node))
    emit_store_spill_if_field(e, e->builder, value);
}

/* Whether a clone may reload the value after the suspend. Elsewhere its bytes may belong to another field. */
static bool is_live_at_suspend(const struct coro_lowering *low, uint32_t value, uint32_t number)
{
  const struct coro_field_liveness *live = &low->field_liveness;
  uint32_t field = low->frame.of_value[value];
  if (!low->strategy->overlaps)
    return true;
  uint32_t first = live->start[field], end = live->start[field + 1];
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    if (live->ranges[middle].end <= number)
      first = middle + 1;
    else
      end = middle;
  }
  return first < live->start[field + 1] && live->ranges[first].first <= number;
}

void emit_deferred_spills_before_suspend(struct emit *e, uint32_t suspend)
{
  const struct coro_lowering *low = e->low;
  for (uint32_t i = 0; i < e->deferred_spills.count; i++)
    if (is_deferred_value_stored_before(low, e->deferred_spills.items[i], suspend) &&
        is_live_at_suspend(low, e->deferred_spills.items[i], low->shape.suspend_of[suspend]))
      emit_store_spill_if_field(e, e->builder, e->deferred_spills.items[i]);
}
