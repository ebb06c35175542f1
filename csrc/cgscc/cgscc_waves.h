/* Emulates a CGSCC pipeline by *waves*, sets of functions. LLVM's CGSCC pass manager runs all passes on one SCC of the
   call graph before its callers, but cannot call pycoro's passes in between; through LLVM-C a pass pipeline always runs
   on a module. The pipeline is therefore run for the functions that depend on no unsplit coroutine, then for those that
   depended on these, and so on. A small wave is moved to a module of its own (work_module.h). For other waves all
   functions outside get a temporary optnone, so that passes skip them. They do not get noinline, because passes may
   inline them into functions of the wave. LLVM's verifier rejects optnone without noinline, so it does not run in
   between.
   Requires: call_graph, the passes.
   Guarantees: waves_remove_optnone_outside removes the attributes that waves_add_optnone_outside added. */
#pragma once

#include "base/vec.h"
#include "graph/graph.h"
#include "run/intrinsic_calls.h"

enum wave_state { WAVE_PENDING, WAVE_CURRENT, WAVE_DONE };

#define NO_COMPONENT UINT32_MAX

struct wave_function {
  LLVMValueRef function; /* NULL: deleted */
  enum wave_state state;
  bool presplit; /* at the start of its wave */
  bool optnone; /* without the mask; updated at the start of its wave */
  bool visit_again; /* must be visited again */
  bool selected; /* member of the wave while it is restricted */
  bool requested; /* requested another visit while the wave was restricted */
  bool deferred; /* selected for the next visit of the restricted wave, if any function requests one */
  uint32_t revisits; /* number of revisits of it or of a callee */
  uint32_t component; /* component in the initial call graph; NO_COMPONENT: created later */
};

struct wave_component { /* functions that call each other */
  uint32_t first; /* start of its functions in `component_members`; the next component's start ends them */
  uint32_t waits_for; /* number of calls of components that contain, or depend on, an unsplit coroutine */
  bool released; /* its callers are released */
};

struct wave_members {
  uint32_t *items; /* positions of functions, ascending */
  uint32_t count, capacity;
};

struct cgscc_waves {
  struct pass_run *run;
  struct coro_arena *arena;
  struct coro_map positions; /* name of a function -> position */
  CORO_VEC(struct wave_function) functions;
  struct graph calls; /* the initial call graph, by position */
  struct wave_component *components; /* indexed by component, with a sentinel at the end */
  uint32_t *component_members; /* positions of functions, by component */
  struct coro_map comdat_members; /* comdat -> number of members (dead_functions.h); without an arena: not counted */
  struct wave_members current; /* functions of the current wave */
  LLVMValueRef last; /* functions created in this wave follow it */
  bool created_anywhere; /* module passes have run in this wave, so functions created in it may be anywhere */
  bool is_small_wave; /* the wave is a small fraction of all functions */
  bool any_requested; /* some function has `requested` */
  bool restricted; /* the wave is restricted to its selected functions */
  bool no_progress; /* the last restricted wave changed nothing, and none was requested since */
  uint32_t count, max_count; /* number of waves started, and its limit */
};

coro_status waves_init(struct cgscc_waves *waves, struct pass_run *run);
/* Starts the next wave; the cost is proportional to the functions of the last and this wave. *more: there is one. */
coro_status waves_start_next(struct cgscc_waves *waves, bool *more);
/* Whether `count` is a small fraction of all functions. */
bool waves_count_is_small_fraction(const struct cgscc_waves *waves, uint32_t count);
/* Lists the functions of the wave, and those created in it. False: out of memory. */
bool waves_list_functions(const struct cgscc_waves *waves, struct coro_arena *arena, pass_values *list);
/* Call after module passes: functions may be deleted, created, or replaced under the same name. */
void waves_update_after_module_passes(struct cgscc_waves *waves);
/* The position of a function that may be deleted or replaced, for waves_replace_function; NO_COMPONENT: none. */
uint32_t waves_position(const struct cgscc_waves *waves, LLVMValueRef function);
/* Sorts functions by their position, which is the module's order at the first wave; those without one are removed.
   False: out of memory. */
bool waves_sort_known_by_position(const struct cgscc_waves *waves, struct coro_arena *arena, pass_values *functions);
/* Moves `last` before these functions, at the end of the module, since passes may delete them. */
void waves_move_creation_mark_before_deletable(struct cgscc_waves *waves, const struct coro_map *deletable);
void waves_replace_function(struct cgscc_waves *waves, uint32_t position, LLVMValueRef function);
/* Call before a function is deleted. */
void waves_remove_function(struct cgscc_waves *waves, LLVMValueRef function);
/* Requests another visit of a changed function. False: the limit is reached. */
bool waves_request_visit(struct cgscc_waves *waves, LLVMValueRef function);
/* Restricts the wave to selected functions until waves_end_restriction; they must be in it. */
void waves_restrict_to_selected(struct cgscc_waves *waves);
bool waves_may_select(const struct cgscc_waves *waves, LLVMValueRef function);
bool waves_select_function_if_possible(struct cgscc_waves *waves,
                                       LLVMValueRef function); /* whether it can be selected */
/* Does not select the function now. It is selected together with the functions that request another visit, by the next
   waves_select_requested_visits that finds such a function. */
void waves_postpone_selection(struct cgscc_waves *waves, LLVMValueRef function);
/* Keeps only selected functions that requested another visit, and adds deferred ones; returns whether there are any. */
bool waves_select_requested_visits(struct cgscc_waves *waves);
/* Whether the function requested another visit since the last selection; and a function that withdraws the request. */
bool waves_has_visit_request(const struct cgscc_waves *waves, LLVMValueRef function);
void waves_withdraw_visit_request(struct cgscc_waves *waves, LLVMValueRef function);
/* Whether the function requested another visit while the wave was restricted. */
bool waves_had_visit_request_when_restricted(const struct cgscc_waves *waves, LLVMValueRef function);
void waves_end_restriction(struct cgscc_waves *waves);
/* Makes passes skip all functions outside of the wave. The module does not verify until the attributes are removed. */
void waves_add_optnone_outside(const struct cgscc_waves *waves);
void waves_remove_optnone_outside(const struct cgscc_waves *waves);
void waves_free(struct cgscc_waves *waves);

/* Whether the function is in the wave; functions created in it are. */
bool waves_contains(const struct cgscc_waves *waves, LLVMValueRef function);
