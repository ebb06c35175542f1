/* Arena allocator: the memory of one lowering, freed at once. The execution budget of a run polls a cancellation
   callback at allocations, and injects allocation failures for tests.
   Requires: nothing. Guarantees: pointers stay valid until coro_arena_free. After a failed allocation all further
   ones fail too, so that callers may check once at the end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coro_budget { /* may be shared by several arenas */
  int (*stop)(void *user); /* polled regularly; nonzero cancels the run. NULL: no callback */
  void *user;
  uint64_t fail_at; /* number of the allocation that fails, 1 is the next; 0: none */
  uint32_t since; /* allocations since the last poll */
  bool stopped; /* the callback cancelled the run; nothing more is granted */
};

/* Polls now, for loops that do not allocate. False: cancelled. `budget` may be NULL. */
bool coro_budget_may_continue(struct coro_budget *budget);
/* True if `size` bytes may be allocated; polls when due. `budget` may be NULL. */
bool coro_budget_permits_allocation(struct coro_budget *budget, size_t size);

struct coro_arena; /* with CORO_ARENA_MALLOC each object is a separate malloc, for the sanitizers */

struct coro_arena *coro_arena_create(void); /* NULL: out of memory */
void coro_arena_free(struct coro_arena *arena);
/* Charges all further allocations to the budget, which must outlive them; NULL: unlimited. */
void coro_arena_set_budget(struct coro_arena *arena, struct coro_budget *budget);
bool coro_arena_failed(const struct coro_arena *arena); /* an allocation failed or exceeded the budget */
/* Records an internal error: `bug` describes the broken invariant (NULL: no memory for a description). All further
   allocations fail. */
void coro_arena_record_internal_error(struct coro_arena *arena, const char *bug);
const char *coro_arena_internal_error(const struct coro_arena *arena); /* the recorded error, or NULL */
void *coro_arena_alloc(struct coro_arena *arena, size_t size); /* 16-byte aligned, uninitialized */
void *coro_arena_zalloc(struct coro_arena *arena, size_t count, size_t size); /* cleared; NULL on overflow */
/* Scratch memory: a rewind releases everything allocated after the mark. The caller must not keep pointers to it,
   and must not grow older vectors or maps in between. */
struct coro_arena_mark {
  void *chunks;
  char *at, *end;
  size_t count;
};
struct coro_arena_mark coro_arena_mark(const struct coro_arena *arena);
void coro_arena_rewind(struct coro_arena *arena, struct coro_arena_mark mark);
char *coro_arena_strndup(struct coro_arena *arena, const char *text, size_t length);
/* As printf's "%s%s" and "%s%u", but faster; used for value and block names. */
char *coro_arena_concatenate(struct coro_arena *arena, const char *first, const char *second);
char *coro_arena_append_number(struct coro_arena *arena, const char *first, uint32_t number);
char *coro_arena_printf(struct coro_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define CORO_NEW(arena, type) ((type *)coro_arena_zalloc(arena, 1, sizeof(type)))
#define CORO_NEW_ARRAY(arena, type, count) ((type *)coro_arena_zalloc(arena, count, sizeof(type)))
