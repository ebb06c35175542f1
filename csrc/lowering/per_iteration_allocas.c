/* Follows the uses of each alloca in a loop, and walks from them to the next execution; see per_iteration_allocas.h. */
#include "lowering/per_iteration_allocas.h"

#include "analysis/pointer_walk.h"
#include "ir/operand.h"
#include "lowering/lowering.h"
#include "transform/swifterror.h"

enum { STEPS_PER_NODE = 64 }; /* step limit of all walks, per node; beyond it lifetimes count as endless */

struct search {
  const struct coro_lowering *low;
  struct graph_scc scc;
  struct cfg_walk walk; /* through the lifetimes of the current alloca */
  uint64_t steps; /* of all walks so far */
  coro_insts saves; /* llvm.stacksave */
  uint32_t alloca; /* the current one */
  struct pointer_walk uses; /* of the current alloca */
  coro_insts starts, ends; /* of its lifetime */
  coro_insts marks; /* stacksaves before it: restoring one ends its lifetime */
  bool used_in_later_iteration; /* an earlier iteration's memory may be used in a later one */
};

/* Only by its form; loops and lifetime are examined later. */
static bool is_candidate_for_memory_per_iteration(const struct coro_lowering *low, uint32_t inst)
{
  const struct ir_fn *fn = &low->fn;
  LLVMValueRef alloca = fn->insts[inst];
  return fn->opcode[inst] == LLVMAlloca && fn->inst_block[inst] != 0 && alloca != low->shape.promise &&
         LLVMIsAConstantInt(LLVMGetOperand(alloca, ALLOCA_COUNT)) && !ir_is_swifterror(alloca);
}

/* Whether a cycle contains both the node and the alloca. */
static bool is_on_cycle_with_alloca(const struct search *s, uint32_t node)
{
  return graph_on_common_cycle(&s->scc, node, cfg_node_of(&s->low->cfg, s->alloca));
}

/* Notes whether an alias may hold an earlier iteration's address: an instruction that the alloca does not dominate,
   such as a loop header's phi, if a cycle contains both. */
static void note_alias_used_in_later_iteration(struct search *s, uint32_t inst)
{
  const struct coro_cfg *cfg = &s->low->cfg;
  s->used_in_later_iteration |=
      is_on_cycle_with_alloca(s, cfg_node_of(cfg, inst)) && !cfg_inst_dominates(cfg, s->alloca, inst);
}

static bool record_lifetime_or_later_use(struct search *s, const struct pointer_visit *use)
{
  const struct coro_lowering *low = s->low;
  uint32_t inst = use->inst;
  switch (use->effect) {
  case POINTER_LIFETIME_START: return coro_vec_push(low->arena, &s->starts, inst);
  case POINTER_LIFETIME_END: return coro_vec_push(low->arena, &s->ends, inst);
  case POINTER_ALIAS: note_alias_used_in_later_iteration(s, inst); return true;
  case POINTER_ESCAPES:
    s->used_in_later_iteration |= is_on_cycle_with_alloca(s, cfg_node_of(&low->cfg, inst));
    return true;
  case POINTER_IGNORED:
  case POINTER_READ:
  case POINTER_WRITTEN: return true;
  }
  return true;
}

/* Collects the stackrestores that free the alloca. */
static bool collect_stackrestores_freeing_alloca(struct search *s)
{
  const struct coro_lowering *low = s->low;
  for (uint32_t k = 0; k < s->saves.count; k++) {
    uint32_t save = s->saves.items[k];
    if (!is_on_cycle_with_alloca(s, cfg_node_of(&low->cfg, save)) || !cfg_inst_dominates(&low->cfg, save, s->alloca))
      continue;
    if (!coro_vec_push(low->arena, &s->marks, save))
      return false;
    for (LLVMUseRef use = LLVMGetFirstUse(low->fn.insts[save]); use; use = LLVMGetNextUse(use)) {
      uint32_t user = ir_inst(&low->fn, LLVMGetUser(use));
      if (user != IR_NONE && low->shape.intrin[user] == INTRIN_STACKRESTORE &&
          !coro_vec_push(low->arena, &s->ends, user))
        return false;
    }
  }
  return true;
}

static bool find_lifetime_and_later_uses(struct search *s)
{
  s->starts.count = s->ends.count = s->marks.count = 0;
  s->used_in_later_iteration = false;
  pointer_walk_start(&s->uses, ir_value_of_inst(&s->low->fn, s->alloca));
  for (struct pointer_visit use; pointer_walk_next(&s->uses, &use);)
    if (!record_lifetime_or_later_use(s, &use))
      return false;
  if (!collect_stackrestores_freeing_alloca(s))
    return false;
  coro_insts_sort(&s->ends);
  return true;
}

/* Whether its memory is still allocated at a later stacksave. */
static bool is_allocated_at_stacksave_in_range(const struct search *s, uint32_t first, uint32_t last)
{
  for (uint32_t m = 0; m < s->marks.count; m++)
    if (first <= s->marks.items[m] && s->marks.items[m] < last &&
        !coro_insts_has_any_in_range(&s->ends, first, s->marks.items[m]))
      return true;
  return false;
}

/* Whether a walk from the instruction reaches the alloca again, or a mark, before the lifetime ends. */
static bool walk_may_reach_next_iteration(struct search *s, uint32_t from)
{
  const struct coro_cfg *cfg = &s->low->cfg;
  struct cfg_walk *walk = &s->walk;
  uint32_t back = cfg_node_of(cfg, s->alloca);
  cfg_walk_start(walk, from);
  for (;;) {
    bool again = walk->node == back && walk->first <= s->alloca;
    uint32_t last = again ? s->alloca : walk->last;
    bool ended = coro_insts_has_any_in_range(&s->ends, walk->first, last);
    if (is_allocated_at_stacksave_in_range(s, walk->first, last) || (again && !ended))
      return true;
    const struct cfg_node *node = &cfg->nodes[walk->node];
    for (uint32_t e = node->edge_start; !ended && !again && e < node[1].edge_start; e++)
      if (is_on_cycle_with_alloca(s, cfg->edges[e].to))
        worklist_enter(&walk->nodes, cfg->edges[e].to);
    if (!cfg_walk_next(walk))
      return false;
    if (s->steps++ >= (uint64_t)STEPS_PER_NODE * cfg->node_count)
      return true;
  }
}

/* Whether a lifetime reaches the next iteration. With lifetime markers, walks begin at the starts. */
static bool may_live_in_next_iteration(struct search *s)
{
  bool reaches = !s->ends.count;
  worklist_restart(&s->walk.nodes);
  for (uint32_t k = 0; k < s->starts.count && !reaches; k++)
    reaches = walk_may_reach_next_iteration(s, s->starts.items[k]);
  return reaches || (!s->starts.count && walk_may_reach_next_iteration(s, s->alloca));
}

static bool add_alloca_if_per_iteration(struct search *s, struct coro_bits *per_iteration)
{
  if (!find_lifetime_and_later_uses(s))
    return false;
  if (s->used_in_later_iteration && may_live_in_next_iteration(s))
    coro_bits_set(per_iteration, ir_value_of_inst(&s->low->fn, s->alloca));
  return true;
}

static bool init_search(struct search *s)
{
  const struct coro_lowering *low = s->low;
  return pointer_walk_init(&s->uses, low->arena, &low->fn, &low->shape, &low->cfg) &&
         cfg_walk_init(&s->walk, low->arena, &low->cfg) &&
         graph_strongly_connected_components(&s->scc, low->arena, &low->cfg.graph);
}

bool coro_find_per_iteration_allocas(struct coro_lowering *low, struct coro_bits *per_iteration)
{
  struct search s = {.low = low};
  if (!coro_bits_init(per_iteration, low->arena, ir_value_count(&low->fn)))
    return false;
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (low->shape.intrin[i] == INTRIN_STACKSAVE && !coro_vec_push(low->arena, &s.saves, i))
      return false;
  coro_bits_union(per_iteration, &low->crossing.for_arguments);
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    if (coro_bits_get(per_iteration, ir_value_of_inst(&low->fn, i)) || !is_candidate_for_memory_per_iteration(low, i))
      continue;
    if (!s.scc.component && !init_search(&s))
      return false;
    s.alloca = i;
    if (is_on_cycle_with_alloca(&s, cfg_node_of(&low->cfg, i)) && !add_alloca_if_per_iteration(&s, per_iteration))
      return false;
  }
  return true;
}
