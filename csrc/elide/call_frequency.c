/* Estimates statically how often calls marked coro_elide_safe execute. Frontends store a cleanup's destination in a
   phi of constants that a switch at the cleanup's end uses; such a block is modeled as one node per constant, so that
   each entry continues at its own exit. */
#include "elide/call_frequency.h"

#include <string.h>

#include "graph/graph.h"
#include "handles/reachable_code.h"
#include "ir/constant_fold.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "run/intrinsic_calls.h"

/* ---- Probabilities of the edges of a function ---- */

struct branch_probs {
  LLVMBasicBlockRef *blocks; /* in program order, including unreachable blocks */
  uint32_t count;
  struct coro_map numbers; /* block -> index in blocks */
  struct graph graph;      /* the edges of a block have the order of its terminator's successors */
  struct graph_rpo rpo;
  double *probability; /* by edge, in the order of graph.succ; those of a reachable block add up to 1 */
};

/* Relative weights of the successors of a branch. */
enum { WEIGHT_EVEN = 16, WEIGHT_LIKELY = 20, WEIGHT_UNLIKELY = 12, WEIGHT_LOOP = 124, WEIGHT_LOOP_EXIT = 4 };
static const double never_probability = 1e-6, cold_probability = 1.0 / 16;

struct estimator {
  struct pass_run *run;
  struct branch_probs *b;
  struct graph_scc scc;
  bool *ends_badly; /* by block: every path from here ends in unreachable */
  bool *is_cold; /* by block: it calls a function, or has a call, marked cold */
};

/* The weights of !prof !{!"branch_weights", ...}, one per successor. */
static bool read_profile_weights_if_any(struct estimator *g, LLVMValueRef terminator, double *weights, uint32_t count)
{
  unsigned kind = LLVMGetMDKindIDInContext(g->run->context, "prof", 4), length = 0;
  LLVMValueRef node = LLVMGetMetadata(terminator, kind);
  unsigned operands = node ? LLVMGetMDNodeNumOperands(node) : 0;
  if (operands <= count)
    return false;
  LLVMValueRef *values = CORO_NEW_ARRAY(g->run->arena, LLVMValueRef, operands);
  if (!values)
    return false;
  LLVMGetMDNodeOperands(node, values);
  const char *name = values[0] ? LLVMGetMDString(values[0], &length) : NULL;
  if (!name || length != strlen("branch_weights") || memcmp(name, "branch_weights", length))
    return false;
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t weight;
    LLVMValueRef value = values[operands - count + i];
    if (!value || !LLVMIsAConstantInt(value) || !edit_read_integer_constant(value, &weight))
      return false;
    sum += weights[i] = (double)weight;
  }
  return sum > 0;
}

/* A suspended coroutine is expected to be resumed. While it is suspended, its frame exists, so elided frames in it
   cost nothing. */
static bool set_weights_if_suspend_branch(struct estimator *g, LLVMValueRef terminator, double *weights, uint32_t count)
{
  unsigned resumed = successor_for_suspend_result_or_unknown(g->run, terminator, 0);
  for (uint32_t i = 0; i < count && resumed != CONSTANT_SUCCESSOR_UNKNOWN; i++)
    weights[i] = i == resumed ? 1 : never_probability;
  return resumed != CONSTANT_SUCCESSOR_UNKNOWN;
}

/* Sets the weights of a branch on a constant, which a later pass will remove. False: it is none. */
static bool set_weights_if_constant_branch(LLVMValueRef terminator, double *weights, uint32_t count)
{
  unsigned taken = constant_successor_or_unknown(terminator, NULL, NULL);
  for (uint32_t i = 0; i < count && taken != CONSTANT_SUCCESSOR_UNKNOWN; i++)
    weights[i] = i == taken ? 1 : never_probability;
  return taken != CONSTANT_SUCCESSOR_UNKNOWN;
}

/* Comparisons with null, zero and minus one: pointers are usually not null, and counts not negative. */
static bool set_weights_if_comparison_branch(LLVMValueRef terminator, double *weights)
{
  LLVMValueRef condition = flow_branch_condition(terminator);
  if (!condition || !edit_is_instruction(condition) || LLVMGetInstructionOpcode(condition) != LLVMICmp)
    return false;
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
  LLVMValueRef right = LLVMGetOperand(condition, COMPARE_RIGHT);
  bool pointer = edit_is_pointer(LLVMTypeOf(right));
  bool zero = LLVMIsAConstantInt(right) && LLVMIsNull(right);
  bool minus_one = LLVMIsAConstantInt(right) && LLVMGetIntTypeWidth(LLVMTypeOf(right)) <= 64 &&
                   LLVMConstIntGetSExtValue(right) == -1;
  bool equality = pointer || zero || minus_one;
  bool unlikely = (predicate == LLVMIntEQ && equality) || (predicate == LLVMIntSLT && zero);
  bool likely = (predicate == LLVMIntNE && equality) || (predicate == LLVMIntSGT && (zero || minus_one));
  if (unlikely == likely)
    return false;
  weights[0] = likely ? WEIGHT_LIKELY : WEIGHT_UNLIKELY;
  weights[1] = likely ? WEIGHT_UNLIKELY : WEIGHT_LIKELY;
  return true;
}

static void set_heuristic_weights(struct estimator *g, uint32_t block, LLVMValueRef terminator, double *weights,
                                  uint32_t count)
{
  const uint32_t *succ = g->b->graph.succ + g->b->graph.succ_start[block];
  uint32_t component = g->scc.component[block], staying = 0;
  for (uint32_t i = 0; i < count; i++)
    staying += g->scc.cyclic[component] && g->scc.component[succ[i]] == component;
  bool even = staying == 0 || staying == count;
  if (!(even && count == 2 && set_weights_if_comparison_branch(terminator, weights)))
    for (uint32_t i = 0; i < count; i++)
      weights[i] = even ? WEIGHT_EVEN : g->scc.component[succ[i]] == component ? WEIGHT_LOOP : WEIGHT_LOOP_EXIT;
  if (LLVMGetInstructionOpcode(terminator) == LLVMInvoke)
    weights[1] *= never_probability;
  for (uint32_t i = 0; i < count; i++)
    weights[i] *= g->ends_badly[succ[i]] ? never_probability : g->is_cold[succ[i]] ? cold_probability : 1;
}

static void compute_edge_probabilities(struct estimator *g, uint32_t block)
{
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(g->b->blocks[block]);
  uint32_t first = g->b->graph.succ_start[block], count = g->b->graph.succ_start[block + 1] - first;
  double *weights = g->b->probability + first, sum = 0;
  if (!set_weights_if_constant_branch(terminator, weights, count) &&
      !read_profile_weights_if_any(g, terminator, weights, count) &&
      !set_weights_if_suspend_branch(g, terminator, weights, count))
    set_heuristic_weights(g, block, terminator, weights, count);
  for (uint32_t i = 0; i < count; i++)
    sum += weights[i];
  for (uint32_t i = 0; i < count; i++)
    weights[i] /= sum;
}

static bool calls_cold_function(LLVMBasicBlockRef block)
{
  for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
    if (edit_is_call(at) && edit_call_or_callee_has_function_attribute(at, "cold"))
      return true;
  return false;
}

/* In reverse post-order, all successors except those of back edges have higher numbers. A back edge counts as a path
   that does not end in unreachable. */
static void mark_blocks_ending_unreachable_or_cold(struct estimator *g)
{
  for (uint32_t i = g->b->rpo.count; i-- > 0;) {
    uint32_t block = g->b->rpo.order[i];
    uint32_t first = g->b->graph.succ_start[block], last = g->b->graph.succ_start[block + 1];
    bool ends_badly = first != last;
    for (uint32_t s = first; s < last; s++)
      ends_badly &= g->ends_badly[g->b->graph.succ[s]];
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(g->b->blocks[block]);
    g->ends_badly[block] = ends_badly || LLVMGetInstructionOpcode(terminator) == LLVMUnreachable;
    g->is_cold[block] = calls_cold_function(g->b->blocks[block]);
  }
}

static uint32_t branch_probs_index_of_block(const struct branch_probs *b, LLVMBasicBlockRef block)
{
  uint64_t index = 0;
  coro_map_get(&b->numbers, coro_map_key(block), &index);
  return (uint32_t)index;
}

static bool build_cfg_of_function(struct estimator *g, LLVMValueRef function)
{
  struct coro_arena *arena = g->run->arena;
  struct branch_probs *b = g->b;
  CORO_VEC(struct graph_edge) edges = {0};
  coro_map_init(&b->numbers, arena);
  b->count = 0;
  b->blocks = CORO_NEW_ARRAY(arena, LLVMBasicBlockRef, LLVMCountBasicBlocks(function) + 1);
  if (!b->blocks)
    return false;
  for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at; at = LLVMGetNextBasicBlock(at)) {
    if (!coro_map_put(&b->numbers, coro_map_key(at), b->count))
      return false;
    b->blocks[b->count++] = at;
  }
  for (uint32_t i = 0; i < b->count; i++) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(b->blocks[i]);
    unsigned successors = LLVMGetNumSuccessors(terminator);
    for (unsigned s = 0; s < successors; s++) {
      struct graph_edge edge = {i, branch_probs_index_of_block(b, LLVMGetSuccessor(terminator, s))};
      if (!coro_vec_push(arena, &edges, edge))
        return false;
    }
  }
  g->ends_badly = CORO_NEW_ARRAY(arena, bool, b->count);
  g->is_cold = CORO_NEW_ARRAY(arena, bool, b->count);
  b->probability = CORO_NEW_ARRAY(arena, double, edges.count + 1);
  return g->ends_badly && g->is_cold && b->probability &&
         graph_build(&b->graph, arena, b->count, edges.items, edges.count) &&
         graph_compute_reverse_postorder(&b->rpo, arena, &b->graph, 0) &&
         graph_strongly_connected_components(&g->scc, arena, &b->graph);
}

/* false: out of memory */
static bool branch_probs_compute(struct branch_probs *b, struct pass_run *run, LLVMValueRef function)
{
  struct estimator g = {.run = run, .b = b};
  if (!build_cfg_of_function(&g, function))
    return false;
  mark_blocks_ending_unreachable_or_cold(&g);
  for (uint32_t i = 0; i < b->rpo.count; i++)
    compute_edge_probabilities(&g, b->rpo.order[i]);
  return true;
}

/* executions per call of the function; below this, a frame should not be part of every caller's frame */
static const double rarest = 0.55;

enum { MAX_SWEEPS = 4096, MAX_STEPS = 1 << 24, MAX_CONSTANTS = 16 };

struct block_states { /* nodes of a block */
  LLVMValueRef phi; /* the block's own phi that decides its successor; NULL: the block is one node */
  CORO_VEC(LLVMValueRef) constants;
  uint32_t first; /* first node: one per constant, then one for unknown */
};

struct estimate {
  struct pass_run *run;
  const struct branch_probs *b;
  struct block_states *block_states;
  uint32_t state_count;
  struct coro_map incoming; /* (block, predecessor) -> index in the block's phi, plus 1 */
  CORO_VEC(struct graph_edge) edges; /* between nodes, sorted by source */
  CORO_VEC(double) probabilities;
  struct graph graph;
  struct graph_rpo rpo;
  double *frequency; /* indexed by node: estimated executions */
};

static bool add_known_constant(struct estimate *e, struct block_states *view, LLVMValueRef constant)
{
  for (uint32_t i = 0; i < view->constants.count; i++)
    if (view->constants.items[i] == constant)
      return true;
  return view->constants.count == MAX_CONSTANTS || coro_vec_push(e->run->arena, &view->constants, constant);
}

/* Constants of earlier blocks in reverse postorder are known; values from back edges count as unknown. */
static bool find_block_states(struct estimate *e, uint32_t block)
{
  struct block_states *view = &e->block_states[block];
  view->phi = constant_successor_own_phi_or_null(e->b->blocks[block]);
  unsigned count = view->phi ? LLVMCountIncoming(view->phi) : 0;
  for (unsigned i = 0; i < count; i++) {
    uint32_t from = branch_probs_index_of_block(e->b, LLVMGetIncomingBlock(view->phi, i));
    LLVMValueRef value = LLVMGetIncomingValue(view->phi, i);
    const struct block_states *before = &e->block_states[from];
    if (!coro_map_put(&e->incoming, coro_map_pair(block, from), (uint64_t)i + 1))
      return false;
    if (LLVMIsAConstantInt(value) && !add_known_constant(e, view, value))
      return false;
    for (uint32_t c = 0; from != block && before->phi == value && c < before->constants.count; c++)
      if (!add_known_constant(e, view, before->constants.items[c]))
        return false;
  }
  return true;
}

static uint32_t find_state_for_constant(const struct block_states *view, LLVMValueRef constant)
{
  uint32_t i = 0;
  while (i < view->constants.count && view->constants.items[i] != constant)
    i++;
  return view->first + i;
}

/* The node of block `to` on the edge from `from`. A phi of the block, if any, has the value `constant`. */
static uint32_t find_node_entered_by_edge(const struct estimate *e, uint32_t from, LLVMValueRef constant, uint32_t to)
{
  const struct block_states *view = &e->block_states[to];
  uint64_t index = 0;
  if (!view->phi || !coro_map_get(&e->incoming, coro_map_pair(to, from), &index))
    return find_state_for_constant(view, NULL);
  LLVMValueRef value = LLVMGetIncomingValue(view->phi, (unsigned)index - 1);
  return find_state_for_constant(view, value == e->block_states[from].phi ? constant : value);
}

static bool add_frequency_edge(struct estimate *e, uint32_t block, uint32_t node, LLVMValueRef constant, uint32_t edge,
                               double probability)
{
  struct graph_edge own = {node, find_node_entered_by_edge(e, block, constant, e->b->graph.succ[edge])};
  return coro_vec_push(e->run->arena, &e->edges, own) && coro_vec_push(e->run->arena, &e->probabilities, probability);
}

static bool add_frequency_edges(struct estimate *e, uint32_t block)
{
  const struct block_states *view = &e->block_states[block];
  uint32_t first = e->b->graph.succ_start[block], last = e->b->graph.succ_start[block + 1];
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(e->b->blocks[block]);
  for (uint32_t c = 0; c < view->constants.count; c++) {
    LLVMValueRef constant = view->constants.items[c];
    if (!add_frequency_edge(e, block, view->first + c, constant,
                            first + constant_successor_or_unknown(terminator, view->phi, constant), 1))
      return false;
  }
  for (uint32_t edge = first; edge < last; edge++)
    if (!add_frequency_edge(e, block, view->first + view->constants.count, NULL, edge, e->b->probability[edge]))
      return false;
  return true;
}

static bool build_frequency_equations(struct estimate *e)
{
  struct coro_arena *arena = e->run->arena;
  const struct branch_probs *b = e->b;
  coro_map_init(&e->incoming, arena);
  e->block_states = CORO_NEW_ARRAY(arena, struct block_states, b->count);
  if (!e->block_states)
    return false;
  for (uint32_t i = 0; i < b->rpo.count; i++)
    if (!find_block_states(e, b->rpo.order[i]))
      return false;
  for (uint32_t i = 0; i < b->count; i++) {
    e->block_states[i].first = e->state_count;
    e->state_count += e->block_states[i].constants.count + 1;
  }
  for (uint32_t i = 0; i < b->count; i++)
    if (!add_frequency_edges(e, i))
      return false;
  e->frequency = CORO_NEW_ARRAY(arena, double, e->state_count);
  return e->frequency && graph_build(&e->graph, arena, e->state_count, e->edges.items, e->edges.count) &&
         graph_compute_reverse_postorder(&e->rpo, arena, &e->graph, 0);
}

/* Iterates to a fixed point. Each iteration propagates through one more iteration of loops; frequencies only grow. */
static void solve_frequency_equations(struct estimate *e)
{
  const struct graph *g = &e->graph;
  uint32_t sweeps = MAX_STEPS / (e->edges.count + e->state_count + 1) + 1;
  double change = 1;
  for (uint32_t sweep = 0; sweep < sweeps && sweep < MAX_SWEEPS && change > 1e-5; sweep++) {
    change = 0;
    for (uint32_t i = 0; i < e->rpo.count; i++) {
      uint32_t node = e->rpo.order[i];
      double sum = i == 0 ? 1 : 0;
      for (uint32_t p = g->pred_start[node]; p < g->pred_start[node + 1]; p++)
        sum += e->frequency[g->pred[p]] * e->probabilities.items[g->pred_edge[p]]; /* edges are sorted by source */
      change = sum - e->frequency[node] > change ? sum - e->frequency[node] : change;
      e->frequency[node] = sum;
    }
  }
}

/* Finds the rarely executed calls of one function. */
static bool find_rarely_executed_calls(struct pass_run *run, LLVMValueRef function, const pass_values *calls,
                                       bool *rare)
{
  struct branch_probs branches;
  struct estimate e = {.run = run, .b = &branches};
  if (!branch_probs_compute(&branches, run, function) || !build_frequency_equations(&e))
    return false;
  solve_frequency_equations(&e);
  for (uint32_t i = 0; i < calls->count; i++) {
    const struct block_states *view =
        &e.block_states[branch_probs_index_of_block(&branches, LLVMGetInstructionParent(calls->items[i]))];
    double frequency = 0;
    for (uint32_t c = 0; c <= view->constants.count; c++)
      frequency += e.frequency[view->first + c];
    rare[i] = frequency < rarest;
  }
  return true;
}

static bool find_annotated_calls_in(struct pass_run *run, LLVMValueRef function, pass_values *calls)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (edit_is_call(at) && edit_has_function_attribute(at, "coro_elide_safe") &&
          !coro_vec_push(run->arena, calls, at))
        return false;
  return true;
}

static bool record_annotated_calls_of_function(struct pass_run *run, LLVMValueRef function)
{
  pass_values calls = {0};
  if (!find_annotated_calls_in(run, function, &calls) || !calls.count)
    return !coro_arena_failed(run->arena);
  bool *rare = CORO_NEW_ARRAY(run->arena, bool, calls.count);
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  bool fine = rare && find_rarely_executed_calls(run, function, &calls, rare);
  coro_arena_rewind(run->arena, mark);
  for (uint32_t i = 0; i < calls.count && fine; i++)
    fine = coro_map_put(&run->annotated_frequency, coro_map_key(calls.items[i]),
                        2 * (run->annotated_frequency.count + 1) + rare[i]);
  return fine;
}

static bool find_annotated_callers_of(LLVMValueRef callee, struct coro_map *seen, pass_values *callers)
{
  bool fine = true;
  for (LLVMUseRef use = LLVMGetFirstUse(callee); use && fine; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool annotated = edit_is_call_of(user, callee) && edit_has_function_attribute(user, "coro_elide_safe");
    LLVMValueRef caller = annotated ? edit_function_of(user) : NULL;
    if (caller && edit_is_presplit_definition(caller) && !coro_map_has(seen, coro_map_key(caller)))
      fine = coro_map_put(seen, coro_map_key(caller), 1) && coro_vec_push(seen->arena, callers, caller);
  }
  return fine;
}

bool call_frequency_find_callers(struct coro_arena *arena, const pass_values *callees, pass_values *callers)
{
  struct coro_map seen;
  bool fine = true;
  coro_map_init(&seen, arena);
  for (uint32_t i = 0; i < callees->count && fine; i++)
    fine = find_annotated_callers_of(callees->items[i], &seen, callers);
  return fine;
}

bool call_frequency_record_annotated(struct pass_run *run, const pass_values *callers)
{
  bool fine = true;
  coro_map_init(&run->annotated_frequency, run->arena);
  for (uint32_t i = 0; callers && i < callers->count && fine; i++)
    fine = record_annotated_calls_of_function(run, callers->items[i]);
  for (LLVMValueRef f = callers ? NULL : LLVMGetFirstFunction(run->module); f && fine; f = LLVMGetNextFunction(f))
    fine = !edit_is_presplit_definition(f) || record_annotated_calls_of_function(run, f);
  return fine;
}
