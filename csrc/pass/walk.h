/* Walk: control from where a coroutine is started to where the function is left, with what each cell of a trace holds
   on the way.
   Needs: trace, leaving. Leaves: the function as it was. */
#ifndef CORO_PASS_WALK_H
#define CORO_PASS_WALK_H

#include "pass/leaving.h"
#include "pass/reach.h"
#include "pass/trace.h"

struct places { /* of the instructions of one function, in program order, from 1 */
  LLVMValueRef function;
  LLVMValueRef twice; /* a call that may return more than once; NULL: there is none */
  struct coro_map of;
};

bool hook_site_number(struct places *places, struct coro_arena *arena, LLVMValueRef function);

#define WALK_KNOWN (UINT64_C(1) << 63) /* in `given`: others may know the handle */

struct walk {
  struct trace *trace;
  const struct places *places;
  struct leaving *leaving;  /* of the function */
  const struct reach *suspended; /* what runs while the function, a coroutine, is suspended already; NULL: nothing */
  bool private_frame;       /* the coroutine itself lets nobody know of its frame while it runs */
  const char *known;        /* others know the handle from the start on, in words; NULL: they do not */
  bool start_thrown;        /* ... if an exception leaves the start as well */
  uint64_t given;           /* what cells hold at the entry: two bits for each; WALK_KNOWN */
  bool all;                 /* go all ways to their end, whatever is found */
  uint64_t steps;           /* blocks that may still be visited; counted down */
  /* What was found. */
  const char *reason; /* not in `all`: why the coroutine is not known to be over; NULL: it is, or nobody knows it */
  LLVMValueRef at;    /* where that was seen */
  bool returns;       /* some way returns before the coroutine is over */
  bool kept;          /* some way lets others know the handle */
  bool thrown;        /* in `all`: by some way an exception leaves with the handle known to others */
  bool resumes;
  bool ends;          /* some way ends it */
  bool leaves;        /* some way is left without destroying it, though nobody else can */
  enum holds result;  /* what returns behind such ways give, or one field of it */
  unsigned field;
  enum holds *slots;  /* what the cells hold then */
};

/* From behind `start` (NULL: the function's entry). False: memory ran out. */
bool walk(struct walk *walk, LLVMValueRef start);

#endif
