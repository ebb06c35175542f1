/* A CGSCC pipeline in rounds. LLVM takes one component of the call graph through all of it before the next, and calls
   only its own passes in between; through LLVM-C its passes see the whole module. So the pipeline is run for the
   functions that wait for no coroutine, again for those that have waited for these, and so on. What is not in turn is
   shielded by optnone: no pass goes through it, and it can be inlined as it is.
   Needs: order, the passes. Leaves: the functions as they were, but for what is run between shield and unshield. */
#ifndef CORO_PIPELINE_ROUNDS_H
#define CORO_PIPELINE_ROUNDS_H

#include "base/vec.h"
#include "graph/graph.h"
#include "pass/calls.h"

enum turn { TURN_OPEN, TURN_NOW, TURN_OVER };

#define NO_COMPONENT UINT32_MAX

struct round_function {
  LLVMValueRef function; /* NULL: it was deleted */
  enum turn turn;
  bool presplit, optnone; /* when its round began */
  bool again;             /* to go through the pipeline once more */
  bool picked;            /* in turn while the round is narrow */
  bool drives;            /* asked for that while the round was narrow */
  uint32_t changes;       /* how often it, or one that it calls, asked for that */
  uint32_t component;     /* of the calls when the first round began; NO_COMPONENT: it was made later */
};

struct round_component { /* functions that call each other */
  uint32_t first;        /* of its functions in `members`, which go up to the first of the next one */
  uint32_t waits_for;    /* calls of components in which, or below which, a coroutine is still to be split */
  bool over;             /* it has released its callers */
};

struct round_turn {
  uint32_t *items; /* places of functions, ascending */
  uint32_t count, capacity;
};

struct rounds {
  struct pass_run *run;
  struct coro_arena *arena;
  struct coro_map places; /* function, by its name -> its place */
  CORO_VEC(struct round_function) functions;
  struct graph calls; /* when the first round began, by place */
  struct round_component *components; /* and one more that ends the last of them */
  uint32_t *members;      /* places of functions, by component */
  struct round_turn turn; /* functions that are in turn */
  LLVMValueRef last;      /* functions made in this round are after it */
  bool whole;             /* ... or anywhere: passes have seen the whole module in this round */
  bool few;               /* no more than a fraction of all functions is in turn */
  bool drive;             /* one of them drives */
  bool narrow;            /* only those of them that are picked are in turn */
  bool in_vain;         /* a narrow round that began ended without a change, and none was asked for since */
  uint32_t count, most; /* rounds begun, and how many there may be */
};

coro_status rounds_begin(struct rounds *rounds, struct pass_run *run);
/* Begins the next round, at a cost that follows the functions of the last one and of this one. *more: there is one. */
coro_status rounds_next(struct rounds *rounds, bool *more);
/* Whether so many functions are no more than a fraction of all. */
bool rounds_is_few(const struct rounds *rounds, uint32_t count);
/* Functions in turn, and those made in this round. False: memory ran out. */
bool rounds_list(const struct rounds *rounds, struct coro_arena *arena, pass_values *list);
/* Passes that see the whole module have run: functions may be gone, new, or others of the same name. */
void rounds_look_again(struct rounds *rounds);
/* A function that may be deleted or replaced, as rounds_replace tells for the place; NO_COMPONENT: it is in none. */
uint32_t rounds_place(const struct rounds *rounds, LLVMValueRef function);
/* These functions are among those that may be deleted. */
void rounds_keep_last(struct rounds *rounds, const struct coro_map *deletable);
void rounds_replace(struct rounds *rounds, uint32_t place, LLVMValueRef function);
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
