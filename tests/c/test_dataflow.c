/* The dataflow solver against the definition of each problem, on random graphs; and an analysis of suspends.
   Requires: the whole library. */
#include "graph/dataflow.h"
#include "stages.h"

enum { MOST_NODES = 14, FACTS = 70 }; /* facts take more than one word */

/* ---- Random problems ---- */

struct problem {
  struct coro_arena *arena;
  struct graph g;
  struct graph_rpo rpo;
  struct coro_bits *gen, *kill, *crossed_out; /* by node; by edge: facts that end there */
};

static void fill(struct coro_bits *sets, uint32_t count, uint64_t *seed)
{
  for (uint32_t n = 0; n < count; n++)
    for (uint32_t f = 0; f < FACTS; f++)
      if (!check_below(seed, 4))
        coro_bits_set(&sets[n], f);
}

static void draw(struct problem *p, uint64_t *seed)
{
  struct graph_edge edges[3 * MOST_NODES];
  uint32_t nodes = 1 + check_below(seed, MOST_NODES), count = check_below(seed, 3 * nodes);
  p->arena = coro_arena_create();
  for (uint32_t e = 0; e < count; e++)
    edges[e] = (struct graph_edge){check_below(seed, nodes), check_below(seed, nodes)};
  p->gen = dataflow_allocate_fact_sets(p->arena, nodes, FACTS);
  p->kill = dataflow_allocate_fact_sets(p->arena, nodes, FACTS);
  p->crossed_out = dataflow_allocate_fact_sets(p->arena, count, FACTS);
  CHECK(graph_build(&p->g, p->arena, nodes, edges, count) &&
            graph_compute_reverse_postorder(&p->rpo, p->arena, &p->g, 0) && p->gen && p->kill && p->crossed_out,
        "memory");
  fill(p->gen, nodes, seed);
  fill(p->kill, nodes, seed);
  fill(p->crossed_out, count, seed);
}

static void cross(void *user, uint32_t from, uint32_t edge, const struct coro_bits *facts, struct coro_bits *after)
{
  const struct problem *p = user;
  CHECK(edge >= p->g.succ_start[from] && edge < p->g.succ_start[from + 1], "edge %u is not of %u", edge, from);
  coro_bits_union(after, facts);
  coro_bits_subtract(after, &p->crossed_out[edge]);
}

/* The same facts one by one. holds[n]: the fact holds at the far side of n. A fact that must hold does not if some
   path brings its absence: from the border, a node that kills it, or an edge. */
static void expect(const struct problem *p, bool backward, bool must, uint32_t fact, bool holds[MOST_NODES])
{
  for (uint32_t n = 0; n < p->g.node_count; n++)
    holds[n] = must;
  for (uint32_t round = 0; round <= p->g.node_count; round++)
    for (uint32_t n = 0; n < p->g.node_count; n++) {
      bool border = backward ? p->g.succ_start[n] == p->g.succ_start[n + 1] : n == 0, before = must && !border;
      for (uint32_t from = 0; from < p->g.node_count; from++)
        for (uint32_t e = p->g.succ_start[from]; e < p->g.succ_start[from + 1]; e++) {
          uint32_t near = backward ? p->g.succ[e] : from, far = backward ? from : p->g.succ[e];
          if (far != n || p->rpo.number[from] == GRAPH_NONE)
            continue;
          bool brought = holds[near] && !coro_bits_get(&p->crossed_out[e], fact);
          before = must ? before && brought : before || brought;
        }
      holds[n] = coro_bits_get(&p->gen[n], fact) || (before && !coro_bits_get(&p->kill[n], fact));
    }
}

static void check_problem(struct problem *p, bool backward, bool must)
{
  const struct dataflow_facts problem = {&p->g, &p->rpo, backward, must, FACTS, p->gen, p->kill, cross, p};
  const struct coro_bits *facts = dataflow_solve_facts(&problem, p->arena);
  CHECK(facts, "memory");
  for (uint32_t f = 0; f < FACTS; f++) {
    bool holds[MOST_NODES];
    expect(p, backward, must, f, holds);
    for (uint32_t n = 0; n < p->g.node_count; n++)
      if (p->rpo.number[n] != GRAPH_NONE)
        CHECK(coro_bits_get(&facts[n], f) == holds[n], "fact %u of node %u, %s %s", f, n, must ? "must" : "may",
              backward ? "backward" : "forward");
  }
}

static void random_problems(void)
{
  uint64_t seed = 40;
  for (int i = 0; i < 300; i++) {
    struct problem p;
    draw(&p, &seed);
    for (int kind = 0; kind < 4; kind++)
      check_problem(&p, kind & 1, kind & 2);
    coro_arena_free(p.arena);
  }
}

/* ---- The analysis of CONTRIBUTING.md ---- */

/* Whether the edge is the unwind edge of an invoke. */
static bool unwinds(const struct coro_lowering *low, uint32_t node, uint32_t edge)
{
  const struct cfg_node *from = &low->cfg.nodes[node];
  return !from->landing && low->fn.opcode[from->last - 1] == LLVMInvoke && edge == from->edge_start + 1;
}

static void catch_exception(void *user, uint32_t from, uint32_t edge, const struct coro_bits *facts,
                            struct coro_bits *after)
{
  const struct coro_lowering *low = user;
  coro_bits_union(after, facts);
  if (unwinds(low, from, edge))
    coro_bits_set(after, 0);
}

/* Finds the suspends that are reached only after an exception was caught. False: out of memory. */
static bool find_exceptional_suspends(struct coro_lowering *low, struct coro_bits *suspends)
{
  const struct dataflow_facts problem = {.graph = &low->cfg.graph,
                                         .rpo = &low->cfg.rpo,
                                         .must = true,
                                         .size = 1, /* the only fact: an exception was caught */
                                         .cross = catch_exception,
                                         .user = low};
  const struct coro_bits *caught = dataflow_solve_facts(&problem, low->arena);
  if (!caught || !coro_bits_init(suspends, low->arena, low->shape.suspend_count))
    return false;
  for (uint32_t k = 0; k < low->shape.suspend_count; k++)
    if (coro_bits_get(&caught[cfg_node_of(&low->cfg, low->shape.suspends[k].inst)], 0))
      coro_bits_set(suspends, k);
  return true;
}

static void exceptional_suspends(void)
{
  struct stages s;
  struct coro_bits suspends;
  stages_begin(&s, STAGE_cfg, false,
               "define ptr @f() presplitcoroutine personality ptr @personality {\n"
               "entry:\n" STAGES_BEGIN STAGES_SUSPEND(
                   0, "begun") "begun:\n"
                               "  %a = invoke i32 @get() to label %common unwind label %caught\n"
                               "caught:\n"
                               "  %pad = landingpad { ptr, i32 } catch ptr null\n" STAGES_SUSPEND(
                                   1, "common") "common:\n" STAGES_SUSPEND(2, "cleanup") STAGES_END);
  CHECK(find_exceptional_suspends(&s.low, &suspends), "memory");
  CHECK(!coro_bits_get(&suspends, 0), "the first suspend follows no exception");
  CHECK(coro_bits_get(&suspends, 1), "the second one is in the handler");
  CHECK(!coro_bits_get(&suspends, 2), "the third one also follows the normal edge");
  stages_end(&s);
}

int main(void)
{
  random_problems();
  exceptional_suspends();
  return check_done("test_dataflow");
}
