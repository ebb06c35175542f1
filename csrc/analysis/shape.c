/* Collects the coroutine intrinsics of one presplit function, by role. */
#include "analysis/shape.h"

#include <stdlib.h>

#include "ir/edit.h"

bool coro_shape_is_split_id(LLVMValueRef id)
{
  LLVMValueRef info = edit_strip_casts(LLVMGetOperand(id, ID_PARTS));
  return LLVMIsAGlobalVariable(info) != NULL;
}

bool coro_is_unwind_end(const struct ir_fn *fn, uint32_t end)
{
  return edit_is_constant_true(LLVMGetOperand(fn->insts[end], END_UNWINDS));
}

bool coro_shape_has(const struct coro_shape *shape, const struct ir_fn *fn, enum intrin intrin)
{
  for (uint32_t i = 0; i < fn->inst_count; i++)
    if (shape->intrin[i] == intrin)
      return true;
  return false;
}

bool coro_is_own_promise(const struct ir_fn *fn, const struct coro_shape *shape, uint32_t inst)
{
  if (shape->intrin[inst] != INTRIN_PROMISE || !shape->promise)
    return false;
  LLVMValueRef from = LLVMGetOperand(fn->insts[inst], PROMISE_FROM);
  uint32_t at = ir_operand_inst(fn, inst, PROMISE_HANDLE);
  return at != IR_NONE && LLVMIsAConstantInt(from) && LLVMIsNull(from) &&
         (shape->intrin[at] == INTRIN_BEGIN || shape->intrin[at] == INTRIN_FRAME);
}

static void find_coro_id(struct coro_shape *shape, const struct ir_fn *fn)
{
  for (uint32_t i = 0; i < fn->inst_count; i++) {
    if (!intrin_is_id((enum intrin)shape->intrin[i]))
      continue;
    if (shape->intrin[i] == INTRIN_ID && coro_shape_is_split_id(fn->insts[i])) {
      shape->intrin[i] = INTRIN_NONE;
    } else if (shape->id == IR_NONE) {
      shape->id = i;
      shape->abi = intrin_abi_of_id((enum intrin)shape->intrin[i]);
    }
  }
}

/* INTRIN_NONE for the id of a coroutine that was already split. */
static enum intrin intrinsic_kind_of_id(const struct coro_shape *shape, const struct ir_fn *fn, uint32_t token)
{
  uint32_t inst = ir_inst_of_value(fn, token);
  return inst == IR_NONE ? INTRIN_ID : (enum intrin)shape->intrin[inst];
}

/* Excludes intrinsics that refer to the id of another coroutine. */
static void remove_intrinsics_of_other_coroutines(struct coro_shape *shape, const struct ir_fn *fn)
{
  uint32_t own = shape->id == IR_NONE ? IR_NONE : ir_value_of_inst(fn, shape->id);
  for (uint32_t i = 0; i < fn->inst_count; i++)
    switch (shape->intrin[i]) {
    case INTRIN_ALLOC:
    case INTRIN_BEGIN:
    case INTRIN_BEGIN_CUSTOM_ABI:
    case INTRIN_FREE: {
      uint32_t token = ir_operand(fn, i, BEGIN_ID); /* the id is the first operand of all four */
      if (token != own && token != IR_NONE && intrinsic_kind_of_id(shape, fn, token) == INTRIN_NONE)
        shape->intrin[i] = INTRIN_NONE;
      break;
    }
    default: break;
    }
}

static int compare_final_suspend_last(const void *a, const void *b)
{
  const struct coro_suspend *x = a, *y = b;
  if (x->final != y->final)
    return x->final ? 1 : -1;
  return x->inst < y->inst ? -1 : x->inst > y->inst;
}

bool coro_is_suspend(const struct coro_shape *shape, uint32_t inst)
{
  unsigned char intrin = shape->intrin[inst];
  return intrin == INTRIN_SUSPEND || intrin == INTRIN_SUSPEND_RETCON || intrin == INTRIN_SUSPEND_ASYNC;
}

static bool find_suspends(struct coro_shape *shape, struct coro_arena *arena, const struct ir_fn *fn)
{
  for (uint32_t i = 0; i < fn->inst_count; i++)
    shape->suspend_count += coro_is_suspend(shape, i);
  shape->suspends = CORO_NEW_ARRAY(arena, struct coro_suspend, shape->suspend_count);
  if (!shape->suspends)
    return false;
  uint32_t n = 0;
  for (uint32_t i = 0; i < fn->inst_count; i++) {
    if (!coro_is_suspend(shape, i))
      continue;
    struct coro_suspend *s = &shape->suspends[n++];
    *s = (struct coro_suspend){.inst = i, .save = IR_NONE};
    if (shape->intrin[i] != INTRIN_SUSPEND)
      continue;
    s->save = ir_operand_inst(fn, i, SUSPEND_SAVE);
    s->final = edit_is_constant_true(LLVMGetOperand(fn->insts[i], SUSPEND_FINAL));
  }
  qsort(shape->suspends, n, sizeof *shape->suspends, compare_final_suspend_last);
  shape->suspend_of = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  if (!shape->suspend_of)
    return false;
  for (uint32_t i = 0; i < fn->inst_count; i++)
    shape->suspend_of[i] = IR_NONE;
  for (uint32_t k = 0; k < n; k++) {
    shape->suspends[k].index = k;
    shape->suspend_of[shape->suspends[k].inst] = k;
    if (shape->suspends[k].save != IR_NONE)
      shape->suspend_of[shape->suspends[k].save] = k;
  }
  return true;
}

bool coro_shape_find(struct coro_shape *shape, struct coro_arena *arena, const struct ir_fn *fn,
                     const struct intrin_table *table)
{
  *shape = (struct coro_shape){.id = IR_NONE, .begin = IR_NONE, .error = IR_NONE};
  shape->intrin = CORO_NEW_ARRAY(arena, unsigned char, fn->inst_count);
  shape->byval = CORO_NEW_ARRAY(arena, bool, fn->arg_count);
  if (!shape->intrin || !shape->byval)
    return false;
  for (uint32_t a = 0; a < fn->arg_count; a++) {
    shape->byval[a] = edit_stack_argument_attribute(fn->function, a + 1);
    shape->error = edit_has_attribute(fn->function, a + 1, "swifterror") ? a : shape->error;
  }
  for (uint32_t i = 0; i < fn->inst_count; i++)
    if (fn->opcode[i] == LLVMCall || fn->opcode[i] == LLVMInvoke)
      shape->intrin[i] = (unsigned char)intrin_of(table, fn->insts[i]);
  find_coro_id(shape, fn);
  remove_intrinsics_of_other_coroutines(shape, fn);
  for (uint32_t i = 0; i < fn->inst_count; i++) {
    if (shape->intrin[i] == INTRIN_BEGIN || shape->intrin[i] == INTRIN_BEGIN_CUSTOM_ABI) {
      shape->begin = shape->begin_count++ ? shape->begin : i;
    } else if ((shape->intrin[i] == INTRIN_END || shape->intrin[i] == INTRIN_END_ASYNC) &&
               !coro_vec_push(arena, &shape->ends, i)) {
      return false;
    }
  }
  if (shape->begin != IR_NONE) {
    shape->custom = shape->intrin[shape->begin] == INTRIN_BEGIN_CUSTOM_ABI;
    shape->intrin[shape->begin] = INTRIN_BEGIN;
  }
  if (shape->id != IR_NONE && shape->abi == CORO_ABI_SWITCH) {
    LLVMValueRef promise = LLVMGetOperand(fn->insts[shape->id], ID_PROMISE);
    shape->promise = LLVMIsAConstantPointerNull(promise) ? NULL : edit_strip_casts(promise);
  }
  return find_suspends(shape, arena, fn);
}
