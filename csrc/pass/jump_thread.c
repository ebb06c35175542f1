/* Analysis of state-machine jump threading: phis with constant values only, the branches that depend on them, and
   the states that each block is reachable in (a forward dataflow problem over sets of states).
   Requires: ir, graph.
   Guarantees: the function is unchanged; jump_thread_clone_blocks transforms it. */
#include "pass/jump_thread.h"

#include "ir/block_graph.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/prune.h"
#include "pass/jump_thread_internal.h"

enum {
  MAX_VARIABLES = 64,
  MAX_INSTRUCTIONS = 512, /* limit for all block clones together */
  MAX_DEPTH = 8 /* nesting limit of comparisons */
};

struct state_analysis {
  struct jump_threading *s;
  bool *constant_web; /* indexed by instruction: a phi or comparison of constants and such instructions only */
  uint32_t *variable; /* indexed by instruction: number of a phi that decides a branch, else IR_NONE */
  CORO_VEC(uint32_t) phis; /* by number */
  struct coro_bits *live;
  uint32_t *weight;
  CORO_VEC(LLVMValueRef) constants; /* by constant number - 1 */
  struct coro_map numbers;
};

static LLVMValueRef operand_of(const struct state_analysis *k, uint32_t inst, uint32_t index)
{
  return LLVMGetOperand(k->s->fn.insts[inst], index);
}

static bool is_unknown(LLVMValueRef constant) /* undef or poison */
{
  return LLVMIsUndef(constant) || LLVMIsPoison(constant);
}

/* ---- State variables ---- */

static uint32_t operand_count(const struct state_analysis *k, uint32_t inst)
{
  return k->s->fn.opcode[inst] == LLVMPHI ? ir_phi_count(&k->s->fn, inst) : 2;
}

static bool may_be_constant_web(const struct state_analysis *k, uint32_t inst)
{
  LLVMValueRef at = k->s->fn.insts[inst];
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(at));
  bool is_phi = k->s->fn.opcode[inst] == LLVMPHI && (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind);
  return is_phi || (k->s->fn.opcode[inst] == LLVMICmp && kind == LLVMIntegerTypeKind);
}

static bool is_constant_web(const struct state_analysis *k, uint32_t inst)
{
  for (uint32_t i = 0; i < operand_count(k, inst); i++) {
    uint32_t by = ir_operand_inst(&k->s->fn, inst, i);
    if (by != IR_NONE ? !k->constant_web[by] : !LLVMIsConstant(operand_of(k, inst, i)))
      return false;
  }
  return true;
}

/* Greatest fixed point: removes instructions with other operands until none is left. */
static bool find_constant_webs(struct state_analysis *k)
{
  const struct ir_fn *fn = &k->s->fn;
  bool changed = true;
  k->constant_web = CORO_NEW_ARRAY(k->s->run->arena, bool, fn->inst_count + 1);
  if (!k->constant_web)
    return false;
  for (uint32_t i = 0; i < fn->inst_count; i++)
    k->constant_web[i] = may_be_constant_web(k, i);
  while (changed) {
    changed = false;
    for (uint32_t i = 0; i < fn->inst_count; i++)
      if (k->constant_web[i] && !is_constant_web(k, i))
        changed = !(k->constant_web[i] = false);
  }
  return true;
}

typedef CORO_VEC(uint32_t) numbers;

/* The closed instruction that the block's terminator branches on; else IR_NONE. */
static uint32_t branch_operand_of(const struct state_analysis *k, uint32_t block)
{
  const struct ir_fn *fn = &k->s->fn;
  LLVMValueRef branch_operand = flow_branch_operand(fn->insts[fn->block_start[block + 1] - 1]);
  uint32_t inst = branch_operand ? ir_inst(fn, branch_operand) : IR_NONE;
  return inst != IR_NONE && k->constant_web[inst] ? inst : IR_NONE;
}

/* Phis that decide a branch, and phis among their operands. */
static bool find_state_phis(struct state_analysis *k)
{
  const struct ir_fn *fn = &k->s->fn;
  struct coro_arena *arena = k->s->run->arena;
  struct coro_bits seen;
  numbers list = {0};
  k->variable = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count + 1);
  if (!k->variable || !coro_bits_init(&seen, arena, fn->inst_count))
    return false;
  for (uint32_t i = 0; i < fn->inst_count; i++)
    k->variable[i] = IR_NONE;
  for (uint32_t b = 0; b < fn->block_count; b++)
    if (branch_operand_of(k, b) != IR_NONE && !coro_vec_push(arena, &list, branch_operand_of(k, b)))
      return false;
  for (uint32_t l = 0; l < list.count; l++) {
    uint32_t inst = list.items[l];
    if (coro_bits_get(&seen, inst))
      continue;
    coro_bits_set(&seen, inst);
    if (fn->opcode[inst] == LLVMPHI) {
      k->variable[inst] = k->phis.count;
      if (!coro_vec_push(arena, &k->phis, inst))
        return false;
    }
    for (uint32_t i = 0; i < operand_count(k, inst); i++) {
      uint32_t by = ir_operand_inst(fn, inst, i);
      if (by != IR_NONE && !coro_vec_push(arena, &list, by))
        return false;
    }
  }
  return true;
}

/* ---- Liveness ---- */

static void add_used_variables(struct state_analysis *k, struct coro_bits *bits, uint32_t inst, int depth)
{
  if (inst == IR_NONE || !k->constant_web[inst])
    return;
  if (k->s->fn.opcode[inst] == LLVMPHI)
    coro_bits_set(bits, k->variable[inst]);
  else if (depth < MAX_DEPTH)
    for (uint32_t i = 0; i < 2; i++)
      add_used_variables(k, bits, ir_operand_inst(&k->s->fn, inst, i), depth + 1);
}

/* Adds the variables that are live after the block's edges. */
static void add_live_out(struct state_analysis *k, struct coro_bits *bits, uint32_t block)
{
  const struct graph *g = &k->s->g;
  for (uint32_t edge = g->succ_start[block]; edge < g->succ_start[block + 1]; edge++)
    for (uint32_t v = 0; v < k->phis.count; v++) {
      if (!coro_bits_get(&k->live[g->succ[edge]], v))
        continue;
      if (ir_block_of(&k->s->fn, k->phis.items[v]) != g->succ[edge])
        coro_bits_set(bits, v);
      else
        add_used_variables(
            k, bits, ir_operand_inst(&k->s->fn, k->phis.items[v], jump_thread_incoming(k->s, k->phis.items[v], block)),
            0);
    }
}

static bool compute_liveness(struct state_analysis *k)
{
  struct coro_arena *arena = k->s->run->arena;
  uint32_t count = k->s->fn.block_count;
  bool changed = true;
  k->live = CORO_NEW_ARRAY(arena, struct coro_bits, count + 1);
  for (uint32_t b = 0; b < count; b++)
    if (!k->live || !coro_bits_init(&k->live[b], arena, k->phis.count))
      return false;
  for (uint32_t b = 0; b < count; b++)
    add_used_variables(k, &k->live[b], branch_operand_of(k, b), 0);
  while (changed) {
    changed = false;
    for (uint32_t b = count; b-- > 0;) {
      uint64_t before = k->phis.count ? k->live[b].words[0] : 0; /* MAX_VARIABLES fit one word */
      add_live_out(k, &k->live[b], b);
      changed |= k->phis.count && k->live[b].words[0] != before;
    }
  }
  return true;
}

/* ---- Values in a state ---- */

/* 0: unknown, or out of memory, recorded by the arena. */
static uint32_t constant_number(struct state_analysis *k, LLVMValueRef constant)
{
  uint64_t number = 0;
  if (is_unknown(constant) || coro_map_get(&k->numbers, coro_map_key(constant), &number))
    return (uint32_t)number;
  bool fine = coro_vec_push(k->s->run->arena, &k->constants, constant) &&
              coro_map_put(&k->numbers, coro_map_key(constant), k->constants.count);
  return fine ? k->constants.count : 0;
}

static uint32_t evaluate_operand(struct state_analysis *k, uint32_t inst, uint32_t index, const uint32_t *state,
                                 int depth);

/* Folds a comparison as LLVM does. */
static uint32_t fold_comparison(struct state_analysis *k, uint32_t inst, const uint32_t *state, int depth)
{
  uint32_t one = evaluate_operand(k, inst, 0, state, depth), other = evaluate_operand(k, inst, 1, state, depth);
  if (!one || !other)
    return 0;
  LLVMValueRef at = k->s->fn.insts[inst], folded;
  LLVMPositionBuilderBefore(k->s->builder, at);
  folded = LLVMBuildICmp(k->s->builder, LLVMGetICmpPredicate(at), k->constants.items[one - 1],
                         k->constants.items[other - 1], "");
  if (LLVMIsAConstantInt(folded))
    return constant_number(k, folded);
  if (edit_is_instruction(folded))
    LLVMInstructionEraseFromParent(folded);
  return 0;
}

static uint32_t value_in_state(struct state_analysis *k, uint32_t inst, const uint32_t *state, int depth)
{
  if (k->s->fn.opcode[inst] == LLVMPHI)
    return k->variable[inst] == IR_NONE ? 0 : state[k->variable[inst]];
  return depth < MAX_DEPTH && k->s->fn.opcode[inst] == LLVMICmp && k->constant_web[inst]
             ? fold_comparison(k, inst, state, depth + 1)
             : 0;
}

static uint32_t evaluate_operand(struct state_analysis *k, uint32_t inst, uint32_t index, const uint32_t *state,
                                 int depth)
{
  uint32_t by = ir_operand_inst(&k->s->fn, inst, index);
  return by != IR_NONE ? value_in_state(k, by, state, depth) : constant_number(k, operand_of(k, inst, index));
}

static void transfer_edge(void *context, uint32_t block, uint32_t edge, const uint32_t *state, uint32_t *after)
{
  struct state_analysis *k = context;
  for (uint32_t v = 0; v < k->phis.count; v++) {
    uint32_t phi = k->phis.items[v];
    bool here = ir_block_of(&k->s->fn, phi) == k->s->g.succ[edge];
    after[v] = here ? evaluate_operand(k, phi, jump_thread_incoming(k->s, phi, block), state, 0) : state[v];
  }
}

static uint32_t decided_edge(void *context, uint32_t block, const uint32_t *state)
{
  struct state_analysis *k = context;
  uint32_t branch_operand = branch_operand_of(k, block),
           known = branch_operand == IR_NONE ? 0 : value_in_state(k, branch_operand, state, 0);
  if (!known)
    return GRAPH_NONE;
  LLVMValueRef terminator = k->s->fn.insts[k->s->fn.block_start[block + 1] - 1];
  return k->s->g.succ_start[block] + flow_successor_for(terminator, k->constants.items[known - 1]);
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
  enum intrin intrin = intrin_of(s->run->intrin, at);
  const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;
  bool once = edit_call_or_callee_has_attribute(at, on_function, "noduplicate") ||
              edit_call_or_callee_has_attribute(at, on_function, "convergent");
  bool plain = intrin == INTRIN_NONE || intrin == INTRIN_SUBFN_ADDR || intrin >= INTRIN_COUNT;
  return plain && !once && !edit_returns_twice(at);
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
static bool is_reducible(struct coro_arena *arena, const struct graph *g, bool *only)
{
  struct graph_rpo rpo;
  struct graph_dom dom;
  if (!graph_rpo(&rpo, arena, g, 0) || !graph_dom(&dom, arena, g, &rpo))
    return false;
  *only = true;
  for (uint32_t n = 0; n < g->node_count; n++)
    for (uint32_t e = g->succ_start[n]; e < g->succ_start[n + 1]; e++)
      *only &=
          rpo.number[n] == GRAPH_NONE || rpo.number[g->succ[e]] > rpo.number[n] || graph_dominates(&dom, g->succ[e], n);
  return true;
}

static bool build_variant_graph(const struct jump_threading *s, struct graph *g)
{
  const struct graph_variants *v = &s->variants;
  CORO_VEC(struct graph_edge) edges = {0};
  for (uint32_t n = 0; n < v->count; n++)
    for (uint32_t i = v->succ_start[n]; i < v->succ_start[n + 1]; i++)
      if (v->succ[i] != GRAPH_NONE && !coro_vec_push(s->run->arena, &edges, ((struct graph_edge){n, v->succ[i]})))
        return false;
  return graph_build(g, s->run->arena, v->count, edges.items, edges.count);
}

/* Whether the result is reducible if the input is, since LLVM's loop passes need natural loops. */
static bool keeps_reducible(const struct jump_threading *s, bool *reducible)
{
  struct graph g;
  bool before, after;
  bool fine = build_variant_graph(s, &g) && is_reducible(s->run->arena, &s->g, &before) &&
              is_reducible(s->run->arena, &g, &after);
  *reducible = fine && (after || !before);
  return fine;
}

/* Whether a branch is removed, and no block is cloned that must not be. */
static bool is_profitable(const struct jump_threading *s)
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

static bool find_variants(struct jump_threading *s)
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
  struct graph_transfer rules = {&k, k.phis.count, k.live, k.weight, transfer_edge, decided_edge};
  return graph_variants(&s->variants, arena, &s->g, 0, &rules, MAX_INSTRUCTIONS);
}

/* Numbers the function after removing unreachable blocks. */
static bool number_function(struct jump_threading *s, LLVMValueRef function, bool *changed)
{
  struct coro_arena *arena = s->run->arena;
  if (!ir_number(&s->fn, arena, function))
    return false;
  if (s->fn.block_count == LLVMCountBasicBlocks(function))
    return true;
  *changed = true;
  return prune_removed_edges(arena, function) && ir_number(&s->fn, arena, function);
}

bool jump_thread_states(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  struct jump_threading s = {.run = run};
  bool reducible = false;
  if (edit_is_longer_than(function, MAX_INSTRUCTIONS))
    return true;
  if (!number_function(&s, function, changed) || !ir_block_graph(&s.g, s.run->arena, &s.fn))
    return false;
  s.builder = LLVMCreateBuilderInContext(run->context);
  bool fine = find_variants(&s);
  if (fine && s.variants.count && is_profitable(&s))
    fine = keeps_reducible(&s, &reducible);
  if (fine && reducible) {
    *changed = true;
    fine = jump_thread_clone_blocks(&s);
  }
  LLVMDisposeBuilder(s.builder);
  return fine && !coro_arena_failed(run->arena);
}
