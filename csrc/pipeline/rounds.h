/* A CGSCC pipeline in rounds. LLVM takes one component of the call graph through all of it before the next, and calls
   only its own passes in between; through LLVM-C its passes see the whole module. So the pipeline is run for the
   functions that wait for no coroutine, again for those that have waited for these, and so on. What is not in turn is
   shielded by optnone: no pass goes through it, and it can be inlined as it is.
   Needs: order, the passes. Leaves: the functions as they were, but for what is run between shield and unshield. */
#ifndef CORO_PIPELINE_ROUNDS_H
#define CORO_PIPELINE_ROUNDS_H

#include "base/vec.h"
#include "pass/pass.h"

enum turn { TURN_OPEN, TURN_WAITS, TURN_NOW, TURN_OVER };

struct round_function {
  enum turn turn;
  bool presplit, optnone; /* when the round began */
  bool again;             /* to go through the pipeline once more */
  bool picked;            /* in turn while the round is narrow */
  bool drives;            /* asked for that while the round was narrow */
  uint32_t changes;       /* how often it, or one that it calls, asked for that */
};

struct rounds {
  struct pass_run *run;
  struct coro_arena *arena; /* of this round */
  struct coro_map places;   /* function, by its name -> its place */
  CORO_VEC(struct round_function) functions;
  bool any;             /* one of them is in turn */
  bool drive;           /* one of them drives */
  bool narrow;          /* only those of them that are picked are */
  bool in_vain;         /* a narrow round that began ended without a change, and none was asked for since */
  uint32_t count, most; /* rounds begun, and how many there may be */
};

void rounds_begin(struct rounds *rounds, struct pass_run *run);
/* Begins the next round. *more: there is one. */
coro_status rounds_next(struct rounds *rounds, bool *more);
/* Whether the round is the function's; one that was made in it is in turn too. */
bool rounds_in_turn(const struct rounds *rounds, LLVMValueRef function);
/* The function was changed so that passes before this one have more to do. False: often enough. */
bool rounds_again(struct rounds *rounds, LLVMValueRef function);
/* Until rounds_widen nobody is in turn but those that are picked, which must be already. */
void rounds_narrow(struct rounds *rounds);
bool rounds_may_pick(const struct rounds *rounds, LLVMValueRef function);
bool rounds_pick(struct rounds *rounds, LLVMValueRef function); /* whether it may */
/* Those that have asked to go through once more stay picked; whether there are any. */
bool rounds_pick_changed(struct rounds *rounds);
/* Whether the function has asked for that while the round was narrow. */
bool rounds_drives(const struct rounds *rounds, LLVMValueRef function);
void rounds_widen(struct rounds *rounds);
void rounds_shield(const struct rounds *rounds);   /* between these two the module does not verify */
void rounds_unshield(const struct rounds *rounds);
/* Whether a function in turn, or one that it names, names a variable of the module's own. With nothing else has
   globals-aa to do then: functions that are shielded it takes for unknown ones. */
bool rounds_name_private(const struct rounds *rounds);
bool rounds_verify(const struct rounds *rounds);   /* whether the functions in turn do */
void rounds_end(struct rounds *rounds);

#endif
