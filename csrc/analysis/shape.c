/* Collects the coroutine intrinsics of one presplit function, by role. */
#include "analysis/shape.h"

#include <stdlib.h>

#include "base/compare.h"
#include "graph/dataflow.h"
#include "graph/graph.h"
#include "graph/worklist.h"
#include "ir/edit.h"
#include "ir/number.h"

bool coro_shape_is_split_id(LLVMValueRef id)
{
  LLVMValueRef info = edit_strip_casts_and_zero_geps(LLVMGetOperand(id, ID_PARTS));
  return LLVMIsAGlobalVariable(info) != NULL;
}

bool coro_is_unwind_end(const struct ir_fn *fn, uint32_t end)
{
  return edit_is_nonzero_integer_constant(LLVMGetOperand(fn->insts[end], END_UNWINDS));
}

bool coro_shape_has_intrinsic(const struct coro_shape *shape, const struct ir_fn *fn, enum intrin intrin)
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

static void find_own_coro_id(struct coro_shape *shape, const struct ir_fn *fn)
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
  int order = compare_numbers(2u * x->final + x->unwound, 2u * y->final + y->unwound);
  return order ? order : compare_numbers(x->inst, y->inst);
}

bool coro_is_suspend(const struct coro_shape *shape, uint32_t inst)
{
  return intrin_is_suspend(shape->intrin[inst]);
}

bool coro_shape_may_be_destroyed_after(const struct coro_shape *shape, uint32_t inst)
{
  return shape->intrin[inst] == INTRIN_SAVE ||
         (coro_is_suspend(shape, inst) && shape->suspends[shape->suspend_of[inst]].save == IR_NONE);
}

/* The last llvm.coro.end or suspend of the block before instruction `before`; IR_NONE: none. */
static uint32_t last_end_or_suspend_before_or_none(const struct coro_shape *shape, const struct ir_fn *fn,
                                                   uint32_t block, uint32_t before)
{
  while (before-- > fn->block_start[block])
    if (shape->intrin[before] == INTRIN_END || coro_is_suspend(shape, before))
      return before;
  return IR_NONE;
}

/* What the last exit on a path is: an unwind end; a suspend, another end, or none. */
enum { AFTER_UNWIND_END = 1, AFTER_OTHER = 2 };

/* A forward dataflow problem over sets of these. */
struct exit_flow {
  const struct coro_shape *shape;
  const struct ir_fn *fn;
  struct graph graph;
  unsigned char *at_end; /* indexed by block; 0: not visited */
};

static unsigned kinds_of_last_exit_before(const struct exit_flow *flow, uint32_t block, uint32_t before)
{
  uint32_t exit = last_end_or_suspend_before_or_none(flow->shape, flow->fn, block, before);
  if (exit != IR_NONE)
    return flow->shape->intrin[exit] == INTRIN_END && coro_is_unwind_end(flow->fn, exit) ? AFTER_UNWIND_END
                                                                                         : AFTER_OTHER;
  unsigned found = block ? 0 : AFTER_OTHER;
  for (uint32_t p = flow->graph.pred_start[block]; p < flow->graph.pred_start[block + 1]; p++)
    found |= flow->at_end[flow->graph.pred[p]];
  return found;
}

static bool update_exits_at_block_end(void *user, uint32_t block)
{
  const struct exit_flow *flow = user;
  unsigned char before = flow->at_end[block];
  flow->at_end[block] = (unsigned char)kinds_of_last_exit_before(flow, block, flow->fn->block_start[block + 1]);
  return flow->at_end[block] != before;
}

/* Adds the last exit before the instruction, or enters the block's predecessors. */
static void record_exit_or_enter_predecessors(struct coro_shape *shape, const struct exit_flow *flow,
                                              struct worklist *blocks, uint32_t block, uint32_t before)
{
  uint32_t exit = last_end_or_suspend_before_or_none(shape, flow->fn, block, before);
  if (exit != IR_NONE)
    coro_bits_set(&shape->before_suspend, exit);
  for (uint32_t p = flow->graph.pred_start[block]; exit == IR_NONE && p < flow->graph.pred_start[block + 1]; p++)
    worklist_enter(blocks, flow->graph.pred[p]);
}

/* Finds the suspends that follow unwind ends, and then, backward from these, the ends. */
static bool find_suspends_after_unwind_ends(struct coro_shape *shape, struct coro_arena *arena, const struct ir_fn *fn)
{
  struct exit_flow flow = {.shape = shape, .fn = fn, .at_end = CORO_NEW_ARRAY(arena, unsigned char, fn->block_count)};
  struct graph_rpo rpo;
  struct worklist blocks;
  const struct dataflow problem = {&flow.graph, &rpo, false, update_exits_at_block_end, &flow};
  if (!flow.at_end || !worklist_init(&blocks, arena, fn->block_count) ||
      !ir_build_block_graph(&flow.graph, arena, fn) || !graph_compute_reverse_postorder(&rpo, arena, &flow.graph, 0) ||
      !dataflow_solve_by_worklist(&problem, arena))
    return false;
  for (uint32_t k = 0; k < shape->suspend_count; k++) {
    struct coro_suspend *suspend = &shape->suspends[k];
    uint32_t block = ir_block_of(fn, suspend->inst);
    unsigned exits = shape->intrin[suspend->inst] == INTRIN_SUSPEND && !suspend->final
                         ? kinds_of_last_exit_before(&flow, block, suspend->inst)
                         : AFTER_OTHER;
    suspend->unwound = exits == AFTER_UNWIND_END;
    shape->resumes_after_unwind_end |= exits == (AFTER_UNWIND_END | AFTER_OTHER);
    if (suspend->unwound)
      record_exit_or_enter_predecessors(shape, &flow, &blocks, block, suspend->inst);
  }
  for (uint32_t block; worklist_take(&blocks, &block);)
    record_exit_or_enter_predecessors(shape, &flow, &blocks, block, fn->block_start[block + 1]);
  return true;
}

/* The value of the index field at each suspend. Those after an unwind end have the largest. */
static void number_suspends(struct coro_shape *shape)
{
  uint32_t resumed = 0, count = shape->suspend_count, final = coro_has_final_suspend(shape);
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
    *s = (struct coro_suspend){.inst = i, .save = IR_NONE};
    if (shape->intrin[i] != INTRIN_SUSPEND)
      continue;
    s->save = ir_operand_inst(fn, i, SUSPEND_SAVE);
    s->final = edit_is_nonzero_integer_constant(LLVMGetOperand(fn->insts[i], SUSPEND_FINAL));
  }
  if (!coro_bits_init(&shape->before_suspend, arena, fn->inst_count) ||
      (shape->has_unwind_end && !find_suspends_after_unwind_ends(shape, arena, fn)))
    return false;
  qsort(shape->suspends, n, sizeof *shape->suspends, compare_final_suspend_last);
  number_suspends(shape);
  shape->suspend_of = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  if (!shape->suspend_of)
    return false;
  for (uint32_t i = 0; i < fn->inst_count; i++)
    shape->suspend_of[i] = IR_NONE;
  for (uint32_t k = 0; k < n; k++) {
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
      shape->intrin[i] = (unsigned char)intrin_of_call(table, fn->insts[i]);
  find_own_coro_id(shape, fn);
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
    shape->promise = LLVMIsAConstantPointerNull(promise) ? NULL : edit_strip_casts_and_zero_geps(promise);
  }
  return find_suspends(shape, arena, fn);
}
