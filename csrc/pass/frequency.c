/* How often the blocks of a function are run, as far as can be told before it runs: by the profile where there is one,
   else by what branches usually do.
   Needs: graph, LLVM-C. Leaves: the function as it was. */
#include "pass/frequency.h"

#include <string.h>

#include "graph/graph.h"
#include "ir/edit.h"

/* Weights of a branch's ways out, relative to each other. */
enum { WEIGHT_EVEN = 16, WEIGHT_LIKELY = 20, WEIGHT_UNLIKELY = 12, WEIGHT_STAY = 124, WEIGHT_LEAVE = 4 };
static const double never = 1e-6, cold = 1.0 / 16;

enum { MOST_SWEEPS = 4096, MOST_STEPS = 1 << 24 };

struct estimate {
  struct coro_run *run;
  LLVMBasicBlockRef *blocks;
  struct graph graph;
  struct graph_rpo rpo;
  struct graph_scc scc;
  bool *doomed;   /* by block: control ends in unreachable from here */
  bool *is_cold;  /* by block: holds a call of something marked cold */
  double *weight; /* by edge, in the order of graph.succ; in the end the chance of taking it */
  uint32_t *from; /* by edge: the block that it leaves */
  uint32_t *in;   /* edges into block b: in[graph.pred_start[b] .. graph.pred_start[b + 1]) */
};

static uint32_t index_of(const struct coro_map *number, LLVMBasicBlockRef block)
{
  uint64_t index = 0;
  coro_map_get(number, (uint64_t)(uintptr_t)block, &index);
  return (uint32_t)index;
}

/* The weights of !prof !{!"branch_weights", ...}, as many as there are successors. */
static bool profile_weights(struct estimate *e, LLVMValueRef terminator, double *weights, uint32_t count)
{
  unsigned kind = LLVMGetMDKindIDInContext(e->run->context, "prof", 4), length = 0;
  LLVMValueRef node = LLVMGetMetadata(terminator, kind);
  unsigned operands = node ? LLVMGetMDNodeNumOperands(node) : 0;
  if (operands <= count)
    return false;
  LLVMValueRef *values = CORO_NEW_ARRAY(e->run->arena, LLVMValueRef, operands);
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
    if (!value || !LLVMIsAConstantInt(value) || !edit_constant(value, &weight))
      return false;
    sum += weights[i] = (double)weight;
  }
  return sum > 0;
}

/* A suspended coroutine is expected to be resumed: while it is suspended this frame is kept and nothing is lost by
   having put another one in it. */
static bool suspend_weights(struct estimate *e, LLVMValueRef terminator, double *weights, uint32_t count)
{
  if (LLVMGetInstructionOpcode(terminator) != LLVMSwitch ||
      intrin_of(e->run->intrin, LLVMGetOperand(terminator, 0)) != INTRIN_SUSPEND)
    return false;
  bool found = false;
  for (uint32_t i = 0; i < count; i++) {
    bool resumed = i > 0 && LLVMIsNull(LLVMGetSwitchCaseValue(terminator, i));
    weights[i] = resumed ? 1 : never;
    found |= resumed;
  }
  return found;
}

/* Comparisons with null, zero and minus one usually tell the rare case: pointers are not null, counts not negative. */
static bool compare_weights(LLVMValueRef terminator, double *weights)
{
  LLVMValueRef condition = LLVMGetInstructionOpcode(terminator) == LLVMBr ? LLVMGetCondition(terminator) : NULL;
  if (!condition || !edit_is_instruction(condition) || LLVMGetInstructionOpcode(condition) != LLVMICmp)
    return false;
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
  LLVMValueRef right = LLVMGetOperand(condition, 1);
  bool pointer = LLVMGetTypeKind(LLVMTypeOf(right)) == LLVMPointerTypeKind;
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

static void guess_weights(struct estimate *e, uint32_t block, LLVMValueRef terminator, double *weights, uint32_t count)
{
  const uint32_t *succ = e->graph.succ + e->graph.succ_start[block];
  uint32_t component = e->scc.component[block], staying = 0;
  for (uint32_t i = 0; i < count; i++)
    staying += e->scc.cyclic[component] && e->scc.component[succ[i]] == component;
  bool even = staying == 0 || staying == count;
  if (!(even && count == 2 && compare_weights(terminator, weights)))
    for (uint32_t i = 0; i < count; i++)
      weights[i] = even ? WEIGHT_EVEN : e->scc.component[succ[i]] == component ? WEIGHT_STAY : WEIGHT_LEAVE;
  if (LLVMGetInstructionOpcode(terminator) == LLVMInvoke)
    weights[1] *= never;
  for (uint32_t i = 0; i < count; i++)
    weights[i] *= e->doomed[succ[i]] ? never : e->is_cold[succ[i]] ? cold : 1;
}

static void weigh(struct estimate *e, uint32_t block)
{
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(e->blocks[block]);
  uint32_t first = e->graph.succ_start[block], count = e->graph.succ_start[block + 1] - first;
  double *weights = e->weight + first, sum = 0;
  if (!profile_weights(e, terminator, weights, count) && !suspend_weights(e, terminator, weights, count))
    guess_weights(e, block, terminator, weights, count);
  for (uint32_t i = 0; i < count; i++)
    sum += weights[i];
  for (uint32_t i = 0; i < count; i++)
    weights[i] /= sum;
}

static bool calls_cold(LLVMBasicBlockRef block)
{
  for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
    if (!edit_is_call(at))
      continue;
    LLVMValueRef callee = LLVMGetCalledValue(at);
    if (edit_call_has_attribute(at, "cold") ||
        (LLVMIsAFunction(callee) && edit_has_attribute(callee, (unsigned)LLVMAttributeFunctionIndex, "cold")))
      return true;
  }
  return false;
}

/* Successors come after their block in reverse post-order, but for those that close a loop: a loop is not doomed. */
static void find_bad_ends(struct estimate *e)
{
  for (uint32_t i = e->rpo.count; i-- > 0;) {
    uint32_t block = e->rpo.order[i];
    uint32_t first = e->graph.succ_start[block], last = e->graph.succ_start[block + 1];
    bool doomed = first != last;
    for (uint32_t s = first; s < last; s++)
      doomed &= e->doomed[e->graph.succ[s]];
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(e->blocks[block]);
    e->doomed[block] = doomed || LLVMGetInstructionOpcode(terminator) == LLVMUnreachable;
    e->is_cold[block] = calls_cold(e->blocks[block]);
  }
}

/* Every round brings control one iteration further through each loop; numbers only grow towards the solution. */
static void solve(struct estimate *e, double *of)
{
  uint32_t sweeps = MOST_STEPS / (e->graph.edge_count + e->graph.node_count + 1) + 1;
  double change = 1;
  for (uint32_t sweep = 0; sweep < sweeps && sweep < MOST_SWEEPS && change > 1e-5; sweep++) {
    change = 0;
    for (uint32_t i = 0; i < e->rpo.count; i++) {
      uint32_t block = e->rpo.order[i];
      double sum = i == 0 ? 1 : 0;
      for (uint32_t in = e->graph.pred_start[block]; in < e->graph.pred_start[block + 1]; in++)
        sum += of[e->from[e->in[in]]] * e->weight[e->in[in]];
      change = sum - of[block] > change ? sum - of[block] : change;
      of[block] = sum;
    }
  }
}

/* The edges into each block, by their index among all edges; as many as the block has predecessors. */
static bool list_edges(struct estimate *e)
{
  uint32_t nodes = e->graph.node_count, edges = e->graph.edge_count;
  uint32_t *next = CORO_NEW_ARRAY(e->run->arena, uint32_t, nodes + 1);
  e->from = CORO_NEW_ARRAY(e->run->arena, uint32_t, edges + 1);
  e->in = CORO_NEW_ARRAY(e->run->arena, uint32_t, edges + 1);
  if (!next || !e->from || !e->in)
    return false;
  memcpy(next, e->graph.pred_start, nodes * sizeof *next);
  for (uint32_t block = 0; block < nodes; block++)
    for (uint32_t s = e->graph.succ_start[block]; s < e->graph.succ_start[block + 1]; s++) {
      e->from[s] = block;
      e->in[next[e->graph.succ[s]]++] = s;
    }
  return true;
}

static bool build(struct estimate *e, struct frequency *f, LLVMValueRef function)
{
  struct coro_arena *arena = e->run->arena;
  CORO_VEC(struct graph_edge) edges = {0};
  uint32_t count = 0;
  coro_map_init(&f->blocks, arena);
  e->blocks = CORO_NEW_ARRAY(arena, LLVMBasicBlockRef, LLVMCountBasicBlocks(function) + 1);
  if (!e->blocks)
    return false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    if (!coro_map_put(&f->blocks, (uint64_t)(uintptr_t)b, count))
      return false;
    e->blocks[count++] = b;
  }
  for (uint32_t b = 0; b < count; b++) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(e->blocks[b]);
    unsigned successors = LLVMGetNumSuccessors(terminator);
    for (unsigned i = 0; i < successors; i++) {
      struct graph_edge edge = {b, index_of(&f->blocks, LLVMGetSuccessor(terminator, i))};
      if (!coro_vec_push(arena, &edges, edge))
        return false;
    }
  }
  f->of = CORO_NEW_ARRAY(arena, double, count);
  e->doomed = CORO_NEW_ARRAY(arena, bool, count);
  e->is_cold = CORO_NEW_ARRAY(arena, bool, count);
  e->weight = CORO_NEW_ARRAY(arena, double, edges.count + 1);
  return f->of && e->doomed && e->is_cold && e->weight &&
         graph_build(&e->graph, arena, count, edges.items, edges.count) && graph_rpo(&e->rpo, arena, &e->graph, 0) &&
         graph_scc(&e->scc, arena, &e->graph) && list_edges(e);
}

bool frequency_estimate(struct frequency *f, struct coro_run *run, LLVMValueRef function)
{
  struct estimate e = {.run = run};
  if (!build(&e, f, function))
    return false;
  find_bad_ends(&e);
  for (uint32_t i = 0; i < e.rpo.count; i++)
    weigh(&e, e.rpo.order[i]);
  solve(&e, f->of);
  return true;
}

double frequency_of(const struct frequency *f, LLVMBasicBlockRef block)
{
  return f->of[index_of(&f->blocks, block)];
}
