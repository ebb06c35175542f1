/* Numbers epochs and reload regions by iterated dominance frontiers, and compares the epochs of definitions and uses;
   see crossing.h. */
#include "analysis/stack_only_allocas.h"
#include "ir/operand.h"
#include "lowering/abi.h"
#include "lowering/captured_before_begin.h"
#include "lowering/lowering.h"
#include "lowering/per_iteration_allocas.h"

/* The control flow graph for which epochs and reload regions are computed. */
struct flow {
  struct coro_arena *arena;
  const struct coro_cfg *cfg;
  struct graph graph;
  struct graph_rpo rpo;
  struct graph_dom dom;
};

/* Adds the given nodes and their iterated dominance frontier to the set of nodes that start an epoch or a region. */
static bool add_nodes_and_iterated_frontier(const struct flow *f, struct coro_bits *begins, const uint32_t *nodes,
                                            uint32_t count)
{
  if (!graph_iterated_dominance_frontier(begins, f->arena, &f->graph, &f->dom, nodes, count))
    return false;
  for (uint32_t k = 0; k < count; k++)
    coro_bits_set(begins, nodes[k]);
  return true;
}

/* Indexed by node: the nearest dominator in the set `begins`, or the node itself. NULL: out of memory. */
static uint32_t *nearest_dominators_in_set(const struct flow *f, const struct coro_bits *begins)
{
  uint32_t *of = CORO_NEW_ARRAY(f->arena, uint32_t, f->cfg->node_count);
  for (uint32_t i = 0; of && i < f->rpo.count; i++) {
    uint32_t n = f->rpo.order[i];
    of[n] = i == 0 || coro_bits_get(begins, n) ? n : of[f->dom.idom[n]];
  }
  return of;
}

/* Lists the successors of catchswitches: of those in `begins`, or of all. False: out of memory. */
static bool list_catchswitch_successors(coro_insts *successors, const struct flow *f, const struct ir_fn *fn,
                                        const struct coro_bits *begins, bool of_all_catchswitches)
{
  const struct coro_cfg *cfg = f->cfg;
  successors->count = 0;
  for (uint32_t n = 0; n < cfg->fragment_count; n++) {
    if (!(of_all_catchswitches || coro_bits_get(begins, n)) || !cfg_is_catchswitch(cfg, fn, n))
      continue;
    for (uint32_t e = cfg->nodes[n].edge_start; e < cfg->nodes[n + 1].edge_start; e++)
      if (!coro_vec_push(f->arena, successors, cfg->edges[e].to))
        return false;
  }
  return true;
}

/* Divides epochs that start at a catchswitch into regions. The division may start regions at other catchswitches. Then
   the successors of all catchswitches start regions, so that one more pass suffices for any nesting. */
static bool compute_reload_regions(struct coro_crossing *crossing, const struct flow *f, const struct ir_fn *fn,
                                   struct coro_bits *begins)
{
  coro_insts successors = {0};
  crossing->reload_region = crossing->epoch;
  if (!list_catchswitch_successors(&successors, f, fn, begins, false))
    return false;
  if (!successors.count)
    return true;
  uint32_t first = successors.count;
  if (!add_nodes_and_iterated_frontier(f, begins, successors.items, first) ||
      !list_catchswitch_successors(&successors, f, fn, begins, false) ||
      (successors.count > first && (!list_catchswitch_successors(&successors, f, fn, begins, true) ||
                                    !add_nodes_and_iterated_frontier(f, begins, successors.items, successors.count))))
    return false;
  return (crossing->reload_region = nearest_dominators_in_set(f, begins)) != NULL;
}

static bool compute_epochs_and_reload_regions(struct coro_crossing *crossing, struct coro_arena *arena,
                                              const struct ir_fn *fn, const struct coro_cfg *cfg)
{
  struct flow f = {arena, cfg, cfg->graph, cfg->rpo, cfg->dom};
  struct coro_bits begins;
  uint32_t landings = cfg->node_count - cfg->fragment_count;
  uint32_t *defs = CORO_NEW_ARRAY(arena, uint32_t, landings);
  if (!defs || !coro_bits_init(&begins, arena, cfg->node_count))
    return false;
  for (uint32_t k = 0; k < landings; k++)
    defs[k] = cfg->fragment_count + k;
  if (!add_nodes_and_iterated_frontier(&f, &begins, defs, landings))
    return false;
  crossing->epoch = nearest_dominators_in_set(&f, &begins);
  return crossing->epoch && compute_reload_regions(crossing, &f, fn, &begins);
}

static bool is_free_or_freeing_end(const struct coro_lowering *low, uint32_t inst)
{
  return low->shape.intrin[inst] == INTRIN_FREE || (low->shape.intrin[inst] == INTRIN_END && low->abi->end_frees_frame);
}

/* Finds nodes that are reachable after a suspend on its exit path, or after the frame was freed. */
static bool mark_nodes_where_frame_may_be_freed(struct coro_crossing *crossing, const struct coro_lowering *low)
{
  const struct coro_cfg *cfg = &low->cfg;
  struct worklist nodes;
  if (!worklist_init(&nodes, low->arena, cfg->node_count))
    return false;
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    uint32_t n = cfg_node_of(cfg, i);
    bool leaves = i + 1 == cfg->nodes[n].last && cfg->nodes[n].suspend != IR_NONE;
    if (leaves || is_free_or_freeing_end(low, i))
      cfg_enter_successors(cfg, &nodes, n, CLONE_ALL);
  }
  cfg_enter_reachable(cfg, &nodes, CLONE_ALL);
  crossing->maybe_freed = nodes.entered;
  return true;
}

/* Whether the operands of an intrinsic only identify the coroutine. Clones do not copy these intrinsics: check.c
   accepts a single id, and the ABI lowers the others. */
static bool has_only_identifying_operands(unsigned char intrin)
{
  switch (intrin) {
  case INTRIN_ID_ASYNC: return false; /* its operands are also the context's */
  case INTRIN_ALLOC:
  case INTRIN_BEGIN:
  case INTRIN_FREE:
  case INTRIN_END:
  case INTRIN_SAVE:
  case INTRIN_SUSPEND: return true;
  default: return intrin_is_id((enum intrin)intrin);
  }
}

static bool visit_incoming_values_in_clones(const struct ir_fn *fn, const struct coro_cfg *cfg, uint32_t inst,
                                            coro_use_fn *visit, void *context)
{
  const uint32_t *operands = fn->operands + fn->operand_start[inst];
  uint32_t count = ir_phi_count(fn, inst), to = cfg_node_of(cfg, inst);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t from[2];
    if (operands[k] == IR_NONE || operands[count + k] == IR_NONE)
      continue;
    uint32_t sides = cfg_exit_nodes_of_block(cfg, operands[count + k] & ~IR_BLOCK, from);
    for (uint32_t s = 0; s < sides; s++)
      if (cfg->nodes[from[s]].clone_kinds & CLONE_ALL_BUT_RAMP && cfg_has_edge(cfg, from[s], to, CLONE_ALL_BUT_RAMP) &&
          !visit(context, operands[k], inst, from[s]))
        return false;
  }
  return true;
}

bool coro_visit_operands_used_in_clones(const struct coro_lowering *low, uint32_t inst, coro_use_fn *visit,
                                        void *context)
{
  const struct ir_fn *fn = &low->fn;
  const struct coro_cfg *cfg = &low->cfg;
  uint32_t node = cfg_node_of(cfg, inst);
  if (fn->opcode[inst] == LLVMPHI)
    return visit_incoming_values_in_clones(fn, cfg, inst, visit, context);
  if (!(cfg->nodes[node].clone_kinds & CLONE_ALL_BUT_RAMP) || cfg->nodes[node].folded ||
      has_only_identifying_operands(low->shape.intrin[inst]))
    return true;
  for (uint32_t o = fn->operand_start[inst]; o < fn->operand_start[inst + 1]; o++)
    if (!(fn->operands[o] & IR_BLOCK) && !visit(context, fn->operands[o], inst, node))
      return false;
  return true;
}

uint32_t coro_node_that_defines_value(const struct ir_fn *fn, const struct coro_cfg *cfg, uint32_t value)
{
  uint32_t inst = ir_inst_of_value(fn, value);
  if (inst == IR_NONE)
    return 0;
  uint32_t node = cfg_node_of(cfg, inst);
  return cfg->nodes[node].suspend != IR_NONE && inst + 1 == cfg->nodes[node].last ? node + 1 : node;
}

bool coro_value_is_in_every_clone(const struct coro_lowering *low, uint32_t value)
{
  const struct ir_fn *fn = &low->fn;
  const struct coro_shape *shape = &low->shape;
  uint32_t inst = ir_inst_of_value(fn, value);
  if (inst == IR_NONE)
    return shape->byval[value] || shape->error == value || low->frame_argument == value;
  switch (shape->intrin[inst]) {
  case INTRIN_BEGIN:
  case INTRIN_FRAME:
  case INTRIN_SIZE:
  case INTRIN_ALIGN: return true;
  case INTRIN_PROMISE: return coro_is_own_promise(fn, shape, inst);
  default:
    return fn->opcode[inst] == LLVMAlloca && LLVMIsAConstantInt(LLVMGetOperand(fn->insts[inst], ALLOCA_COUNT)) &&
           !coro_bits_get(&low->crossing.per_iteration, value) &&
           !coro_bits_get(&low->crossing.captured_before_begin, value);
  }
}

static bool record_first_use_across_suspend(void *context, uint32_t value, uint32_t inst, uint32_t node)
{
  struct coro_lowering *low = context;
  struct coro_crossing *crossing = &low->crossing;
  uint32_t def = coro_node_that_defines_value(&low->fn, &low->cfg, value);
  if (crossing->epoch[def] == crossing->epoch[node] || coro_bits_get(&crossing->live_across_suspend, value) ||
      coro_value_is_in_every_clone(low, value))
    return true;
  coro_bits_set(&crossing->live_across_suspend, value);
  crossing->use[value] = inst;
  crossing->use_node[value] = node;
  return true;
}

coro_status coro_run_crossing_stage(struct coro_lowering *low)
{
  struct coro_crossing *crossing = &low->crossing;
  uint32_t values = ir_value_count(&low->fn);
  crossing->use = CORO_NEW_ARRAY(low->arena, uint32_t, values);
  crossing->use_node = CORO_NEW_ARRAY(low->arena, uint32_t, values);
  if (!crossing->use || !crossing->use_node || !coro_bits_init(&crossing->live_across_suspend, low->arena, values) ||
      !stack_only_find_inalloca_allocas(&crossing->for_arguments, low->arena, &low->fn) ||
      !coro_find_per_iteration_allocas(low, &crossing->per_iteration) ||
      !coro_find_allocas_captured_before_begin(low, &crossing->captured_before_begin) ||
      !compute_epochs_and_reload_regions(crossing, low->arena, &low->fn, &low->cfg) ||
      !mark_nodes_where_frame_may_be_freed(crossing, low))
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    coro_visit_operands_used_in_clones(low, i, record_first_use_across_suspend, low);
  return CORO_OK;
}
