/* Analysis for jump threading. Finds the state variables: phis that merge only constants, directly or through such
   phis, and decide branches. A state is a tuple of their values; state_variants.h then computes the states in which
   each block is entered. The instructions of all clones together have a limit. */
#include "loops/jump_thread.h"

#include "graph/dataflow.h"
#include "graph/graph.h"
#include "graph/worklist.h"
#include "ir/constant_fold.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/number.h"
#include "loops/jump_thread_internal.h"
#include "transform/prune.h"

enum {
  MAX_VARIABLES = 64,
  MAX_INSTRUCTIONS = 512, /* limit for all block clones together */
  MAX_DEPTH = 8 /* nesting limit of comparisons */
};

struct state_analysis {
  struct jump_threading *s;
  struct worklist others; /* instructions outside of the webs: phis and comparisons of constants and of each other */
  uint32_t *variable; /* indexed by instruction: number of a phi that decides a branch, else IR_NONE */
  CORO_VEC(uint32_t) phis; /* by number */
  const struct coro_bits *live; /* indexed by block: variables that are live at its head */
  uint32_t *weight;
  CORO_VEC(LLVMValueRef) constants; /* by constant number - 1 */
  struct coro_map numbers;
};

static bool is_undef_or_poison(LLVMValueRef constant)
{
  return LLVMIsUndef(constant) || LLVMIsPoison(constant);
}

/* ---- State variables ---- */

static uint32_t count_operands_of_phi_or_compare(const struct state_analysis *k, uint32_t inst)
{
  return k->s->fn.opcode[inst] == LLVMPHI ? ir_phi_count(&k->s->fn, inst) : 2;
}

static bool is_int_or_pointer_phi_or_icmp(const struct state_analysis *k, uint32_t inst)
{
  LLVMValueRef at = k->s->fn.insts[inst];
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(at));
  bool is_phi = k->s->fn.opcode[inst] == LLVMPHI && (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind);
  return is_phi || (k->s->fn.opcode[inst] == LLVMICmp && kind == LLVMIntegerTypeKind);
}

static bool has_operand_neither_inst_nor_constant(const struct state_analysis *k, uint32_t inst)
{
  for (uint32_t i = 0; i < count_operands_of_phi_or_compare(k, inst); i++)
    if (ir_operand_inst(&k->s->fn, inst, i) == IR_NONE && !LLVMIsConstant(LLVMGetOperand(k->s->fn.insts[inst], i)))
      return true;
  return false;
}

/* Greatest fixed point: the users of instructions outside of the webs are outside, too. */
static bool find_constant_webs(struct state_analysis *k)
{
  const struct ir_fn *fn = &k->s->fn;
  if (!worklist_init(&k->others, k->s->run->arena, fn->inst_count))
    return false;
  for (uint32_t i = 0; i < fn->inst_count; i++)
    if (!is_int_or_pointer_phi_or_icmp(k, i) || has_operand_neither_inst_nor_constant(k, i))
      worklist_enter(&k->others, i);
  for (uint32_t inst; worklist_take(&k->others, &inst);)
    for (LLVMUseRef use = LLVMGetFirstUse(fn->insts[inst]); use; use = LLVMGetNextUse(use)) {
      uint32_t user = ir_inst(fn, LLVMGetUser(use));
      if (user != IR_NONE)
        worklist_enter(&k->others, user);
    }
  return true;
}

static bool is_in_constant_web(const struct state_analysis *k, uint32_t inst)
{
  return inst != IR_NONE && !worklist_has_entered(&k->others, inst);
}

/* The instruction of a web that the block's terminator branches on; else IR_NONE. */
static uint32_t web_operand_of_branch_or_none(const struct state_analysis *k, uint32_t block)
{
  const struct ir_fn *fn = &k->s->fn;
  LLVMValueRef branch_operand = flow_branch_operand(fn->insts[fn->block_start[block + 1] - 1]);
  uint32_t inst = branch_operand ? ir_inst(fn, branch_operand) : IR_NONE;
  return is_in_constant_web(k, inst) ? inst : IR_NONE;
}

/* Phis that decide a branch, and phis among their operands. */
static bool find_state_phis(struct state_analysis *k)
{
  const struct ir_fn *fn = &k->s->fn;
  struct coro_arena *arena = k->s->run->arena;
  struct worklist deciding; /* instructions */
  k->variable = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count + 1);
  if (!k->variable || !worklist_init(&deciding, arena, fn->inst_count))
    return false;
  for (uint32_t i = 0; i < fn->inst_count; i++)
    k->variable[i] = IR_NONE;
  for (uint32_t b = 0; b < fn->block_count; b++)
    if (web_operand_of_branch_or_none(k, b) != IR_NONE)
      worklist_enter(&deciding, web_operand_of_branch_or_none(k, b));
  for (uint32_t inst; worklist_take(&deciding, &inst);) {
    if (fn->opcode[inst] == LLVMPHI) {
      k->variable[inst] = k->phis.count;
      if (!coro_vec_push(arena, &k->phis, inst))
        return false;
    }
    for (uint32_t i = 0; i < count_operands_of_phi_or_compare(k, inst); i++)
      if (ir_operand_inst(fn, inst, i) != IR_NONE)
        worklist_enter(&deciding, ir_operand_inst(fn, inst, i));
  }
  return true;
}

/* ---- Liveness ---- */

static void add_used_variables(struct state_analysis *k, struct coro_bits *bits, uint32_t inst, int depth)
{
  if (!is_in_constant_web(k, inst))
    return;
  if (k->s->fn.opcode[inst] == LLVMPHI)
    coro_bits_set(bits, k->variable[inst]);
  else if (depth < MAX_DEPTH)
    for (uint32_t i = 0; i < 2; i++)
      add_used_variables(k, bits, ir_operand_inst(&k->s->fn, inst, i), depth + 1);
}

/* At the start of an edge the value of a phi after it is that of its operand. */
static void compute_live_before_edge(void *user, uint32_t block, uint32_t edge, const struct coro_bits *live,
                                     struct coro_bits *before)
{
  struct state_analysis *k = user;
  const struct ir_fn *fn = &k->s->fn;
  for (uint32_t v = 0; v < k->phis.count; v++) {
    uint32_t phi = k->phis.items[v];
    if (!coro_bits_get(live, v))
      continue;
    if (ir_block_of(fn, phi) != k->s->g.succ[edge])
      coro_bits_set(before, v);
    else
      add_used_variables(k, before, ir_operand_inst(fn, phi, jump_thread_incoming_index(k->s, phi, block)), 0);
  }
}

static bool compute_liveness(struct state_analysis *k)
{
  struct coro_arena *arena = k->s->run->arena;
  uint32_t count = k->s->fn.block_count;
  struct coro_bits *used = dataflow_allocate_fact_sets(arena, count, k->phis.count);
  struct graph_rpo rpo;
  if (!used || !graph_compute_reverse_postorder(&rpo, arena, &k->s->g, 0))
    return false;
  for (uint32_t b = 0; b < count; b++)
    add_used_variables(k, &used[b], web_operand_of_branch_or_none(k, b), 0);
  const struct dataflow_facts problem = {.graph = &k->s->g,
                                         .rpo = &rpo,
                                         .backward = true,
                                         .size = k->phis.count,
                                         .gen = used,
                                         .cross = compute_live_before_edge,
                                         .user = k};
  k->live = dataflow_solve_facts(&problem, arena);
  return k->live != NULL;
}

/* ---- Values in a state ---- */

/* 0: unknown, or out of memory, recorded by the arena. */
static uint32_t find_or_add_constant_number(struct state_analysis *k, LLVMValueRef constant)
{
  uint64_t number = 0;
  if (is_undef_or_poison(constant) || coro_map_get(&k->numbers, coro_map_key(constant), &number))
    return (uint32_t)number;
  bool fine = coro_vec_push(k->s->run->arena, &k->constants, constant) &&
              coro_map_put(&k->numbers, coro_map_key(constant), k->constants.count);
  return fine ? k->constants.count : 0;
}

static uint32_t constant_number_of_operand_or_zero(struct state_analysis *k, uint32_t inst, uint32_t index,
                                                   const uint32_t *state, int depth);

/* Folds a comparison as LLVM does. */
static uint32_t fold_comparison_to_number_or_zero(struct state_analysis *k, uint32_t inst, const uint32_t *state,
                                                  int depth)
{
  uint32_t one = constant_number_of_operand_or_zero(k, inst, 0, state, depth),
           other = constant_number_of_operand_or_zero(k, inst, 1, state, depth);
  if (!one || !other)
    return 0;
  LLVMValueRef at = k->s->fn.insts[inst], folded;
  LLVMPositionBuilderBefore(k->s->builder, at);
  folded = LLVMBuildICmp(k->s->builder, LLVMGetICmpPredicate(at), k->constants.items[one - 1],
                         k->constants.items[other - 1], "");
  if (LLVMIsAConstantInt(folded))
    return find_or_add_constant_number(k, folded);
  if (edit_is_instruction(folded))
    LLVMInstructionEraseFromParent(folded);
  return 0;
}

static uint32_t constant_number_in_state_or_zero(struct state_analysis *k, uint32_t inst, const uint32_t *state,
                                                 int depth)
{
  if (k->s->fn.opcode[inst] == LLVMPHI)
    return k->variable[inst] == IR_NONE ? 0 : state[k->variable[inst]];
  return depth < MAX_DEPTH && k->s->fn.opcode[inst] == LLVMICmp && is_in_constant_web(k, inst)
             ? fold_comparison_to_number_or_zero(k, inst, state, depth + 1)
             : 0;
}

static uint32_t constant_number_of_operand_or_zero(struct state_analysis *k, uint32_t inst, uint32_t index,
                                                   const uint32_t *state, int depth)
{
  uint32_t by = ir_operand_inst(&k->s->fn, inst, index);
  return by != IR_NONE ? constant_number_in_state_or_zero(k, by, state, depth)
                       : find_or_add_constant_number(k, LLVMGetOperand(k->s->fn.insts[inst], index));
}

static void compute_phi_states_on_edge(void *context, uint32_t block, uint32_t edge, const uint32_t *state,
                                       uint32_t *after)
{
  struct state_analysis *k = context;
  for (uint32_t v = 0; v < k->phis.count; v++) {
    uint32_t phi = k->phis.items[v];
    bool here = ir_block_of(&k->s->fn, phi) == k->s->g.succ[edge];
    after[v] = here ? constant_number_of_operand_or_zero(k, phi, jump_thread_incoming_index(k->s, phi, block), state, 0)
                    : state[v];
  }
}

static uint32_t edge_decided_by_state_or_none(void *context, uint32_t block, const uint32_t *state)
{
  struct state_analysis *k = context;
  uint32_t branch_operand = web_operand_of_branch_or_none(k, block),
           known = branch_operand == IR_NONE ? 0 : constant_number_in_state_or_zero(k, branch_operand, state, 0);
  if (!known)
    return GRAPH_NONE;
  LLVMValueRef terminator = k->s->fn.insts[k->s->fn.block_start[block + 1] - 1];
  return k->s->g.succ_start[block] +
         constant_successor_or_unknown(terminator, k->s->fn.insts[branch_operand], k->constants.items[known - 1]);
}

/* ---- Profitability ---- */

/* Whether all successors are known, and none is a blockaddress. */
static bool lists_all_successors(LLVMValueRef end)
{
  return flow_is_branch(end) || LLVMIsAReturnInst(end) || LLVMIsAUnreachableInst(end) || LLVMIsAInvokeInst(end) ||
         LLVMIsAResumeInst(end);
}

static bool may_clone_instruction(const struct jump_threading *s, LLVMValueRef at)
{
  if (LLVMGetTypeKind(LLVMTypeOf(at)) == LLVMTokenTypeKind || LLVMIsAAllocaInst(at))
    return false;
  if (!edit_is_call(at))
    return true;
  enum intrin intrin = intrin_of_call(s->run->intrin, at);
  bool once = edit_call_or_callee_has_function_attribute(at, "noduplicate") ||
              edit_call_or_callee_has_function_attribute(at, "convergent");
  bool plain = intrin == INTRIN_NONE || intrin == INTRIN_SUBFN_ADDR || intrin >= INTRIN_COUNT;
  return plain && !once && !edit_call_or_callee_has_function_attribute(at, "returns_twice");
}

static bool may_clone_block(const struct jump_threading *s, uint32_t block)
{
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(s->fn.blocks[block])); use; use = LLVMGetNextUse(use))
    if (!edit_is_instruction(LLVMGetUser(use)))
      return false;
  for (uint32_t i = s->fn.block_start[block]; i < s->fn.block_start[block + 1]; i++)
    if (!may_clone_instruction(s, s->fn.insts[i]))
      return false;
  return true;
}

/* Whether each cycle has one entry (a reducible CFG). */
static bool check_is_control_flow_reducible(struct coro_arena *arena, const struct graph *g, bool *is_reducible)
{
  struct graph_rpo rpo;
  struct graph_dom dom;
  if (!graph_compute_reverse_postorder(&rpo, arena, g, 0) || !graph_compute_dominators(&dom, arena, g, &rpo))
    return false;
  *is_reducible = true;
  for (uint32_t n = 0; n < g->node_count; n++)
    for (uint32_t e = g->succ_start[n]; e < g->succ_start[n + 1]; e++)
      *is_reducible &=
          rpo.number[n] == GRAPH_NONE || rpo.number[g->succ[e]] > rpo.number[n] || graph_dominates(&dom, g->succ[e], n);
  return true;
}

static bool build_variant_graph(struct jump_threading *s)
{
  const struct graph_variants *v = &s->variants;
  CORO_VEC(struct graph_edge) edges = {0};
  for (uint32_t n = 0; n < v->count; n++)
    for (uint32_t i = v->succ_start[n]; i < v->succ_start[n + 1]; i++)
      if (v->succ[i] != GRAPH_NONE && !coro_vec_push(s->run->arena, &edges, ((struct graph_edge){n, v->succ[i]})))
        return false;
  return graph_build(&s->variant_graph, s->run->arena, v->count, edges.items, edges.count);
}

/* Whether the result is reducible if the input is, since LLVM's loop passes need natural loops. */
static bool check_threading_keeps_reducible(struct jump_threading *s, bool *reducible)
{
  bool before, after;
  bool fine = build_variant_graph(s) && check_is_control_flow_reducible(s->run->arena, &s->g, &before) &&
              check_is_control_flow_reducible(s->run->arena, &s->variant_graph, &after);
  *reducible = fine && (after || !before);
  return fine;
}

/* Whether a branch is removed, and no block is cloned that must not be. */
static bool may_thread_and_removes_branch(const struct jump_threading *s)
{
  const struct graph_variants *v = &s->variants;
  bool removes_branch = false;
  for (uint32_t n = 0; n < v->count; n++)
    removes_branch |= v->known_edge[n] != GRAPH_NONE;
  for (uint32_t b = 0; b < s->fn.block_count && removes_branch; b++)
    removes_branch = lists_all_successors(s->fn.insts[s->fn.block_start[b + 1] - 1]) &&
                     (!jump_thread_has_clones(s, b) || may_clone_block(s, b));
  return removes_branch;
}

static bool find_state_variants(struct jump_threading *s)
{
  struct state_analysis k = {.s = s};
  struct coro_arena *arena = s->run->arena;
  coro_map_init(&k.numbers, arena);
  if (!find_constant_webs(&k) || !find_state_phis(&k))
    return false;
  if (k.phis.count > MAX_VARIABLES || !k.phis.count)
    return true;
  k.weight = CORO_NEW_ARRAY(arena, uint32_t, s->fn.block_count + 1);
  if (!k.weight || !compute_liveness(&k))
    return false;
  for (uint32_t b = 0; b < s->fn.block_count; b++)
    k.weight[b] = s->fn.block_start[b + 1] - s->fn.block_start[b];
  struct graph_transfer rules = {
      &k, k.phis.count, k.live, k.weight, compute_phi_states_on_edge, edge_decided_by_state_or_none};
  return graph_variants(&s->variants, arena, &s->g, 0, &rules, MAX_INSTRUCTIONS);
}

/* Numbers the function after removing unreachable blocks. */
static bool prune_and_number_function(struct jump_threading *s, LLVMValueRef function, bool *changed)
{
  struct coro_arena *arena = s->run->arena;
  if (!ir_number_function(&s->fn, arena, function))
    return false;
  if (s->fn.block_count == LLVMCountBasicBlocks(function))
    return true;
  *changed = true;
  return prune_after_edges_were_removed(arena, function) && ir_number_function(&s->fn, arena, function);
}

bool jump_thread_states(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  struct jump_threading s = {.run = run};
  bool reducible = false;
  if (edit_has_more_instructions_than(function, MAX_INSTRUCTIONS))
    return true;
  if (!prune_and_number_function(&s, function, changed) || !ir_build_block_graph(&s.g, s.run->arena, &s.fn))
    return false;
  s.builder = LLVMCreateBuilderInContext(run->context);
  bool fine = find_state_variants(&s);
  if (fine && s.variants.count && may_thread_and_removes_branch(&s))
    fine = check_threading_keeps_reducible(&s, &reducible);
  if (fine && reducible) {
    *changed = true;
    fine = jump_thread_clone_blocks(&s);
  }
  LLVMDisposeBuilder(s.builder);
  return fine && !coro_arena_failed(run->arena);
}
