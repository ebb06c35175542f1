/* Computes the branch probabilities of a function: from profile metadata if present, else from heuristics as in
   LLVM's BranchProbabilityInfo. */
#include "elide/branch_probabilities.h"

#include <string.h>

#include "handles/reachable_code.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"

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
    if (edit_is_call(at) && edit_call_or_callee_has_attribute(at, (unsigned)LLVMAttributeFunctionIndex, "cold"))
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

uint32_t branch_probs_index_of_block(const struct branch_probs *b, LLVMBasicBlockRef block)
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

bool branch_probs_compute(struct branch_probs *b, struct pass_run *run, LLVMValueRef function)
{
  struct estimator g = {.run = run, .b = b};
  if (!build_cfg_of_function(&g, function))
    return false;
  mark_blocks_ending_unreachable_or_cold(&g);
  for (uint32_t i = 0; i < b->rpo.count; i++)
    compute_edge_probabilities(&g, b->rpo.order[i]);
  return true;
}
