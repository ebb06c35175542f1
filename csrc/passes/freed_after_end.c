/* Solves a backward problem with one fact: the frame is freed on all paths before the next suspend. */
#include "passes/freed_after_end.h"

#include "graph/dataflow.h"
#include "ir/block_graph.h"
#include "ir/flow.h"

struct search {
  const struct pass_run *run;
  struct ir_fn fn;
  struct graph graph;
  struct coro_bits *freed; /* by block: bit 0 if the frame is freed after its head */
};

static enum intrin called_intrinsic(const struct search *s, uint32_t inst)
{
  return intrin_of_call(s->run->intrin, s->fn.insts[inst]);
}

bool freed_is_edge_of_clones(const struct pass_run *run, LLVMValueRef terminator, unsigned successor)
{
  LLVMValueRef condition = flow_branch_condition(terminator);
  return successor == 1 || !condition || intrin_of_call(run->intrin, condition) != INTRIN_IS_IN_RAMP;
}

/* The state before an instruction, from that after it. A path that ends in unreachable code leaves nothing to
   destroy. */
static bool is_freed_before(const struct search *s, uint32_t inst, bool is_freed_after)
{
  switch (called_intrinsic(s, inst)) {
  case INTRIN_FREE: return true;
  case INTRIN_SUSPEND: return false;
  default: return is_freed_after || s->fn.opcode[inst] == LLVMUnreachable;
  }
}

static bool is_freed_after_edge(const struct search *s, uint32_t from, uint32_t edge, const struct coro_bits *facts)
{
  LLVMValueRef terminator = s->fn.insts[s->fn.block_start[from + 1] - 1];
  return coro_bits_get(facts, 0) || !freed_is_edge_of_clones(s->run, terminator, edge - s->graph.succ_start[from]);
}

static void update_freed_fact_on_edge(void *user, uint32_t from, uint32_t edge, const struct coro_bits *facts,
                                      struct coro_bits *after)
{
  if (is_freed_after_edge(user, from, edge, facts))
    coro_bits_set(after, 0);
}

static bool solve_freed_facts(struct search *s, struct coro_arena *arena)
{
  struct graph_rpo rpo;
  struct coro_bits *gen = dataflow_allocate_fact_sets(arena, s->fn.block_count, 1),
                   *kill = dataflow_allocate_fact_sets(arena, s->fn.block_count, 1);
  if (!gen || !kill || !graph_compute_reverse_postorder(&rpo, arena, &s->graph, 0))
    return false;
  for (uint32_t b = 0; b < s->fn.block_count; b++) {
    bool if_kept = false, if_freed = true;
    for (uint32_t i = s->fn.block_start[b + 1]; i-- > s->fn.block_start[b];) {
      if_kept = is_freed_before(s, i, if_kept);
      if_freed = is_freed_before(s, i, if_freed);
    }
    if (if_kept)
      coro_bits_set(&gen[b], 0);
    if (!if_freed)
      coro_bits_set(&kill[b], 0);
  }
  struct dataflow_facts problem = {.graph = &s->graph,
                                   .rpo = &rpo,
                                   .backward = true,
                                   .must = true,
                                   .size = 1,
                                   .gen = gen,
                                   .kill = kill,
                                   .cross = update_freed_fact_on_edge,
                                   .user = s};
  s->freed = dataflow_solve_facts(&problem, arena);
  return s->freed;
}

/* An end in a pad leaves the clone. */
static bool add_freed_ends_of_block(const struct search *s, uint32_t block, struct coro_map *ends)
{
  bool freed = s->graph.succ_start[block] < s->graph.succ_start[block + 1], fine = true;
  for (uint32_t e = s->graph.succ_start[block]; e < s->graph.succ_start[block + 1]; e++)
    freed &= is_freed_after_edge(s, block, e, &s->freed[s->graph.succ[e]]);
  for (uint32_t i = s->fn.block_start[block + 1]; i-- > s->fn.block_start[block] && fine;) {
    LLVMValueRef end = s->fn.insts[i];
    if (freed && called_intrinsic(s, i) == INTRIN_END && !LLVMGetNumOperandBundles(end))
      fine = coro_map_put(ends, coro_map_key(end), 1);
    freed = is_freed_before(s, i, freed);
  }
  return fine;
}

bool find_ends_after_freed_frame(struct pass_run *run, LLVMValueRef function, struct coro_map *ends)
{
  struct search s = {.run = run};
  bool fine = ir_number_function(&s.fn, run->arena, function) && ir_build_block_graph(&s.graph, run->arena, &s.fn) &&
              solve_freed_facts(&s, run->arena);
  for (uint32_t b = 0; b < s.fn.block_count && fine; b++)
    fine = add_freed_ends_of_block(&s, b, ends);
  return fine;
}
