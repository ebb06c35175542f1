/* Builds the control-flow graph: nodes by a scan of the blocks, then edges, then the functions that take each edge. */
#include "analysis/cfg.h"

#include "analysis/phi_branches.h"
#include "ir/constant_fold.h"
#include "ir/flow.h"

/* ---- Folding the branch on a suspend's result ----

   The instructions between a suspend and the end of its block usually only choose a successor by the result, possibly
   through casts and comparisons. The result is known on each path (-1 suspended, 0 resumed, 1 destroyed), and so is the
   successor. These instructions need not be executed. */

/* Whether all uses of the value are by instructions in [first, last) other than phis. */
static bool is_used_only_within_range(const struct ir_fn *fn, uint32_t inst, uint32_t first, uint32_t last)
{
  for (LLVMUseRef use = LLVMGetFirstUse(fn->insts[inst]); use; use = LLVMGetNextUse(use)) {
    uint32_t at = ir_inst(fn, LLVMGetUser(use));
    if (at == IR_NONE || at < first || at >= last)
      return false;
  }
  return true;
}

static unsigned successor_index_for_result(const struct ir_fn *fn, uint32_t suspend, uint32_t last, int result)
{
  LLVMValueRef source = fn->insts[suspend], terminator = fn->insts[last - 1];
  LLVMValueRef constant = LLVMConstInt(LLVMTypeOf(source), (unsigned long long)(long long)result, true);
  return flow_is_jump(terminator) ? 0 : constant_successor_or_unknown(terminator, source, constant);
}

/* Whether the instructions (suspend, last) compute integers and branch to a known successor for each of the three
   results, and neither the result nor these integers have other uses. */
static bool can_fold_suspend_result(const struct ir_fn *fn, uint32_t suspend, uint32_t last)
{
  uint32_t terminator = last - 1;
  if (terminator - suspend > CONSTANT_FOLD_STEPS || !is_used_only_within_range(fn, suspend, suspend + 1, last))
    return false;
  for (uint32_t i = suspend + 1; i < terminator; i++)
    if (!constant_fold_supports_instruction(fn->insts[i]) || !is_used_only_within_range(fn, i, i + 1, last))
      return false;
  for (int result = -1; result <= 1; result++)
    if (successor_index_for_result(fn, suspend, last, result) == CONSTANT_SUCCESSOR_UNKNOWN)
      return false;
  return true;
}

/* The successor that the instructions between `suspend` and `last`, of which the terminator is last - 1, choose for
   `result`, as an IR_BLOCK operand. Requires can_fold_suspend_result. */
static uint32_t successor_block_for_folded_suspend(const struct ir_fn *fn, uint32_t suspend, uint32_t last, int result)
{
  return ir_id(fn, LLVMBasicBlockAsValue(
                       LLVMGetSuccessor(fn->insts[last - 1], successor_index_for_result(fn, suspend, last, result))));
}

struct builder {
  struct coro_cfg *cfg;
  struct coro_arena *arena;
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  CORO_VEC(struct cfg_edge) edges;
};

/* The functions that continue after an instruction; others return there, or transfer to another coroutine. */
static unsigned clones_that_continue_after(const struct builder *b, uint32_t inst)
{
  switch (b->shape->intrin[inst]) {
  case INTRIN_END:
  case INTRIN_END_ASYNC:
    if (coro_is_unwind_end(b->fn, inst) && !LLVMGetNumOperandBundles(b->fn->insts[inst]))
      return CLONE_ALL;
    return b->cfg->returns ? 0 : CLONE_RAMP;
  case INTRIN_AWAIT_HANDLE: return b->fn->opcode[inst] == LLVMCall ? CLONE_RAMP : CLONE_ALL;
  default: return CLONE_ALL;
  }
}

static bool ends_fragment(const struct builder *b, uint32_t inst)
{
  return coro_is_suspend(b->shape, inst) || inst == b->shape->begin || clones_that_continue_after(b, inst) != CLONE_ALL;
}

static bool is_terminator(const struct builder *b, uint32_t inst)
{
  return inst + 1 == b->fn->block_start[ir_block_of(b->fn, inst) + 1];
}

static bool make_cfg_nodes(struct builder *b)
{
  struct coro_cfg *cfg = b->cfg;
  uint32_t count = b->fn->block_count;
  for (uint32_t i = 0; i < b->fn->inst_count; i++)
    count += ends_fragment(b, i) && !is_terminator(b, i);
  cfg->fragment_count = count;
  cfg->node_count = count + b->shape->suspend_count;
  cfg->unwound_start = count + b->shape->resumed_count;
  cfg->unwound_end = cfg->node_count - coro_has_final_suspend(b->shape);
  cfg->inst_count = b->fn->inst_count;
  cfg->nodes = CORO_NEW_ARRAY(b->arena, struct cfg_node, cfg->node_count + 1);
  cfg->node_of_inst = CORO_NEW_ARRAY(b->arena, uint32_t, b->fn->inst_count);
  cfg->first_node = CORO_NEW_ARRAY(b->arena, uint32_t, b->fn->block_count);
  cfg->last_node = CORO_NEW_ARRAY(b->arena, uint32_t, b->fn->block_count);
  if (coro_arena_failed(b->arena))
    return false;
  uint32_t n = 0;
  for (uint32_t block = 0; block < b->fn->block_count; block++) {
    uint32_t end = b->fn->block_start[block + 1];
    cfg->first_node[block] = n;
    cfg->nodes[n] = (struct cfg_node){.first = b->fn->block_start[block], .block = block, .suspend = IR_NONE};
    for (uint32_t i = b->fn->block_start[block]; i < end; i++) {
      cfg->node_of_inst[i] = n;
      if (!ends_fragment(b, i) || is_terminator(b, i))
        continue;
      cfg->nodes[n].last = i + 1;
      cfg->nodes[n].cut = true;
      cfg->nodes[++n] = (struct cfg_node){.first = i + 1, .block = block, .suspend = IR_NONE};
    }
    cfg->nodes[n].last = end;
    cfg->last_node[block] = n++;
  }
  for (uint32_t k = 0; k < b->shape->suspend_count; k++) {
    uint32_t fragment = cfg_node_of(cfg, b->shape->suspends[k].inst);
    cfg->nodes[fragment].suspend = k;
    cfg->nodes[n++] = (struct cfg_node){.block = cfg->nodes[fragment].block, .suspend = k, .landing = true};
  }
  return true;
}

static bool add_cfg_edge(struct builder *b, uint32_t to, unsigned clone_kinds)
{
  return coro_vec_push(b->arena, &b->edges, ((struct cfg_edge){.to = to, .clone_kinds = clone_kinds}));
}

static uint32_t first_node_of_block_operand(const struct builder *b, uint32_t operand)
{
  return b->cfg->first_node[operand & ~IR_BLOCK];
}

/* A branch on llvm.coro.is_in_ramp without a suspend in between: one edge for the ramp, the other for all clones. */
static bool add_in_ramp_edges(struct builder *b, LLVMValueRef branch)
{
  for (unsigned i = 0; i < 2; i++) {
    uint32_t to = flow_successor(b->fn, branch, i);
    if (!add_cfg_edge(b, b->cfg->first_node[to], i == 0 ? CLONE_RAMP : CLONE_ALL_BUT_RAMP))
      return false;
  }
  return true;
}

static bool branches_on_is_in_ramp(const struct builder *b, uint32_t terminator)
{
  LLVMValueRef condition = flow_branch_condition(b->fn->insts[terminator]);
  uint32_t inst = condition ? ir_inst(b->fn, condition) : IR_NONE;
  if (inst == IR_NONE || b->shape->intrin[inst] != INTRIN_IS_IN_RAMP)
    return false;
  uint32_t node = b->cfg->node_of_inst[inst], branch = b->cfg->node_of_inst[terminator];
  bool is_same_block = b->cfg->nodes[node].block == b->cfg->nodes[branch].block;
  for (; is_same_block && node < branch; node++)
    is_same_block = b->cfg->nodes[node].suspend == IR_NONE;
  return is_same_block;
}

static bool add_terminator_edges(struct builder *b, uint32_t terminator)
{
  LLVMValueRef inst = b->fn->insts[terminator];
  if (branches_on_is_in_ramp(b, terminator))
    return add_in_ramp_edges(b, inst);
  unsigned count = LLVMGetNumSuccessors(inst);
  for (unsigned i = 0; i < count; i++) {
    uint32_t to = flow_successor(b->fn, inst, i);
    /* After an invoked symmetric transfer only the ramp continues; every function has the exception edge. */
    bool transfer = b->shape->intrin[terminator] == INTRIN_AWAIT_HANDLE && i == 0;
    if (!add_cfg_edge(b, b->cfg->first_node[to], transfer ? CLONE_RAMP : CLONE_ALL))
      return false;
  }
  return true;
}

/* Edges of a fragment that ends at a cut. It continues in the next fragment, in the functions that do. A suspend
   continues where the folded branch after it sends the result -1. */
static bool add_cut_edges(struct builder *b, uint32_t node_id)
{
  const struct cfg_node *node = &b->cfg->nodes[node_id];
  if (node->suspend == IR_NONE) {
    unsigned clone_kinds = clones_that_continue_after(b, node->last - 1);
    return !clone_kinds || add_cfg_edge(b, node_id + 1, clone_kinds);
  }
  if (b->cfg->returns)
    return add_cfg_edge(b, cfg_landing(b->cfg, node->suspend), 0);
  uint32_t target = node_id + 1;
  if (b->cfg->nodes[node_id + 1].folded)
    target = first_node_of_block_operand(
        b, successor_block_for_folded_suspend(b->fn, node->last - 1, b->cfg->nodes[node_id + 1].last, -1));
  return add_cfg_edge(b, target, CLONE_ALL) && add_cfg_edge(b, cfg_landing(b->cfg, node->suspend), 0);
}

static bool add_landing_edges(struct builder *b, uint32_t node_id)
{
  uint32_t inst = b->shape->suspends[b->cfg->nodes[node_id].suspend].inst;
  uint32_t after = cfg_node_of(b->cfg, inst) + 1;
  if (b->cfg->returns)
    return add_cfg_edge(b, after, CLONE_RESUME);
  bool done = coro_is_done_at(b->shape, b->cfg->nodes[node_id].suspend);
  unsigned resume = done ? 0 : CLONE_RESUME, destroy = CLONE_DESTROY | CLONE_CLEANUP;
  if (!b->cfg->nodes[after].folded)
    return add_cfg_edge(b, after, resume | destroy);
  uint32_t last = b->cfg->nodes[after].last;
  uint32_t to_resume = first_node_of_block_operand(b, successor_block_for_folded_suspend(b->fn, inst, last, 0));
  uint32_t to_destroy = first_node_of_block_operand(b, successor_block_for_folded_suspend(b->fn, inst, last, 1));
  if (to_resume == to_destroy)
    return add_cfg_edge(b, to_resume, resume | destroy);
  return (!resume || add_cfg_edge(b, to_resume, resume)) && add_cfg_edge(b, to_destroy, destroy);
}

/* In clones, an end in a pad leaves the function, and so do the pad's other unwind edges. */
static void restrict_unwind_edge(struct builder *b, uint32_t terminator, struct cfg_edge *edges)
{
  uint32_t end = pads_end_of_exited_pad(&b->cfg->pads, terminator);
  if (end != IR_NONE)
    edges[b->fn->opcode[terminator] == LLVMInvoke].clone_kinds &= clones_that_continue_after(b, end);
}

static bool make_cfg_edges(struct builder *b)
{
  struct coro_cfg *cfg = b->cfg;
  for (uint32_t n = 0; n < cfg->node_count; n++) {
    struct cfg_node *node = &cfg->nodes[n];
    bool ok = true;
    node->edge_start = b->edges.count;
    if (node->landing)
      ok = add_landing_edges(b, n);
    else if (node->cut)
      ok = add_cut_edges(b, n);
    else if (!node->folded)
      ok = add_terminator_edges(b, node->last - 1);
    if (!ok)
      return false;
    if (!node->landing && !node->cut && !node->folded)
      restrict_unwind_edge(b, node->last - 1, b->edges.items + node->edge_start);
  }
  cfg->nodes[cfg->node_count].edge_start = b->edges.count;
  cfg->edges = b->edges.items;
  cfg->edge_count = b->edges.count;
  return true;
}

static void mark_folded_nodes(struct builder *b)
{
  for (uint32_t k = 0; k < b->shape->suspend_count && !b->cfg->returns; k++) {
    if (b->shape->intrin[b->shape->suspends[k].inst] != INTRIN_SUSPEND)
      continue;
    uint32_t inst = b->shape->suspends[k].inst, after = cfg_node_of(b->cfg, inst) + 1;
    b->cfg->nodes[after].folded =
        !b->cfg->nodes[after].cut && can_fold_suspend_result(b->fn, inst, b->cfg->nodes[after].last);
  }
}

/* Marks the nodes that functions reach without a suspend. */
static void mark_nodes_reached_without_suspend(struct coro_cfg *cfg, struct worklist *nodes, unsigned clone_kinds,
                                               uint32_t first, uint32_t count)
{
  worklist_restart(nodes);
  for (uint32_t i = 0; i < count; i++)
    worklist_enter(nodes, first + i);
  for (uint32_t n; worklist_take(nodes, &n);) {
    cfg->nodes[n].owners |= clone_kinds;
    if (cfg->nodes[n].landing || cfg->nodes[n].suspend == IR_NONE)
      cfg_enter_successors(cfg, nodes, n, clone_kinds);
  }
}

static bool restrict_edges_and_mark_owned_nodes(struct phi_branches *branches, unsigned clone_kinds, uint32_t first,
                                                uint32_t count)
{
  if (!phi_branches_mark_nodes_and_restrict_edges(branches, clone_kinds, first, count))
    return false;
  mark_nodes_reached_without_suspend(branches->cfg, &branches->nodes, clone_kinds, first, count);
  return true;
}

static bool mark_clones_that_reach_nodes(struct builder *b)
{
  struct coro_cfg *cfg = b->cfg;
  struct phi_branches branches;
  uint32_t landing = cfg_landing(cfg, 0), suspends = b->shape->suspend_count;
  return phi_branches_init(&branches, b->arena, b->fn, cfg) &&
         restrict_edges_and_mark_owned_nodes(&branches, CLONE_RAMP, 0, 1) &&
         restrict_edges_and_mark_owned_nodes(&branches, CLONE_RESUME, landing, b->shape->resumed_count) &&
         (cfg->returns ||
          restrict_edges_and_mark_owned_nodes(&branches, CLONE_DESTROY | CLONE_CLEANUP, landing, suspends));
}

static bool make_cfg_graph(struct coro_cfg *cfg, struct coro_arena *arena)
{
  struct graph_edge *edges = CORO_NEW_ARRAY(arena, struct graph_edge, cfg->edge_count);
  if (!edges)
    return false;
  for (uint32_t n = 0; n < cfg->node_count; n++)
    for (uint32_t e = cfg->nodes[n].edge_start; e < cfg->nodes[n + 1].edge_start; e++)
      edges[e] = (struct graph_edge){n, cfg->edges[e].to};
  return graph_build(&cfg->graph, arena, cfg->node_count, edges, cfg->edge_count) &&
         graph_compute_reverse_postorder(&cfg->rpo, arena, &cfg->graph, 0) &&
         graph_compute_dominators(&cfg->dom, arena, &cfg->graph, &cfg->rpo);
}

bool cfg_build(struct coro_cfg *cfg, struct coro_arena *arena, const struct ir_fn *fn, const struct coro_shape *shape,
               bool returns)
{
  struct builder b = {.cfg = cfg, .arena = arena, .fn = fn, .shape = shape};
  *cfg = (struct coro_cfg){.begin_node = IR_NONE, .returns = returns};
  if (!find_pads_of_ends_and_blocks(&cfg->pads, arena, fn, shape) || !make_cfg_nodes(&b))
    return false;
  mark_folded_nodes(&b);
  if (shape->begin != IR_NONE)
    cfg->begin_node = cfg_node_of(cfg, shape->begin) + 1;
  return make_cfg_edges(&b) && mark_clones_that_reach_nodes(&b) && make_cfg_graph(cfg, arena);
}

bool cfg_inst_dominates(const struct coro_cfg *cfg, uint32_t a, uint32_t b)
{
  uint32_t x = cfg_node_of(cfg, a), y = cfg_node_of(cfg, b);
  return x == y ? a <= b : graph_dominates(&cfg->dom, x, y);
}

uint32_t cfg_exit_nodes_of_block(const struct coro_cfg *cfg, uint32_t block, uint32_t nodes[2])
{
  uint32_t last = cfg->last_node[block];
  nodes[0] = last;
  if (!cfg->nodes[last].folded)
    return 1;
  nodes[0] = last - 1;
  nodes[1] = cfg_landing(cfg, cfg->nodes[last - 1].suspend);
  return 2;
}

bool cfg_has_edge(const struct coro_cfg *cfg, uint32_t from, uint32_t to, unsigned clone_kind)
{
  for (uint32_t e = cfg->nodes[from].edge_start; e < cfg->nodes[from + 1].edge_start; e++)
    if (cfg->edges[e].to == to && cfg->edges[e].clone_kinds & clone_kind)
      return true;
  return false;
}
