/* Hooks of a custom ABI that must have been executed before control moves on.
   Requires: numbered clones. */
#include "check/hook_state.h"

#include "check/begin.h"
#include "check/words.h"
#include "lowering/abi.h"

static bool has(const struct check *c, enum hook hook)
{
  return c->witness->hooks[hook] != NULL;
}

bool hook_state_is_supported(struct check *c)
{
  static const enum hook unsupported[] = {HOOK_dispatch, HOOK_resume};
  const struct coro_lowering *low = c->low;
  bool switched = low->shape.abi == CORO_ABI_SWITCH;
  for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
    if (has(c, unsupported[i]))
      return check_unsupported(c, "the hook abi.%s", hook_plain_name(unsupported[i]));
  if (!switched && (has(c, HOOK_alloc) || has(c, HOOK_free)))
    return check_unsupported(c, "hooks that allocate the frame of a continuation");
  if (c->witness->own_signature)
    return check_unsupported(c, "clones with the signature of abi.part");
  bool leaves = has(c, HOOK_save) || has(c, HOOK_suspend);
  if (leaves && coro_shape_has(&low->shape, &low->fn, INTRIN_AWAIT_HANDLE))
    return check_unsupported(c, "hooks at a symmetric transfer");
  return !(has(c, HOOK_save) && switched && low->shape.has_unwind_end) ||
         check_unsupported(c, "the hook abi.save where an exception ends a coroutine");
}

uint32_t hook_state_header_stores(const struct check *c)
{
  uint32_t count = c->witness->header_value != NULL;
  for (const struct coro_header_value *value = c->low->header_values; value; value = value->next)
    count++;
  return count;
}

/* Whether the ramp has executed llvm.coro.begin. The walk may follow the edge from it later. */
static bool has_begun(const struct check *c, const struct check_clone *ramp, uint32_t block, uint32_t position)
{
  return begin_is_executed(c, ramp, block, 2 * position) ||
         (ramp->begun != IR_NONE && graph_dominates(&ramp->dom, ramp->begun, block));
}

unsigned hook_state_required(const struct check *c, const struct check_clone *k, uint32_t block, uint32_t position,
                             uint32_t inst)
{
  const struct coro_shape *shape = &c->low->shape;
  bool noalloc = k->from->part == CLONE_RAMP && k->from->function != c->low->fn.function;
  bool allocates = !noalloc && k->from->part != CLONE_CLEANUP;
  unsigned required = 0;
  if (inst == shape->begin && k->from->part == CLONE_RAMP && allocates)
    return c->hooks & hook_bit(HOOK_alloc);
  switch (shape->intrin[inst]) {
  case INTRIN_FREE: required = allocates ? hook_bit(HOOK_free) : 0; break;
  case INTRIN_SAVE: required = shape->suspend_of[inst] == IR_NONE ? 0 : hook_bit(HOOK_save); break;
  case INTRIN_SUSPEND:
    required = hook_bit(HOOK_suspend) | HOOK_STATE_MARK;
    if (shape->suspends[shape->suspend_of[inst]].save == IR_NONE)
      required |= hook_bit(HOOK_save);
    break;
  case INTRIN_SUSPEND_RETCON:
  case INTRIN_SUSPEND_ASYNC: required = hook_bit(HOOK_save) | hook_bit(HOOK_suspend); break;
  case INTRIN_END:
  case INTRIN_END_ASYNC:
    if (!c->low->abi->returns || k->from->part != CLONE_RAMP || has_begun(c, k, block, position))
      required = hook_bit(HOOK_end);
    break;
  default: break;
  }
  return required & c->hooks;
}

/* The name of the first hook of a set. */
static const char *first_name(unsigned hooks)
{
  enum hook hook = 0;
  while (hook < HOOK_COUNT && !(hooks & hook_bit(hook)))
    hook++;
  return hook < HOOK_COUNT ? hook_plain_name(hook) : hooks & HOOK_STATE_HEADER ? "header" : "end's mark";
}

static bool refute(struct check *c, const struct check_clone *k, uint32_t block, uint32_t position, unsigned missing,
                   uint32_t inst)
{
  return check_refute(c, k, k->fn.insts[k->fn.block_start[block] + position], "abi.%s is not executed before '%s'",
                      first_name(missing), check_presplit_name(c, ir_value_of_inst(&c->low->fn, inst)));
}

bool hook_state_pass(struct check *c, const struct check_clone *k, struct check_state *state, uint32_t block,
                     uint32_t position, uint32_t inst)
{
  if (!c->low->abi->hook_module)
    return true;
  unsigned required = hook_state_required(c, k, block, position, inst);
  unsigned missing = (state->due | (required & ~(unsigned)state->hooks)) & ~(unsigned)c->empty_hooks;
  if (missing)
    return refute(c, k, block, position, missing, inst);
  state->hooks = state->due = state->chosen = 0;
  state->due = hook_state_due(c, k, inst + 1);
  return true;
}

uint16_t hook_state_due(const struct check *c, const struct check_clone *k, uint32_t inst)
{
  bool begun = c->low->shape.begin != IR_NONE && inst == c->low->shape.begin + 1 && k->from->part == CLONE_RAMP;
  unsigned header = hook_state_header_stores(c) ? HOOK_STATE_HEADER : 0;
  return begun ? (uint16_t)((c->hooks & hook_bit(HOOK_begin)) | header) : 0;
}

bool hook_state_arrives(struct check *c, const struct check_clone *k, const struct check_state *state,
                        const struct check_state *in, LLVMValueRef terminator)
{
  unsigned due = state->due & ~(unsigned)c->empty_hooks;
  return (due == (in->due & ~(unsigned)c->empty_hooks) && state->hooks == in->hooks && state->chosen == in->chosen) ||
         check_refute(c, k, terminator, "abi.%s is executed on some paths only",
                      first_name(state->due ? state->due : state->hooks));
}
