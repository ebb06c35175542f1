/* Operations on handles: resume, destroy, done, promise, the coroutine that does nothing, and awaiting, which may name
   the coroutine to go on with.
   Needs: coroutine.c. Leaves: no activation behind where a coroutine hands over to another. */
#include "base/align.h"
#include "interp/coroutine.h"

static uint64_t handle_of(struct interp *in, const struct activation *act, const struct op *op)
{
  return (uint64_t)interp_known(in, act, op, RESUME_HANDLE, "a coroutine's handle");
}

/* Nothing is left to do in a call that `then` tells how to end: the innermost activation goes on. */
static void nothing_to_do(struct interp *in, enum on_return then)
{
  if (then != RETURN_HOST)
    call_finished(in, in->top, &in->top->function->ops[in->top->pc - 1]);
}

static void call_plain(struct interp *in, const struct op *op, struct function *function, uint64_t handle,
                       enum on_return then)
{
  const struct layout *pointer = layout_of(in, LLVMPointerTypeInContext(in->context, 0));
  struct cell cell = cell_of(handle);
  struct activation *act = pointer ? call_function(in, op, function, &cell, &pointer, 1) : NULL;
  if (act)
    act->on_return = then == RETURN_HOST ? then : RETURN_NOTHING;
}

/* Code of the host: it is told of the one argument. */
static void call_host(struct interp *in, const struct op *op, const char *name, uint64_t code, uint64_t handle,
                      enum on_return then)
{
  coro_value argument = {CORO_VALUE_POINTER, 64, {handle, 0}, true};
  coro_external external = {.name = name, .type = "void (ptr)", .args = &argument, .arg_count = 1};
  external.address = (void *)(uintptr_t)code;
  if (call_ask(in, op, &external))
    nothing_to_do(in, then);
}

void call_with_handle(struct interp *in, const struct op *op, uint64_t code, uint64_t handle, enum on_return then)
{
  const struct code *known = code_at(in, code);
  if (!known) {
    call_host(in, op, "", code, handle, then);
  } else if (known->kind == CODE_NOOP) {
    nothing_to_do(in, then);
  } else if (known->kind == CODE_FUNCTION && LLVMIsDeclaration(known->function->llvm)) {
    call_host(in, op, known->function->name, code, handle, then);
  } else if (known->kind == CODE_FUNCTION) {
    call_plain(in, op, known->function, handle, then);
  } else if (known->kind == CODE_RESUME || known->kind == CODE_DESTROY) {
    struct activation *act = coroutine_continue(in, op, known, handle);
    if (act)
      act->on_return = then == RETURN_HOST ? then : RETURN_NOTHING;
  } else {
    interp_undefined(in, op, "no-handle", "what the handle points at holds no function to resume by");
  }
}

static void go_on(struct interp *in, const struct op *op, uint64_t handle, unsigned slot, enum on_return then)
{
  uint64_t code = in->status ? 0 : coroutine_slot(in, op, handle, slot);
  if (code)
    call_with_handle(in, op, code, handle, then);
}

void run_coro_resume(struct interp *in, struct activation *act, const struct op *op)
{
  go_on(in, op, handle_of(in, act, op), 0, RETURN_NOTHING);
}

void run_coro_destroy(struct interp *in, struct activation *act, const struct op *op)
{
  go_on(in, op, handle_of(in, act, op), 1, RETURN_NOTHING);
}

void run_subfn_addr(struct interp *in, struct activation *act, const struct op *op)
{
  uint64_t handle = handle_of(in, act, op);
  bool first = !operand(act, op, SUBFN_INDEX)->bits;
  uint64_t code = in->status ? 0 : coroutine_slot(in, op, handle, first ? 0 : 1);
  *result(act, op) = cell_of(code);
}

void run_done(struct interp *in, struct activation *act, const struct op *op)
{
  uint64_t handle = handle_of(in, act, op);
  const struct layout *pointer = layout_of(in, LLVMPointerTypeInContext(in->context, 0));
  struct cell cell = cell_of(0);
  if (!in->status && pointer)
    memory_load(in, op, handle, pointer, &cell);
  *result(act, op) = cell.undef ? cell_undef(1) : cell_of(!cell.bits);
}

void run_promise(struct interp *in, struct activation *act, const struct op *op)
{
  u128 pointer = interp_known(in, act, op, PROMISE_HANDLE, "a promise");
  uint64_t align = (uint64_t)operand(act, op, PROMISE_ALIGN)->bits, offset = coro_align_to(16, align ? align : 1);
  *result(act, op) = cell_of((uint64_t)(operand(act, op, PROMISE_FROM)->bits ? pointer - offset : pointer + offset));
}

void run_noop(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  *result(act, op) = cell_of(in->noop);
}

/* ---- Awaiting ---- */

static void call_wrapper(struct interp *in, struct activation *act, const struct op *op, struct function *wrapper,
                         enum on_return then)
{
  const struct layout *pointer = layout_of(in, LLVMPointerTypeInContext(in->context, 0));
  const struct layout *types[2] = {pointer, pointer};
  struct cell args[2] = {*operand(act, op, AWAIT_AWAITER), *operand(act, op, AWAIT_COROUTINE)};
  struct activation *next = pointer ? call_function(in, op, wrapper, args, types, 2) : NULL;
  if (next)
    next->on_return = then;
}

/* The wrapper is the host's: what it gives is an i1, a handle, or nothing. */
static void ask_wrapper(struct interp *in, struct activation *act, const struct op *op, const char *name,
                        enum on_return then)
{
  coro_value args[2] = {{CORO_VALUE_POINTER, 64, {0, 0}, true}, {CORO_VALUE_POINTER, 64, {0, 0}, true}};
  coro_external external = {.name = name, .args = args, .arg_count = 2};
  external.type = then == RETURN_HANDLE ? "ptr (ptr, ptr)" : op->type ? "i1 (ptr, ptr)" : "void (ptr, ptr)";
  external.result = (coro_value){then == RETURN_HANDLE ? CORO_VALUE_POINTER : CORO_VALUE_INT,
                                 then == RETURN_HANDLE ? 64
                                 : op->type            ? 1
                                                       : 0,
                                 {0, 0},
                                 true};
  for (uint32_t k = 0; k < 2; k++)
    args[k].words[0] = (uint64_t)interp_known(in, act, op, k, "what the outside sees");
  if (in->status || !call_ask(in, op, &external))
    return;
  if (op->type)
    *result(act, op) = cell_of(external.result.words[0] & 1);
  if (then == RETURN_HANDLE)
    coroutine_transfer(in, act, op, external.result.words[0]);
  else
    call_finished(in, act, op);
}

void run_await(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  bool transfers = intrin_of_function(&in->intrinsics, call->callee) == INTRIN_AWAIT_HANDLE;
  enum on_return then = transfers ? RETURN_HANDLE : op->type ? RETURN_VALUE : RETURN_NOTHING;
  const struct code *code = code_at(in, (uint64_t)interp_known(in, act, op, AWAIT_FUNCTION, "a call"));
  if (in->status)
    return;
  if (!code || code->kind != CODE_FUNCTION)
    interp_undefined(in, op, "no-function", "the awaiter's wrapper is no function");
  else if (LLVMIsDeclaration(code->function->llvm))
    ask_wrapper(in, act, op, code->function->name, then);
  else
    call_wrapper(in, act, op, code->function, then);
}

/* Where nothing is left to do but to hand control back, it is handed to the other coroutine instead: the activation
   ends first. The ramp still has to give its handle. */
void coroutine_transfer(struct interp *in, struct activation *act, const struct op *op, uint64_t handle)
{
  const struct call *call = op->more;
  enum on_return then = RETURN_NOTHING;
  if (!handle) {
    interp_undefined(in, op, "no-handle", "the awaiter names no coroutine to go on with");
    return;
  }
  if (call->tail && act->part != PART_RAMP) {
    coroutine_suspend_now(in, act);
    then = act->on_return;
    if (!in->status)
      control_pop(in, op);
  }
  go_on(in, op, handle, 0, then);
}
