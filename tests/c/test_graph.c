/* Property tests of csrc/graph against the definitions, on random graphs, and its stack depth on long ones.
   Requires: csrc/base, csrc/graph. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "check.h"
#include "graph/graph.h"

enum { MOST_NODES = 14 };

struct sample {
  struct coro_arena *arena;
  struct graph g;
  struct graph_edge edges[64];
};

/* Dense and sparse graphs, with self loops, duplicate edges and unreachable nodes. */
static void draw(struct sample *s, uint64_t *seed)
{
  uint32_t nodes = 1 + check_below(seed, MOST_NODES), edges = check_below(seed, 1 + (nodes * 3 < 64 ? nodes * 3 : 64));
  for (uint32_t i = 0; i < edges; i++)
    s->edges[i] = (struct graph_edge){check_below(seed, nodes), check_below(seed, nodes)};
  s->arena = coro_arena_create();
  CHECK(graph_build(&s->g, s->arena, nodes, s->edges, edges), "build");
}

/* reach[a] bit b: there is a path of at least one edge from a to b that does not enter `without`. */
static void closure(const struct graph *g, uint32_t without, uint32_t reach[MOST_NODES])
{
  memset(reach, 0, MOST_NODES * sizeof *reach);
  for (uint32_t n = 0; n < g->node_count; n++)
    for (uint32_t i = g->succ_start[n]; i < g->succ_start[n + 1]; i++)
      if (n != without && g->succ[i] != without)
        reach[n] |= 1u << g->succ[i];
  for (uint32_t k = 0; k < g->node_count; k++)
    for (uint32_t a = 0; a < g->node_count; a++)
      if (reach[a] >> k & 1)
        reach[a] |= reach[k];
}

static bool reaches(const uint32_t *reach, uint32_t a, uint32_t b)
{
  return a == b || reach[a] >> b & 1;
}

static void check_build(const struct sample *s)
{
  uint32_t at = 0;
  for (uint32_t n = 0; n < s->g.node_count; n++) {
    for (uint32_t i = 0; i < s->g.edge_count; i++)
      if (s->edges[i].from == n)
        CHECK(s->g.succ[at++] == s->edges[i].to, "successor of %u", n);
    CHECK(s->g.succ_start[n + 1] == at, "successors of %u", n);
  }
  at = 0;
  for (uint32_t n = 0; n < s->g.node_count; n++) {
    for (uint32_t i = 0; i < s->g.edge_count; i++)
      if (s->edges[i].to == n)
        CHECK(s->g.pred[at++] == s->edges[i].from, "predecessor of %u", n);
    CHECK(s->g.pred_start[n + 1] == at, "predecessors of %u", n);
  }
}

/* In reverse post-order a back edge's target reaches its source. */
static void check_rpo(const struct sample *s, const struct graph_rpo *rpo, const uint32_t *reach, uint32_t entry)
{
  CHECK(rpo->order[0] == entry, "entry first");
  uint32_t count = 0;
  for (uint32_t n = 0; n < s->g.node_count; n++) {
    bool is_reached = reaches(reach, entry, n);
    CHECK((rpo->number[n] != GRAPH_NONE) == is_reached, "node %u", n);
    count += is_reached;
    if (!is_reached)
      continue;
    CHECK(rpo->order[rpo->number[n]] == n, "node %u", n);
    for (uint32_t i = s->g.succ_start[n]; i < s->g.succ_start[n + 1]; i++)
      CHECK(rpo->number[s->g.succ[i]] > rpo->number[n] || reaches(reach, s->g.succ[i], n), "edge from %u", n);
  }
  CHECK(rpo->count == count, "%u nodes", rpo->count);
}

static void check_dom(const struct sample *s, const struct graph_dom *dom, const uint32_t *reach, uint32_t entry)
{
  bool dominates[MOST_NODES][MOST_NODES] = {{false}};
  uint32_t without[MOST_NODES];
  for (uint32_t a = 0; a < s->g.node_count; a++) {
    closure(&s->g, a, without);
    for (uint32_t b = 0; b < s->g.node_count; b++) {
      bool both = reaches(reach, entry, a) && reaches(reach, entry, b);
      dominates[a][b] = both && (a == b || a == entry || !reaches(without, entry, b));
      CHECK(graph_dominates(dom, a, b) == dominates[a][b], "%u over %u of %u", a, b, s->g.node_count);
    }
  }
  for (uint32_t b = 0; b < s->g.node_count; b++) {
    uint32_t up = dom->idom[b], above = 0;
    if (!reaches(reach, entry, b)) {
      CHECK(up == GRAPH_NONE, "node %u is unreachable", b);
      continue;
    }
    for (uint32_t a = 0; a < s->g.node_count; a++) {
      above += a != b && dominates[a][b];
      CHECK(a == b || !dominates[a][b] || dominates[a][up], "immediate dominator of %u", b);
    }
    CHECK(dom->level[b] == above, "level of %u", b);
    CHECK(b == entry ? up == entry : up != b && dominates[up][b], "immediate dominator of %u", b);
    CHECK(dom->order[dom->in[b]] == b, "place of %u", b);
  }
}

/* Returns the loop of a header by the definition: nodes that reach a back edge without passing the header; 0: no
   loop. */
static uint32_t body_of(const struct sample *s, const struct graph_dom *dom, uint32_t header)
{
  uint32_t without[MOST_NODES], body = 0;
  closure(&s->g, header, without);
  for (uint32_t i = 0; i < s->g.edge_count; i++) {
    uint32_t latch = s->edges[i].from;
    if (s->edges[i].to != header || !graph_dominates(dom, header, latch))
      continue;
    body |= 1u << header;
    for (uint32_t n = 0; n < s->g.node_count; n++)
      if (n != header && dom->idom[n] != GRAPH_NONE && reaches(without, n, latch))
        body |= 1u << n;
  }
  return body;
}

/* Returns the header of the smallest loop that contains a node, other than the loop of `but`; GRAPH_NONE: no loop. */
static uint32_t innermost(const uint32_t *bodies, uint32_t node_count, uint32_t node, uint32_t but)
{
  uint32_t found = GRAPH_NONE;
  for (uint32_t h = 0; h < node_count; h++)
    if (h != but && bodies[h] >> node & 1 && (found == GRAPH_NONE || (bodies[h] & bodies[found]) == bodies[h]))
      found = h;
  return found;
}

static uint32_t header_of(const struct graph_loops *loops, uint32_t loop)
{
  return loop == GRAPH_NONE ? GRAPH_NONE : loops->header[loop];
}

static uint32_t check_loops(const struct sample *s, const struct graph_dom *dom)
{
  uint32_t bodies[MOST_NODES], count = 0, nested = 0, nodes = s->g.node_count;
  struct graph_loops loops;
  CHECK(graph_find_natural_loops(&loops, s->arena, &s->g, dom), "loops");
  for (uint32_t n = 0; n < nodes; n++)
    count += (bodies[n] = body_of(s, dom, n)) != 0;
  CHECK(loops.count == count, "%u loops, not %u", loops.count, count);
  for (uint32_t n = 0; n < nodes; n++)
    CHECK(header_of(&loops, loops.loop[n]) == innermost(bodies, nodes, n, GRAPH_NONE), "the loop of node %u", n);
  for (uint32_t l = 0; l < loops.count; l++) {
    uint32_t header = loops.header[l], parent = loops.parent[l];
    CHECK(header_of(&loops, parent) == innermost(bodies, nodes, header, header), "the enclosing loop of loop %u",
          header);
    CHECK(parent == GRAPH_NONE || parent < l, "loop %u precedes its enclosing loop", l);
    nested += parent != GRAPH_NONE;
  }
  return nested;
}

/* Computes the iterated dominance frontier by its definition, to a fixpoint. */
static void check_idf(const struct sample *s, const struct graph_dom *dom, uint64_t *seed)
{
  uint32_t defs[6], def_count = check_below(seed, 7);
  uint32_t set = 0, frontier = 0, before;
  for (uint32_t i = 0; i < def_count; i++) {
    defs[i] = check_below(seed, s->g.node_count);
    set |= dom->idom[defs[i]] == GRAPH_NONE ? 0 : 1u << defs[i];
  }
  do {
    before = frontier;
    for (uint32_t d = 0; d < s->g.node_count; d++)
      for (uint32_t n = 0; (set | frontier) >> d & 1 && n < s->g.node_count; n++)
        for (uint32_t i = s->g.succ_start[n]; i < s->g.succ_start[n + 1]; i++) {
          uint32_t to = s->g.succ[i];
          if (graph_dominates(dom, d, n) && !(d != to && graph_dominates(dom, d, to)))
            frontier |= 1u << to;
        }
  } while (frontier != before);
  struct coro_bits bits;
  CHECK(coro_bits_init(&bits, s->arena, s->g.node_count) &&
            graph_iterated_dominance_frontier(&bits, s->arena, &s->g, dom, defs, def_count),
        "frontier");
  CHECK(bits.words[0] == frontier, "%x is not %x", (unsigned)bits.words[0], frontier);
}

/* Without back edges to dominating nodes the graph is acyclic. */
static bool is_reducible(const struct sample *s, const struct graph_dom *dom)
{
  uint32_t reach[MOST_NODES] = {0}, nodes = s->g.node_count;
  for (uint32_t i = 0; i < s->g.edge_count; i++)
    if (dom->idom[s->edges[i].from] != GRAPH_NONE && !graph_dominates(dom, s->edges[i].to, s->edges[i].from))
      reach[s->edges[i].from] |= 1u << s->edges[i].to;
  for (uint32_t k = 0; k < nodes; k++)
    for (uint32_t a = 0; a < nodes; a++)
      reach[a] |= reach[a] >> k & 1 ? reach[k] : 0;
  for (uint32_t n = 0; n < nodes; n++)
    if (reach[n] >> n & 1)
      return false;
  return true;
}

enum { MOST_DEFS = 8, VARIABLES = 3, UNDEFINED = MOST_DEFS };

/* Computes for each variable the set of definitions that may reach the start of a node; bit UNDEFINED: none. */
static void may_reach(const struct sample *s, uint32_t entry, const struct graph_def *defs, uint32_t def_count,
                      uint32_t at[MOST_NODES][VARIABLES])
{
  memset(at, 0, MOST_NODES * sizeof *at);
  for (uint32_t v = 0; v < VARIABLES; v++)
    at[entry][v] = 1u << UNDEFINED;
  for (uint32_t round = 0; round < MOST_NODES * VARIABLES * (MOST_DEFS + 1); round++)
    for (uint32_t n = 0; n < s->g.node_count; n++)
      for (uint32_t v = 0; v < VARIABLES; v++) {
        uint32_t out = at[n][v];
        for (uint32_t d = 0; d < def_count && out; d++)
          out = defs[d].node == n && defs[d].variable == v ? 1u << d : out;
        for (uint32_t i = s->g.succ_start[n]; i < s->g.succ_start[n + 1]; i++)
          at[s->g.succ[i]][v] |= out;
      }
}

static uint32_t check_reaching(const struct sample *s, const struct graph_dom *dom, uint32_t entry, uint64_t *seed)
{
  struct graph_def defs[MOST_DEFS];
  struct graph_query asks[MOST_NODES * VARIABLES];
  uint32_t def_count = check_below(seed, MOST_DEFS + 1), query_count = 0, at[MOST_NODES][VARIABLES], found = 0;
  for (uint32_t d = 0; d < def_count; d++)
    defs[d] = (struct graph_def){check_below(seed, VARIABLES), check_below(seed, s->g.node_count)};
  for (uint32_t n = s->g.node_count; n--;)
    for (uint32_t v = 0; v < VARIABLES; v++)
      asks[query_count++] = (struct graph_query){v, n, 0};
  may_reach(s, entry, defs, def_count, at);
  struct graph_reaching question = {defs, asks, def_count, query_count, VARIABLES};
  CHECK(graph_find_unique_reaching_definitions(&question, s->arena, &s->g, dom), "reaching");
  for (uint32_t i = 0; i < query_count; i++) {
    uint32_t def = asks[i].def, may = at[asks[i].node][asks[i].variable];
    CHECK(def == GRAPH_NONE || may == 1u << def, "definition %u reaches node %u, expected %x", def, asks[i].node, may);
    CHECK(def != GRAPH_NONE || !may || may & (may - 1) || may == 1u << UNDEFINED || !is_reducible(s, dom),
          "definition %x in %u is not found", may, asks[i].node);
    found += def != GRAPH_NONE;
  }
  return found;
}

static void check_scc(const struct sample *s, const uint32_t *reach)
{
  struct graph_scc scc;
  CHECK(graph_strongly_connected_components(&scc, s->arena, &s->g), "components");
  uint32_t largest = 0;
  for (uint32_t a = 0; a < s->g.node_count; a++) {
    largest = scc.component[a] > largest ? scc.component[a] : largest;
    CHECK(scc.cyclic[scc.component[a]] == (reach[a] >> a & 1), "cycle through %u", a);
    for (uint32_t b = 0; b < s->g.node_count; b++)
      CHECK((scc.component[a] == scc.component[b]) == (reaches(reach, a, b) && reaches(reach, b, a)), "%u, %u", a, b);
  }
  CHECK(scc.count == largest + 1, "%u components", scc.count);
  for (uint32_t i = 0; i < s->g.edge_count; i++)
    CHECK(scc.component[s->edges[i].from] >= scc.component[s->edges[i].to], "edge %u", i);
}

static void check_reach(const struct sample *s, const uint32_t *reach, uint64_t *seed)
{
  uint32_t starts[3], start_count = check_below(seed, 4), forth = 0, back = 0;
  for (uint32_t i = 0; i < start_count; i++) {
    starts[i] = check_below(seed, s->g.node_count);
    for (uint32_t n = 0; n < s->g.node_count; n++) {
      forth |= (uint32_t)reaches(reach, starts[i], n) << n;
      back |= (uint32_t)reaches(reach, n, starts[i]) << n;
    }
  }
  struct coro_bits a, b;
  CHECK(coro_bits_init(&a, s->arena, s->g.node_count) && coro_bits_init(&b, s->arena, s->g.node_count) &&
            graph_mark_reachable_nodes(&a, s->arena, &s->g, starts, start_count, false) &&
            graph_mark_reachable_nodes(&b, s->arena, &s->g, starts, start_count, true),
        "reach");
  CHECK(a.words[0] == forth && b.words[0] == back, "from %u starts", start_count);
}

static void check_random_graphs(void)
{
  uint64_t seed = 20;
  uint32_t reaching = 0, nested = 0;
  for (int round = 0; round < 3000; round++) {
    struct sample s;
    uint32_t reach[MOST_NODES];
    struct graph_rpo rpo;
    struct graph_dom dom;
    draw(&s, &seed);
    uint32_t entry = check_below(&seed, s.g.node_count);
    closure(&s.g, GRAPH_NONE, reach);
    check_build(&s);
    CHECK(graph_compute_reverse_postorder(&rpo, s.arena, &s.g, entry) &&
              graph_compute_dominators(&dom, s.arena, &s.g, &rpo),
          "dominators");
    check_rpo(&s, &rpo, reach, entry);
    check_dom(&s, &dom, reach, entry);
    check_idf(&s, &dom, &seed);
    nested += check_loops(&s, &dom);
    reaching += check_reaching(&s, &dom, entry, &seed);
    check_scc(&s, reach);
    check_reach(&s, reach, &seed);
    coro_arena_free(s.arena);
  }
  CHECK(nested > 300, "%u loops lie in others", nested);
  CHECK(reaching > 3000, "%u definitions reach some node", reaching);
}

enum { LARGE = 150 };

/* Draws a chain with short forward and backward jumps: nested and overlapping loops, which uniform edges rarely
   make. */
static uint32_t draw_large(struct graph_edge *edges, uint64_t *seed)
{
  uint32_t count = 0;
  for (uint32_t n = 0; n + 1 < LARGE; n++) {
    if (check_below(seed, 20))
      edges[count++] = (struct graph_edge){n, n + 1};
    uint32_t reach = check_below(seed, 4) ? 12 : LARGE;
    if (check_below(seed, 3) == 0)
      edges[count++] = (struct graph_edge){n, n > reach ? n - check_below(seed, reach) : check_below(seed, n + 1)};
    if (check_below(seed, 3) == 0)
      edges[count++] = (struct graph_edge){n, n + check_below(seed, LARGE - n < reach ? LARGE - n : reach)};
  }
  return count;
}

/* Computes nodes reachable from 0 without entering `without`. */
static void reach_without(struct coro_bits *reached, struct coro_arena *arena, const struct graph_edge *edges,
                          uint32_t count, uint32_t without)
{
  struct graph_edge kept[3 * LARGE];
  uint32_t kept_count = 0, entry = 0;
  struct graph g;
  for (uint32_t i = 0; i < count; i++)
    if (edges[i].from != without && edges[i].to != without)
      kept[kept_count++] = edges[i];
  CHECK(coro_bits_init(reached, arena, LARGE) && graph_build(&g, arena, LARGE, kept, kept_count) &&
            graph_mark_reachable_nodes(reached, arena, &g, &entry, 1, false),
        "reach");
}

static uint32_t count_bits(const struct coro_bits *bits)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < bits->size; i++)
    count += coro_bits_get(bits, i);
  return count;
}

static void check_large_frontier(const struct graph *g, struct coro_arena *arena, const struct graph_dom *dom,
                                 uint64_t *seed)
{
  uint32_t defs[5];
  struct coro_bits source, expected, frontier;
  CHECK(coro_bits_init(&source, arena, LARGE) && coro_bits_init(&expected, arena, LARGE) &&
            coro_bits_init(&frontier, arena, LARGE),
        "bits");
  for (uint32_t i = 0; i < 5; i++) {
    defs[i] = check_below(seed, LARGE);
    if (dom->idom[defs[i]] != GRAPH_NONE)
      coro_bits_set(&source, defs[i]);
  }
  for (uint32_t before = UINT32_MAX; before != count_bits(&expected);) {
    before = count_bits(&expected);
    coro_bits_union(&source, &expected);
    for (uint32_t n = 0; n < LARGE; n++)
      for (uint32_t i = g->succ_start[n]; i < g->succ_start[n + 1]; i++)
        for (uint32_t d = 0, to = g->succ[i]; d < LARGE; d++)
          if (coro_bits_get(&source, d) && graph_dominates(dom, d, n) && (d == to || !graph_dominates(dom, d, to)))
            coro_bits_set(&expected, to);
  }
  CHECK(graph_iterated_dominance_frontier(&frontier, arena, g, dom, defs, 5), "frontier");
  for (uint32_t n = 0; n < LARGE; n++)
    CHECK(coro_bits_get(&frontier, n) == coro_bits_get(&expected, n), "node %u", n);
}

static void check_large_graphs(void)
{
  uint64_t seed = 21;
  for (int round = 0; round < 15; round++) {
    struct coro_arena *arena = coro_arena_create();
    struct graph_edge edges[3 * LARGE];
    uint32_t count = draw_large(edges, &seed);
    struct graph g;
    struct graph_rpo rpo;
    struct graph_dom dom;
    struct coro_bits reached, rest;
    CHECK(graph_build(&g, arena, LARGE, edges, count) && graph_compute_reverse_postorder(&rpo, arena, &g, 0) &&
              graph_compute_dominators(&dom, arena, &g, &rpo),
          "dominators");
    reach_without(&reached, arena, edges, count, GRAPH_NONE);
    for (uint32_t a = 1; a < LARGE; a++) {
      reach_without(&rest, arena, edges, count, a);
      for (uint32_t b = 0; b < LARGE; b++)
        CHECK(graph_dominates(&dom, a, b) ==
                  (coro_bits_get(&reached, b) && (a == b || (coro_bits_get(&reached, a) && !coro_bits_get(&rest, b)))),
              "%u over %u in round %d", a, b, round);
    }
    check_large_frontier(&g, arena, &dom, &seed);
    coro_arena_free(arena);
  }
}

static bool everything(struct coro_arena *arena, uint32_t nodes, const struct graph_edge *edges, uint32_t edge_count,
                       struct graph_dom *dom, struct coro_bits *frontier)
{
  struct graph g;
  struct graph_rpo rpo;
  struct graph_scc scc;
  struct graph_loops loops;
  struct coro_bits reached;
  uint32_t last = nodes - 1;
  return graph_build(&g, arena, nodes, edges, edge_count) && graph_compute_reverse_postorder(&rpo, arena, &g, 0) &&
         graph_compute_dominators(dom, arena, &g, &rpo) && graph_find_natural_loops(&loops, arena, &g, dom) &&
         graph_strongly_connected_components(&scc, arena, &g) && coro_bits_init(&reached, arena, nodes) &&
         graph_mark_reachable_nodes(&reached, arena, &g, &last, 1, true) && coro_bits_init(frontier, arena, nodes) &&
         graph_iterated_dominance_frontier(frontier, arena, &g, dom, &last, 1);
}

/* A chain of loops, each node with edges to the next, to its predecessor and to itself. */
static void check_long_graph(void)
{
  enum { NODES = 200000 };
  struct coro_arena *arena = coro_arena_create();
  CORO_VEC(struct graph_edge) edges = {0};
  bool pushed = true;
  for (uint32_t n = 0; n + 1 < NODES; n++) {
    struct graph_edge next = {n, n + 1}, back = {n + 1, n}, self = {n, n};
    pushed = pushed && coro_vec_push(arena, &edges, next) && coro_vec_push(arena, &edges, back) &&
             coro_vec_push(arena, &edges, self);
  }
  struct graph_dom dom;
  struct coro_bits frontier;
  CHECK(pushed && everything(arena, NODES, edges.items, edges.count, &dom, &frontier), "a chain of loops");
  bool right = true;
  for (uint32_t n = 1; n < NODES; n++)
    right = right && dom.idom[n] == n - 1 && dom.level[n] == n;
  CHECK(right, "dominators of the chain");
  CHECK(count_bits(&frontier) == NODES - 1 && !coro_bits_get(&frontier, NODES - 1),
        "the frontier of the last node is every node before it, not %u", count_bits(&frontier));
  coro_arena_free(arena);
}

static void check_failing_allocations(void)
{
  static const struct graph_edge edges[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 0}, {3, 3}};
  for (uint64_t n = 1;; n++) {
    struct coro_arena *arena = coro_arena_create();
    struct graph_dom dom;
    struct coro_bits frontier;
    struct coro_budget budget = {.fail_at = n};
    coro_arena_set_budget(arena, &budget);
    bool done = everything(arena, 4, edges, sizeof edges / sizeof *edges, &dom, &frontier);
    CHECK(done == !coro_arena_failed(arena), "allocation %u", (unsigned)n);
    coro_arena_free(arena);
    if (!done)
      continue;
    CHECK(n > 20, "only %u allocations were tried", (unsigned)n);
    return;
  }
}

int main(void)
{
  check_random_graphs();
  check_large_graphs();
  check_long_graph();
  check_failing_allocations();
  return check_done("test_graph");
}
