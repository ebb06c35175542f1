/* Switched-resume coroutines as the language reference defines them: a suspend copies all values, and resumption starts
   an activation with that copy. The handle is the memory given to coro.begin; it holds only the two slots and the
   promise.
   Requires: activations. Guarantees: a coroutine is freed when it has ended and none of its activations runs. */
#include "base/align.h"
#include "interp/continuation.h"
#include "interp/control.h"
#include "interp/coroutine.h"
#include "interp/execution_error.h"
#include "interp/handlers.h"
#include "interp/memory.h"

static uint64_t promise_offset_in_frame(const struct function *function)
{
  return coro_align_to(2 * CORO_SLOT, function->promise_align ? function->promise_align : 1);
}

static uint64_t frame_size_of_coroutine(const struct function *function)
{
  uint64_t size = promise_offset_in_frame(function) + (function->promise ? function->promise->size : 0);
  return coro_align_to(size, function->promise_align > 16 ? function->promise_align : 16);
}

/* ---- Begin ---- */

/* Moves the promise to the frame and adjusts pointers into it. */
static void move_promise_and_pointers_to_frame(struct interp *in, struct activation *act, const struct op *op,
                                               uint64_t handle)
{
  const struct function *function = act->function;
  const struct ir_fn *fn = &function->fn;
  const struct cell *old = act->cells + function->slots[ir_value_of_inst(fn, function->promise_inst)];
  uint64_t from = (uint64_t)old->bits, to = handle + promise_offset_in_frame(function), size = function->promise->size;
  memory_copy_bytes_checked(in, op, to, from, size);
  for (uint32_t id = 0; id < ir_value_count(fn) && !in->status; id++) {
    const struct layout *type = layout_of_llvm_type(in, LLVMTypeOf(ir_value(fn, id)));
    for (uint32_t i = 0; type && !type->unsupported && i < type->count; i++) {
      struct cell *cell = act->cells + function->slots[id] + i;
      if (type->leaves[i].kind == LEAF_POINTER && !cell->undef && cell->bits >= from && cell->bits <= from + size)
        cell->bits = cell->bits - from + to;
    }
  }
}

HANDLER(run_id, store_integer, 0)

/* A coroutine that never suspends and calls coro.alloc has its frame on the ramp's stack. */
static bool suspends_or_never_calls_coro_alloc(const struct activation *act)
{
  return act->function->suspends || !act->function->allocates;
}

HANDLER(run_alloc, store_integer, suspends_or_never_calls_coro_alloc(act))

void run_begin(struct interp *in, struct activation *act, const struct op *op)
{
  struct coroutine *coroutine = act->coroutine;
  if (!coroutine || act->role != ROLE_RAMP) {
    interp_stop_undefined_behavior(in, op, "begin", "llvm.coro.begin is executed outside of a ramp function");
    return;
  }
  uint64_t handle;
  if (act->function->abi != INTRIN_ID)
    handle = continuation_buffer_or_context_address(in, act, op);
  else if (suspends_or_never_calls_coro_alloc(act))
    handle = (uint64_t)interp_read_defined_operand(in, act, op, BEGIN_MEMORY, "the memory operand of llvm.coro.begin");
  else
    handle = object_allocate_in_list(in, &coroutine->blocks, frame_size_of_coroutine(act->function),
                                     act->function->promise_align,
                                     (struct origin){.kind = OBJECT_VARIABLE, .value = op->inst});
  if (in->status)
    return;
  coroutine->handle = handle;
  *result_cells(act, op) = cell_of(handle);
  if (act->function->abi == INTRIN_ID) {
    coroutine_store_header_slot(in, op, handle, 0, &act->function->resume);
    coroutine_store_header_slot(in, op, handle, 1, &act->function->destroy);
  }
  if (!in->status && !coro_map_put(&in->handles, handle, (uintptr_t)coroutine))
    interp_stop_out_of_memory(in);
  if (!in->status && act->function->promise_inst != IR_NONE)
    move_promise_and_pointers_to_frame(in, act, op, handle);
}

void run_free(struct interp *in, struct activation *act, const struct op *op)
{
  const struct coroutine *coroutine = coroutine_of_activation_after_begin(in, act, op);
  if (coroutine)
    *result_cells(act, op) = cell_of(suspends_or_never_calls_coro_alloc(act) ? coroutine->handle : 0);
}

HANDLER(run_size, store_integer, frame_size_of_coroutine(act->function))

HANDLER(run_align, store_integer, act->function->promise_align > 16 ? act->function->promise_align : 16)

void run_frame(struct interp *in, struct activation *act, const struct op *op)
{
  const struct coroutine *coroutine = coroutine_of_activation_after_begin(in, act, op);
  if (coroutine)
    *result_cells(act, op) = cell_of(coroutine->handle);
}

HANDLER(run_is_in_ramp, store_integer, act->role == ROLE_RAMP || act->role == ROLE_PLAIN || act->as_ramp)

/* ---- Suspend ---- */

static void save_activation_at_suspend(struct interp *in, struct activation *act, const struct op *op, uint32_t suspend)
{
  struct coroutine *coroutine = coroutine_of_activation_after_begin(in, act, op);
  if (!coroutine || !coroutine_save_activation(in, act, suspend))
    return;
  coroutine->ended_in_unwind = coroutine->undestroyable = false;
  if (suspend == act->function->final)
    coroutine_store_header_slot(in, op, coroutine->handle, 0, NULL);
}

void run_save(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  *result_cells(act, op) = cell_of(0);
  if (call->token != IR_NONE)
    save_activation_at_suspend(in, act, op, call->token);
}

void run_suspend(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  struct coroutine *coroutine = coroutine_of_activation_after_begin(in, act, op);
  if (!coroutine)
    return;
  uint32_t suspend = (uint32_t)(op - act->function->ops);
  if (call->token == IR_NONE)
    save_activation_at_suspend(in, act, op, suspend);
  else if (coroutine->alive && coroutine->resumable && coroutine->serial == act->saved_serial)
    coroutine_save_activation(in, act,
                              suspend); /* includes values computed since the save, if it was not resumed meanwhile */
  act->suspended = true;
  *result_cells(act, op) = cell_of(0xff);
}

/* After an exception the coroutine is done. It is destroyed on the ramp's path after coro.end if the program queries
   llvm.coro.is_in_ramp there, else as from the final suspend. */
static void mark_done_after_unwind(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  struct coroutine *coroutine = coroutine_of_activation_after_begin(in, act, op);
  if (!coroutine)
    return;
  coroutine_store_header_slot(in, op, coroutine->handle, 0, NULL);
  uint32_t at = call->queries_in_ramp ? (uint32_t)(op - act->function->ops) : act->function->final;
  coroutine->ended_in_unwind = call->queries_in_ramp;
  coroutine->undestroyable = at == IR_NONE;
  if (at != IR_NONE && coroutine->alive)
    coroutine_save_activation(in, act, at);
  coroutine->resumable = coroutine->alive;
  act->suspended = true;
}

void run_end(struct interp *in, struct activation *act, const struct op *op)
{
  bool unwinds = operand_cells(act, op, END_UNWINDS)->bits;
  if (act->coroutine && act->function->abi != INTRIN_ID) {
    continuation_end_and_return_unless_unwinding(in, act, op, unwinds);
    return;
  }
  if (act->role == ROLE_RAMP || act->role == ROLE_PLAIN)
    return;
  if (unwinds) {
    mark_done_after_unwind(in, act, op);
    return;
  }
  if (!act->suspended)
    coroutine_mark_ended_and_unregister(in, act->coroutine);
  control_return_from_activation(in, op, NULL, NULL);
}
