/* Tests of pack_items_into_frame and pack_find_conflicting_items_or_none: no two conflicting items overlap, and no
   space is wasted.
   Requires: csrc/base, csrc/graph. */
#include <string.h>

#include "check.h"
#include "graph/pack.h"

enum { MOST_ITEMS = 40, MOST_RANGES = 6 };

struct sample {
  struct coro_arena *arena;
  struct pack_item items[MOST_ITEMS];
  struct pack_range live[MOST_ITEMS][MOST_RANGES];
  uint32_t count, suspends;
  uint64_t start, end, align;
};

static void draw(struct sample *s, uint64_t *seed, bool share, bool whole_multiples, bool fixed)
{
  uint64_t fixed_end;
  s->arena = coro_arena_create();
  s->count = check_below(seed, MOST_ITEMS + 1);
  s->suspends = check_below(seed, 150);
  fixed_end = s->start = check_below(seed, 40);
  for (uint32_t i = 0; i < s->count; i++) {
    uint64_t align = UINT64_C(1) << check_below(seed, 7), size = check_below(seed, 70);
    s->items[i] = (struct pack_item){.size = whole_multiples ? size * align : size, .align = align};
    if (fixed && check_below(seed, 8) == 0) { /* consecutive, with holes between them */
      fixed_end = (fixed_end + check_below(seed, 30) + align - 1) & ~(align - 1);
      s->items[i].fixed = true;
      s->items[i].offset = fixed_end;
      fixed_end += s->items[i].size;
      continue;
    }
    if (!share || check_below(seed, 10) == 0)
      continue;
    uint32_t end = 0, count = 0, most = check_below(seed, MOST_RANGES + 1);
    for (; count < most && end + 1 < s->suspends; count++) {
      uint32_t first = end + check_below(seed, s->suspends - end);
      end = first + 1 + check_below(seed, s->suspends - first);
      s->live[i][count] = (struct pack_range){first, end++};
    }
    s->items[i].shares = true;
    s->items[i].live = s->live[i];
    s->items[i].live_count = count;
  }
}

static bool conflict(const struct pack_item *a, const struct pack_item *b)
{
  bool meet = !a->shares || !b->shares;
  for (uint32_t i = 0; !meet && i < a->live_count; i++)
    for (uint32_t k = 0; !meet && k < b->live_count; k++)
      meet = a->live[i].first < b->live[k].end && b->live[k].first < a->live[i].end;
  return meet;
}

static bool overlap(const struct pack_item *a, const struct pack_item *b)
{
  return a->size && b->size && a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static void check_placed(const struct sample *s)
{
  uint64_t end = s->start, align = 1;
  for (uint32_t i = 0; i < s->count; i++) {
    const struct pack_item *a = &s->items[i];
    CHECK(a->offset >= s->start && a->offset % a->align == 0, "item %u of %u", i, s->count);
    for (uint32_t k = 0; k < i; k++)
      CHECK(!conflict(a, &s->items[k]) || !overlap(a, &s->items[k]), "items %u and %u of %u", i, k, s->count);
    end = a->offset + a->size > end ? a->offset + a->size : end;
    align = a->align > align ? a->align : align;
  }
  CHECK(s->end == end && s->align == align, "end %d, align %d", (int)s->end, (int)s->align);
}

/* First fit: moving one item to a lower offset must cause a conflict. */
static void check_first_fit(const struct sample *s)
{
  for (uint32_t i = 0; i < s->count; i++) {
    struct pack_item a = s->items[i];
    for (a.offset = 0; !a.fixed && a.offset < s->items[i].offset; a.offset += a.align) {
      bool free = a.offset >= s->start;
      for (uint32_t k = 0; k < s->count && free; k++)
        free = k == i || !conflict(&a, &s->items[k]) || !overlap(&a, &s->items[k]);
      CHECK(!free, "item %u of %u could be at offset %d", i, s->count, (int)a.offset);
    }
  }
}

static void check_random_items(void)
{
  uint64_t seed = 4;
  for (int round = 0; round < 1500; round++) {
    struct sample s = {0};
    draw(&s, &seed, round % 2, false, round % 3 == 0);
    uint64_t at[MOST_ITEMS];
    for (uint32_t i = 0; i < s.count; i++)
      at[i] = s.items[i].offset;
    CHECK(pack_items_into_frame(s.arena, s.items, s.count, s.start, &s.end, &s.align), "packed");
    for (uint32_t i = 0; i < s.count; i++)
      CHECK(!s.items[i].fixed || s.items[i].offset == at[i], "item %u has been moved", i);
    check_placed(&s);
    check_first_fit(&s);
    struct sample again = s;
    CHECK(pack_items_into_frame(s.arena, again.items, s.count, s.start, &again.end, &again.align), "packed");
    CHECK(!memcmp(again.items, s.items, sizeof s.items), "the same again");
    coro_arena_free(s.arena);
  }
}

/* Returns the number of items at the place of their kind. Preferring that place costs no bytes and no conflicts, and
   never reduces the number. */
static uint32_t at_one_place(const struct sample *s)
{
  uint32_t found = 0;
  for (uint32_t i = 0; i < s->count; i++)
    for (uint32_t k = 0; k < i; k++)
      found += s->items[i].kind && s->items[i].kind == s->items[k].kind && s->items[i].offset == s->items[k].offset;
  return found;
}

static void check_kinds(void)
{
  uint64_t seed = 8;
  uint32_t before = 0, together = 0;
  for (int round = 0; round < 1500; round++) {
    struct sample s = {0};
    uint64_t end;
    draw(&s, &seed, true, false, round % 3 == 0);
    for (uint32_t i = 0; i < s.count; i++) {
      struct pack_item *item = &s.items[i];
      item->size = item->fixed ? item->size : 8;
      item->align = item->fixed ? item->align : 8;
    }
    CHECK(pack_items_into_frame(s.arena, s.items, s.count, s.start, &end, &s.align), "packed");
    for (uint32_t i = 0; i < s.count; i++)
      s.items[i].kind = s.items[i].fixed ? 0 : check_below(&seed, 4);
    before += at_one_place(&s);
    CHECK(pack_items_into_frame(s.arena, s.items, s.count, s.start, &s.end, &s.align), "packed");
    CHECK(s.end <= end, "%d bytes instead of %d", (int)s.end, (int)end);
    check_placed(&s);
    together += at_one_place(&s);
    coro_arena_free(s.arena);
  }
  CHECK(together > before, "%u share an offset, %u without kinds", together, before);
}

/* Sizes that are multiples of their alignment, after an aligned start, leave no hole: the sum is the lower bound. */
static void check_tight(void)
{
  uint64_t seed = 5;
  for (int round = 0; round < 300; round++) {
    struct sample s = {0};
    draw(&s, &seed, false, true, false);
    s.start = 64;
    uint64_t sum = s.start;
    for (uint32_t i = 0; i < s.count; i++)
      sum += s.items[i].size;
    CHECK(pack_items_into_frame(s.arena, s.items, s.count, s.start, &s.end, &s.align) && s.end == sum, "%d for %d",
          (int)s.end, (int)sum);
    coro_arena_free(s.arena);
  }
}

/* Items of one size with interval lives need exactly the maximum number of simultaneously live items, here 2. */
static void check_many(bool share)
{
  enum { ITEMS = 4000 };
  struct coro_arena *arena = coro_arena_create();
  struct pack_item *items = CORO_NEW_ARRAY(arena, struct pack_item, ITEMS);
  struct pack_range *live = CORO_NEW_ARRAY(arena, struct pack_range, ITEMS);
  for (uint32_t i = 0; i < ITEMS; i++) {
    live[i] = (struct pack_range){i, i + 2};
    items[i] = (struct pack_item){.size = 8, .align = 8, .shares = share, .live = &live[i], .live_count = 1};
  }
  uint64_t end, align;
  CHECK(pack_items_into_frame(arena, items, ITEMS, 20, &end, &align), "packed");
  CHECK(end == 24 + 8 * (share ? 2 : ITEMS) && align == 8, "end %d", (int)end);
  coro_arena_free(arena);
}

static void check_edges(void)
{
  struct coro_arena *arena = coro_arena_create();
  uint64_t end, align;
  CHECK(pack_items_into_frame(arena, NULL, 0, 24, &end, &align) && end == 24 && align == 1, "nothing to pack");
  struct pack_item hole[] = {{.size = 4, .align = 4}, {.size = 8, .align = 8}, {.size = 0, .align = 1}};
  CHECK(pack_items_into_frame(arena, hole, 3, 20, &end, &align) && end == 32, "end %d", (int)end);
  CHECK(hole[1].offset == 24 && hole[0].offset == 20 && hole[2].offset == 20, "the hole before 24 is used");
  struct pack_item huge[] = {{.size = UINT64_MAX - 8, .align = 8}, {.size = 16, .align = 8}};
  CHECK(!pack_items_into_frame(arena, huge, 2, 0, &end, &align), "no such offset");
  coro_arena_free(arena);
}

static void check_failing_allocations(void)
{
  uint64_t seed = 6, n = 1;
  for (bool done = false; !done; n++) {
    struct sample s = {0};
    draw(&s, &seed, true, false, false);
    struct coro_budget budget = {.fail_at = n};
    coro_arena_set_budget(s.arena, &budget);
    done = pack_items_into_frame(s.arena, s.items, s.count, s.start, &s.end, &s.align);
    CHECK(done == !coro_arena_failed(s.arena), "allocation %d", (int)n);
    coro_arena_free(s.arena);
  }
  CHECK(n > 3, "only %d allocations were tried", (int)n);
}

/* Items at arbitrary places: a reported overlap exists, and no report means no overlap. */
static void check_overlap(void)
{
  uint64_t seed = 7;
  uint32_t found = 0, pair[2];
  for (int round = 0; round < 1000; round++) {
    struct sample s = {0};
    bool any = false;
    draw(&s, &seed, round % 3, false, false);
    CHECK(pack_items_into_frame(s.arena, s.items, s.count, s.start, &s.end, &s.align), "packed");
    CHECK(pack_find_conflicting_items_or_none(s.arena, s.items, s.count, pair) && pair[0] == GRAPH_NONE &&
              pair[1] == GRAPH_NONE,
          "packed");
    for (uint32_t moved = s.count ? check_below(&seed, 5) : 0; moved; moved--)
      s.items[check_below(&seed, s.count)].offset = check_below(&seed, 2000);
    for (uint32_t i = 0; i < s.count; i++)
      for (uint32_t k = 0; k < i; k++)
        any |= conflict(&s.items[i], &s.items[k]) && overlap(&s.items[i], &s.items[k]);
    CHECK(pack_find_conflicting_items_or_none(s.arena, s.items, s.count, pair), "asked");
    CHECK(any == (pair[0] != GRAPH_NONE), "round %d", round);
    if (any)
      CHECK(conflict(&s.items[pair[0]], &s.items[pair[1]]) && overlap(&s.items[pair[0]], &s.items[pair[1]]) &&
                pair[0] != pair[1],
            "items %u and %u", pair[0], pair[1]);
    found += any;
    coro_arena_free(s.arena);
  }
  CHECK(found > 150 && found < 850, "%u of 1000 overlap", found);
}

int main(void)
{
  check_overlap();
  check_random_items();
  check_kinds();
  check_tight();
  check_many(false);
  check_many(true);
  check_edges();
  check_failing_allocations();
  return check_done("test_pack");
}
