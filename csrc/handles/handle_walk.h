/* Path-sensitive abstract interpretation of the handle from a creation site to the function's exits, with the content
   of each cell of a trace.
   Requires: handle_trace, exceptional_exits.
   Guarantees: the function is unchanged. */
#ifndef CORO_HANDLES_HANDLE_WALK_H
#define CORO_HANDLES_HANDLE_WALK_H

#include "handles/exceptional_exits.h"
#include "handles/handle_trace.h"
#include "handles/reachable_code.h"

struct instruction_positions { /* positions of instructions in program order, from 1 */
  LLVMValueRef function;
  LLVMValueRef returns_twice_call; /* a returns_twice call; NULL: none */
  struct coro_map of;
};

bool positions_number(struct instruction_positions *positions, struct coro_arena *arena, LLVMValueRef function);

#define WALK_ESCAPED (UINT64_C(1) << 63) /* in states: the handle may have escaped; below it two bits per cell */

struct handle_walk {
  struct trace *trace;
  const struct instruction_positions *positions;
  struct exceptional_exits *exits; /* of the function */
  const struct reachable
      *suspended; /* code executed while the function, a coroutine, is already suspended; NULL: none */
  bool private_frame; /* the coroutine itself does not let its frame escape */
  const char *escape_reason; /* a description if the handle escapes at the start; NULL: it does not */
  bool creation_unwind_escapes; /* ... also if the creation throws */
  uint64_t entry_state; /* state at the entry: contents of cells, and WALK_ESCAPED */
  bool all_paths; /* visit all paths, whatever is found */
  uint64_t steps; /* remaining budget of block visits */
  /* Results. `reason`: why the coroutine may not have ended; NULL: it has, or its handle is unreachable. With
     all_paths: why the walk was given up; NULL: it is complete. */
  const char *reason;
  LLVMValueRef at; /* the instruction where this was found */
  bool returns; /* some path returns before the coroutine has ended */
  bool escapes; /* the handle escapes on some path */
  bool escapes_on_unwind; /* with all_paths: on some exceptional exit the handle has escaped */
  bool resumes;
  bool ends; /* the coroutine ends on some path */
  bool abandons; /* on some path it is left undestroyed although its handle is unreachable */
  enum holds result; /* returned value, or one field of it, on such paths */
  unsigned field;
  enum holds *slots; /* contents of the cells on return */
};

/* Starts after `start` (NULL: at the function's entry). False: out of memory. */
bool walk_handle(struct handle_walk *walk, LLVMValueRef start);

#endif
