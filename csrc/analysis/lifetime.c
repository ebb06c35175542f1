/* Decides whether a suspend lies within the lifetime of an alloca, by forward walks of the CFG from its accesses to
   the ends of its lifetime. */
#include "analysis/lifetime.h"

bool lifetime_init(struct lifetime *life, struct coro_arena *arena, const struct coro_cfg *cfg,
                   const struct graph_scc *scc, const struct coro_bits *suspends_ahead)
{
  uint32_t count = cfg->unwound_end - cfg->unwound_start, *starts = CORO_NEW_ARRAY(arena, uint32_t, count);
  *life = (struct lifetime){.cfg = cfg, .scc = scc, .suspends_ahead = suspends_ahead};
  if (!starts || !cfg_walk_init(&life->walk, arena, cfg) ||
      !coro_bits_init(&life->after_unwound_landing, arena, cfg->node_count))
    return false;
  for (uint32_t k = 0; k < count; k++)
    starts[k] = cfg->unwound_start + k;
  return graph_mark_reachable_nodes(&life->after_unwound_landing, arena, &cfg->graph, starts, count, false);
}

/* Whether the alloca is accessed on a path from an unwind end through a later suspend. If not, the unwind end ends its
   lifetime. */
static bool is_accessed_after_unwound_landing(const struct lifetime *life)
{
  for (uint32_t i = 0; i < life->accesses.count; i++)
    if (coro_bits_get(&life->after_unwound_landing, cfg_node_of(life->cfg, life->accesses.items[i])))
      return true;
  return false;
}

/* Whether the node is a landing that belongs to the lifetime: every landing, but one after an unwind end only if the
   alloca is accessed from such a landing. */
static bool is_landing_within_lifetime(const struct lifetime *life, uint32_t node)
{
  return life->cfg->nodes[node].landing &&
         (!cfg_is_unwound_landing(life->cfg, node) || is_accessed_after_unwound_landing(life));
}

/* Walks forward from an access; true at the first landing that it reaches before the lifetime ends, except landings
   after an unwind end if the alloca is not accessed from there. The walk does not enter nodes of earlier walks. */
static bool reaches_suspend_within_lifetime(struct lifetime *life, uint32_t from)
{
  struct cfg_walk *walk = &life->walk;
  cfg_walk_start(walk, from);
  do {
    if (is_landing_within_lifetime(life, walk->node))
      return true;
    if (!coro_insts_has_any_in_range(&life->ends, walk->first, walk->last))
      cfg_walk_enter_successors(walk);
  } while (cfg_walk_next(walk));
  return false;
}

uint32_t find_inst_before_suspend_in_lifetime(struct lifetime *life, const coro_insts *from)
{
  worklist_restart(&life->walk.nodes);
  for (uint32_t i = 0; i < from->count; i++) {
    uint32_t inst = from->items[i];
    if (coro_bits_get(life->suspends_ahead, cfg_node_of(life->cfg, inst)) &&
        reaches_suspend_within_lifetime(life, inst))
      return inst;
  }
  return IR_NONE;
}

/* Whether an escape dominated by the start can reach it again: the escaped address may then be used to write before
   any access. */
static bool are_escape_and_start_in_cycle(const struct lifetime *life, uint32_t escape, uint32_t start)
{
  return graph_on_common_cycle(life->scc, cfg_node_of(life->cfg, escape), cfg_node_of(life->cfg, start));
}

bool lifetime_starts_undefined(const struct lifetime *life)
{
  for (uint32_t i = 0; i < life->escapes.count; i++) {
    uint32_t start = life->starts.count == 1 ? life->starts.items[0] : IR_NONE, escape = life->escapes.items[i];
    if (start == IR_NONE || !cfg_inst_dominates(life->cfg, start, escape) ||
        are_escape_and_start_in_cycle(life, escape, start))
      return false;
  }
  return true;
}
