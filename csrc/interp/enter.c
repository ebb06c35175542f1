/* Going on at what an address stands for: a function, a part of a coroutine, a continuation, code of the host.
   Needs: call.c, coroutine.c. Leaves: the activation that runs next on top, or the call behind it. */
#include "interp/enter.h"

#include <string.h>

#include "interp/control.h"
#include "interp/coroutine.h"
#include "interp/fault.h"
#include "interp/handlers.h"

/* ---- Parts of coroutines ---- */

/* With the values that the suspend has kept, behind it. NULL: failed. */
static struct activation *go_on(struct interp *in, const struct op *op, struct coroutine *coroutine, enum part part)
{
  struct function *function = coroutine->function;
  struct activation *act = control_push(in, op, function, part, coroutine->saved);
  if (!act)
    return NULL;
  act->coroutine = coroutine;
  coroutine->refs++;
  coroutine->resumable = false;
  act->pc = coroutine->saved_at + 1;
  act->block = function->fn.inst_block[coroutine->saved_at];
  return act;
}

static struct activation *enter_part(struct interp *in, const struct op *op, const struct code *code, uint64_t handle)
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
  struct activation *act = go_on(in, op, coroutine, destroys ? PART_DESTROY : PART_RESUME);
  if (!act)
    return NULL;
  act->as_ramp = coroutine->thrown_out;
  if (!act->as_ramp)
    *result(act, control_at(act)) = cell_of(destroys);
  return act;
}

/* ---- With one pointer ---- */

/* Nothing is left to do in a call that `then` tells how to end: the innermost activation goes on. */
static void nothing_to_do(struct interp *in, on_return *then)
{
  if (then != return_host)
    call_finished(in, in->top, control_at(in->top));
}

static void call_plain(struct interp *in, const struct op *op, struct function *function, uint64_t handle,
                       on_return *then)
{
  const struct layout *pointer = layout_of_pointer(in);
  struct cell cell = cell_of(handle);
  struct activation *act = pointer ? call_function(in, op, function, &cell, &pointer, 1) : NULL;
  if (act)
    act->on_return = then == return_host ? then : return_nothing;
}

/* Code of the host: it is told of the one argument. */
static void call_host(struct interp *in, const struct op *op, const char *name, uint64_t code, uint64_t handle,
                      on_return *then)
{
  coro_value argument = {CORO_VALUE_POINTER, 64, {handle, 0}, true};
  coro_external external = {.name = name, .type = "void (ptr)", .args = &argument, .arg_count = 1};
  external.address = (void *)(uintptr_t)code;
  if (call_ask(in, op, &external))
    nothing_to_do(in, then);
}

void enter_with_handle(struct interp *in, const struct op *op, uint64_t code, uint64_t handle, on_return *then)
{
  const struct code *known = code_at(in, code);
  if (!known) {
    call_host(in, op, "", code, handle, then);
  } else if (known->kind == CODE_NOOP) {
    nothing_to_do(in, then);
  } else if (known->kind == CODE_FUNCTION && known->function->declared) {
    call_host(in, op, known->function->name, code, handle, then);
  } else if (known->kind == CODE_FUNCTION) {
    call_plain(in, op, known->function, handle, then);
  } else if (known->kind == CODE_RESUME || known->kind == CODE_DESTROY) {
    struct activation *act = enter_part(in, op, known, handle);
    if (act)
      act->on_return = then == return_host ? then : return_nothing;
  } else {
    interp_undefined(in, op, "no-handle", "what the handle points at holds no function to resume by");
  }
}

/* ---- Continuations ---- */

/* The context that the projection makes of one of the arguments: a small function, run to its end here. */
static uint64_t projected(struct interp *in, const struct op *op, const struct op *suspend, const struct cell *args)
{
  const struct layout *pointer = layout_of_pointer(in);
  const struct cell *which = suspend->operands[ASYNC_SUSPEND_INDICES].constant;
  LLVMTypeRef type = suspend->type ? suspend->type->type : NULL;
  uint32_t index = which ? (uint32_t)(which->bits & 0xff) : 0, at = 0;
  bool known = which && !which->undef && type && LLVMGetTypeKind(type) == LLVMStructTypeKind;
  for (uint32_t i = 0; known && i < index && i < LLVMCountStructElementTypes(type); i++)
    at += layout_of(in, LLVMStructGetTypeAtIndex(type, i))->count;
  const struct cell *projection = suspend->operands[ASYNC_SUSPEND_PROJECTION].constant;
  const struct code *code = projection ? code_at(in, (uint64_t)projection->bits) : NULL;
  if (!pointer || !known || at >= suspend->type->count || !code || code->kind != CODE_FUNCTION ||
      code->function->declared) {
    interp_undefined(in, op, "projection", "no function makes the context of the continuation's arguments");
    return 0;
  }
  const struct activation *outer = in->base;
  in->base = in->top;
  struct activation *act = call_function(in, op, code->function, args + at, &pointer, 1);
  if (act)
    act->on_return = return_host;
  control_run(in, in->base);
  in->base = outer;
  if (in->status)
    return 0;
  return in->results_type && !in->results->undef ? (uint64_t)in->results->bits : 0;
}

static uint32_t error_argument(LLVMValueRef function)
{
  unsigned kind = LLVMGetEnumAttributeKindForName("swifterror", strlen("swifterror")),
           count = LLVMCountParams(function);
  for (unsigned i = 0; i < count; i++)
    if (LLVMGetEnumAttributeAtIndex(function, i + 1, kind))
      return i;
  return IR_NONE;
}

/* The swifterror that a continuation is passed takes the place of the coroutine's own. */
static void take_error(struct interp *in, struct activation *act, const struct cell *args, uint32_t count)
{
  struct function *function = act->function;
  LLVMValueRef prototype = LLVMGetOperand(function->id, RETCON_PROTOTYPE);
  uint32_t own = error_argument(function->llvm),
           passed = LLVMIsAFunction(prototype) ? error_argument(prototype) : IR_NONE;
  uint32_t at = 0;
  if (own == IR_NONE || passed == IR_NONE)
    return;
  for (uint32_t i = 0; i < passed; i++)
    at += layout_of(in, LLVMTypeOf(LLVMGetParam(prototype, i)))->count;
  if (at < count)
    act->cells[function->slots[own]] = args[at];
}

struct activation *enter_continuation(struct interp *in, const struct op *op, const struct code *code,
                                      const struct cell *args, uint32_t count)
{
  struct function *function = code->function;
  const struct op *suspend = &function->ops[code->at];
  bool async = function->abi == INTRIN_ID_ASYNC;
  uint32_t skipped = async ? 0 : 1, wanted = skipped + (suspend->type ? suspend->type->count : 0);
  if (count != wanted) {
    interp_undefined(in, op, "wrong-type", "the continuation takes another number of arguments");
    return NULL;
  }
  uint64_t place = async ? projected(in, op, suspend, args) : args->undef ? 0 : (uint64_t)args->bits;
  struct coroutine *coroutine = in->status ? NULL : coroutine_at(in, place);
  if (!coroutine || coroutine->function != function || !coroutine->resumable || coroutine->saved_at != code->at) {
    interp_undefined(in, op, "not-suspended", "no coroutine of this place is suspended where the continuation goes on");
    return NULL;
  }
  struct activation *act = go_on(in, op, coroutine, PART_RESUME);
  if (!act)
    return NULL;
  if (!async)
    take_error(in, act, args, count);
  for (uint32_t i = 0; i < count - skipped; i++) {
    struct cell *to = result(act, suspend) + i;
    u128 mask = cell_mask(suspend->type->leaves[i].bits);
    *to = args[skipped + i];
    to->undef &= mask;
    to->bits &= mask & ~to->undef;
  }
  return act;
}

/* ---- With the operands of a call ---- */

struct gathered {
  const struct layout *types[MOST_ARGUMENTS];
  struct cell cells[MOST_SCALARS];
  uint32_t count; /* of the cells */
};

/* The operands of a call are scattered, and may be the cells of what a tail call ends. */
static bool gather(struct interp *in, const struct activation *act, const struct op *op, const struct callee *callee,
                   struct gathered *out)
{
  out->count = 0;
  for (uint32_t k = 0; k < callee->count; k++) {
    const struct layout *type = op->operands[callee->first + k].type;
    if (k >= MOST_ARGUMENTS || !type || type->count > MOST_SCALARS - out->count) {
      interp_fail(in, op, CORO_EUNSUPPORTED, "many-arguments", "a call passes more than %d arguments or %d scalars",
                  MOST_ARGUMENTS, MOST_SCALARS);
      return false;
    }
    out->types[k] = type;
    cells_move(out->cells + out->count, operand(act, op, callee->first + k), type->count);
    out->count += type->count;
  }
  return true;
}

/* The host's answer becomes the result of what ends with the call. */
static void enter_host(struct interp *in, struct activation *act, const struct op *op, struct callee callee)
{
  bool returns = callee.tail && !(op->flags & OP_MUSTTAIL);
  callee.tail = returns;
  if (returns && LLVMGetTypeKind(LLVMGetReturnType(callee.type)) != LLVMVoidTypeKind) {
    interp_unsupported(in, act, op);
    return;
  }
  call_external(in, act, op, &callee);
  if (returns && !in->status && in->top == act)
    control_return(in, op, NULL, NULL);
}

void enter_with_operands(struct interp *in, struct activation *act, const struct op *op, struct callee callee)
{
  const struct code *code = callee.code;
  struct gathered args;
  callee.name = code && code->kind == CODE_FUNCTION ? code->function->name : NULL;
  if (!code || (code->kind == CODE_FUNCTION && code->function->declared)) {
    enter_host(in, act, op, callee);
    return;
  }
  if (!gather(in, act, op, &callee, &args))
    return;
  on_return *then = callee.tail ? act->on_return : return_value;
  if (callee.tail)
    control_pop(in, op);
  struct activation *next = NULL;
  if (in->status)
    return;
  if (code->kind == CODE_FUNCTION)
    next = call_function(in, op, code->function, args.cells, args.types, callee.count);
  else if (code->kind == CODE_CONTINUATION)
    next = enter_continuation(in, op, code, args.cells, args.count);
  else if (args.count == 1 && !args.cells->undef)
    enter_with_handle(in, op, callee.address, (uint64_t)args.cells->bits, callee.tail ? then : return_nothing);
  else
    interp_undefined(in, op, "wrong-type", "a part of a coroutine takes its handle");
  if (next)
    next->on_return = then;
}

void run_call(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  if (call->special) {
    call->special(in, act, op);
    return;
  }
  struct callee callee = {.type = call->type, .count = call->arg_count, .tail = op->flags & OP_MUSTTAIL};
  callee.code = call->code;
  if (!callee.code) {
    callee.address = (uint64_t)interp_known(in, act, op, op->count - 1, "a call");
    callee.code = code_at(in, callee.address);
  }
  if (!in->status)
    enter_with_operands(in, act, op, callee);
}
