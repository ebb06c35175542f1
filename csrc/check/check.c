/* Runs the checker: numbers the clones, simulates each, then proves the claims, and last checks memory, headers and
   declarations.
   Requires: complete clones, the presplit blocks, and a witness. */
#include "check/check.h"

#include "check/alloca_memory.h"
#include "check/async_rules.h"
#include "check/begin.h"
#include "check/claims.h"
#include "check/clone_attributes.h"
#include "check/continuation.h"
#include "check/early_heap_list.h"
#include "check/equal_clone.h"
#include "check/frame_access.h"
#include "check/frame_rules.h"
#include "check/funclet.h"
#include "check/heap_list.h"
#include "check/hook_rules.h"
#include "check/hook_state.h"
#include "check/inlined_body.h"
#include "check/memory.h"
#include "check/own_clone.h"
#include "check/private_frame.h"
#include "check/simulate.h"
#include "check/swifterror.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "lowering/abi.h"

/* Whether there are rules for the ABI's hooks, and for an llvm.coro.begin on some paths only. */
static bool check_lowering_is_supported(struct check *c)
{
  const struct coro_lowering *low = c->low;
  if (!check_hooks_are_supported(c))
    return false;
  if (low->allocas.begin_joins && (low->shape.custom || low->shape.abi != CORO_ABI_SWITCH))
    return check_unsupported(c, "llvm.coro.begin on some paths only, in an ABI that frees the frame or has hooks");
  return true;
}

static bool number_clones(struct check *c)
{
  uint32_t count = c->witness->clones.count, suspends = c->low->shape.suspend_count;
  c->clones = CORO_NEW_ARRAY(c->arena, struct check_clone *, count);
  c->fact_numbers = CORO_NEW_ARRAY(c->arena, struct coro_map, count);
  c->exits_of = CORO_NEW_ARRAY(c->arena, uint32_t, suspends);
  if (!c->clones || !c->fact_numbers || !c->exits_of)
    return false;
  for (uint32_t s = 0; s < suspends; s++)
    c->exits_of[s] = IR_NONE;
  for (uint32_t n = 0; n < count; n++) {
    const struct witness_clone *from = &c->witness->clones.items[n];
    if (c->clone_count && equal_clone_is_proved_by(c, from, c->clones[c->clone_count - 1])) {
      c->equal_clone = from;
      continue;
    }
    coro_map_init(&c->fact_numbers[c->clone_count], c->arena);
    c->clones[c->clone_count] = check_number_clone(c, from, c->clone_count);
    if (!c->clones[c->clone_count++])
      return false;
  }
  return true;
}

/* The declaration of the clone that is proved by another. */
static bool check_attributes_of_equal_clone(struct check *c)
{
  struct check_clone k = {.from = c->equal_clone};
  return !c->equal_clone || clone_attributes_check(c, &k);
}

static bool has_alloca_room_for_frame(const struct check *c, LLVMValueRef alloca)
{
  LLVMTypeRef type = check_single_alloca_type(alloca);
  uint64_t size = 0;
  return type && ir_size_of(c->low->sizes, type, &size) && size >= c->low->frame.size &&
         edit_alignment(alloca) >= c->low->frame.align;
}

/* Whether the frame's address in the clone is what it must be. */
static bool check_frame_of_clone(struct check *c, struct check_clone *k)
{
  LLVMValueRef frame = k->from->frame, function = k->from->function;
  uint32_t begin = c->low->shape.begin, inst = frame ? ir_inst(&k->fn, edit_strip_casts_and_zero_geps(frame)) : IR_NONE;
  if (c->low->shape.abi == CORO_ABI_ASYNC)
    return async_rules_check_frame_and_set_context(c, k);
  if (!frame)
    return true;
  if (c->low->abi->end_frees_frame)
    return continuation_check_frame(c, k);
  if (k->from->clone_kind != CLONE_RAMP)
    return frame == LLVMGetParam(function, 0) || check_refute(c, k, NULL, "the frame is not its first parameter");
  k->begins = inst != IR_NONE && k->entries[inst].kind == WITNESS_COPY && k->entries[inst].of == begin;
  if (k->begins)
    return true;
  if (function != c->low->fn.function && frame == LLVMGetLastParam(function))
    return true;
  if (inst != IR_NONE && k->fn.opcode[inst] == LLVMAlloca && k->entries[inst].kind == WITNESS_NONE)
    return has_alloca_room_for_frame(c, k->fn.insts[inst]) ||
           check_refute(c, k, k->fn.insts[inst], "the frame is larger or more aligned");
  if (begin_frame_is_given_memory_without_suspends(c, k))
    return true; /* the walk compares it at llvm.coro.begin */
  return check_unsupported(c, "the memory of a frame that is not allocated by llvm.coro.begin");
}

static bool check_and_simulate_clones(struct check *c)
{
  for (uint32_t n = 0; n < c->clone_count; n++) {
    c->clones[n]->first_exit = c->exits.count;
    if (!clone_attributes_check(c, c->clones[n]) || !check_frame_of_clone(c, c->clones[n]) ||
        !simulate_clone(c, c->clones[n]))
      return false;
    if (c->clones[n]->from->clone_kind == CLONE_RAMP &&
        (!begin_find_blocks_before_and_after(c, c->clones[n]) || !heap_list_check_joins(c, c->clones[n]) ||
         !early_heap_list_check(c, c->clones[n])))
      return false;
  }
  bool stores = c->low->shape.suspend_count || c->hooks & hook_bit(HOOK_alloc);
  if (c->low->abi->end_frees_frame && stores && !begin_frame_is_in_buffer(c) && !c->frame_stored)
    return check_refute(c, c->clones[c->clone_count - 1], NULL, "the frame's address is not stored in the buffer");
  return check_attributes_of_equal_clone(c) && check_adapter_in_resume_slot(c);
}

static coro_status report_verdict(const struct check *c)
{
  bool refuted = c->verdict == CHECK_REFUTED;
  if (c->verdict == CHECK_PROVED)
    return CORO_OK;
  coro_diag diag = {.status = refuted ? CORO_EBUG : CORO_OK,
                    .severity = refuted ? CORO_ERROR : CORO_WARNING,
                    .rule = "lowering-check",
                    .function = c->function,
                    .message = refuted ? c->message
                                       : coro_arena_printf(c->arena, "the lowering is not checked: %s", c->message),
                    .hint = refuted ? "the lowering is wrong, or the checker is; please report it with the input"
                                    : "the checker has no rule for this; the lowering itself is complete"};
  return coro_diags_add(c->low->diags, &diag);
}

/* False: an answer is recorded, or memory ran out. A check may also record an answer and let others continue. */
static bool succeeds_in_all_checks(struct check *c)
{
  return check_lowering_is_supported(c) && number_clones(c) && heap_list_find_helpers(c) &&
         inlined_body_find_copies(c) && hook_rules_find_hooks(c) &&
         (c->low->shape.abi != CORO_ABI_ASYNC || async_rules_check_size_and_map_resumes(c)) &&
         find_alloca_allocs_from_allocator(c) && find_swifterror_values(c) && find_frame_accesses_of_clones(c) &&
         frame_rules_sort_fields(c) && check_and_simulate_clones(c) && claims_decide_all(c) &&
         c->verdict == CHECK_UNANSWERED && check_stackrestores_restore_own_stack(c) && check_alloca_contents(c) &&
         check_swifterror_accesses(c) && private_frame_check_if_noalias_buffer(c);
}

coro_status check_lowering(struct coro_lowering *low)
{
  struct check *c = CORO_NEW(low->arena, struct check);
  if (!c)
    return CORO_ENOMEM;
  c->low = low;
  c->witness = low->witness;
  c->arena = low->arena;
  c->memory_of = CORO_NEW_ARRAY(c->arena, uint32_t, ir_value_count(&low->fn));
  if (!c->memory_of)
    return CORO_ENOMEM;
  c->has_pads = funclet_has_pads(&low->fn);
  clone_attributes_init(c);
  coro_map_init(&c->slot_numbers, c->arena);
  coro_map_init(&c->types, c->arena);
  coro_map_init(&c->exported_numbers, c->arena);
  coro_map_init(&c->exported, c->arena);
  coro_map_init(&c->exported_values, c->arena);
  coro_map_init(&c->async_resumes, c->arena);
  coro_map_init(&c->heap_slack, c->arena);
  if (succeeds_in_all_checks(c) && c->verdict == CHECK_UNANSWERED)
    c->verdict = CHECK_PROVED;
  else if (c->verdict == CHECK_UNANSWERED)
    check_unsupported(c, "a rule that fails without an answer");
  return coro_arena_failed(c->arena) ? CORO_ENOMEM : report_verdict(c);
}
