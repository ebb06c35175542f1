/* Elision of coroutines created by a call of their ramp.
   Requires: start, noalloc.
   Guarantees: elided calls call f.noalloc with a frame on the caller's stack. */
#include "pass/elide_call.h"

#include "ir/edit.h"
#include "ir/tailcall.h"
#include "pass/elided_frame.h"
#include "pass/elision_report.h"
#include "pass/imported_coroutines.h"
#include "pass/noalloc.h"

void elide_replace_destroys(const struct verdict *verdict, const struct parts *parts)
{
  for (uint32_t i = 0; i < verdict->destroys.count; i++)
    edit_set_callee(verdict->destroys.items[i], parts->address[CLONE_SLOT_CLEANUP]);
}

void elide_check_frame_limit(const struct starts *starts, const struct parts *parts, struct verdict *verdict)
{
  const char *excess = verdict->done ? elided_frame_excess(starts->run, parts, starts->function) : NULL;
  verdict->done &= !excess;
  verdict->reason = excess ? excess : verdict->reason;
}

static bool is_as_defined(const struct ramp *ramp, LLVMValueRef call)
{
  LLVMValueRef coroutine = ramp->parts.coroutine;
  return LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(coroutine) &&
         LLVMGetInstructionCallConv(call) == LLVMGetFunctionCallConv(coroutine);
}

/* The obstacle to passing a frame to the ramp by this call; NULL: none. */
static const char *obstacle(struct pass_run *run, const struct ramp *ramp, LLVMValueRef call)
{
  struct parts parts;
  if (!ramp->asks)
    return "it does not ask by coro.alloc whether to allocate";
  if (!ramp->parts.frame_size)
    return "the size of its frame is not known";
  if (!is_as_defined(ramp, call))
    return "it is not called as it is defined";
  if (tailcall_is_musttail(call))
    return "the call must be a tail call";
  if (ramp->parts.apart)
    return ramp->silence;
  if (!noalloc_named(run, ramp->id, &parts) && !noalloc_can_create(ramp->id, &ramp->parts))
    return "its ramp cannot be copied, or may be replaced by another when it is linked";
  return NULL;
}

/* Devirtualizes uses of the handle that the call returns, if the linker cannot replace the ramp. */
static bool name_parts(struct starts *s, const struct ramp *ramp, LLVMValueRef call, bool elided, bool *changed)
{
  pass_values addresses = {0};
  bool own = elided || (ramp->begins && edit_has_exact_definition(ramp->parts.coroutine));
  if (!own || ramp->ends || ramp->parts.apart || ramp->result != HOLDS_HANDLE || ramp->field != TRACE_NONE)
    return true;
  for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use))
    if (intrin_of(s->run->intrin, LLVMGetUser(use)) == INTRIN_SUBFN_ADDR &&
        !coro_vec_push(s->run->arena, &addresses, LLVMGetUser(use)))
      return false;
  for (uint32_t i = 0; i < addresses.count; i++) {
    uint64_t slot;
    if (!edit_constant(LLVMGetOperand(addresses.items[i], SUBFN_INDEX), &slot) || slot > CLONE_SLOT_DESTROY)
      continue;
    edit_replace_callee(addresses.items[i],
                        ramp->parts.address[slot == CLONE_SLOT_DESTROY && elided ? CLONE_SLOT_CLEANUP : slot]);
    *changed = true;
  }
  return true;
}

static LLVMValueRef noalloc_for(struct pass_run *run, const struct ramp *ramp, struct parts *parts)
{
  LLVMValueRef named = ramp->parts.apart ? NULL : noalloc_named(run, ramp->id, parts);
  if (named)
    return named;
  *parts = ramp->parts;
  return ramp->parts.apart ? imported_noalloc_with_summary(run, ramp) : noalloc_create(run, ramp->id, &ramp->parts);
}

static bool replace(struct starts *s, const struct ramp *ramp, const struct verdict *verdict, LLVMValueRef *call)
{
  struct parts parts;
  uint64_t place = 0;
  LLVMValueRef noalloc = noalloc_for(s->run, ramp, &parts), own;
  coro_map_get(&s->places.of, coro_map_key(*call), &place);
  elide_replace_destroys(verdict, &ramp->parts);
  if (!noalloc || !noalloc_call(s->run, *call, noalloc, &parts, &own) ||
      (place && !coro_map_put(&s->places.of, coro_map_key(own), place)))
    return false;
  *call = own;
  return true;
}

bool elide_call(struct starts *s, LLVMValueRef call, bool *changed)
{
  const struct ramp *ramp;
  if (!ramp_of(&s->ramps, LLVMGetCalledValue(call), &ramp))
    return false;
  if (!ramp || ramp->parts.coroutine == s->function)
    return true;
  struct verdict verdict = {.reason = obstacle(s->run, ramp, call), .at = call};
  if (!verdict.reason && !decide_ramp_call(s, ramp, call, &verdict))
    return false;
  elide_check_frame_limit(s, &ramp->parts, &verdict);
  struct decision decision = {.pass = "coro-elide",
                              .name = "CoroElide",
                              .caller = s->function,
                              .parts = &ramp->parts,
                              .at = verdict.at,
                              .reason = verdict.reason,
                              .done = verdict.done};
  if (!elision_report(s->run, &decision))
    return false;
  if (verdict.done && !replace(s, ramp, &verdict, &call))
    return false;
  *changed |= verdict.done;
  s->elided |= verdict.done;
  return name_parts(s, ramp, call, verdict.done, changed);
}
