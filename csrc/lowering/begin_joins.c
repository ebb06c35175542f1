/* Iterated dominance frontier of llvm.coro.begin; see begin_joins.h. */
#include "lowering/begin_joins.h"

#include "lowering/lowering.h"

static uint32_t nearest_dominating_join(const struct coro_cfg *cfg, const struct coro_bits *joins,
                                        const uint32_t *begin_joins, uint32_t node)
{
  if (node == cfg->begin_node || node == cfg->dom.idom[node])
    return IR_NONE;
  return coro_bits_get(joins, node) ? node : begin_joins[cfg->dom.idom[node]];
}

bool coro_find_begin_join_of_each_node(const struct coro_lowering *low, uint32_t **begin_joins)
{
  const struct coro_cfg *cfg = &low->cfg;
  struct coro_bits joins;
  bool any = false;
  *begin_joins = NULL;
  if (cfg->begin_node == IR_NONE)
    return true;
  if (!coro_bits_init(&joins, low->arena, cfg->node_count) ||
      !graph_iterated_dominance_frontier(&joins, low->arena, &cfg->graph, &cfg->dom, &cfg->begin_node, 1))
    return false;
  for (uint32_t n = 0; n < cfg->node_count && !any; n++)
    any = coro_bits_get(&joins, n);
  uint32_t *of = any ? CORO_NEW_ARRAY(low->arena, uint32_t, cfg->node_count) : NULL;
  if (!of)
    return !any;
  for (uint32_t n = 0; n < cfg->node_count; n++)
    of[n] = IR_NONE;
  for (uint32_t i = 0; i < cfg->rpo.count; i++)
    of[cfg->rpo.order[i]] = nearest_dominating_join(cfg, &joins, of, cfg->rpo.order[i]);
  *begin_joins = of;
  return true;
}
