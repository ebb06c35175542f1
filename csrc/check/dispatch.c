/* Evaluates the switch at the start of a clone for each suspend. */
#include "check/dispatch.h"

#include <limits.h>

#include "check/own_clone.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "lowering/abi.h"

enum { MAX_STEPS = 8 }; /* blocks of a dispatch on one path */

bool find_offset_of_header_field(const struct check *c, coro_field_kind kind, uint64_t *offset)
{
  const struct coro_frame *frame = &c->low->frame;
  uint32_t count = frame->header.count + (frame->index_field != IR_NONE); /* these come first */
  for (uint32_t f = 0; f < count; f++)
    if (frame->fields[f].kind == kind) {
      *offset = frame->fields[f].offset;
      return true;
    }
  return false;
}

uint32_t dispatch_final_suspend_or_none(const struct check *c)
{
  return coro_has_final_suspend(&c->low->shape) ? c->low->shape.suspend_count - 1 : IR_NONE;
}

bool dispatch_stores_indices_before_suspends(const struct check *c)
{
  uint64_t offset;
  return find_offset_of_header_field(c, CORO_FIELD_INDEX, &offset);
}

/* A null resume pointer identifies a coroutine that is done, if there is only one landing for it. */
bool landing_has_suspend_index(const struct check *c, uint32_t landing)
{
  const struct coro_shape *shape = &c->low->shape;
  if (!dispatch_stores_indices_before_suspends(c) && !c->witness->hooks[HOOK_dispatch])
    return false;
  if (shape->suspends[landing].final)
    return shape->has_unwind_end;
  return !coro_is_done_at(shape, landing) || shape->suspend_count - shape->resumed_count > 1 ||
         shape->resumes_after_unwind_end;
}

uint32_t suspend_index_of_landing(const struct check *c, uint32_t landing)
{
  return c->low->shape.suspends[landing].index;
}

bool coroutine_is_done_at_landing(const struct check *c, uint32_t landing)
{
  return coro_is_done_at(&c->low->shape, landing);
}

bool landing_is_possible_in_clone(const struct check *c, const struct check_clone *k, uint32_t landing)
{
  bool done = coroutine_is_done_at_landing(c, landing);
  if (k->from->clone_kind == CLONE_RAMP)
    return false;
  if (k->from->landing != IR_NONE)
    return c->low->cfg.nodes[k->from->landing].suspend == landing;
  if (k->from->clone_kind == CLONE_RESUME)
    return !done;
  return done || !coro_has_final_suspend(&c->low->shape) ||
         !edit_has_function_attribute(c->low->fn.function, "coro_only_destroy_when_complete");
}

uint32_t dispatch_landing_after_exception_end_or_none(const struct check *c, uint32_t end)
{
  return coro_bits_get(&c->low->shape.before_suspend, end) ? IR_NONE : dispatch_final_suspend_or_none(c);
}

bool find_suspend_index_of_exception_end(const struct check *c, uint32_t end, uint32_t *index)
{
  uint32_t landing = dispatch_landing_after_exception_end_or_none(c, end);
  if (c->low->abi->suspend_returns || !coro_is_unwind_end(&c->low->fn, end) || landing == IR_NONE)
    return false;
  *index = c->low->shape.suspends[landing].index;
  return true;
}

static bool loads_header_field(const struct check *c, const struct check_clone *k, LLVMValueRef value,
                               coro_field_kind kind)
{
  uint64_t offset, field;
  uint32_t inst = ir_inst(&k->fn, value);
  return find_offset_of_header_field(c, kind, &field) && inst != IR_NONE && k->fn.opcode[inst] == LLVMLoad &&
         check_accesses_frame(k, inst, &offset) && offset == field;
}

/* Cases of the switch on the index, so that each suspend finds its own in constant time. */
static bool find_cases_of_dispatch(struct check *c, LLVMValueRef terminator, struct coro_map *cases)
{
  unsigned count = LLVMGetNumSuccessors(terminator);
  coro_map_init(cases, c->arena);
  for (unsigned i = 1; i < count; i++)
    if (!coro_map_put(cases, LLVMConstIntGetZExtValue(LLVMGetSwitchCaseValue(terminator, i)) + 1, i))
      return false;
  return true;
}

/* Whether the terminator branches on the result of abi.dispatch, as the walk will prove. */
static bool is_switch_on_dispatch_hook(const struct check *c, const struct check_clone *k, uint32_t block)
{
  uint32_t inst = k->fn.block_start[block + 1] - 1;
  return c->witness->hooks[HOOK_dispatch] && k->entries[inst].kind == WITNESS_NONE && k->fn.opcode[inst] == LLVMSwitch;
}

/* The block after abi.dispatch; IR_NONE: there is none, or several. */
static uint32_t only_block_with_dispatch_or_none(const struct check *c, const struct check_clone *k)
{
  uint32_t found = IR_NONE;
  for (uint32_t b = 0; b < k->fn.block_count; b++)
    if (k->node[b] == IR_NONE && is_switch_on_dispatch_hook(c, k, b)) {
      if (found != IR_NONE)
        return IR_NONE;
      found = b;
    }
  return found;
}

/* What decides the successor of a block of a dispatch. */
enum dispatch_branch { BRANCH_UNKNOWN, BRANCH_JUMP, BRANCH_ON_DONE, BRANCH_ON_INDEX };

struct dispatch {
  struct check *c;
  struct check_clone *k;
  LLVMValueRef cases_of;
  struct coro_map cases;
  struct coro_map branches; /* terminator -> its enum dispatch_branch + 1 */
};

static enum dispatch_branch find_kind_of_branch(const struct dispatch *d, LLVMValueRef terminator)
{
  LLVMValueRef condition = flow_branch_condition(terminator), index = flow_switch_operand(terminator);
  if (flow_is_jump(terminator))
    return BRANCH_JUMP;
  if (condition && LLVMIsAICmpInst(condition) && LLVMGetICmpPredicate(condition) == LLVMIntEQ &&
      !LLVMGetICmpSameSign(condition) && LLVMIsNull(LLVMGetOperand(condition, COMPARE_RIGHT)) &&
      loads_header_field(d->c, d->k, LLVMGetOperand(condition, COMPARE_LEFT), CORO_FIELD_RESUME))
    return BRANCH_ON_DONE;
  bool known =
      index && (d->c->witness->hooks[HOOK_dispatch] || loads_header_field(d->c, d->k, index, CORO_FIELD_INDEX));
  return known ? BRANCH_ON_INDEX : BRANCH_UNKNOWN;
}

/* The same, found once for all landings. */
static enum dispatch_branch kind_of_branch(struct dispatch *d, LLVMValueRef terminator)
{
  uint64_t known = 0;
  if (!coro_map_get(&d->branches, coro_map_key(terminator), &known)) {
    known = (uint64_t)find_kind_of_branch(d, terminator) + 1;
    (void)coro_map_put(&d->branches, coro_map_key(terminator), known); /* the arena records the failure */
  }
  return (enum dispatch_branch)(known - 1);
}

/* The index of the successor on the path from a dispatch block to a landing; UINT_MAX: unknown. */
static unsigned successor_toward_landing_or_unknown(struct dispatch *d, LLVMValueRef terminator, uint32_t landing)
{
  enum dispatch_branch branch = kind_of_branch(d, terminator);
  if (branch == BRANCH_JUMP)
    return 0;
  if (branch == BRANCH_ON_DONE)
    return coroutine_is_done_at_landing(d->c, landing) ? 0 : 1;
  if (branch != BRANCH_ON_INDEX || !landing_has_suspend_index(d->c, landing))
    return UINT_MAX;
  if (d->cases_of != terminator && !find_cases_of_dispatch(d->c, terminator, &d->cases))
    return UINT_MAX;
  d->cases_of = terminator;
  uint64_t found = 0;
  coro_map_get(&d->cases, (uint64_t)suspend_index_of_landing(d->c, landing) + 1, &found);
  return (unsigned)found;
}

/* The block where the clone lands: the first that the witness names as a landing. IR_NONE: unknown. */
static uint32_t landing_block_by_dispatch_or_none(struct dispatch *d, uint32_t landing)
{
  struct check_clone *k = d->k;
  uint32_t block = k->rpo.order[0];
  for (unsigned steps = 0; steps < MAX_STEPS; steps++) {
    uint32_t node = k->node[block];
    if (node != IR_NONE)
      return d->c->low->cfg.nodes[node].landing ? block : IR_NONE;
    LLVMValueRef terminator = ir_terminator(&k->fn, block);
    if (k->entries[k->fn.block_start[block + 1] - 1].kind == WITNESS_INLINED) {
      block = only_block_with_dispatch_or_none(d->c, k);
      if (block == IR_NONE)
        return IR_NONE;
      continue;
    }
    unsigned successor = successor_toward_landing_or_unknown(d, terminator, landing);
    if (successor >= LLVMGetNumSuccessors(terminator))
      return IR_NONE;
    block = flow_successor(&k->fn, terminator, successor);
  }
  return IR_NONE;
}

/* An async clone has one landing. Only code that finds its context is before it. */
static uint32_t block_of_only_landing_or_none(const struct check_clone *k)
{
  for (uint32_t b = 0; b < k->fn.block_count; b++)
    if (k->node[b] == k->from->landing)
      return b;
  return IR_NONE;
}

/* The clone that continues after the suspend. */
static LLVMValueRef clone_that_continues_after(const struct check *c, uint32_t suspend)
{
  return c->low->abi->suspend_returns ? c->low->clones[suspend] : find_function_resuming_suspend(c, suspend);
}

static const char *landing_name(const struct check *c, uint32_t landing)
{
  return presplit_value_text_for_message(c, ir_value_of_inst(&c->low->fn, c->low->shape.suspends[landing].inst));
}

/* Whether the lowering found no path to the suspend, if any. If that is false, "not supported" replaces "refuted". */
static bool is_never_executed(const struct check *c, uint32_t suspend)
{
  const struct coro_cfg *cfg = &c->low->cfg;
  return suspend != IR_NONE && !cfg->nodes[cfg_node_of(cfg, c->low->shape.suspends[suspend].inst)].clone_kinds;
}

bool dispatch_find_landings(struct check *c, struct check_clone *k)
{
  struct dispatch d = {.c = c, .k = k};
  coro_map_init(&d.branches, c->arena);
  bool one = k->from->landing != IR_NONE; /* there may be as many clones as suspends */
  uint32_t first = one ? c->low->cfg.nodes[k->from->landing].suspend : 0;
  uint32_t end = one ? first + 1 : c->low->shape.suspend_count;
  for (uint32_t s = first; s < end; s++) {
    if (!landing_is_possible_in_clone(c, k, s))
      continue;
    uint32_t block = c->low->shape.abi == CORO_ABI_ASYNC ? block_of_only_landing_or_none(k)
                                                         : landing_block_by_dispatch_or_none(&d, s);
    if (k->from->landing != IR_NONE && k->from->function != clone_that_continues_after(c, s))
      return check_refute(c, k, NULL, "it is not the clone that '%s' names", landing_name(c, s));
    if (block == IR_NONE && c->witness->hooks[HOOK_dispatch] && only_block_with_dispatch_or_none(c, k) == IR_NONE)
      return check_unsupported(c, "a clone that does not branch on the result of abi.dispatch");
    uint32_t other = block == IR_NONE ? IR_NONE : k->landing[block];
    if ((block == IR_NONE || other != IR_NONE) && (is_never_executed(c, s) || is_never_executed(c, other)))
      return check_unsupported(c, "a suspend that no path leads to");
    if (block == IR_NONE)
      return check_refute(c, k, NULL, "the dispatch does not lead from the state stored at '%s' to a landing",
                          landing_name(c, s));
    if (other != IR_NONE)
      return check_refute(c, k, NULL, "the dispatch leads from '%s' to the landing of another suspend",
                          landing_name(c, s));
    k->landing[block] = s;
  }
  return true;
}
