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
  int rank = 2 * x->final + (x->end != IR_NONE), other = 2 * y->final + (y->end != IR_NONE);
  if (rank != other)
    return rank < other ? -1 : 1;
  return x->inst < y->inst ? -1 : x->inst > y->inst;
}

bool coro_is_suspend(const struct coro_shape *shape, uint32_t inst)
{
  unsigned char intrin = shape->intrin[inst];
  return intrin == INTRIN_SUSPEND || intrin == INTRIN_SUSPEND_RETCON || intrin == INTRIN_SUSPEND_ASYNC;
}

/* The last llvm.coro.end or suspend of the block before instruction `before`; IR_NONE: none. */
static uint32_t last_exit_before(const struct coro_shape *shape, const struct ir_fn *fn, uint32_t block,
                                 uint32_t before)
{
  while (before-- > fn->block_start[block])
    if (shape->intrin[before] == INTRIN_END || coro_is_suspend(shape, before))
      return before;
  return IR_NONE;
}

/* The only predecessor of a block, or IR_NONE. */
static uint32_t single_predecessor(const struct ir_fn *fn, uint32_t block)
{
  uint32_t found = IR_NONE;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(fn->blocks[block])); use; use = LLVMGetNextUse(use)) {
    uint32_t user = ir_inst(fn, LLVMGetUser(use)), from = user == IR_NONE ? IR_NONE : ir_block_of(fn, user);
    if (from != IR_NONE && found != IR_NONE && from != found)
      return IR_NONE;
    found = from == IR_NONE ? found : from;
  }
  return found;
}

/* By block: the last llvm.coro.end or suspend that control passes before the block's end, along single predecessors;
   IR_NONE: none. */
static uint32_t *find_last_exits(const struct coro_shape *shape, struct coro_arena *arena, const struct ir_fn *fn)
{
  uint32_t *last = CORO_NEW_ARRAY(arena, uint32_t, fn->block_count);
  uint32_t *chain = CORO_NEW_ARRAY(arena, uint32_t, fn->block_count); /* blocks without such an instruction */
  bool *visited = CORO_NEW_ARRAY(arena, bool, fn->block_count);
  if (!last || !chain || !visited)
    return NULL;
  for (uint32_t b = 0; b < fn->block_count; b++)
    last[b] = last_exit_before(shape, fn, b, fn->block_start[b + 1]);
  for (uint32_t b = 0; b < fn->block_count; b++) {
    uint32_t count = 0, block = b;
    for (; block != IR_NONE && last[block] == IR_NONE && !visited[block]; block = single_predecessor(fn, block)) {
      visited[block] = true;
      chain[count++] = block;
    }
    while (count)
      last[chain[--count]] = block == IR_NONE ? IR_NONE : last[block];
  }
  return last;
}

/* Finds the suspends that control reaches from an unwind end without another suspend or end in between. */
static bool find_suspends_after_ends(struct coro_shape *shape, struct coro_arena *arena, const struct ir_fn *fn)
{
  uint32_t *last = find_last_exits(shape, arena, fn);
  for (uint32_t k = 0; last && k < shape->suspend_count; k++) {
    struct coro_suspend *suspend = &shape->suspends[k];
    uint32_t block = ir_block_of(fn, suspend->inst), exit = last_exit_before(shape, fn, block, suspend->inst);
    if (shape->intrin[suspend->inst] != INTRIN_SUSPEND || suspend->final)
      continue;
    block = exit == IR_NONE ? single_predecessor(fn, block) : IR_NONE;
    exit = block == IR_NONE ? exit : last[block];
    if (exit != IR_NONE && shape->intrin[exit] == INTRIN_END && coro_is_unwind_end(fn, exit))
      suspend->end = exit;
  }
  return last;
}

/* The value of the index field at each suspend. Those after an unwind end have the largest. */
static void number_suspends(struct coro_shape *shape)
{
  uint32_t resumed = 0, count = shape->suspend_count, final = count && shape->suspends[count - 1].final;
  while (resumed < count && !shape->suspends[resumed].final && !coro_is_unwound_at(shape, resumed))
    resumed++;
  for (uint32_t k = 0; k < count; k++)
    shape->suspends[k].index = shape->suspends[k].final ? resumed : k < resumed ? k : k + final;
  shape->resumed_count = resumed;
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
    *s = (struct coro_suspend){.inst = i, .save = IR_NONE, .end = IR_NONE};
    if (shape->intrin[i] != INTRIN_SUSPEND)
      continue;
    s->save = ir_operand_inst(fn, i, SUSPEND_SAVE);
    s->final = edit_is_constant_true(LLVMGetOperand(fn->insts[i], SUSPEND_FINAL));
  }
  if (shape->has_unwind_end && !find_suspends_after_ends(shape, arena, fn))
    return false;
  qsort(shape->suspends, n, sizeof *shape->suspends, compare_final_suspend_last);
  number_suspends(shape);
  shape->suspend_of = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  shape->suspend_after_end = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  if (!shape->suspend_of || !shape->suspend_after_end)
    return false;
  for (uint32_t i = 0; i < fn->inst_count; i++)
    shape->suspend_of[i] = shape->suspend_after_end[i] = IR_NONE;
  for (uint32_t k = 0; k < n; k++) {
    shape->suspend_of[shape->suspends[k].inst] = k;
    if (coro_is_unwound_at(shape, k))
      shape->suspend_after_end[shape->suspends[k].end] = k;
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
  for (uint32_t e = 0; e < shape->ends.count; e++)
    shape->has_unwind_end |= coro_is_unwind_end(fn, shape->ends.items[e]);
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
