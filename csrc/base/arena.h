/* Arena: memory of one lowering, freed at once.
   Needs: nothing. Leaves: pointers that live until coro_arena_free; a failed allocation is NULL, and sticks. */
#ifndef CORO_BASE_ARENA_H
#define CORO_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"

struct coro_arena; /* with CORO_ARENA_MALLOC defined each allocation is a malloc of its own, for the sanitizers */

struct coro_arena *coro_arena_create(void); /* NULL when memory ran out */
void coro_arena_free(struct coro_arena *arena);
/* Every allocation from now on is asked of the budget; NULL: of nobody. Only while the budget lives. */
void coro_arena_grant(struct coro_arena *arena, struct coro_budget *budget);
bool coro_arena_failed(const struct coro_arena *arena); /* some allocation has failed, or was not granted */
/* An invariant was broken, as `bug` (NULL: no memory to say it in) tells: there is no more memory from here on. */
void coro_arena_break(struct coro_arena *arena, const char *bug);
const char *coro_arena_bug(const struct coro_arena *arena); /* NULL: none was */
void *coro_arena_alloc(struct coro_arena *arena, size_t size); /* aligned to 16, not cleared */
void *coro_arena_zalloc(struct coro_arena *arena, size_t count, size_t size); /* cleared; NULL on overflow */
/* Scratch: what was allocated after the mark is given back by the rewind. Only for a function that hands nothing of it
   to its caller and appends to none of the caller's vectors or maps in between. */
struct coro_arena_mark {
  void *chunks;
  char *at, *end;
  size_t count;
};
struct coro_arena_mark coro_arena_mark(const struct coro_arena *arena);
void coro_arena_rewind(struct coro_arena *arena, struct coro_arena_mark mark);
char *coro_arena_strndup(struct coro_arena *arena, const char *text, size_t length);
/* As printf's "%s%s" and "%s%u", for names, which are made one for each value and block. */
char *coro_arena_join(struct coro_arena *arena, const char *first, const char *second);
char *coro_arena_join_number(struct coro_arena *arena, const char *first, uint32_t number);
char *coro_arena_printf(struct coro_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define CORO_NEW(arena, type) ((type *)coro_arena_zalloc(arena, 1, sizeof(type)))
#define CORO_NEW_ARRAY(arena, type, count) ((type *)coro_arena_zalloc(arena, count, sizeof(type)))

#endif
