/* Property tests of hash-consed sets: comparison with bit sets; equal sets have one number.
   Requires: csrc/base, csrc/graph. */
#include "base/bits.h"
#include "check.h"
#include "graph/sets.h"

enum { SETS = 12 };

struct sample {
  struct coro_arena *arena;
  struct sets sets;
  graph_set made[SETS];
  struct coro_bits bits[SETS];
  uint32_t universe;
};

static uint64_t word_of(int operation, uint64_t a, uint64_t b)
{
  return operation == 0 ? a | b : operation == 1 ? a & b : a & ~b;
}

/* Set `to` becomes the union of two sets, or itself with or without an element. */
static void change(struct sample *s, uint64_t *seed, uint32_t to)
{
  uint32_t a = check_below(seed, SETS), b = check_below(seed, SETS), element = check_below(seed, s->universe);
  int operation = (int)check_below(seed, 6);
  switch (operation) {
  case 0: s->made[to] = sets_union(&s->sets, s->made[a], s->made[b]); break;
  case 1: s->made[to] = sets_intersection(&s->sets, s->made[a], s->made[b]); break;
  case 2: s->made[to] = sets_subtract(&s->sets, s->made[a], s->made[b]); break;
  case 3:
    s->made[to] = sets_remove_element(&s->sets, s->made[to], element);
    s->bits[to].words[element / 64] &= ~(UINT64_C(1) << element % 64);
    return;
  default:
    s->made[to] = sets_add_element(&s->sets, s->made[to], element);
    coro_bits_set(&s->bits[to], element);
    return;
  }
  for (uint32_t w = 0; w < (s->universe + 63) / 64; w++)
    s->bits[to].words[w] = word_of(operation, s->bits[a].words[w], s->bits[b].words[w]);
}

struct seen {
  const struct coro_bits *a, *b;
  uint32_t next, universe;
};

static bool see(void *user, uint32_t element, bool in_b)
{
  struct seen *seen = user;
  for (; seen->next < element; seen->next++)
    CHECK(coro_bits_get(seen->a, seen->next) == coro_bits_get(seen->b, seen->next), "%u is passed over", seen->next);
  CHECK(element < seen->universe && coro_bits_get(seen->b, element) == in_b && coro_bits_get(seen->a, element) != in_b,
        "%u of %u", element, seen->universe);
  seen->next = element + 1;
  return true;
}

static void check_pair(const struct sample *s, uint32_t a, uint32_t b)
{
  bool same = true;
  struct seen seen = {&s->bits[a], &s->bits[b], 0, s->universe};
  for (uint32_t i = 0; i < s->universe; i++)
    same &= coro_bits_get(&s->bits[a], i) == coro_bits_get(&s->bits[b], i);
  CHECK(same == (s->made[a] == s->made[b]), "equal sets have equal numbers, different sets do not");
  CHECK(sets_visit_symmetric_difference(&s->sets, s->made[a], s->made[b], see, &seen), "all are visited");
  for (; seen.next < s->universe; seen.next++)
    CHECK(coro_bits_get(seen.a, seen.next) == coro_bits_get(seen.b, seen.next), "%u is not visited", seen.next);
}

static bool start(struct sample *s, uint32_t universe)
{
  s->arena = coro_arena_create();
  s->universe = universe;
  for (uint32_t i = 0; i < SETS; i++)
    if (!coro_bits_init(&s->bits[i], s->arena, universe))
      return false;
  return sets_init(&s->sets, s->arena, universe);
}

int main(void)
{
  uint64_t seed = 7;
  for (int round = 0; round < 60; round++) {
    struct sample s = {0};
    CHECK(start(&s, 1 + check_below(&seed, round % 3 ? 1000 : 64)), "started");
    for (uint32_t step = 0; step < 300; step++)
      change(&s, &seed, check_below(&seed, SETS));
    for (uint32_t a = 0; a < SETS; a++)
      for (uint32_t b = 0; b < SETS; b++)
        check_pair(&s, a, b);
    coro_arena_free(s.arena);
  }
  return check_done("test_sets");
}
