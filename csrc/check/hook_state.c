/* Tracks which hooks have been executed; see hook_state.h. */
#include "check/hook_state.h"

#include "check/begin.h"
#include "check/dispatch.h"
#include "check/own_clone.h"
#include "check/verdict.h"
#include "lowering/abi.h"

static bool abi_has_hook(const struct check *c, enum hook hook)
{
  return c->witness->hooks[hook] != NULL;
}

bool check_hooks_are_supported(struct check *c)
{
  const struct coro_lowering *low = c->low;
  if (c->witness->clone_prototype && abi_has_hook(c, HOOK_end) &&
      LLVMGetReturnType(LLVMGlobalGetValueType(c->witness->clone_prototype)) == LLVMInt1TypeInContext(low->context))
    return check_unsupported(c, "clones that return an i1");
  if (abi_has_hook(c, HOOK_dispatch) && !abi_has_hook(c, HOOK_save))
    return check_unsupported(c, "the hook abi.dispatch without abi.save");
  return true;
}

uint32_t hook_state_count_header_stores(const struct check *c)
{
  uint32_t count = c->witness->header_value != NULL;
  for (const struct coro_header_value *value = c->low->header_values; value; value = value->next)
    count++;
  return count;
}

unsigned hook_state_result_bit_or_zero(const struct check *c, const struct check_clone *k)
{
  return result_type_of_own_clone_or_null(c, k) ? HOOK_STATE_RESULT : 0;
}

/* Whether the ramp has executed llvm.coro.begin. The walk may follow the edge from it later. */
static bool has_executed_coro_begin(const struct check *c, const struct check_clone *ramp, uint32_t block,
                                    uint32_t position)
{
  return begin_is_executed_on_all_paths(c, ramp, block, 2 * position) ||
         (ramp->begun != IR_NONE && check_dominates(c, ramp, ramp->begun, block));
}

unsigned hook_state_hooks_required_before(const struct check *c, const struct check_clone *k, uint32_t block,
                                          uint32_t position, uint32_t inst)
{
  const struct coro_shape *shape = &c->low->shape;
  bool noalloc = k->from->clone_kind == CLONE_RAMP && k->from->function != c->low->fn.function;
  bool allocates = !noalloc && k->from->clone_kind != CLONE_CLEANUP;
  unsigned required = 0, result = 0;
  uint32_t index;
  if (inst == shape->begin && k->from->clone_kind == CLONE_RAMP && allocates)
    return c->hooks & hook_bit(HOOK_alloc);
  switch (shape->intrin[inst]) {
  case INTRIN_FREE: required = allocates ? hook_bit(HOOK_free) : 0; break;
  case INTRIN_SAVE: required = shape->suspend_of[inst] == IR_NONE ? 0 : hook_bit(HOOK_save); break;
  case INTRIN_SUSPEND:
    if (!coro_is_unwound_at(shape, shape->suspend_of[inst])) { /* otherwise abi.end has been executed */
      required = hook_bit(HOOK_suspend) | HOOK_STATE_MARK;
      result = abi_has_hook(c, HOOK_suspend) ? hook_state_result_bit_or_zero(c, k) : 0;
    }
    if (shape->suspends[shape->suspend_of[inst]].save == IR_NONE)
      required |= hook_bit(HOOK_save);
    break;
  case INTRIN_SUSPEND_RETCON:
  case INTRIN_SUSPEND_ASYNC: required = hook_bit(HOOK_save) | hook_bit(HOOK_suspend); break;
  case INTRIN_END:
  case INTRIN_END_ASYNC:
    if (!c->low->abi->suspend_returns || k->from->clone_kind != CLONE_RAMP ||
        has_executed_coro_begin(c, k, block, position))
      required = hook_bit(HOOK_end);
    if (abi_has_hook(c, HOOK_end))
      result = hook_state_result_bit_or_zero(c, k);
    if (required && c->low->abi->end_frees_frame)
      required |= hook_bit(HOOK_free);
    if (k->from->clone_kind != CLONE_RAMP && find_suspend_index_of_exception_end(c, inst, &index))
      required |= hook_bit(HOOK_save);
    break;
  default: break;
  }
  return (required & c->hooks) | result;
}

/* The name of the first hook of a set. */
static const char *name_of_first_hook(unsigned hooks)
{
  enum hook hook = 0;
  while (hook < HOOK_COUNT && !(hooks & hook_bit(hook)))
    hook++;
  return hook < HOOK_COUNT           ? hook_name_without_abi_prefix(hook)
         : hooks & HOOK_STATE_HEADER ? "header"
         : hooks & HOOK_STATE_MARK   ? "end's mark"
                                     : "suspend's or abi.end's result";
}

static bool refute_missing_hooks(struct check *c, const struct check_clone *k, uint32_t block, uint32_t position,
                                 unsigned missing, uint32_t inst)
{
  return check_refute(c, k, k->fn.insts[k->fn.block_start[block] + position], "abi.%s is not executed before '%s'",
                      name_of_first_hook(missing),
                      presplit_value_text_for_message(c, ir_value_of_inst(&c->low->fn, inst)));
}

bool hook_state_move_past_inst(struct check *c, const struct check_clone *k, struct check_state *state, uint32_t block,
                               uint32_t position, uint32_t inst)
{
  unsigned required = hook_state_hooks_required_before(c, k, block, position, inst);
  unsigned missing = (state->due | (required & ~(unsigned)state->hooks)) & ~(unsigned)c->empty_hooks;
  if (missing)
    return refute_missing_hooks(c, k, block, position, missing, inst);
  state->hooks = state->due = state->chosen = 0;
  state->due = hook_state_due_if_inst_follows_begin(c, k, inst + 1);
  return true;
}

uint16_t hook_state_due_if_inst_follows_begin(const struct check *c, const struct check_clone *k, uint32_t inst)
{
  if (c->low->shape.begin == IR_NONE || inst != c->low->shape.begin + 1 || k->from->clone_kind != CLONE_RAMP)
    return 0;
  unsigned header = hook_state_count_header_stores(c) ? HOOK_STATE_HEADER : 0;
  return (uint16_t)((c->hooks & hook_bit(HOOK_begin)) | header);
}

bool hook_state_check_equal_at_block_start(struct check *c, const struct check_clone *k,
                                           const struct check_state *state, const struct check_state *in,
                                           LLVMValueRef terminator)
{
  unsigned due = state->due & ~(unsigned)c->empty_hooks;
  return (due == (in->due & ~(unsigned)c->empty_hooks) && state->hooks == in->hooks && state->chosen == in->chosen) ||
         check_refute(c, k, terminator, "abi.%s is executed on some paths only",
                      name_of_first_hook(state->due ? state->due : state->hooks));
}
