/* Finds functions to select by their calls of ramps, and by the llvm.coro.id of inlined ramps; see
   coroutine_callers.h. */
#include "cgscc/coroutine_callers.h"

#include "graph/graph.h"
#include "handles/awaiter_attributes.h"
#include "handles/ramp.h"
#include "ir/edit.h"
#include "ir/number.h"

enum { MAX_CALLER_LENGTH = 256, MAX_ID_DISTANCE = 200 }; /* limits, in instructions of a function */

/* The handle escapes when the ramp returns, so these few passes will not enable elision; without a loop there is
   nothing to thread. */
static bool ramp_lets_handle_escape(struct pass_run *run, LLVMValueRef function)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  struct handle_effects effects;
  struct ramps ramps;
  const struct ramp *ramp;
  handle_effects_init(&effects, run);
  ramps_init(&ramps, &effects);
  bool known = find_summary_of_ramp(&ramps, function, &ramp) && ramp && ramp->escapes;
  coro_arena_rewind(run->arena, mark);
  return known;
}

/* Whether the function has a branch to an earlier block, as every loop has. */
static bool branches_backward(struct pass_run *run, LLVMValueRef function)
{
  struct coro_map seen;
  bool may = false;
  coro_map_init(&seen, run->arena);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !may; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(b);
    may = !coro_map_put(&seen, coro_map_key(b), 1); /* the arena records the failure */
    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator) && !may; i++)
      may = coro_map_has(&seen, coro_map_key(LLVMGetSuccessor(terminator, i)));
  }
  return may;
}

/* On memory exhaustion the result is true. */
static bool may_have_loop(struct pass_run *run, LLVMValueRef function)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  struct ir_fn fn;
  struct graph graph;
  struct graph_scc scc;
  bool loop = branches_backward(run, function);
  if (loop && ir_number_function(&fn, run->arena, function) && ir_build_block_graph(&graph, run->arena, &fn) &&
      graph_strongly_connected_components(&scc, run->arena, &graph))
    loop = graph_has_cycle(&scc);
  coro_arena_rewind(run->arena, mark);
  return loop;
}

/* Selects the clones of a coroutine: unoptimized, they would have an inflated inlining cost. A caller that is an
   unsplit coroutine calls them directly only after elision, and seldom needs a further visit, so they can wait for
   it. */
static void select_clones_of_coroutine(struct cgscc_waves *waves, const struct clones *clones, bool defer)
{
  for (int slot = 0; slot < CLONE_SLOT_COUNT; slot++) {
    LLVMValueRef part = edit_strip_casts_and_zero_geps(clones->address[slot]);
    if (LLVMIsAFunction(part) && defer)
      waves_postpone_selection(waves, part);
    else if (LLVMIsAFunction(part))
      (void)waves_select_function_if_possible(waves, part);
  }
}

struct caller_search {
  struct pass_run *run;
  struct cgscc_waves *waves;
  struct coro_map ramps; /* called function -> enum ramp_kind */
};

enum ramp_kind { RAMP_NONE, RAMP_ESCAPING, RAMP_PRIVATE };

static enum ramp_kind ramp_kind_by_handle_escape(struct caller_search *s, LLVMValueRef callee, struct clones *clones)
{
  uint64_t kind = RAMP_NONE;
  if (!LLVMIsAFunction(callee) || LLVMIsDeclaration(callee))
    return RAMP_NONE;
  bool known = coro_map_get(&s->ramps, coro_map_key(callee), &kind);
  if (known && kind == RAMP_NONE)
    return RAMP_NONE;
  bool ramp = clones_find_id(s->run, callee, callee, MAX_ID_DISTANCE, clones);
  if (!known)
    kind = !ramp ? RAMP_NONE : ramp_lets_handle_escape(s->run, callee) ? RAMP_ESCAPING : RAMP_PRIVATE;
  (void)coro_map_put(&s->ramps, coro_map_key(callee), kind); /* the arena records the failure */
  return (enum ramp_kind)kind;
}

/* Whether the instruction creates a split coroutine, by a call or by an inlined ramp. */
static bool find_created_coroutine_worth_visiting(struct caller_search *s, LLVMValueRef at, LLVMValueRef function,
                                                  struct clones *clones)
{
  if (!edit_is_call(at))
    return false;
  if (intrin_of_call(s->run->intrin, at) == INTRIN_ID)
    return LLVMGetFirstUse(at) && clones_read_from_split_id(s->run, at, clones) && clones->coroutine != function;
  enum ramp_kind kind = ramp_kind_by_handle_escape(s, LLVMGetCalledValue(at), clones);
  return kind == RAMP_PRIVATE || (kind == RAMP_ESCAPING && may_have_loop(s->run, function));
}

/* Passes that know the attributes of awaiters find more handles. False: out of memory. */
static bool infer_awaiter_attributes_of_caller(struct pass_run *run, LLVMValueRef function)
{
  bool changed = false;
  return awaiter_attributes_infer(run, function, &changed) && (!changed || pass_mark_modified(run, function));
}

static bool select_caller_of_coroutine(struct caller_search *s, LLVMValueRef function)
{
  struct clones clones;
  bool any = false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (find_created_coroutine_worth_visiting(s, at, function, &clones)) {
        any |= waves_select_function_if_possible(s->waves, function);
        select_clones_of_coroutine(s->waves, &clones, edit_is_presplit_definition(function));
      }
  if (any)
    (void)infer_awaiter_attributes_of_caller(s->run, function); /* the arena records the failure */
  return any;
}

bool coroutine_callers_restrict_and_select_any(struct pass_run *run, struct cgscc_waves *waves)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  struct caller_search s = {.run = run, .waves = waves};
  pass_values functions = {0};
  bool any = false;
  coro_map_init(&s.ramps, run->arena);
  (void)waves_list_functions(waves, run->arena, &functions); /* the arena records the failure */
  waves_restrict_to_selected(waves);
  for (uint32_t i = 0; i < functions.count; i++)
    if (waves_may_select(waves, functions.items[i]))
      any |= select_caller_of_coroutine(&s, functions.items[i]);
  coro_arena_rewind(run->arena, mark);
  return any;
}

/* Whether a further visit cannot elide more: all coroutines that the function creates are elided, and it has no loop to
   thread. It is a coroutine itself, so its loops are optimized only after it is split. */
static bool has_nothing_left_to_elide(struct caller_search *s, LLVMValueRef function)
{
  struct clones clones;
  bool complete = edit_is_presplit_definition(function) && !may_have_loop(s->run, function);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && complete; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at && complete; at = LLVMGetNextInstruction(at))
      complete = !find_created_coroutine_worth_visiting(s, at, function, &clones);
  return complete;
}

bool coroutine_callers_select_any_again(struct pass_run *run, struct cgscc_waves *waves)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  struct caller_search s = {.run = run, .waves = waves};
  pass_values functions = {0};
  coro_map_init(&s.ramps, run->arena);
  (void)waves_list_functions(waves, run->arena, &functions); /* the arena records the failure */
  for (uint32_t i = 0; i < functions.count; i++)
    if (waves_has_visit_request(waves, functions.items[i]) && has_nothing_left_to_elide(&s, functions.items[i]))
      waves_withdraw_visit_request(waves, functions.items[i]);
  coro_arena_rewind(run->arena, mark);
  return waves_select_requested_visits(waves);
}

bool coroutine_callers_restrict_and_select_eliding(struct pass_run *run, struct cgscc_waves *waves)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  pass_values functions = {0};
  bool any = false;
  (void)waves_list_functions(waves, run->arena, &functions); /* the arena records the failure */
  waves_restrict_to_selected(waves);
  for (uint32_t i = 0; i < functions.count; i++)
    if (waves_had_visit_request_when_restricted(waves, functions.items[i]) &&
        !edit_is_presplit_definition(functions.items[i]) &&
        !edit_has_more_instructions_than(functions.items[i], MAX_CALLER_LENGTH))
      any |= waves_select_function_if_possible(waves, functions.items[i]);
  coro_arena_rewind(run->arena, mark);
  return any;
}
