/* Decides whether a spill can be deferred, by a walk over the nodes after the definition; see deferred_spill.h. */
#include "emit/deferred_spill.h"

#include "emit/frame_address.h"
#include "graph/worklist.h"
#include "ir/number.h"

enum { MAX_USERS = 64 }; /* values that are computed from the value; with more its spill is not deferred */

/* The nodes that use the value, or a value computed from it, which a clone may rematerialize. False: too many. */
static bool find_nodes_of_users(const struct coro_lowering *low, uint32_t value, struct coro_bits *uses)
{
  coro_insts users = {0};
  if (!coro_bits_init(uses, low->arena, low->cfg.node_count) || !coro_vec_push(low->arena, &users, value))
    return false;
  for (uint32_t i = 0; i < users.count; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(ir_value(&low->fn, users.items[i])); use; use = LLVMGetNextUse(use)) {
      uint32_t inst = ir_inst(&low->fn, LLVMGetUser(use));
      uint32_t user = inst == IR_NONE ? 0 : ir_value_of_inst(&low->fn, inst);
      bool known = inst == IR_NONE;
      for (uint32_t k = 0; k < users.count && !known; k++)
        known = users.items[k] == user;
      if (inst != IR_NONE)
        coro_bits_set(uses, low->cfg.node_of_inst[inst]);
      if (!known && (users.count == MAX_USERS || !coro_vec_push(low->arena, &users, user)))
        return false;
    }
  return true;
}

struct deferral {
  const struct coro_lowering *low;
  uint32_t value, node; /* the node defines the value */
  struct coro_bits uses;
};

/* Whether the value may be used on a path from `start` that does not compute it again. */
static bool may_be_used_from(const struct deferral *d, uint32_t start)
{
  const struct coro_cfg *cfg = &d->low->cfg;
  struct worklist nodes;
  if (!worklist_init(&nodes, d->low->arena, cfg->node_count))
    return true;
  worklist_enter(&nodes, start);
  for (uint32_t n; worklist_take(&nodes, &n);) {
    if (n == d->node)
      continue;
    if (coro_bits_get(&d->uses, n))
      return true;
    for (uint32_t k = cfg->nodes[n].edge_start; k < cfg->nodes[n + 1].edge_start; k++)
      worklist_enter(&nodes, cfg->edges[k].to);
  }
  return false;
}

/* Whether the deferred value is stored before the presplit suspend or llvm.coro.save. */
static bool is_stored_before(const struct coro_lowering *low, uint32_t value, uint32_t suspend)
{
  const struct coro_cfg *cfg = &low->cfg;
  return cfg_dominates(cfg, ir_inst_of_value(&low->fn, value), suspend) &&
         low->crossing.epoch[cfg->node_of_inst[suspend]] ==
             low->crossing.epoch[coro_node_of_value(&low->fn, cfg, value)];
}

/* Whether the suspend that ends the node finds the value in the frame if it is live there. */
static bool is_stored_at_suspend(const struct deferral *d, uint32_t node)
{
  const struct coro_lowering *low = d->low;
  const struct coro_suspend *suspend = &low->shape.suspends[low->cfg.nodes[node].suspend];
  uint32_t at = suspend->save == IR_NONE ? suspend->inst : suspend->save;
  if (low->cfg.node_of_inst[at] == node && is_stored_before(low, d->value, at))
    return true;
  for (uint32_t k = low->cfg.nodes[node].edge_start; k < low->cfg.nodes[node + 1].edge_start; k++)
    if (may_be_used_from(d, low->cfg.edges[k].to))
      return false;
  return true;
}

/* Whether each path from the definition stores the value before a reload, and before a suspend at which it is live. */
static bool can_be_deferred(const struct deferral *d)
{
  const struct coro_cfg *cfg = &d->low->cfg;
  struct worklist nodes;
  if (!worklist_init(&nodes, d->low->arena, cfg->node_count))
    return false;
  worklist_enter(&nodes, d->node);
  for (uint32_t n; worklist_take(&nodes, &n);) {
    bool other_epoch = d->low->crossing.epoch[n] != d->low->crossing.epoch[d->node];
    if (other_epoch && may_be_used_from(d, n))
      return false;
    bool suspends = cfg->nodes[n].suspend != IR_NONE && !cfg->nodes[n].landing;
    if (suspends && !is_stored_at_suspend(d, n))
      return false;
    for (uint32_t k = cfg->nodes[n].edge_start; !suspends && !other_epoch && k < cfg->nodes[n + 1].edge_start; k++)
      worklist_enter(&nodes, cfg->edges[k].to);
  }
  return true;
}

static bool is_deferred(struct emit *e, uint32_t value, uint32_t node)
{
  const struct coro_lowering *low = e->low;
  struct deferral d = {.low = low, .value = value, .node = node};
  uint32_t field = low->frame.of_value[value];
  return field != IR_NONE && low->frame.fields[field].kind == CORO_FIELD_SPILL && low->shape.abi == CORO_ABI_SWITCH &&
         coro_bits_get(&low->crossing.maybe_freed, node) && find_nodes_of_users(low, value, &d.uses) &&
         can_be_deferred(&d) && coro_vec_push(low->arena, &e->deferred_spills, value);
}

void emit_spill_of_definition(struct emit *e, uint32_t value, uint32_t node)
{
  if (cfg_may_spill(&e->low->cfg, e->clone_kind, node) && !is_deferred(e, value, node))
    emit_store_spill(e, e->builder, value);
}

void emit_deferred_spills(struct emit *e, uint32_t suspend)
{
  for (uint32_t i = 0; i < e->deferred_spills.count; i++)
    if (is_stored_before(e->low, e->deferred_spills.items[i], suspend))
      emit_store_spill(e, e->builder, e->deferred_spills.items[i]);
}
