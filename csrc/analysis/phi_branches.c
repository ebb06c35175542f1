/* Finds the edges that each function takes where a phi of constants decides: see phi_branches.h. */
#include "analysis/phi_branches.h"

#include "ir/constant_fold.h"

/* Whether the node is a block that starts with phis. */
static bool is_whole_block_with_phis(const struct phi_branches *p, uint32_t n)
{
  const struct cfg_node *node = &p->cfg->nodes[n];
  bool is_whole_block = !node->landing && !node->cut && !node->folded && p->cfg->first_node[node->block] == n;
  return is_whole_block && p->fn->opcode[node->first] == LLVMPHI;
}

/* Adds the node to those with a known phi, and lists it for add_phis_of_predecessors. */
static bool add_phi_of_node(struct phi_branches *p, uint32_t n, uint32_t phi)
{
  uint32_t count = ir_phi_count(p->fn, phi);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t block = p->fn->operands[p->fn->operand_start[phi] + count + k];
    if (block != IR_NONE && !coro_map_put(&p->incoming, coro_map_pair(n, block & ~IR_BLOCK), k))
      return false;
  }
  p->of_node[n].phi = phi;
  return coro_vec_push(p->arena, &p->revisited, n);
}

/* Adds the phis of predecessors that are passed to the phi of the node: cleanups pass the choice of an inner one on. */
static bool add_phis_of_predecessors(struct phi_branches *p, uint32_t n)
{
  uint32_t phi = p->of_node[n].phi, count = ir_phi_count(p->fn, phi);
  const uint32_t *operands = p->fn->operands + p->fn->operand_start[phi];
  for (uint32_t k = 0; k < count; k++) {
    uint32_t inst = operands[k] == IR_NONE ? IR_NONE : ir_inst_of_value(p->fn, operands[k]);
    uint32_t from = operands[count + k] == IR_NONE ? IR_NONE : p->cfg->last_node[operands[count + k] & ~IR_BLOCK];
    bool passed = inst != IR_NONE && from != IR_NONE && p->fn->opcode[inst] == LLVMPHI &&
                  cfg_node_of(p->cfg, inst) == from && is_whole_block_with_phis(p, from);
    if (passed && p->of_node[from].phi == IR_NONE && !add_phi_of_node(p, from, inst))
      return false;
  }
  return true;
}

bool phi_branches_init(struct phi_branches *p, struct coro_arena *arena, const struct ir_fn *fn, struct coro_cfg *cfg)
{
  *p = (struct phi_branches){.cfg = cfg, .arena = arena, .fn = fn};
  p->of_node = CORO_NEW_ARRAY(arena, struct phi_branch, cfg->node_count);
  coro_map_init(&p->incoming, arena);
  bool fine = p->of_node && worklist_init(&p->nodes, arena, cfg->node_count);
  for (uint32_t n = 0; n < cfg->node_count && fine; n++) {
    LLVMValueRef phi =
        is_whole_block_with_phis(p, n)
            ? constant_successor_own_phi_or_null(LLVMGetInstructionParent(fn->insts[cfg->nodes[n].first]))
            : NULL;
    p->of_node[n].phi = IR_NONE;
    fine = !phi || add_phi_of_node(p, n, ir_inst(fn, phi));
  }
  while (fine && p->revisited.count)
    fine = add_phis_of_predecessors(p, p->revisited.items[--p->revisited.count]);
  return fine;
}

/* The constant that the phi of node `to` is on an edge; NULL: unknown. Another phi counts only if it is one of the node
   from which the edge comes: any other may have been computed before a suspend, by another function. */
static LLVMValueRef phi_constant_on_edge_or_null(const struct phi_branches *p, uint32_t from, uint32_t to)
{
  uint32_t phi = p->of_node[to].phi;
  uint64_t k;
  if (!coro_map_get(&p->incoming, coro_map_pair(to, p->cfg->nodes[from].block), &k))
    return NULL;
  uint32_t value = p->fn->operands[p->fn->operand_start[phi] + k];
  LLVMValueRef constant = value == IR_NONE ? LLVMGetIncomingValue(p->fn->insts[phi], (unsigned)k) : NULL;
  if (constant)
    return LLVMIsAConstantInt(constant) ? constant : NULL;
  return p->of_node[from].phi != IR_NONE && p->of_node[from].phi == ir_inst_of_value(p->fn, value)
             ? p->of_node[from].constant
             : NULL;
}

/* The cases of the switch. NULL: out of memory, which the arena records. */
static const struct coro_map *build_map_of_cases(const struct phi_branches *p, LLVMValueRef switch_inst)
{
  struct coro_map *cases = CORO_NEW(p->arena, struct coro_map);
  if (!cases)
    return NULL;
  coro_map_init(cases, p->arena);
  for (unsigned i = 1; i < LLVMGetNumSuccessors(switch_inst); i++)
    if (!coro_map_put(cases, coro_map_key(LLVMGetSwitchCaseValue(switch_inst, i)), i))
      return NULL;
  return cases;
}

/* constant_successor_or_unknown, in constant time for a switch of many cases. */
static unsigned successor_for_phi_constant(const struct phi_branches *p, uint32_t n, LLVMValueRef constant)
{
  struct phi_branch *branch = &p->of_node[n];
  LLVMValueRef terminator = p->fn->insts[p->cfg->nodes[n].last - 1], phi = p->fn->insts[branch->phi];
  if (!LLVMIsASwitchInst(terminator))
    return constant_successor_or_unknown(terminator, phi, constant);
  LLVMValueRef known = constant_branch_operand_or_null(terminator, phi, constant);
  uint64_t successor = 0;
  if (!known || (!branch->cases && !(branch->cases = build_map_of_cases(p, terminator))))
    return CONSTANT_SUCCESSOR_UNKNOWN;
  coro_map_get(branch->cases, coro_map_key(known), &successor); /* LLVM uniques constants per context */
  return (unsigned)successor;
}

/* Merges the value of the phi on one more edge. Returns whether the node must be visited again. */
static bool merge_phi_constant(struct phi_branches *p, uint32_t to, LLVMValueRef constant)
{
  struct phi_branch *branch = &p->of_node[to];
  const struct cfg_node *node = &p->cfg->nodes[to];
  unsigned successor = constant ? successor_for_phi_constant(p, to, constant) : CONSTANT_SUCCESSOR_UNKNOWN;
  bool is_known = successor != CONSTANT_SUCCESSOR_UNKNOWN;
  uint32_t target = is_known ? p->cfg->edges[node->edge_start + successor].to : IR_NONE;
  if (!branch->reached) {
    *branch = (struct phi_branch){branch->phi, true, !is_known, constant, target, branch->cases};
    return false;
  }
  bool more_values = branch->constant && branch->constant != constant;
  bool more_edges = !branch->takes_all_edges && branch->target != target;
  branch->constant = more_values ? NULL : branch->constant;
  branch->takes_all_edges |= more_edges;
  return more_values || more_edges;
}

static bool enter_node_by_edge(struct phi_branches *p, uint32_t from, uint32_t to)
{
  const struct phi_branch *branch = &p->of_node[to];
  bool is_final = branch->phi == IR_NONE || (branch->reached && branch->takes_all_edges && !branch->constant);
  if (!is_final && merge_phi_constant(p, to, phi_constant_on_edge_or_null(p, from, to)) &&
      !coro_vec_push(p->arena, &p->revisited, to))
    return false;
  worklist_enter(&p->nodes, to);
  return true;
}

static bool may_take_edge(const struct phi_branches *p, uint32_t n, const struct cfg_edge *edge)
{
  const struct phi_branch *branch = &p->of_node[n];
  return branch->phi == IR_NONE || !branch->reached || branch->takes_all_edges || branch->target == edge->to;
}

static bool take_next_node(struct phi_branches *p, uint32_t *n)
{
  if (!p->revisited.count)
    return worklist_take(&p->nodes, n);
  *n = p->revisited.items[--p->revisited.count];
  return true;
}

bool phi_branches_mark_nodes_and_restrict_edges(struct phi_branches *p, unsigned clone_kinds, uint32_t first,
                                                uint32_t count)
{
  struct coro_cfg *cfg = p->cfg;
  worklist_restart(&p->nodes);
  for (uint32_t n = 0; n < cfg->node_count; n++)
    p->of_node[n].reached = false;
  for (uint32_t i = 0; i < count; i++)
    worklist_enter(&p->nodes, first + i);
  for (uint32_t n; take_next_node(p, &n);) {
    cfg->nodes[n].clone_kinds |= clone_kinds;
    for (uint32_t e = cfg->nodes[n].edge_start; e < cfg->nodes[n + 1].edge_start; e++)
      if (cfg->edges[e].clone_kinds & clone_kinds && may_take_edge(p, n, &cfg->edges[e]) &&
          !enter_node_by_edge(p, n, cfg->edges[e].to))
        return false;
  }
  for (uint32_t n = 0; n < cfg->node_count; n++)
    for (uint32_t e = cfg->nodes[n].edge_start; e < cfg->nodes[n + 1].edge_start; e++)
      if (!may_take_edge(p, n, &cfg->edges[e]))
        cfg->edges[e].clone_kinds &= ~clone_kinds;
  return true;
}
