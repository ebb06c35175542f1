/* Elides coroutines that are created by a call of their ramp. */
#include "elide/elide_call.h"

#include "elide/elision_report.h"
#include "handles/elided_frame.h"
#include "handles/imported_coroutines.h"
#include "handles/noalloc.h"
#include "ir/edit.h"
#include "transform/tailcall.h"

void elide_replace_destroys(const struct verdict *verdict, const struct clones *clones)
{
  for (uint32_t i = 0; i < verdict->destroys.count; i++)
    edit_set_called_function(verdict->destroys.items[i], clones->address[CLONE_SLOT_CLEANUP]);
}

void elide_check_frame_limit(const struct elision_search *search, const struct clones *clones, struct verdict *verdict)
{
  const char *excess = verdict->done ? elided_frame_excess(search->run, clones, search->function) : NULL;
  verdict->done &= !excess;
  verdict->reason = excess ? excess : verdict->reason;
}

static bool has_defined_frame_type(const struct ramp *ramp, LLVMValueRef call)
{
  LLVMValueRef coroutine = ramp->clones.coroutine;
  return LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(coroutine) &&
         LLVMGetInstructionCallConv(call) == LLVMGetFunctionCallConv(coroutine);
}

/* The obstacle to passing a frame to the ramp by this call; NULL: none. */
static const char *obstacle_to_noalloc_call(struct pass_run *run, const struct ramp *ramp, LLVMValueRef call)
{
  struct clones clones;
  if (!ramp->uses_coro_alloc)
    return "its ramp does not call llvm.coro.alloc";
  if (!ramp->clones.frame_size)
    return "its frame size is unknown";
  if (!has_defined_frame_type(ramp, call))
    return "the type of the call differs from the type of its definition";
  if (tailcall_is_musttail(call))
    return "the call is a musttail call";
  if (ramp->clones.imported)
    return ramp->unknown_reason;
  if (!noalloc_of_id(run, ramp->id, &clones) && !noalloc_can_create(ramp->id, &ramp->clones))
    return "its ramp cannot be cloned, or may be replaced by the linker";
  return NULL;
}

/* Devirtualizes uses of the handle that the call returns, if the linker cannot replace the ramp. */
static bool devirtualize_handle(struct elision_search *s, const struct ramp *ramp, LLVMValueRef call, bool elided,
                                bool *changed)
{
  pass_values addresses = {0};
  bool own = elided || (ramp->always_begins && edit_has_exact_definition(ramp->clones.coroutine));
  if (!own || ramp->may_end || ramp->clones.imported || ramp->result != HOLDS_HANDLE ||
      ramp->field != TRACE_WHOLE_VALUE)
    return true;
  for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use))
    if (intrin_of(s->run->intrin, LLVMGetUser(use)) == INTRIN_SUBFN_ADDR &&
        !coro_vec_push(s->run->arena, &addresses, LLVMGetUser(use)))
      return false;
  for (uint32_t i = 0; i < addresses.count; i++) {
    uint64_t slot;
    if (!edit_read_integer_constant(LLVMGetOperand(addresses.items[i], SUBFN_INDEX), &slot) ||
        slot > CLONE_SLOT_DESTROY)
      continue;
    edit_replace_callee_in_all_calls(
        addresses.items[i], ramp->clones.address[slot == CLONE_SLOT_DESTROY && elided ? CLONE_SLOT_CLEANUP : slot]);
    *changed = true;
  }
  return true;
}

static LLVMValueRef find_noalloc_variant(struct pass_run *run, const struct ramp *ramp, struct clones *clones)
{
  LLVMValueRef named = ramp->clones.imported ? NULL : noalloc_of_id(run, ramp->id, clones);
  if (named)
    return named;
  *clones = ramp->clones;
  return ramp->clones.imported ? imported_noalloc_declare_with_summary(run, ramp)
                               : noalloc_create(run, ramp->id, &ramp->clones);
}

static bool replace_by_noalloc_call(struct elision_search *s, const struct ramp *ramp, const struct verdict *verdict,
                                    LLVMValueRef *call)
{
  struct clones clones;
  uint64_t position = 0;
  LLVMValueRef noalloc = find_noalloc_variant(s->run, ramp, &clones), own;
  coro_map_get(&s->positions.of, coro_map_key(*call), &position);
  elide_replace_destroys(verdict, &ramp->clones);
  if (!noalloc || !replace_ramp_call_by_noalloc_call(s->run, *call, noalloc, &clones, &own) ||
      (position && !coro_map_put(&s->positions.of, coro_map_key(own), position)))
    return false;
  *call = own;
  return true;
}

bool elide_ramp_call_if_possible(struct elision_search *s, LLVMValueRef call, bool *changed)
{
  const struct ramp *ramp;
  if (!find_summary_of_ramp(&s->ramps, LLVMGetCalledValue(call), &ramp))
    return false;
  if (!ramp || ramp->clones.coroutine == s->function)
    return true;
  struct verdict verdict = {.reason = obstacle_to_noalloc_call(s->run, ramp, call), .at = call};
  if (!verdict.reason && !decide_ramp_call(s, ramp, call, &verdict))
    return false;
  elide_check_frame_limit(s, &ramp->clones, &verdict);
  struct elision_decision decision = {.pass = "coro-elide",
                                      .name = "CoroElide",
                                      .caller = s->function,
                                      .clones = &ramp->clones,
                                      .at = verdict.at,
                                      .reason = verdict.reason,
                                      .done = verdict.done};
  if (!elision_report(s->run, &decision))
    return false;
  if (verdict.done && !replace_by_noalloc_call(s, ramp, &verdict, &call))
    return false;
  *changed |= verdict.done;
  s->elided |= verdict.done;
  return devirtualize_handle(s, ramp, call, verdict.done, changed);
}
