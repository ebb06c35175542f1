/* Path-sensitive abstract interpretation of the handle from a creation site to the function's exits: a worklist over
   states at blocks. The state has the content of each cell of a trace, and whether the handle may have escaped. A block
   is visited once per state. The walk stops if a block has more than WALK_MAX_STATES. Overview and terms:
   handle_trace.h.
   Requires: a followed handle_trace, exceptional_exits, instruction positions.
   Guarantees: the function is unchanged; the trace's events are sorted. A trace can be walked again from another
   start. */
#pragma once

#include "handles/exceptional_exits.h"
#include "handles/handle_trace.h"
#include "handles/reachable_code.h"

struct instruction_positions { /* positions of instructions, from 1, in the order of blocks in the function */
  LLVMValueRef function;
  LLVMValueRef returns_twice_call; /* e.g. of setjmp, which a walk does not support; NULL: none */
  struct coro_map of;
};

bool positions_number_function(struct instruction_positions *positions, struct coro_arena *arena,
                               LLVMValueRef function);

#define WALK_ESCAPED (UINT64_C(1) << 63) /* in states: the handle may have escaped; below it two bits per cell */

struct handle_walk {
  /* Inputs; those that are zero have no effect. */
  struct trace *trace;
  const struct instruction_positions *positions;
  struct exceptional_exits *exits; /* of the function */
  /* In a coroutine: the instructions from a llvm.coro.save to its suspend, where another thread may already resume the
     function. So the handle escapes by a resume there. NULL: none */
  const struct reachable *after_save;
  bool resume_keeps_frame_private; /* see exceptional_exits.h; if false, the handle escapes by a resume */
  const char *start_escape_reason; /* a description, if the handle escapes at `start`; NULL: it does not */
  bool start_escapes_on_unwind; /* ... also on the unwind edge of `start` */
  uint64_t entry_state; /* state before `start`: contents of cells, and WALK_ESCAPED */
  bool all_paths; /* for summaries: visit all paths, and do not count resumes and returns as escapes */
  uint64_t steps; /* remaining block visits; at 0 the walk stops */

  /* Results, for the visited paths. */
  /* Why the walk stopped: a limit, or a call such as setjmp; without all_paths also an exit or a second creation after
     which the frame may be used. NULL: it did not stop. */
  const char *reason;
  LLVMValueRef at; /* the instruction where it stopped */
  bool returns; /* some path returns before the coroutine has ended */
  enum holds result; /* on these paths: content of the returned value, or one field of it */
  unsigned field; /* of `result`, or TRACE_WHOLE_VALUE */
  enum holds *cells_on_return; /* on these paths: content of each cell, merged; in the run's arena */
  bool escapes; /* the handle escapes on some path */
  bool escapes_on_unwind; /* ... and that path leaves the function by an exception or non-locally */
  bool resumes;
  /* Some path exits in any way, or creates the coroutine again, without destroying it. If `reason` is NULL, the handle
     is unreachable there. */
  bool leaves_undestroyed;
};

/* Starts after `start` (NULL: at the function's entry). False: out of memory. */
bool walk_handle(struct handle_walk *walk, LLVMValueRef start);
