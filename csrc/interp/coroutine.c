/* Coroutine objects: created by a ramp activation, saved at suspends, reference-counted by their activations. */
#include "interp/coroutine.h"

#include <stdlib.h>

#include "interp/cell_memory.h"
#include "interp/execution_error.h"
#include "interp/memory.h"

struct coroutine *coroutine_with_handle(const struct interp *in, uint64_t handle)
{
  uint64_t found;
  return handle && coro_map_get(&in->handles, handle, &found) ? (struct coroutine *)(uintptr_t)found : NULL;
}

bool coroutine_create_for_ramp(struct interp *in, struct activation *act)
{
  struct coroutine *coroutine = calloc(1, sizeof *coroutine);
  if (!coroutine)
    return interp_stop_out_of_memory(in);
  coroutine->function = act->function;
  coroutine->refs = 2; /* the activation, and that it has not ended */
  coroutine->alive = true;
  coroutine->next = in->coroutines;
  coroutine->link = &in->coroutines;
  if (coroutine->next)
    coroutine->next->link = &coroutine->next;
  in->coroutines = coroutine;
  act->coroutine = coroutine;
  act->role = ROLE_RAMP;
  return true;
}

static void unregister_handle(struct interp *in, const struct coroutine *coroutine)
{
  if (coroutine_with_handle(in, coroutine->handle) == coroutine)
    coro_map_put(&in->handles, coroutine->handle, 0);
}

void coroutine_release_reference(struct interp *in, const struct op *op, struct coroutine *coroutine)
{
  if (--coroutine->refs)
    return;
  unregister_handle(in, coroutine);
  *coroutine->link = coroutine->next;
  if (coroutine->next)
    coroutine->next->link = coroutine->link;
  object_end_lifetimes_of_list(in, op, &coroutine->blocks);
  cells_free_and_refund_to_memory_limit(in, coroutine->function, coroutine->saved);
  free(coroutine);
}

void coroutine_mark_ended_and_unregister(struct interp *in, struct coroutine *coroutine)
{
  if (!coroutine->alive)
    return;
  coroutine->alive = coroutine->resumable = false;
  unregister_handle(in, coroutine);
  coroutine->refs--; /* the activation still has one */
}

void coroutine_release_from_ending_activation(struct interp *in, const struct op *op, struct activation *act)
{
  struct coroutine *coroutine = act->coroutine;
  if (!act->suspended && act->role == ROLE_RAMP)
    coroutine_mark_ended_and_unregister(in, coroutine);
  else if (!act->suspended && coroutine->saved) /* left by an exception: it is suspended where it was before */
    coroutine->resumable = coroutine->alive;
  coroutine_release_reference(in, op, coroutine);
}

bool coroutine_save_activation(struct interp *in, struct activation *act, uint32_t suspend)
{
  struct coroutine *coroutine = act->coroutine;
  struct cell *saved = cells_copy_saved_activation(in, act->function, act->cells);
  if (!saved)
    return false;
  cells_free_and_refund_to_memory_limit(in, act->function, coroutine->saved);
  coroutine->saved = saved;
  coroutine->saved_at = suspend;
  coroutine->resumable = true;
  coroutine->serial = act->saved_serial = ++in->serial;
  return true;
}

void coroutine_store_header_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot,
                                 const void *code)
{
  struct cell cell = cell_of((uintptr_t)code);
  const struct layout *pointer = layout_of_pointer(in);
  if (pointer)
    memory_store_value_checked(in, op, handle + (uint64_t)CORO_SLOT * slot, pointer, &cell);
}

static uint64_t load_header_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot)
{
  struct cell cell = cell_of(0);
  const struct layout *pointer = layout_of_pointer(in);
  if (pointer)
    memory_load_value_checked(in, op, handle + (uint64_t)CORO_SLOT * slot, pointer, &cell);
  if (!in->status && cell.undef)
    interp_stop_undefined_behavior(in, op, "no-handle", "the handle does not point to a coroutine frame");
  return (uint64_t)cell.bits;
}

uint64_t coroutine_load_nonnull_header_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot)
{
  uint64_t code = load_header_slot(in, op, handle, slot);
  if (!in->status && !code)
    interp_stop_undefined_behavior(in, op, "resumed-when-done", "a coroutine is resumed after its final suspend");
  return in->status ? 0 : code;
}

struct coroutine *coroutine_of_activation_after_begin(struct interp *in, const struct activation *act,
                                                      const struct op *op)
{
  if (act->coroutine && act->coroutine->handle)
    return act->coroutine;
  return interp_stop_undefined_behavior(in, op, "before-begin",
                                        "llvm.coro.begin was not executed before this intrinsic");
}
