/* Property tests of csrc/loops/state_variants.h against a search over all states, on random graphs with random rules.
   Requires: csrc/base, csrc/graph. */
#include <string.h>

#include "check.h"
#include "loops/state_variants.h"

enum { MOST_NODES = 9, MOST_EDGES = 24, VARIABLES = 2, VALUES = 3, DRAWN = 4000, STEPS = 60 };
enum { STATES = (VALUES + 1) * (VALUES + 1) };

struct sample {
  struct coro_arena *arena;
  struct graph g;
  struct graph_transfer rules;
  struct coro_bits live[MOST_NODES];
  uint32_t weight[MOST_NODES];
  uint32_t becomes[MOST_EDGES][VARIABLES]; /* by edge: a value, 0 for unknown, or one of these */
  uint32_t asks[MOST_NODES];               /* the tested variable; VARIABLES: none */
};

enum { KEEPS = VALUES + 1, TAKES_OTHER };

static void follow(void *context, uint32_t node, uint32_t edge, const uint32_t *state, uint32_t *successor_state)
{
  const struct sample *s = context;
  CHECK(edge >= s->g.succ_start[node] && edge < s->g.succ_start[node + 1], "edge %u of node %u", edge, node);
  for (uint32_t v = 0; v < VARIABLES; v++) {
    uint32_t becomes = s->becomes[edge][v];
    successor_state[v] = becomes == KEEPS ? state[v] : becomes == TAKES_OTHER ? state[1 - v] : becomes;
  }
}

static uint32_t known_edge(void *context, uint32_t node, const uint32_t *state)
{
  const struct sample *s = context;
  uint32_t first = s->g.succ_start[node], count = s->g.succ_start[node + 1] - first;
  uint32_t known = s->asks[node] < VARIABLES ? state[s->asks[node]] : 0;
  return known && count ? first + known % count : GRAPH_NONE;
}

static void draw(struct sample *s, uint64_t *seed)
{
  struct graph_edge edges[MOST_EDGES];
  uint32_t nodes = 1 + check_below(seed, MOST_NODES), count = 1 + check_below(seed, MOST_EDGES - 1);
  *s = (struct sample){.arena = coro_arena_create()};
  for (uint32_t e = 0; e < count; e++)
    edges[e] = (struct graph_edge){check_below(seed, nodes), check_below(seed, nodes)};
  CHECK(graph_build(&s->g, s->arena, nodes, edges, count), "build");
  for (uint32_t e = 0; e < count; e++)
    for (uint32_t v = 0; v < VARIABLES; v++)
      s->becomes[e][v] = check_below(seed, TAKES_OTHER + 1);
  for (uint32_t n = 0; n < nodes; n++) {
    s->asks[n] = check_below(seed, VARIABLES + 1);
    s->weight[n] = 1 + check_below(seed, 4);
    CHECK(coro_bits_init(&s->live[n], s->arena, VARIABLES), "memory");
    for (uint32_t v = 0; v < VARIABLES; v++)
      if (check_below(seed, 4) || s->asks[n] == v)
        coro_bits_set(&s->live[n], v);
  }
  s->rules = (struct graph_transfer){s, VARIABLES, s->live, s->weight, follow, known_edge};
}

struct place {
  uint32_t node, state[VARIABLES];
};

static void forget(const struct sample *s, struct place *place)
{
  for (uint32_t v = 0; v < VARIABLES; v++)
    if (!coro_bits_get(&s->live[place->node], v))
      place->state[v] = 0;
}

/* Computes the state after the edge; false: the edge is not taken. */
static bool step(struct sample *s, const struct place *place, uint32_t edge, struct place *next)
{
  uint32_t only = known_edge(s, place->node, place->state);
  next->node = s->g.succ[edge];
  follow(s, place->node, edge, place->state, next->state);
  forget(s, next);
  return only == GRAPH_NONE || only == edge;
}

/* Counts the states and their weight. */
static uint32_t count_places(struct sample *s, uint32_t *weight)
{
  struct place places[MOST_NODES * STATES] = {{0, {0}}};
  bool seen[MOST_NODES][STATES] = {{false}};
  uint32_t count = 1;
  seen[0][0] = true;
  *weight = s->weight[0];
  for (uint32_t p = 0; p < count; p++)
    for (uint32_t e = s->g.succ_start[places[p].node]; e < s->g.succ_start[places[p].node + 1]; e++) {
      struct place next;
      if (!step(s, &places[p], e, &next) || seen[next.node][next.state[0] * (VALUES + 1) + next.state[1]])
        continue;
      seen[next.node][next.state[0] * (VALUES + 1) + next.state[1]] = true;
      *weight += s->weight[next.node];
      places[count++] = next;
    }
  return count;
}

static void walk(struct sample *s, const struct graph_variants *variants, uint64_t *seed)
{
  struct place at = {0, {0}};
  uint32_t variant = 0;
  for (int i = 0; i < STEPS; i++) {
    uint32_t first = s->g.succ_start[at.node], count = s->g.succ_start[at.node + 1] - first;
    CHECK(variants->node[variant] == at.node, "variant %u is of node %u", variant, at.node);
    CHECK(variants->known_edge[variant] == known_edge(s, at.node, at.state), "the known edge of variant %u", variant);
    CHECK(variants->succ_start[variant + 1] - variants->succ_start[variant] == count, "edges of variant %u", variant);
    if (!count)
      return;
    uint32_t edge = check_below(seed, count), to = variants->succ[variants->succ_start[variant] + edge];
    struct place next;
    bool taken = step(s, &at, first + edge, &next);
    CHECK(taken == (to != GRAPH_NONE), "edge %u of variant %u", edge, variant);
    if (taken) {
      at = next;
      variant = to;
    }
  }
}

static void check_by_node(const struct sample *s, const struct graph_variants *variants)
{
  uint32_t of_node[MOST_NODES] = {0};
  for (uint32_t v = 0; v < variants->count; v++)
    of_node[variants->node[v]]++;
  for (uint32_t n = 0; n < s->g.node_count; n++)
    CHECK(variants->of_node[n] == of_node[n], "variants of node %u", n);
}

int main(void)
{
  uint64_t seed = 7;
  for (int i = 0; i < DRAWN; i++) {
    struct sample s;
    struct graph_variants variants;
    uint32_t weight;
    draw(&s, &seed);
    uint32_t count = count_places(&s, &weight);
    CHECK(graph_variants(&variants, s.arena, &s.g, 0, &s.rules, weight), "memory");
    CHECK(variants.count == count, "%u variants of %u", variants.count, count);
    for (int w = 0; w < 4 && variants.count; w++)
      walk(&s, &variants, &seed);
    if (variants.count)
      check_by_node(&s, &variants);
    CHECK(graph_variants(&variants, s.arena, &s.g, 0, &s.rules, weight - 1) && !variants.count, "one less is too few");
    coro_arena_free(s.arena);
  }
  return check_done("test_variants");
}
