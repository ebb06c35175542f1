/* Makes the destruction of a coroutine ended by an exception explicit: after the llvm.coro.end on the unwind path its
   clones suspend once more, and the destroy edge of that suspend leads to the cleanup. Ends with the same cleanup share
   a suspend. */
#include "passes/destroy_edge.h"

#include "ir/constant_fold.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "llvm-c/DebugInfo.h"
#include "passes/destroy_cleanup.h"
#include "passes/equal_cleanup.h"
#include "passes/freed_after_end.h"
#include "transform/prune.h"
#include "transform/split_block.h"
#include "transform/ssa_repair.h"

/* A suspend that other ends with the same cleanup can share. */
struct added_suspend {
  LLVMBasicBlockRef block, from; /* that of the suspend, which has no phis yet if `from` is its only predecessor */
  LLVMBasicBlockRef propagate;
  unsigned entry; /* of the suspend's block in the phis of `propagate` */
};

struct destroy_edges {
  struct pass_run *run;
  LLVMBuilderRef builder;
  LLVMValueRef function;
  const pass_values *calls; /* calls of each intrinsic, indexed by enum intrin */
  LLVMValueRef final, suspend; /* the first final suspend, and the first other one; NULL: there is none */
  LLVMValueRef end; /* the first llvm.coro.end outside of unwind paths that begins its block; NULL: there is none */
  LLVMBasicBlockRef exit; /* block from which copies of cleanups continue to that end; NULL: it is not built yet */
  LLVMValueRef free; /* the first llvm.coro.free after a suspend; NULL: there is none */
  unsigned position; /* index of the last edge to a cleanup's start among the incoming values of its phis */
  unsigned exit_position; /* the same for the last edge to `propagate`. Both are where the next search begins */
  struct coro_map suspend_of; /* start of a ramp's cleanup -> index in `added`, plus one */
  CORO_VEC(struct added_suspend) added;
  struct coro_map parameters; /* allocas in which the ramp has its parameters */
  struct coro_map before_suspend; /* ends that precede a suspend in their block */
  struct coro_map freed; /* unwind ends after which nothing is left to destroy */
  bool searched_free, changed;
};

/* The edge of the ramp from an unwind end to its cleanup. */
struct ramp_cleanup {
  LLVMBasicBlockRef from, start; /* start: NULL if the clones take the same edge, so there is no cleanup */
  LLVMValueRef branch; /* the branch on llvm.coro.is_in_ramp; NULL: there is none */
  LLVMValueRef pad;    /* the cleanuppad of the end; NULL: none */
};

/* ---- Queries ---- */

/* Whether the block begins with a suspend, so that the end before it has a destroy edge already. */
static bool begins_with_suspend_after_optional_end(const struct destroy_edges *d, LLVMBasicBlockRef block)
{
  LLVMValueRef first = edit_first_after_phis(block);
  first = intrin_of_call(d->run->intrin, first) == INTRIN_END ? LLVMGetNextInstruction(first) : first;
  return intrin_of_call(d->run->intrin, first) == INTRIN_SUSPEND;
}

static LLVMValueRef branch_on_is_in_ramp_or_null(const struct destroy_edges *d, LLVMBasicBlockRef block)
{
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(block), condition = flow_branch_condition(branch);
  return intrin_of_call(d->run->intrin, condition) == INTRIN_IS_IN_RAMP && LLVMGetInstructionParent(condition) == block
             ? branch
             : NULL;
}

/* The edge on which the ramp continues from the pad of an end. A pad that begins with the end has it already. */
static bool find_cleanup_of_pad_if_no_suspend(const struct destroy_edges *d, LLVMValueRef end,
                                              struct ramp_cleanup *found)
{
  LLVMValueRef leaves = LLVMGetBasicBlockTerminator(found->from);
  found->pad = edit_funclet_pad(end);
  found->start = LLVMIsACleanupReturnInst(leaves) ? LLVMGetUnwindDest(leaves) : NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(found->from)); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsATerminatorInst(user) && begins_with_suspend_after_optional_end(d, LLVMGetInstructionParent(user)))
      return false;
  }
  return found->pad && found->start;
}

/* Finds the ends that precede a suspend in their block. The last end comes first, so that each instruction is visited
   once. False: out of memory. */
static bool find_ends_before_suspend_in_block(struct destroy_edges *d)
{
  const pass_values *ends = &d->calls[INTRIN_END];
  for (uint32_t e = ends->count; e-- > 0;) {
    LLVMValueRef i = LLVMGetNextInstruction(ends->items[e]);
    while (!LLVMIsATerminatorInst(i) && intrin_of_call(d->run->intrin, i) != INTRIN_SUSPEND &&
           intrin_of_call(d->run->intrin, i) != INTRIN_END)
      i = LLVMGetNextInstruction(i);
    if ((intrin_of_call(d->run->intrin, i) == INTRIN_SUSPEND || coro_map_has(&d->before_suspend, coro_map_key(i))) &&
        !coro_map_put(&d->before_suspend, coro_map_key(ends->items[e]), 1))
      return false;
  }
  return true;
}

/* Whether the clones continue after an unwind end without a suspend. */
static bool find_ramp_cleanup_if_no_suspend(const struct destroy_edges *d, LLVMValueRef end, struct ramp_cleanup *found)
{
  *found = (struct ramp_cleanup){.from = LLVMGetInstructionParent(end)};
  if (!edit_is_nonzero_integer_constant(LLVMGetOperand(end, END_UNWINDS)) ||
      coro_map_has(&d->before_suspend, coro_map_key(end)))
    return false;
  if (LLVMGetNumOperandBundles(end))
    return find_cleanup_of_pad_if_no_suspend(d, end, found);
  LLVMValueRef branch = branch_on_is_in_ramp_or_null(d, found->from);
  if (branch && begins_with_suspend_after_optional_end(d, LLVMGetSuccessor(branch, 1)))
    return false;
  if (branch && LLVMGetSuccessor(branch, 0) != LLVMGetSuccessor(branch, 1)) {
    found->branch = branch;
    found->start = LLVMGetSuccessor(branch, 0);
  }
  return true;
}

/* ---- The suspend ---- */

static LLVMValueRef build_call_of_intrinsic(struct destroy_edges *d, enum intrin intrin, LLVMValueRef *arguments,
                                            unsigned count, const char *name)
{
  LLVMValueRef callee = intrin_declare(d->run->intrin, d->run->module, intrin, NULL, 0);
  return edit_build_call(d->builder, callee, arguments, count, name);
}

static LLVMValueRef no_token(const struct destroy_edges *d)
{
  return LLVMConstNull(LLVMTokenTypeInContext(d->run->context));
}

/* Inserts a suspend, which only the clones execute, on the edge from an end to `propagate`. Returns the switch on
   its result. */
static LLVMValueRef build_suspend_and_switch(struct destroy_edges *d, LLVMBasicBlockRef block,
                                             LLVMBasicBlockRef propagate)
{
  LLVMBasicBlockRef never = LLVMInsertBasicBlockInContext(d->run->context, propagate, "never.resumed");
  LLVMPositionBuilderAtEnd(d->builder, never);
  LLVMBuildUnreachable(d->builder);
  LLVMPositionBuilderAtEnd(d->builder, block);
  LLVMValueRef result = build_call_of_intrinsic(
      d, INTRIN_SUSPEND, (LLVMValueRef[]){no_token(d), edit_bool_constant(d->run->context, false)}, 2,
      "unwound.suspend");
  LLVMValueRef next = LLVMBuildSwitch(d->builder, result, propagate, 2);
  LLVMAddCase(next, LLVMConstInt(LLVMTypeOf(result), 0, false), never);
  return next;
}

/* Inserts a suspend on the edge from an end without a pad. */
static LLVMValueRef insert_suspend_on_false_edge(struct destroy_edges *d, LLVMValueRef branch)
{
  LLVMBasicBlockRef from = LLVMGetInstructionParent(branch), propagate = LLVMGetSuccessor(branch, 1);
  LLVMBasicBlockRef block = LLVMInsertBasicBlockInContext(d->run->context, propagate, "unwound");
  for (LLVMValueRef i = LLVMGetFirstInstruction(propagate); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    LLVMValueRef value = edit_incoming_near(i, from, &d->exit_position);
    LLVMAddIncoming(i, &value, &block, 1);
  }
  LLVMSetSuccessor(branch, 1, block);
  return build_suspend_and_switch(d, block, propagate);
}

/* Inserts a suspend before an instruction of the end's block. The ramp does not suspend. An end in a pad leaves the
   clone, so another end is inserted before the suspend. */
static LLVMValueRef insert_suspend_before(struct destroy_edges *d, LLVMValueRef at, LLVMValueRef end)
{
  LLVMBasicBlockRef leave = LLVMGetInstructionParent(at),
                    from = split_block(d->run->arena, d->builder, at, "propagate");
  if (!from)
    return NULL;
  LLVMBasicBlockRef block = LLVMInsertBasicBlockInContext(d->run->context, leave, "unwound");
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(from));
  LLVMPositionBuilderAtEnd(d->builder, from);
  LLVMSetCurrentDebugLocation2(d->builder, LLVMInstructionGetDebugLoc(end));
  LLVMBuildCondBr(d->builder, build_call_of_intrinsic(d, INTRIN_IS_IN_RAMP, NULL, 0, "ramp"), leave, block);
  LLVMPositionBuilderAtEnd(d->builder, block);
  LLVMValueRef null = LLVMConstNull(LLVMTypeOf(LLVMGetOperand(end, END_HANDLE)));
  if (at == end)
    (void)build_call_of_intrinsic(
        d, INTRIN_END, (LLVMValueRef[]){null, edit_bool_constant(d->run->context, true), no_token(d)}, 3, "");
  return build_suspend_and_switch(d, block, leave);
}

/* Inserts a suspend after the end. Returns the switch on its result. NULL: out of memory. */
static LLVMValueRef insert_suspend_after_end(struct destroy_edges *d, LLVMValueRef end, const struct ramp_cleanup *ramp)
{
  d->changed = true;
  if (!ramp->branch)
    return insert_suspend_before(d, ramp->pad ? end : LLVMGetNextInstruction(end), end);
  LLVMSetCurrentDebugLocation2(d->builder, LLVMInstructionGetDebugLoc(end));
  return insert_suspend_on_false_edge(d, ramp->branch);
}

static void add_destroy_edge(LLVMValueRef suspend_switch, LLVMBasicBlockRef to)
{
  LLVMAddCase(suspend_switch, LLVMConstInt(LLVMTypeOf(flow_switch_operand(suspend_switch)), 1, false), to);
}

/* ---- Shared suspends ---- */

/* Lets later ends with the same cleanup share the suspend. False: out of memory. */
static bool record_suspend_for_sharing(struct destroy_edges *d, const struct ramp_cleanup *ramp,
                                       LLVMValueRef suspend_switch)
{
  LLVMBasicBlockRef propagate = LLVMGetSuccessor(suspend_switch, 0);
  LLVMValueRef phi = LLVMGetFirstInstruction(propagate);
  unsigned entry = LLVMIsAPHINode(phi) ? LLVMCountIncoming(phi) - 1 : 0;
  struct added_suspend added = {LLVMGetInstructionParent(suspend_switch), ramp->from, propagate, entry};
  return !ramp->branch || (coro_vec_push(d->run->arena, &d->added, added) &&
                           coro_map_put(&d->suspend_of, coro_map_key(ramp->start), d->added.count));
}

/* Selects the values that `propagate` receives from the first end that shares the suspend. */
static void build_phis_in_shared_suspend_block(struct destroy_edges *d, const struct added_suspend *added)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(added->propagate); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    LLVMValueRef value = LLVMGetIncomingValue(i, added->entry);
    LLVMBasicBlockRef from = added->from;
    edit_position_builder_with_location(d->builder, edit_first_after_phis(added->block));
    LLVMValueRef phi = LLVMBuildPhi(d->builder, LLVMTypeOf(i), "");
    LLVMAddIncoming(phi, &value, &from, 1);
    LLVMSetOperand(i, added->entry, phi);
  }
}

/* Whether an end with the same cleanup has such a suspend, which the clones then reach from this end, too. */
static bool share_suspend_of_equal_cleanup(struct destroy_edges *d, const struct ramp_cleanup *ramp)
{
  uint64_t found;
  if (!ramp->branch || !coro_map_get(&d->suspend_of, coro_map_key(ramp->start), &found))
    return false;
  struct added_suspend *added = &d->added.items[found - 1];
  if (added->propagate != LLVMGetSuccessor(ramp->branch, 1))
    return false;
  if (added->from)
    build_phis_in_shared_suspend_block(d, added);
  added->from = NULL;
  LLVMValueRef phi = LLVMGetFirstInstruction(added->block);
  for (LLVMValueRef i = LLVMGetFirstInstruction(added->propagate); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    LLVMValueRef value = edit_incoming_near(i, ramp->from, &d->exit_position);
    LLVMBasicBlockRef from = ramp->from;
    LLVMAddIncoming(phi, &value, &from, 1);
    phi = LLVMGetNextInstruction(phi);
  }
  LLVMSetSuccessor(ramp->branch, 1, added->block);
  return true;
}

/* ---- The destroy edge ---- */

/* Makes the destroy edge lead to the cleanup of another suspend. */
static bool lead_destroy_edge_to_equal_cleanup(struct destroy_edges *d, LLVMValueRef end,
                                               const struct ramp_cleanup *ramp, bool *shared)
{
  const LLVMValueRef suspends[2] = {d->final, d->suspend};
  struct equal_cleanup equal = {0};
  bool found = false, optnone = edit_has_function_attribute(d->function, "optnone");
  for (unsigned i = 0; i < 2 && !found && ramp->branch && !optnone; i++)
    found = suspends[i] && equal_cleanup_find_if_any(d->run, ramp->branch, suspends[i], &equal);
  *shared = found;
  if (!found)
    return !coro_arena_failed(d->run->arena);
  LLVMValueRef suspends_here = insert_suspend_after_end(d, end, ramp);
  LLVMBasicBlockRef block = LLVMGetInstructionParent(suspends_here);
  add_destroy_edge(suspends_here, equal.entry);
  LLVMAddIncoming(equal.phi, &equal.selector, &block, 1);
  return record_suspend_for_sharing(d, ramp, suspends_here);
}

/* A block that ends the coroutine; NULL: there is none. */
static LLVMBasicBlockRef find_or_build_exit_block(struct destroy_edges *d)
{
  if (d->exit || !d->end)
    return d->exit;
  LLVMBasicBlockRef to = LLVMGetInstructionParent(d->end);
  d->exit = LLVMInsertBasicBlockInContext(d->run->context, to, "destroyed");
  LLVMPositionBuilderAtEnd(d->builder, d->exit);
  LLVMBuildBr(d->builder, to);
  for (LLVMValueRef i = LLVMGetFirstInstruction(to); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(i));
    LLVMAddIncoming(i, &none, &d->exit, 1);
  }
  return d->exit;
}

static bool copy_cleanup_if_possible(struct destroy_edges *d, LLVMValueRef end, const struct ramp_cleanup *ramp,
                                     bool *copied)
{
  struct destroy_cleanup cleanup = {.run = d->run,
                                    .builder = d->builder,
                                    .parameters = &d->parameters,
                                    .from = ramp->from,
                                    .start = ramp->start,
                                    .left_pad = ramp->pad,
                                    .position = d->position};
  LLVMBasicBlockRef exit =
      ramp->start && destroy_cleanup_find_if_copyable(&cleanup) ? find_or_build_exit_block(d) : NULL;
  d->position = cleanup.position;
  *copied = exit;
  if (!exit)
    return !coro_arena_failed(d->run->arena);
  LLVMValueRef suspends = insert_suspend_after_end(d, end, ramp);
  LLVMBasicBlockRef start = suspends ? destroy_cleanup_copy(&cleanup, LLVMGetInstructionParent(suspends), exit) : NULL;
  if (start)
    add_destroy_edge(suspends, start);
  return start && (cleanup.depends_on_edge || record_suspend_for_sharing(d, ramp, suspends));
}

/* ---- Coroutines whose cleanup is not known ---- */

/* Whether a destroyed coroutine takes the edge, on a path that starts at one of its suspends. */
static bool is_taken_by_destroy(const void *user, LLVMValueRef terminator, unsigned successor)
{
  const struct destroy_edges *d = user;
  LLVMValueRef operand = flow_switch_operand(terminator);
  if (LLVMIsACleanupReturnInst(terminator) || !freed_is_edge_of_clones(d->run, terminator, successor))
    return false;
  return intrin_of_call(d->run->intrin, operand) != INTRIN_SUSPEND ||
         successor == constant_successor_or_unknown(terminator, operand, LLVMConstInt(LLVMTypeOf(operand), 1, false));
}

/* Finds the first llvm.coro.free after a suspend, where a coroutine without a final suspend is destroyed. False: out of
   memory. */
static bool find_first_free_after_suspend(struct destroy_edges *d)
{
  const pass_values *frees = &d->calls[INTRIN_FREE];
  struct coro_map reached;
  coro_map_init(&reached, d->run->arena);
  d->searched_free = true;
  if (!prune_find_reachable(d->run->arena, d->function, is_taken_by_destroy, d, &reached))
    return false;
  for (uint32_t i = 0; i < frees->count && !d->free; i++)
    if (coro_map_has(&reached, coro_map_key(LLVMGetInstructionParent(frees->items[i]))))
      d->free = frees->items[i];
  return true;
}

/* Makes the destroy edge lead to the coroutine's first llvm.coro.free, unless there is a final suspend, whose
   destroy edge is used then. */
static bool lead_destroy_edge_to_free(struct destroy_edges *d, LLVMValueRef end, const struct ramp_cleanup *ramp)
{
  if (!d->searched_free && !d->final && !find_first_free_after_suspend(d))
    return false;
  LLVMValueRef free = d->free;
  if (!free)
    return true;
  if (LLVMGetFirstInstruction(LLVMGetInstructionParent(free)) != free &&
      !split_block(d->run->arena, d->builder, free, "destroyed"))
    return false;
  LLVMValueRef suspends = insert_suspend_after_end(d, end, ramp);
  if (suspends)
    add_destroy_edge(suspends, LLVMGetInstructionParent(free));
  return suspends;
}

static bool add_destroy_edge_after_end(struct destroy_edges *d, LLVMValueRef end)
{
  struct ramp_cleanup ramp;
  bool added = false;
  if (!find_ramp_cleanup_if_no_suspend(d, end, &ramp) || coro_map_has(&d->freed, coro_map_key(end)) ||
      share_suspend_of_equal_cleanup(d, &ramp))
    return true;
  return lead_destroy_edge_to_equal_cleanup(d, end, &ramp, &added) &&
         (added || copy_cleanup_if_possible(d, end, &ramp, &added)) &&
         (added || lead_destroy_edge_to_free(d, end, &ramp));
}

/* Whether an unwind end has no destroy edge yet. */
static bool has_unwind_end_without_destroy_edge(const struct destroy_edges *d)
{
  struct ramp_cleanup ramp;
  for (uint32_t e = 0; e < d->calls[INTRIN_END].count; e++)
    if (find_ramp_cleanup_if_no_suspend(d, d->calls[INTRIN_END].items[e], &ramp))
      return d->calls[INTRIN_SUSPEND].count;
  return false;
}

/* Finds the first suspends, the first end and other calls that the destroy edges of all ends use. */
static void find_first_suspends_and_end(struct destroy_edges *d)
{
  const pass_values *suspends = &d->calls[INTRIN_SUSPEND], *ends = &d->calls[INTRIN_END];
  for (uint32_t k = suspends->count; k-- > 0;)
    *(edit_is_nonzero_integer_constant(LLVMGetOperand(suspends->items[k], SUSPEND_FINAL)) ? &d->final : &d->suspend) =
        suspends->items[k];
  for (uint32_t e = 0; e < ends->count && !d->end; e++) {
    LLVMValueRef end = ends->items[e], i = LLVMGetFirstInstruction(LLVMGetInstructionParent(end));
    while (LLVMIsAPHINode(i) || intrin_is_lifetime(intrin_of_call(d->run->intrin, i)))
      i = LLVMGetNextInstruction(i);
    if (!edit_is_nonzero_integer_constant(LLVMGetOperand(end, END_UNWINDS)) && i == end)
      d->end = end;
  }
}

bool destroy_edges_add(struct pass_run *run, LLVMValueRef function, const pass_values *calls, bool *changed)
{
  struct destroy_edges d = {.run = run, .function = function, .calls = calls};
  coro_map_init(&d.before_suspend, run->arena);
  if (!find_ends_before_suspend_in_block(&d))
    return false;
  if (!has_unwind_end_without_destroy_edge(&d))
    return true;
  find_first_suspends_and_end(&d);
  coro_map_init(&d.suspend_of, run->arena);
  d.builder = LLVMCreateBuilderInContext(run->context);
  coro_map_init(&d.freed, run->arena);
  coro_map_init(&d.parameters, run->arena);
  bool fine = find_ends_after_freed_frame(run, function, calls, &d.freed) &&
              destroy_cleanup_find_parameter_allocas(function, &d.parameters);
  for (uint32_t e = 0; e < calls[INTRIN_END].count && fine; e++)
    fine = add_destroy_edge_after_end(&d, calls[INTRIN_END].items[e]);
  LLVMDisposeBuilder(d.builder);
  *changed |= d.changed;
  return fine && (!d.changed ||
                  (prune_after_edges_were_removed(run->arena, function) && ssa_repair_dominance(run->arena, function)));
}
