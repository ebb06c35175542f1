/* Property tests of csrc/base: the arena, vectors, bit sets, the map against a list, diagnostics.
   Requires: csrc/base. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "check.h"

static bool all_bytes(const unsigned char *bytes, size_t size, unsigned char value)
{
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != value)
      return false;
  return true;
}

/* Objects of all sizes keep their contents during later allocations; scratch memory is zeroed each time. */
static void check_arena(void)
{
  enum { OBJECTS = 2000 };
  static unsigned char *object[OBJECTS];
  static size_t size[OBJECTS];
  uint64_t seed = 1;
  struct coro_arena *arena = coro_arena_create();
  for (uint32_t i = 0; i < OBJECTS; i++) {
    struct coro_arena_mark scratch = coro_arena_mark(arena);
    for (uint32_t k = check_below(&seed, 4); k > 0; k--) {
      size_t bytes = check_below(&seed, k == 3 ? 40000 : 200);
      unsigned char *garbage = coro_arena_zalloc(arena, bytes, 1);
      CHECK(garbage && all_bytes(garbage, bytes, 0), "scratch of %zu bytes", bytes);
      memset(garbage, 0xee, bytes);
    }
    if (check_below(&seed, 2))
      coro_arena_rewind(arena, scratch);
    size[i] = check_below(&seed, i % 50 ? 100 : 30000);
    object[i] = coro_arena_zalloc(arena, size[i], 1);
    CHECK(object[i] && (uintptr_t)object[i] % 16 == 0, "object %u", i);
    CHECK(all_bytes(object[i], size[i], 0), "object %u is clear", i);
    memset(object[i], (int)(i % 251), size[i]);
  }
  for (uint32_t i = 0; i < OBJECTS; i++)
    CHECK(all_bytes(object[i], size[i], (unsigned char)(i % 251)), "object %u", i);
  CHECK(coro_arena_alloc(arena, 0) != coro_arena_alloc(arena, 0), "empty objects are distinct");
  CHECK(!strcmp(coro_arena_strndup(arena, "coroutine", 4), "coro"), "strndup");
  CHECK(!strcmp(coro_arena_strndup(arena, NULL, 0), ""), "strndup of nothing");
  CHECK(!strcmp(coro_arena_printf(arena, "%s.%d", "resume", 7), "resume.7"), "printf");
  CHECK(!strcmp(coro_arena_concatenate(arena, "value", ".spill"), "value.spill") &&
            !*coro_arena_concatenate(arena, "", ""),
        "join");
  CHECK(!strcmp(coro_arena_append_number(arena, "resume.", 0), "resume.0"), "nothing is a digit, too");
  CHECK(!strcmp(coro_arena_append_number(arena, "", UINT32_MAX), "4294967295"), "the largest number");
  for (int length = 250; length < 260; length++) { /* around the size of one allocation */
    const char *wide = coro_arena_printf(arena, "%*d", length, 7);
    CHECK(strlen(wide) == (size_t)length && wide[length - 1] == '7' && wide[0] == ' ', "%d characters", length);
  }
  CHECK(!coro_arena_failed(arena), "no failure yet");
  CHECK(!coro_arena_zalloc(arena, SIZE_MAX / 2, 4) && coro_arena_failed(arena), "overflow");
  CHECK(!coro_arena_alloc(arena, 1), "a failure sticks");
  coro_arena_free(arena);
  coro_arena_free(NULL);
}

static void check_arena_failure(void)
{
  for (uint64_t n = 1; n < 6; n++) {
    struct coro_arena *arena = coro_arena_create();
    struct coro_budget budget = {.fail_at = n};
    coro_arena_set_budget(arena, &budget);
    for (uint64_t i = 1; i < 8; i++) {
      void *object = i % 2 ? coro_arena_alloc(arena, 8) : coro_arena_strndup(arena, "x", 1);
      CHECK(!object == (i >= n), "allocation %d of %d", (int)i, (int)n);
    }
    CHECK(coro_arena_failed(arena), "failed");
    coro_arena_free(arena);
  }
}

static int stop_when_told(void *user)
{
  int *left = user;
  return --*left < 0;
}

static void check_budget(void)
{
  struct coro_budget budget = {.fail_at = 3};
  struct coro_arena *arena = coro_arena_create(), *other = coro_arena_create();
  coro_arena_set_budget(arena, &budget);
  coro_arena_set_budget(other, &budget);
  CHECK(coro_arena_alloc(other, 1) && coro_arena_alloc(arena, 1), "two of three");
  CHECK(!coro_arena_alloc(other, 1) && coro_arena_failed(other) && !coro_arena_failed(arena), "the third");
  CHECK(coro_arena_alloc(arena, 1), "one fails, not all");
  int left = 2;
  budget = (struct coro_budget){.stop = stop_when_told, .user = &left};
  CHECK(coro_budget_may_continue(&budget) && coro_arena_alloc(arena, 8 << 10), "polled twice");
  CHECK(!coro_arena_alloc(arena, 8 << 10) && budget.stopped && left == -1, "the third answer stops the run");
  CHECK(!coro_budget_may_continue(&budget) && !coro_budget_permits_allocation(&budget, 1) && left == -1,
        "a denied budget is not polled again");
  left = 0;
  budget = (struct coro_budget){.stop = stop_when_told, .user = &left};
  uint32_t granted = 0;
  while (coro_budget_permits_allocation(&budget, 1))
    granted++;
  CHECK(granted > 1 && granted < 1000, "small allocations poll the budget occasionally, not %u times", granted);
  CHECK(coro_budget_may_continue(NULL) && coro_budget_permits_allocation(NULL, SIZE_MAX), "no budget is any");
  coro_arena_free(other);
  coro_arena_free(arena);
}

static void check_vec(void)
{
  struct coro_arena *arena = coro_arena_create();
  CORO_VEC(uint32_t) vec = {0};
  bool pushed = true;
  for (uint32_t i = 0; i < 1000; i++)
    pushed = pushed && coro_vec_push(arena, &vec, i * i);
  CHECK(pushed && vec.count == 1000, "1000 items");
  bool kept = true;
  for (uint32_t i = 0; i < vec.count; i++)
    kept = kept && vec.items[i] == i * i;
  CHECK(kept, "items are unchanged");
  struct coro_budget budget = {.fail_at = 1};
  coro_arena_set_budget(arena, &budget);
  while (coro_vec_push(arena, &vec, 7))
    ;
  CHECK(vec.count == vec.capacity && vec.items[999] == 999 * 999, "unchanged by a failed push");
  coro_arena_free(arena);
}

static void check_bits(void)
{
  uint64_t seed = 2;
  for (uint32_t size = 0; size < 200; size += 1 + size / 7) {
    struct coro_arena *arena = coro_arena_create();
    struct coro_bits a, b;
    bool in_a[200] = {false}, in_b[200] = {false};
    CHECK(coro_bits_init(&a, arena, size) && coro_bits_init(&b, arena, size), "%u bits", size);
    for (uint32_t i = 0; i < size; i++) {
      if ((in_a[i] = check_below(&seed, 30) == 0))
        coro_bits_set(&a, i);
      if ((in_b[i] = check_below(&seed, 30) == 0))
        coro_bits_set(&b, i);
    }
    for (uint32_t i = 0; i < size; i++)
      CHECK(coro_bits_get(&a, i) == in_a[i] && coro_bits_get(&b, i) == in_b[i], "bit %u of %u", i, size);
    coro_bits_union(&a, &b);
    for (uint32_t i = 0; i < size; i++)
      CHECK(coro_bits_get(&a, i) == (in_a[i] || in_b[i]), "bit %u of %u", i, size);
    CHECK(size % 64 == 0 || a.words[size / 64] >> size % 64 == 0, "bits past %u", size);
    coro_arena_free(arena);
  }
}

/* Draws keys as in practice: small numbers, pairs of ids, addresses. */
static uint64_t draw_key(uint64_t *seed)
{
  switch (check_below(seed, 3)) {
  case 0: return 1 + check_below(seed, 500);
  case 1: return coro_map_pair(check_below(seed, 20), check_below(seed, 20));
  default: return UINT64_C(0x7f0000000000) + 4096 * (uint64_t)check_below(seed, 500);
  }
}

static void check_map(void)
{
  enum { MOST = 1500 };
  static uint64_t keys[MOST], values[MOST];
  uint32_t count = 0;
  uint64_t seed = 3, value;
  struct coro_arena *arena = coro_arena_create();
  struct coro_map map;
  coro_map_init(&map, arena);
  CHECK(!coro_map_get(&map, 5, &value), "an empty map");
  for (uint32_t round = 0; round < 4000; round++) {
    uint64_t key = draw_key(&seed);
    uint32_t at = 0;
    while (at < count && keys[at] != key)
      at++;
    bool found = coro_map_get(&map, key, &value);
    CHECK(found == (at < count) && (!found || value == values[at]), "round %u", round);
    if (at == MOST || check_below(&seed, 2))
      continue;
    keys[at] = key;
    values[at] = check_random(&seed);
    count += at == count;
    CHECK(coro_map_put(&map, key, values[at]) && map.count == count, "round %u", round);
  }
  struct coro_budget budget = {.fail_at = 1};
  coro_arena_set_budget(arena, &budget);
  uint32_t before = map.count;
  for (uint64_t key = UINT64_C(1) << 60; coro_map_put(&map, key, 1); key++)
    before++;
  CHECK(map.count == before, "a failed put adds nothing");
  for (uint32_t i = 0; i < count; i++)
    CHECK(coro_map_get(&map, keys[i], &value) && value == values[i], "key %u after a failed put", i);
  CHECK(coro_map_pair(0, 0) != 0 && coro_map_pair(1, 2) != coro_map_pair(2, 1), "pairs");
  coro_arena_free(arena);
}

static void check_diags(void)
{
  coro_diags *diags;
  CHECK(coro_diags_create(&diags) == CORO_OK && coro_diags_count(diags) == 0, "an empty list");
  for (uint32_t i = 0; i < 40; i++) {
    char text[16];
    snprintf(text, sizeof text, "block %u", i);
    coro_diag diag = {.status = CORO_EREJECTED, .severity = CORO_WARNING, .rule = "rule", .block = text};
    CHECK(coro_diags_add(diags, &diag) == CORO_EREJECTED, "status");
    memset(text, 'x', sizeof text - 1);
  }
  CHECK(coro_diags_count(diags) == 40 && !coro_diags_get(diags, 40), "40 diagnostics");
  for (uint32_t i = 0; i < 40; i++) {
    const coro_diag *diag = coro_diags_get(diags, i);
    char text[16];
    snprintf(text, sizeof text, "block %u", i);
    CHECK(!strcmp(diag->block, text) && !strcmp(diag->rule, "rule"), "copied");
    CHECK(diag->function && !*diag->function && diag->hint && !*diag->hint, "no NULL strings");
    CHECK(diag->status == CORO_EREJECTED && diag->severity == CORO_WARNING, "kept");
  }
  coro_diags_clear(diags);
  CHECK(coro_diags_count(diags) == 0 && !coro_diags_get(diags, 0), "cleared");
  coro_diag diag = {.status = CORO_EPARSE};
  CHECK(coro_diags_add(diags, &diag) == CORO_EPARSE && coro_diags_count(diags) == 1, "used again");
  CHECK(coro_diags_add(NULL, &diag) == CORO_EPARSE, "nobody listens");
  coro_diags_free(diags);
  coro_diags_free(NULL);
}

int main(void)
{
  check_arena();
  check_arena_failure();
  check_budget();
  check_vec();
  check_bits();
  check_map();
  check_diags();
  return check_done("test_base");
}
