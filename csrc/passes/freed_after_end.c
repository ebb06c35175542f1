/* Solves a backward problem with one fact: the frame is freed on all paths before the next suspend. */
#include "passes/freed_after_end.h"

#include "graph/dataflow.h"
#include "graph/graph.h"
#include "ir/flow.h"
#include "ir/number.h"

struct search {
  const struct pass_run *run;
  struct ir_fn fn; /* without instructions */
  struct graph graph;
  struct coro_bits *freed; /* by block: bit 0 if the frame is freed after its head */
  struct coro_bits with_calls; /* blocks with an llvm.coro.free, suspend or end: only their instructions are visited */
};

static bool find_blocks_with_calls(struct search *s, struct coro_arena *arena, const pass_values *calls)
{
  static const enum intrin intrins[] = {INTRIN_FREE, INTRIN_SUSPEND, INTRIN_END};
  if (!coro_bits_init(&s->with_calls, arena, s->fn.block_count))
    return false;
  for (size_t k = 0; k < sizeof intrins / sizeof *intrins; k++)
    for (uint32_t c = 0; c < calls[intrins[k]].count; c++) {
      uint32_t block = ir_block_id(&s->fn, LLVMGetInstructionParent(calls[intrins[k]].items[c]));
      if (block != IR_NONE)
        coro_bits_set(&s->with_calls, block);
    }
  return true;
}

bool freed_is_edge_of_clones(const struct pass_run *run, LLVMValueRef terminator, unsigned successor)
{
  LLVMValueRef condition = flow_branch_condition(terminator);
  return successor == 1 || !condition || intrin_of_call(run->intrin, condition) != INTRIN_IS_IN_RAMP;
}

/* The state before an instruction, from that after it. A path that ends in unreachable code leaves nothing to
   destroy. */
static bool is_freed_before(const struct search *s, LLVMValueRef inst, bool is_freed_after)
{
  switch (intrin_of_call(s->run->intrin, inst)) {
  case INTRIN_FREE: return true;
  case INTRIN_SUSPEND: return false;
  default: return is_freed_after || LLVMGetInstructionOpcode(inst) == LLVMUnreachable;
  }
}

/* The last instruction of the block; with a call, the preceding ones follow. */
static LLVMValueRef previous_instruction_if_block_has_calls(const struct search *s, uint32_t block, LLVMValueRef inst)
{
  return coro_bits_get(&s->with_calls, block) ? LLVMGetPreviousInstruction(inst) : NULL;
}

static bool is_freed_after_edge(const struct search *s, uint32_t from, uint32_t edge, const struct coro_bits *facts)
{
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(s->fn.blocks[from]);
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
    LLVMValueRef i = LLVMGetBasicBlockTerminator(s->fn.blocks[b]);
    for (; i; i = previous_instruction_if_block_has_calls(s, b, i)) {
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
  for (LLVMValueRef i = LLVMGetBasicBlockTerminator(s->fn.blocks[block]); i && fine;
       i = previous_instruction_if_block_has_calls(s, block, i)) {
    if (freed && intrin_of_call(s->run->intrin, i) == INTRIN_END && !LLVMGetNumOperandBundles(i))
      fine = coro_map_put(ends, coro_map_key(i), 1);
    freed = is_freed_before(s, i, freed);
  }
  return fine;
}

bool find_ends_after_freed_frame(struct pass_run *run, LLVMValueRef function, const pass_values *calls,
                                 struct coro_map *ends)
{
  struct search s = {.run = run};
  bool fine = ir_number_blocks(&s.fn, run->arena, function) && ir_build_block_graph(&s.graph, run->arena, &s.fn) &&
              find_blocks_with_calls(&s, run->arena, calls) && solve_freed_facts(&s, run->arena);
  for (uint32_t b = 0; b < s.fn.block_count && fine; b++)
    if (coro_bits_get(&s.with_calls, b))
      fine = add_freed_ends_of_block(&s, b, ends);
  return fine;
}
