/* Asks the policy and checks its answer. An alloca may be moved into the frame if it is never used where the frame
   does not exist. */
#include "lowering/placement_policy.h"

#include "lowering/abi.h"
#include "lowering/coroutine_info.h"

static coro_status query_keep_in_frame_policy(struct coro_lowering *low, const struct coro_spill_candidate *about,
                                              coro_spill_choice *wanted)
{
  const struct coro_policies *policies = &low->abi->policies;
  *wanted = CORO_SPILL_DEFAULT;
  return policies->keep_in_frame ? policies->keep_in_frame(policies, low, about, wanted) : CORO_OK;
}

static coro_status reject_policy_choice_outside_frame(struct coro_lowering *low, uint32_t value, const char *why)
{
  return coro_reject(low, "must-be-in-frame", ir_inst_of_value(&low->fn, value),
                     coro_arena_printf(low->arena,
                                       "%s requires %s outside of the frame, but it must be in the frame because %s",
                                       low->abi->policies.name, coro_info_value_name_with_percent(low, value), why),
                     "return None to let pycoro decide, or change the coroutine");
}

static coro_status reject_policy_choice_in_frame(struct coro_lowering *low, uint32_t value, const char *why)
{
  return coro_reject(low, "cannot-be-in-frame", ir_inst_of_value(&low->fn, value),
                     coro_arena_printf(low->arena, "%s requires %s in the frame, but it cannot be there because %s",
                                       low->abi->policies.name, coro_info_value_name_with_percent(low, value), why),
                     "return None to let pycoro decide, or change the coroutine");
}

/* ---- Where the frame exists ---- */

static bool find_release_points_once(struct placement *placement)
{
  const struct coro_lowering *low = placement->low;
  const struct coro_cfg *cfg = &low->cfg;
  struct worklist freed;
  if (placement->initialized)
    return true;
  placement->initialized = true;
  if (!worklist_init(&freed, low->arena, cfg->node_count) || !cfg_walk_init(&placement->walk, low->arena, cfg) ||
      !coro_bits_init(&placement->may_follow_begin, low->arena, cfg->node_count))
    return false;
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    if (low->shape.intrin[i] != INTRIN_FREE && !coro_shape_may_be_destroyed_after(&low->shape, i))
      continue;
    cfg_enter_successors(cfg, &freed, cfg_node_of(cfg, i), CLONE_ALL);
    if (!coro_vec_push(low->arena, &placement->release_points, i))
      return false;
  }
  cfg_enter_reachable(cfg, &freed, CLONE_ALL);
  placement->after_release = freed.entered;
  return graph_mark_reachable_nodes(&placement->may_follow_begin, low->arena, &cfg->graph, &cfg->begin_node, 1, false);
}

/* Walks from an instruction to the end of the alloca's lifetime: true if the frame may be freed before. */
static bool walk_reaches_release_before_end(struct placement *placement, uint32_t inst, const coro_insts *ends)
{
  struct cfg_walk *walk = &placement->walk;
  cfg_walk_start(walk, inst);
  do {
    uint32_t point = coro_insts_count_before(&placement->release_points, walk->first);
    uint32_t end = coro_insts_count_before(ends, walk->first);
    point = point < placement->release_points.count ? placement->release_points.items[point] : IR_NONE;
    end = end < ends->count && ends->items[end] < walk->last ? ends->items[end] : IR_NONE;
    if (point < walk->last && point < end)
      return true;
    if (end == IR_NONE)
      cfg_walk_enter_successors(walk);
  } while (cfg_walk_next(walk));
  return false;
}

/* An escaped address may be used during the whole lifetime. */
static bool escaped_lifetime_outlives_frame(struct placement *placement, const struct placement_uses *uses)
{
  const coro_insts *from = uses->starts->count ? uses->starts : uses->accesses;
  worklist_restart(&placement->walk.nodes);
  for (uint32_t i = 0; i < from->count; i++)
    if (walk_reaches_release_before_end(placement, from->items[i], uses->ends))
      return true;
  return false;
}

static const char *obstacle_to_placing_in_frame_or_null(struct placement *placement, const struct placement_uses *uses)
{
  const struct coro_cfg *cfg = &placement->low->cfg;
  if (uses->outside)
    return "it is marked coro.outside.frame";
  if (uses->is_repeated)
    return "each execution of the alloca must allocate distinct memory";
  for (uint32_t i = 0; i < uses->accesses->count; i++) {
    uint32_t inst = uses->accesses->items[i], node = cfg_node_of(cfg, inst);
    if (coro_bits_get(&placement->may_follow_begin, node) && !graph_dominates(&cfg->dom, cfg->begin_node, node))
      return "it is used after a join of paths with and without llvm.coro.begin";
    if (coro_bits_get(&placement->after_release, node) ||
        coro_insts_has_any_in_range(&placement->release_points, cfg->nodes[node].first, inst))
      return "it is used where the frame may have been freed";
  }
  if (uses->escapes_early)
    return "its address escapes before llvm.coro.begin";
  return uses->escapes && escaped_lifetime_outlives_frame(placement, uses)
             ? "its address escapes, and the frame may be freed before its lifetime ends"
             : NULL;
}

/* ---- Policy calls ---- */

coro_status placement_apply_policy_to_alloca(struct placement *placement, struct coro_alloca *a,
                                             const struct placement_uses *uses)
{
  struct coro_lowering *low = placement->low;
  coro_spill_choice wanted;
  struct coro_spill_candidate about = {.value = a->value,
                                       .use = a->use,
                                       .is_alloca = true,
                                       .in_frame = a->in_frame,
                                       .why = a->in_frame ? a->why : "each clone has its own",
                                       .type = a->type,
                                       .size = a->size};
  if (!find_release_points_once(placement))
    return CORO_ENOMEM;
  about.obstacle = a->in_frame ? a->why : obstacle_to_placing_in_frame_or_null(placement, uses);
  coro_status status = query_keep_in_frame_policy(low, &about, &wanted);
  if (status != CORO_OK || wanted == CORO_SPILL_DEFAULT || a->in_frame == (wanted == CORO_SPILL_ALWAYS))
    return status;
  if (about.obstacle)
    return a->in_frame ? reject_policy_choice_outside_frame(low, a->value, a->why)
                       : reject_policy_choice_in_frame(low, a->value, about.obstacle);
  a->in_frame = true;
  a->why = "the coroutine's ABI places it there";
  return CORO_OK;
}

coro_status placement_query_policy_about_value(struct coro_lowering *low, uint32_t value, bool in_frame,
                                               const char *why, const char *obstacle, coro_spill_choice *wanted)
{
  LLVMTypeRef type = LLVMTypeOf(ir_value(&low->fn, value));
  struct coro_spill_candidate about = {.value = value,
                                       .use = low->remat.use[value],
                                       .in_frame = in_frame,
                                       .why = why,
                                       .obstacle = obstacle,
                                       .type = type};
  *wanted = CORO_SPILL_DEFAULT;
  if (!low->abi->policies.keep_in_frame)
    return CORO_OK;
  ir_size_of(low->sizes, type, &about.size);
  coro_status status = query_keep_in_frame_policy(low, &about, wanted);
  return status == CORO_OK && *wanted == CORO_SPILL_NEVER && obstacle
             ? reject_policy_choice_outside_frame(low, value, obstacle)
             : status;
}
