/* Arena (region) allocator: bump allocation in chunks of doubling size. Chunks released by a rewind are reused.
   Guarantees: pointers stay valid until coro_arena_free, or until a rewind to an earlier mark. Memory is cleared only
   on request. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The budget ---- */

/* The cancellation callback runs at each allocation of LARGE_ALLOCATION bytes, which precedes long work, and else at
   every POLL_INTERVAL-th. */
enum { LARGE_ALLOCATION = 4 << 10, POLL_INTERVAL = 64 };

bool coro_budget_may_continue(struct coro_budget *budget)
{
  if (!budget)
    return true;
  budget->since = 0;
  if (budget->stop && !budget->stopped)
    budget->stopped = budget->stop(budget->user) != 0;
  return !budget->stopped;
}

bool coro_budget_permits_allocation(struct coro_budget *budget, size_t size)
{
  if (!budget)
    return true;
  bool due = size >= LARGE_ALLOCATION || ++budget->since >= POLL_INTERVAL;
  if (budget->stopped || (due && !coro_budget_may_continue(budget)))
    return false;
  return !budget->fail_at || --budget->fail_at;
}

enum { ALIGN = 16, FIRST_CHUNK = 8 << 10, LAST_CHUNK = 1 << 20 };
struct limits { /* conditions under which an arena returns NULL */
  bool failed;
  const char *bug;
  struct coro_budget *budget; /* NULL: unlimited */
};

#ifdef CORO_ARENA_MALLOC

struct coro_arena {
  void **objects; /* one heap allocation each */
  size_t count, capacity;
  struct limits limits;
};

static void *arena_allocate(struct coro_arena *arena, size_t size, bool clear)
{
  if (arena->count == arena->capacity) {
    size_t capacity = arena->capacity ? arena->capacity * 2 : 64;
    void **objects = realloc(arena->objects, capacity * sizeof *objects);
    if (!objects)
      return NULL;
    arena->objects = objects;
    arena->capacity = capacity;
  }
  size = size ? size : 1;
  void *object = clear ? calloc(1, size) : malloc(size);
  if (object)
    arena->objects[arena->count++] = object;
  return object;
}

struct coro_arena_mark coro_arena_mark(const struct coro_arena *arena)
{
  return (struct coro_arena_mark){.count = arena->count};
}

void coro_arena_rewind(struct coro_arena *arena, struct coro_arena_mark mark)
{
  while (arena->count > mark.count)
    free(arena->objects[--arena->count]);
}

void coro_arena_free(struct coro_arena *arena)
{
  if (!arena)
    return;
  coro_arena_rewind(arena, (struct coro_arena_mark){.count = 0});
  free(arena->objects);
  free(arena);
}

#else

struct chunk {
  struct chunk *next;
  size_t size; /* usable size; 0: the chunk holds one large object */
};

struct coro_arena {
  struct chunk *chunks, *spare; /* chunks in use, newest first; chunks released by a rewind */
  char *at, *end;               /* unused bytes of the newest ordinary chunk */
  size_t next_chunk;            /* size of the next ordinary chunk */
  struct limits limits;
};

static char *add_arena_chunk(struct coro_arena *arena, struct chunk *chunk, size_t size)
{
  if (!chunk)
    return NULL;
  *chunk = (struct chunk){arena->chunks, size};
  arena->chunks = chunk;
  return (char *)(chunk + 1);
}

/* Reuses a spare chunk of at least `least` bytes, or allocates one. */
static bool add_spare_or_new_chunk(struct coro_arena *arena, size_t least)
{
  struct chunk **at = &arena->spare, *chunk;
  while (*at && (*at)->size < least)
    at = &(*at)->next;
  chunk = *at;
  size_t size = chunk ? chunk->size : arena->next_chunk;
  if (chunk)
    *at = chunk->next;
  else if (arena->next_chunk < LAST_CHUNK)
    arena->next_chunk *= 2;
  char *bytes = add_arena_chunk(arena, chunk ? chunk : malloc(sizeof *chunk + size), size);
  arena->at = bytes;
  arena->end = bytes ? bytes + size : NULL;
  return bytes;
}

static void *arena_allocate(struct coro_arena *arena, size_t size, bool clear)
{
  if (size > SIZE_MAX - ALIGN - sizeof(struct chunk))
    return NULL;
  size = size ? (size + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN; /* distinct objects have distinct addresses */
  if ((size_t)(arena->end - arena->at) < size) {
    /* A large object gets its own chunk, so that the rest of the current chunk stays usable. */
    if (size > arena->next_chunk / 4) {
      size_t all = sizeof(struct chunk) + size;
      return add_arena_chunk(arena, clear ? calloc(1, all) : malloc(all), 0);
    }
    if (!add_spare_or_new_chunk(arena, size))
      return NULL;
  }
  void *object = arena->at;
  arena->at += size;
  return clear ? memset(object, 0, size) : object;
}

static void release_chunks_added_since(struct coro_arena *arena, const struct chunk *until)
{
  while (arena->chunks != until) {
    struct chunk *chunk = arena->chunks, **spare_list = chunk->size ? &arena->spare : NULL;
    arena->chunks = chunk->next;
    if (!spare_list) {
      free(chunk);
      continue;
    }
    chunk->next = *spare_list;
    *spare_list = chunk;
  }
}

struct coro_arena_mark coro_arena_mark(const struct coro_arena *arena)
{
  return (struct coro_arena_mark){.chunks = arena->chunks, .at = arena->at, .end = arena->end};
}

void coro_arena_rewind(struct coro_arena *arena, struct coro_arena_mark mark)
{
  release_chunks_added_since(arena, mark.chunks);
  arena->at = mark.at;
  arena->end = mark.end;
}

void coro_arena_free(struct coro_arena *arena)
{
  if (!arena)
    return;
  release_chunks_added_since(arena, NULL);
  for (struct chunk *chunk = arena->spare, *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
  free(arena);
}

#endif

struct coro_arena *coro_arena_create(void)
{
  struct coro_arena *arena = calloc(1, sizeof *arena);
#ifndef CORO_ARENA_MALLOC
  _Static_assert(sizeof(struct chunk) % ALIGN == 0, "objects after a chunk's header must be aligned");
  if (arena)
    arena->next_chunk = FIRST_CHUNK;
#endif
  return arena;
}

void coro_arena_set_budget(struct coro_arena *arena, struct coro_budget *budget)
{
  arena->limits.budget = budget;
}

bool coro_arena_failed(const struct coro_arena *arena)
{
  return arena->limits.failed;
}

void coro_arena_record_internal_error(struct coro_arena *arena, const char *bug)
{
  if (!arena->limits.bug && !arena->limits.failed)
    arena->limits.bug = bug ? bug : "";
  arena->limits.failed = true;
}

const char *coro_arena_internal_error(const struct coro_arena *arena)
{
  return arena->limits.bug;
}

static void *allocate_if_budget_grants(struct coro_arena *arena, size_t size, bool clear)
{
  struct limits *limits = &arena->limits;
  if (limits->failed)
    return NULL;
  void *object = coro_budget_permits_allocation(limits->budget, size) ? arena_allocate(arena, size, clear) : NULL;
  limits->failed = !object;
  return object;
}

void *coro_arena_alloc(struct coro_arena *arena, size_t size)
{
  return allocate_if_budget_grants(arena, size, false);
}

void *coro_arena_zalloc(struct coro_arena *arena, size_t count, size_t size)
{
  if (size && count > SIZE_MAX / size) {
    arena->limits.failed = true;
    return NULL;
  }
  return allocate_if_budget_grants(arena, count * size, true);
}

char *coro_arena_strndup(struct coro_arena *arena, const char *text, size_t length)
{
  char *copy = length < SIZE_MAX ? coro_arena_alloc(arena, length + 1) : NULL;
  if (!copy)
    return NULL;
  if (length)
    memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

char *coro_arena_concatenate(struct coro_arena *arena, const char *first, const char *second)
{
  size_t length = strlen(first), more = strlen(second);
  char *joined = length < SIZE_MAX / 2 && more < SIZE_MAX / 2 ? coro_arena_alloc(arena, length + more + 1) : NULL;
  if (!joined)
    return NULL;
  memcpy(joined, first, length);
  memcpy(joined + length, second, more + 1);
  return joined;
}

char *coro_arena_append_number(struct coro_arena *arena, const char *first, uint32_t number)
{
  char digits[sizeof "4294967295"], *at = digits + sizeof digits - 1;
  *at = '\0';
  do
    *--at = (char)('0' + number % 10);
  while (number /= 10);
  return coro_arena_concatenate(arena, first, at);
}

char *coro_arena_printf(struct coro_arena *arena, const char *format, ...)
{
  char buffer[256]; /* most texts fit here and are formatted once */
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(buffer, sizeof buffer, format, args);
  char *text = length >= 0 ? coro_arena_alloc(arena, (size_t)length + 1) : NULL;
  if (text && (size_t)length < sizeof buffer)
    memcpy(text, buffer, (size_t)length + 1);
  else if (text)
    vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  va_end(args);
  return text;
}
