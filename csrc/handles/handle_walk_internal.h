/* Internal declarations of the walk.
   Requires: handle_walk. Only handles/handle_walk*.c includes it. */
#pragma once

#include "handles/handle_walk.h"

enum { WALK_MAX_STATES = 24 }; /* per block */
_Static_assert(2 * TRACE_CELLS <= 63, "a state has two bits per cell below WALK_ESCAPED");

struct program_point { /* a program point with its state */
  LLVMBasicBlockRef block;
  LLVMValueRef from; /* the last executed instruction of the block; NULL: none */
  uint64_t state;
  unsigned only_successor; /* the block's successor, plus 1, if a constant in a phi decides it; 0: any */
  uint32_t escape_event; /* index of the event at which the handle escaped, plus 1 */
  enum holds result; /* of the returned value */
  unsigned field; /* of `result` */
};

struct walk_seen { /* a visited state of a block; the states of a block form a list */
  uint64_t state;
  unsigned only_successor;
  uint32_t previous; /* index in `states`, plus 1 */
};

struct walking {
  struct handle_walk *walk;
  struct coro_map first_event; /* block -> index of its first event */
  struct coro_map last_phi_cell; /* block -> the last cell that is a phi of it, plus 1: a list per block */
  uint16_t previous_phi_cell[TRACE_CELLS]; /* plus 1 */
  struct coro_map incoming; /* (phi cell, predecessor) -> index of the incoming value, plus 1 */
  struct coro_map seen; /* block -> index of its last state, plus 1 */
  CORO_VEC(struct walk_seen) states;
  CORO_VEC(struct program_point) stack;
};

static inline enum holds state_get(uint64_t state, uint16_t cell)
{
  return (enum holds)(state >> 2 * cell & 3);
}
static inline uint64_t state_with_content(uint64_t state, uint16_t cell, enum holds holds)
{
  return (state & ~(UINT64_C(3) << 2 * cell)) | (uint64_t)holds << 2 * cell;
}
static inline bool holds_may_be_handle(enum holds holds)
{
  return holds == HOLDS_HANDLE || holds == HOLDS_MAYBE;
}
static inline enum holds holds_join(enum holds a, enum holds b)
{
  return a == b ? a : holds_may_be_handle(a) || holds_may_be_handle(b) ? HOLDS_MAYBE : HOLDS_OTHER;
}

/* Returns whether the cell is a slot of an exposed object, which other code may overwrite. See handle_walk_edge.c. */
bool walk_is_slot_of_exposed_object(const struct walking *w, uint16_t cell);
bool walk_find_phis(struct walking *w);
/* Assigns the cells that one instruction sets, from event `first` on; `unwound` is the state on the unwind edge.
   Returns the next event. */
uint32_t apply_assignments_of_instruction(struct walking *w, struct program_point *s, struct program_point *unwound,
                                          uint32_t first);
bool walk_push_successor_if_new(struct walking *w, LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                                const struct program_point *s);
/* Visits the successors of a terminator; `ended`: the coroutine has ended, except on the unwind edge. */
bool walk_successors(struct walking *w, LLVMValueRef terminator, const struct program_point *s,
                     const struct program_point *unwound, bool ended);
