/* Path-sensitive abstract interpretation of the handle from a creation site to the function's exits, with the content
   of each cell of a trace.
   Requires: trace, leaving.
   Guarantees: the function is unchanged. */
#ifndef CORO_PASS_HANDLE_WALK_H
#define CORO_PASS_HANDLE_WALK_H

#include "pass/exceptional_exits.h"
#include "pass/handle_trace.h"
#include "pass/reachable_code.h"

struct places { /* positions of instructions in program order, from 1 */
  LLVMValueRef function;
  LLVMValueRef twice; /* a returns_twice call; NULL: none */
  struct coro_map of;
};

bool hook_site_number(struct places *places, struct coro_arena *arena, LLVMValueRef function);

#define WALK_ESCAPED (UINT64_C(1) << 63) /* in `given`: the handle may have escaped */

struct walk {
  struct trace *trace;
  const struct places *places;
  struct leaving *leaving;  /* of the function */
  const struct reach *suspended; /* code executed while the function, a coroutine, is already suspended; NULL: none */
  bool private_frame;       /* the coroutine itself does not let its frame escape */
  const char *known;        /* a description if the handle escapes at the start; NULL: it does not */
  bool creation_unwind_escapes;        /* ... also if the creation throws */
  uint64_t given;           /* contents of cells at the entry, two bits each, and WALK_ESCAPED */
  bool all;                 /* visit all paths, whatever is found */
  uint64_t steps;           /* remaining budget of block visits */
  /* Results. In mode `all`, `reason` is not set: otherwise, why the coroutine may not have ended; NULL: it has, or
     its handle is unreachable. */
  const char *reason;
  LLVMValueRef at;    /* the instruction where this was found */
  bool returns;       /* some path returns before the coroutine has ended */
  bool kept;          /* the handle escapes on some path */
  bool thrown;        /* mode `all`: on some exceptional exit the handle has escaped */
  bool resumes;
  bool ends;          /* the coroutine ends on some path */
  bool leaves;        /* on some path it is left undestroyed although its handle is unreachable */
  enum holds result;  /* returned value, or one field of it, on such paths */
  unsigned field;
  enum holds *slots;  /* contents of the cells on return */
};

/* Starts after `start` (NULL: at the function's entry). False: out of memory. */
bool walk(struct walk *walk, LLVMValueRef start);

#endif
