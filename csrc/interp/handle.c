/* Operations on handles: resume, destroy, done, promise, the no-op coroutine, and await-suspend with symmetric
   transfer.
   Requires: coroutine.c. Guarantees: symmetric transfer ends the activation first. */
#include "base/align.h"
#include "interp/code_entry.h"
#include "interp/control.h"
#include "interp/coroutine.h"
#include "interp/execution_error.h"
#include "interp/handlers.h"
#include "interp/memory.h"

static uint64_t read_handle_operand(struct interp *in, const struct activation *act, const struct op *op)
{
  return (uint64_t)interp_read_defined_operand(in, act, op, RESUME_HANDLE, "a coroutine's handle");
}

static void call_code_in_header_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot,
                                     bool to_host)
{
  uint64_t code = in->status ? 0 : coroutine_load_nonnull_header_slot(in, op, handle, slot);
  if (code)
    enter_code_with_handle(in, op, code, handle, to_host);
}

void run_coro_resume(struct interp *in, struct activation *act, const struct op *op)
{
  call_code_in_header_slot(in, op, read_handle_operand(in, act, op), 0, false);
}

void run_coro_destroy(struct interp *in, struct activation *act, const struct op *op)
{
  call_code_in_header_slot(in, op, read_handle_operand(in, act, op), 1, false);
}

void run_subfn_addr(struct interp *in, struct activation *act, const struct op *op)
{
  uint64_t handle = read_handle_operand(in, act, op);
  bool first = !operand_cells(act, op, SUBFN_INDEX)->bits;
  uint64_t code = in->status ? 0 : coroutine_load_nonnull_header_slot(in, op, handle, first ? 0 : 1);
  *result_cells(act, op) = cell_of(code);
}

void run_done(struct interp *in, struct activation *act, const struct op *op)
{
  uint64_t handle = read_handle_operand(in, act, op);
  const struct layout *pointer = layout_of_pointer(in);
  struct cell cell = cell_of(0);
  if (!in->status && pointer)
    memory_load_value_checked(in, op, handle, pointer, &cell);
  *result_cells(act, op) = cell.undef ? cell_undef(1) : cell_of(!cell.bits);
}

void run_promise(struct interp *in, struct activation *act, const struct op *op)
{
  u128 pointer = interp_read_defined_operand(in, act, op, PROMISE_HANDLE, "a promise");
  uint64_t align = (uint64_t)operand_cells(act, op, PROMISE_ALIGN)->bits, offset = coro_align_to(16, align ? align : 1);
  *result_cells(act, op) =
      cell_of((uint64_t)(operand_cells(act, op, PROMISE_FROM)->bits ? pointer - offset : pointer + offset));
}

HANDLER(run_noop, store_integer, in->noop)

/* ---- Await-suspend ---- */

/* Symmetric transfer: if nothing remains to be done after the suspend, the activation ends before the other
   coroutine is resumed. A ramp must still return its handle. */
static void transfer_to_handle(struct interp *in, struct activation *act, const struct op *op, uint64_t handle)
{
  const struct call *call = op->more;
  bool to_host = false;
  if (!handle) {
    interp_stop_undefined_behavior(in, op, "no-handle", "the await-suspend function returned an invalid handle");
    return;
  }
  if (call->tail && act->role != ROLE_RAMP) {
    const struct op *suspend = &act->function->ops[act->pc];
    suspend->run(in, act, suspend);
    to_host = act->on_return == return_value_to_host;
    if (!in->status)
      control_pop_activation(in, op);
  }
  call_code_in_header_slot(in, op, handle, 0, to_host);
}

/* The await-suspend wrapper returned the handle of the coroutine to resume. */
static void transfer_when_wrapper_returns(struct interp *in, const struct op *returning_op, const struct layout *type,
                                          const struct cell *cells)
{
  struct activation *act = in->top->parent;
  uint64_t handle = type && type->count && !cells->undef ? (uint64_t)cells->bits : 0;
  control_pop_activation(in, returning_op);
  if (!in->status)
    transfer_to_handle(in, act, control_current_instruction(act), handle);
}

static void call_await_suspend_wrapper(struct interp *in, struct activation *act, const struct op *op,
                                       struct function *wrapper, on_return *then)
{
  const struct layout *pointer = layout_of_pointer(in);
  const struct layout *types[2] = {pointer, pointer};
  struct cell args[2] = {*operand_cells(act, op, AWAIT_AWAITER), *operand_cells(act, op, AWAIT_COROUTINE)};
  struct activation *next = pointer ? call_interpreted_function(in, op, wrapper, args, types, 2) : NULL;
  if (next)
    next->on_return = then;
}

/* Calls a host wrapper, which returns an i1, a handle or nothing. */
static void call_host_await_suspend_wrapper(struct interp *in, struct activation *act, const struct op *op,
                                            const char *name, on_return *then)
{
  coro_value args[2] = {{CORO_VALUE_POINTER, 64, {0, 0}, true}, {CORO_VALUE_POINTER, 64, {0, 0}, true}};
  coro_external external = {.name = name, .args = args, .arg_count = 2};
  external.type = then == transfer_when_wrapper_returns ? "ptr (ptr, ptr)"
                  : op->type                            ? "i1 (ptr, ptr)"
                                                        : "void (ptr, ptr)";
  external.result = (coro_value){then == transfer_when_wrapper_returns ? CORO_VALUE_POINTER : CORO_VALUE_INT,
                                 then == transfer_when_wrapper_returns ? 64
                                 : op->type                            ? 1
                                                                       : 0,
                                 {0, 0},
                                 true};
  for (uint32_t k = 0; k < 2; k++)
    args[k].words[0] = (uint64_t)interp_read_defined_operand(in, act, op, k, "an argument of a host call");
  if (in->status || !call_heap_or_host_function(in, op, &external))
    return;
  if (op->type)
    *result_cells(act, op) = cell_of(external.result.words[0] & 1);
  if (then == transfer_when_wrapper_returns)
    transfer_to_handle(in, act, op, external.result.words[0]);
  else
    branch_to_normal_destination_if_invoke(in, act, op);
}

void run_await(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  bool transfers = intrin_of_function(&in->intrinsics, call->callee) == INTRIN_AWAIT_HANDLE;
  on_return *then = transfers  ? transfer_when_wrapper_returns
                    : op->type ? return_value_to_caller
                               : return_without_value;
  const struct code *code =
      code_at_address(in, (uint64_t)interp_read_defined_operand(in, act, op, AWAIT_FUNCTION, "a call"));
  if (in->status)
    return;
  if (!code || code->kind != CODE_FUNCTION)
    interp_stop_undefined_behavior(in, op, "no-function", "the await-suspend wrapper is not a function");
  else if (code->function->declared)
    call_host_await_suspend_wrapper(in, act, op, code->function->name, then);
  else
    call_await_suspend_wrapper(in, act, op, code->function, then);
}
