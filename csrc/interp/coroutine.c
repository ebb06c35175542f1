/* Coroutines of the switch ABI, as the language reference tells it: a suspend keeps a copy of every value, and going on
   is an activation that begins with that copy. The handle is the memory that the program gave to coro.begin; it holds
   the two slots and the promise, nothing else, so handles work wherever they go.
   Needs: activations. Leaves: a coroutine freed when it has ended and none of its activations runs. */
#include "interp/coroutine.h"

#include <stdlib.h>
#include <string.h>

#include "base/align.h"

enum { SLOT = 8 };

static uint64_t promise_offset(const struct function *function)
{
  return coro_align_to(2 * SLOT, function->promise_align ? function->promise_align : 1);
}

static uint64_t frame_size(const struct function *function)
{
  uint64_t size = promise_offset(function) + (function->promise ? function->promise->size : 0);
  return coro_align_to(size, function->promise_align > 16 ? function->promise_align : 16);
}

/* ---- Life ---- */

struct coroutine *coroutine_at(const struct interp *in, uint64_t handle)
{
  uint64_t found;
  return handle && coro_map_get(&in->handles, handle, &found) ? (struct coroutine *)(uintptr_t)found : NULL;
}

bool coroutine_enter(struct interp *in, struct activation *act)
{
  struct coroutine *coroutine = calloc(1, sizeof *coroutine);
  if (!coroutine) {
    interp_no_memory(in);
    return false;
  }
  coroutine->function = act->function;
  coroutine->refs = 2; /* the activation, and that it has not ended */
  coroutine->kept = true;
  coroutine->next = in->coroutines;
  coroutine->link = &in->coroutines;
  if (coroutine->next)
    coroutine->next->link = &coroutine->next;
  in->coroutines = coroutine;
  act->coroutine = coroutine;
  act->part = PART_RAMP;
  return true;
}

void coroutine_drop(struct interp *in, const struct op *op, struct coroutine *coroutine)
{
  if (--coroutine->refs)
    return;
  if (coroutine_at(in, coroutine->handle) == coroutine)
    coro_map_put(&in->handles, coroutine->handle, 0);
  *coroutine->link = coroutine->next;
  if (coroutine->next)
    coroutine->next->link = coroutine->link;
  memory_release(in, op, &coroutine->blocks);
  control_free_cells(in, coroutine->function, coroutine->saved);
  free(coroutine);
}

void coroutine_end(struct interp *in, const struct op *op, struct coroutine *coroutine)
{
  if (!coroutine->kept)
    return;
  coroutine->kept = coroutine->resumable = false;
  if (coroutine_at(in, coroutine->handle) == coroutine)
    coro_map_put(&in->handles, coroutine->handle, 0);
  coroutine_drop(in, op, coroutine);
}

void coroutine_leave(struct interp *in, const struct op *op, struct activation *act)
{
  struct coroutine *coroutine = act->coroutine;
  if (!act->suspended && act->part == PART_RAMP)
    coroutine_end(in, op, coroutine);
  else if (!act->suspended && coroutine->saved) /* an exception left it: it stands where it stood */
    coroutine->resumable = coroutine->kept;
  coroutine_drop(in, op, coroutine);
}

bool coroutine_keep(struct interp *in, struct activation *act, uint32_t suspend)
{
  struct coroutine *coroutine = act->coroutine;
  struct cell *saved = control_cells(in, act->function, act->cells);
  if (!saved)
    return false;
  control_free_cells(in, act->function, coroutine->saved);
  coroutine->saved = saved;
  coroutine->saved_at = suspend;
  coroutine->resumable = true;
  coroutine->serial = act->saved_serial = ++in->serial;
  return true;
}

static void set_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot, const void *code)
{
  struct cell cell = cell_of((uintptr_t)code);
  const struct layout *pointer = layout_of(in, LLVMPointerTypeInContext(in->context, 0));
  if (pointer)
    memory_store(in, op, handle + (uint64_t)SLOT * slot, pointer, &cell);
}

static uint64_t get_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot)
{
  struct cell cell = cell_of(0);
  const struct layout *pointer = layout_of(in, LLVMPointerTypeInContext(in->context, 0));
  if (pointer)
    memory_load(in, op, handle + (uint64_t)SLOT * slot, pointer, &cell);
  if (!in->status && cell.undef)
    interp_undefined(in, op, "no-handle", "no coroutine is at the handle");
  return (uint64_t)cell.bits;
}

uint64_t coroutine_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot)
{
  uint64_t code = get_slot(in, op, handle, slot);
  if (!in->status && !code)
    interp_undefined(in, op, "resumed-when-done", "a coroutine that is done is resumed");
  return in->status ? 0 : code;
}

/* The coroutine of an activation, when it has begun. */
struct coroutine *coroutine_begun(struct interp *in, const struct activation *act, const struct op *op)
{
  if (act->coroutine && act->coroutine->handle)
    return act->coroutine;
  interp_undefined(in, op, "before-begin", "coro.begin was not executed before this");
  return NULL;
}

/* ---- Begin ---- */

/* The promise moves into the frame; what points into it moves along. */
static void move_promise(struct interp *in, struct activation *act, const struct op *op, uint64_t handle)
{
  const struct function *function = act->function;
  const struct ir_fn *fn = &function->fn;
  const struct cell *old = act->cells + function->slots[ir_value_of_inst(fn, function->promise_inst)];
  uint64_t from = (uint64_t)old->bits, to = handle + promise_offset(function), size = function->promise->size;
  memory_copy(in, op, to, from, size);
  for (uint32_t id = 0; id < ir_value_count(fn) && !in->status; id++) {
    const struct layout *type = layout_of(in, LLVMTypeOf(ir_value(fn, id)));
    for (uint32_t i = 0; type && !type->unsupported && i < type->count; i++) {
      struct cell *cell = act->cells + function->slots[id] + i;
      if (type->leaves[i].kind == LEAF_POINTER && !cell->undef && cell->bits >= from && cell->bits <= from + size)
        cell->bits = cell->bits - from + to;
    }
  }
}

static void run_id(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  *result(act, op) = cell_of(0);
}

/* A coroutine that never suspends has its frame on the stack of its ramp, if it asks. */
static bool needs_memory(const struct activation *act)
{
  return act->function->suspends || !act->function->allocates;
}

static void run_alloc(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  *result(act, op) = cell_of(needs_memory(act));
}

static void run_begin(struct interp *in, struct activation *act, const struct op *op)
{
  struct coroutine *coroutine = act->coroutine;
  if (!coroutine || act->part != PART_RAMP) {
    interp_undefined(in, op, "begin", "coro.begin is executed where no coroutine begins");
    return;
  }
  uint64_t handle;
  if (act->function->abi != INTRIN_ID)
    handle = continuation_place(in, act, op);
  else if (needs_memory(act))
    handle = (uint64_t)interp_known(in, act, op, BEGIN_MEMORY, "the memory of a coroutine");
  else
    handle = memory_new(in, &coroutine->blocks, frame_size(act->function), act->function->promise_align,
                        (struct origin){.kind = OBJECT_VARIABLE, .value = op->inst});
  if (in->status)
    return;
  coroutine->handle = handle;
  *result(act, op) = cell_of(handle);
  if (act->function->abi == INTRIN_ID) {
    set_slot(in, op, handle, 0, &act->function->resume);
    set_slot(in, op, handle, 1, &act->function->destroy);
  }
  if (!in->status && !coro_map_put(&in->handles, handle, (uintptr_t)coroutine))
    interp_no_memory(in);
  if (!in->status && act->function->promise_inst != IR_NONE)
    move_promise(in, act, op, handle);
}

static void run_free(struct interp *in, struct activation *act, const struct op *op)
{
  const struct coroutine *coroutine = coroutine_begun(in, act, op);
  if (coroutine)
    *result(act, op) = cell_of(needs_memory(act) ? coroutine->handle : 0);
}

static void run_size(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  *result(act, op) = cell_of(frame_size(act->function));
}

static void run_align(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  *result(act, op) = cell_of(act->function->promise_align > 16 ? act->function->promise_align : 16);
}

static void run_frame(struct interp *in, struct activation *act, const struct op *op)
{
  const struct coroutine *coroutine = coroutine_begun(in, act, op);
  if (coroutine)
    *result(act, op) = cell_of(coroutine->handle);
}

static void run_is_in_ramp(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  *result(act, op) = cell_of(act->part == PART_RAMP || act->part == PART_PLAIN || act->as_ramp);
}

/* ---- Suspend ---- */

static void save(struct interp *in, struct activation *act, const struct op *op, uint32_t suspend)
{
  struct coroutine *coroutine = coroutine_begun(in, act, op);
  if (!coroutine || !coroutine_keep(in, act, suspend))
    return;
  if (suspend == act->function->final)
    set_slot(in, op, coroutine->handle, 0, NULL);
}

static void run_save(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  *result(act, op) = cell_of(0);
  if (call->token != IR_NONE)
    save(in, act, op, call->token);
}

static void run_suspend(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  struct coroutine *coroutine = coroutine_begun(in, act, op);
  if (!coroutine)
    return;
  uint32_t suspend = (uint32_t)(op - act->function->ops);
  if (call->token == IR_NONE)
    save(in, act, op, suspend);
  else if (coroutine->kept && coroutine->resumable && coroutine->serial == act->saved_serial)
    coroutine_keep(in, act, suspend); /* what was computed since the save; nobody has gone on meanwhile */
  act->suspended = true;
  *result(act, op) = cell_of(0xff);
}

struct activation *coroutine_continue(struct interp *in, const struct op *op, const struct code *code, uint64_t handle)
{
  struct coroutine *coroutine = coroutine_at(in, handle);
  if (!coroutine || coroutine->function != code->function || !coroutine->resumable) {
    interp_undefined(in, op, "not-suspended",
                     coroutine ? "a coroutine that is not suspended is resumed or destroyed"
                               : "a coroutine that has ended is resumed or destroyed");
    return NULL;
  }
  if (coroutine->untold) {
    interp_undefined(in, op, "ended-by-exception",
                     "an exception ended the coroutine, which does not tell what is left");
    return NULL;
  }
  bool destroys = code->kind == CODE_DESTROY;
  struct activation *act = control_push(in, op, coroutine->function, destroys ? PART_DESTROY : PART_RESUME);
  if (!act)
    return NULL;
  const struct ir_fn *fn = &coroutine->function->fn;
  act->coroutine = coroutine;
  coroutine->refs++;
  coroutine->resumable = false;
  memcpy(act->cells, coroutine->saved, coroutine->function->cell_count * sizeof *act->cells);
  act->pc = coroutine->saved_at + 1;
  act->block = fn->inst_block[coroutine->saved_at];
  act->as_ramp = coroutine->thrown_out;
  if (!act->as_ramp)
    *result(act, &coroutine->function->ops[coroutine->saved_at]) = cell_of(destroys);
  act->on_return = RETURN_NOTHING;
  return act;
}

/* An exception ended it: it is done. What is left is destroyed by the way that the ramp takes behind the coro.end,
   where the program asks for the ramp there, else as from the final suspend. */
static void mark_done(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  struct coroutine *coroutine = coroutine_begun(in, act, op);
  if (!coroutine)
    return;
  set_slot(in, op, coroutine->handle, 0, NULL);
  uint32_t at = call->asks ? (uint32_t)(op - act->function->ops) : act->function->final;
  coroutine->thrown_out = call->asks;
  coroutine->untold = at == IR_NONE;
  if (at != IR_NONE && coroutine->kept)
    coroutine_keep(in, act, at);
  coroutine->resumable = coroutine->kept;
  act->suspended = true;
}

static void run_end(struct interp *in, struct activation *act, const struct op *op)
{
  bool unwinds = operand(act, op, END_UNWINDS)->bits;
  if (act->coroutine && act->function->abi != INTRIN_ID) {
    continuation_end(in, act, op, unwinds);
    return;
  }
  if (act->part == PART_RAMP || act->part == PART_PLAIN)
    return;
  if (unwinds) {
    mark_done(in, act, op);
    return;
  }
  if (!act->suspended)
    coroutine_end(in, op, act->coroutine);
  control_return(in, op, NULL, NULL);
}

/* ---- The table ---- */

op_handler *coroutine_intrinsic(enum intrin intrin)
{
  static op_handler *const table[INTRIN_COUNT] = {
      [INTRIN_ID] = run_id,
      [INTRIN_ID_RETCON] = run_id,
      [INTRIN_ID_RETCON_ONCE] = run_id,
      [INTRIN_ID_ASYNC] = run_id,
      [INTRIN_END_RESULTS] = run_id,
      [INTRIN_END_ASYNC] = run_end_async,
      [INTRIN_SUSPEND_RETCON] = run_suspend_retcon,
      [INTRIN_SUSPEND_ASYNC] = run_suspend_async,
      [INTRIN_ASYNC_RESUME] = run_async_resume,
      [INTRIN_ASYNC_SIZE_REPLACE] = run_nothing,
      [INTRIN_PREPARE_RETCON] = run_first,
      [INTRIN_PREPARE_ASYNC] = run_first,
      [INTRIN_ALLOCA_ALLOC] = run_alloca_alloc,
      [INTRIN_ALLOCA_GET] = run_first,
      [INTRIN_ALLOCA_FREE] = run_alloca_free,
      [INTRIN_ALLOC] = run_alloc,
      [INTRIN_BEGIN] = run_begin,
      [INTRIN_BEGIN_CUSTOM_ABI] = run_begin,
      [INTRIN_FREE] = run_free,
      [INTRIN_END] = run_end,
      [INTRIN_FRAME] = run_frame,
      [INTRIN_IS_IN_RAMP] = run_is_in_ramp,
      [INTRIN_NOOP] = run_noop,
      [INTRIN_SIZE] = run_size,
      [INTRIN_ALIGN] = run_align,
      [INTRIN_SAVE] = run_save,
      [INTRIN_SUSPEND] = run_suspend,
      [INTRIN_RESUME] = run_coro_resume,
      [INTRIN_DESTROY] = run_coro_destroy,
      [INTRIN_DONE] = run_done,
      [INTRIN_PROMISE] = run_promise,
      [INTRIN_AWAIT_VOID] = run_await,
      [INTRIN_AWAIT_BOOL] = run_await,
      [INTRIN_AWAIT_HANDLE] = run_await,
      [INTRIN_SUBFN_ADDR] = run_subfn_addr,
  };
  return table[intrin] ? table[intrin] : interp_unsupported;
}

void coroutine_suspend_now(struct interp *in, struct activation *act)
{
  run_suspend(in, act, &act->function->ops[act->pc]);
}
