/* Transfers control to the code at an address: a function, a coroutine's resume or destroy function, a continuation,
   or host code. */
#include "interp/code_entry.h"

#include "interp/control.h"
#include "interp/coroutine.h"
#include "interp/execution_error.h"
#include "interp/floating_point.h"
#include "interp/handlers.h"
#include "ir/edit.h"

/* ---- Resume and destroy functions ---- */

/* Continues after the saved suspend with the saved values. NULL: failed. */
static struct activation *restore_suspended_activation(struct interp *in, const struct op *op,
                                                       struct coroutine *coroutine, enum function_role role)
{
  struct function *function = coroutine->function;
  struct activation *act = control_push_activation(in, op, function, role, coroutine->saved);
  if (!act)
    return NULL;
  act->coroutine = coroutine;
  coroutine->refs++;
  coroutine->resumable = false;
  act->pc = coroutine->saved_at + 1;
  act->block = function->fn.inst_block[coroutine->saved_at];
  return act;
}

static struct activation *enter_resume_or_destroy_clone(struct interp *in, const struct op *op, const struct code *code,
                                                        uint64_t handle)
{
  struct coroutine *coroutine = coroutine_with_handle(in, handle);
  if (!coroutine || coroutine->function != code->function || !coroutine->resumable)
    return interp_stop_undefined_behavior(in, op, "not-suspended",
                                          coroutine ? "a coroutine is resumed or destroyed while it is not suspended"
                                                    : "a coroutine is resumed or destroyed after it ended");
  if (coroutine->undestroyable)
    return interp_stop_undefined_behavior(
        in, op, "ended-by-exception",
        "an exception ended the coroutine, which has no final suspend to destroy it from");
  bool destroys = code->kind == CODE_DESTROY;
  struct activation *act = restore_suspended_activation(in, op, coroutine, destroys ? ROLE_DESTROY : ROLE_RESUME);
  if (!act)
    return NULL;
  act->as_ramp = coroutine->ended_in_unwind;
  if (!act->as_ramp)
    *result_cells(act, control_current_instruction(act)) = cell_of(destroys);
  return act;
}

/* ---- Calls with a handle ---- */

/* The call does nothing: continues in the innermost activation. */
static void skip_call_without_effect(struct interp *in, bool to_host)
{
  if (!to_host)
    branch_to_normal_destination_if_invoke(in, in->top, control_current_instruction(in->top));
}

/* A function without parameters ignores the handle if it has the C calling convention, as do the resume and destroy
   functions of libstdc++'s std::noop_coroutine(). */
static bool ignores_handle(const struct function *function)
{
  return !LLVMCountParams(function->llvm) && LLVMGetFunctionCallConv(function->llvm) == LLVMCCallConv;
}

static void call_function_with_handle(struct interp *in, const struct op *op, struct function *function,
                                      uint64_t handle, bool to_host)
{
  const struct layout *pointer = layout_of_pointer(in);
  struct cell cell = cell_of(handle);
  uint32_t count = ignores_handle(function) ? 0 : 1;
  struct activation *act = pointer ? call_interpreted_function(in, op, function, &cell, &pointer, count) : NULL;
  if (act)
    act->on_return = to_host ? return_value_to_host : return_without_value;
}

/* Calls host code with the handle. */
static void call_host_code_with_handle(struct interp *in, const struct op *op, const char *name, uint64_t code,
                                       uint64_t handle, bool to_host)
{
  coro_value argument = {CORO_VALUE_POINTER, 64, {handle, 0}, true};
  coro_external external = {.name = name, .type = "void (ptr)", .args = &argument, .arg_count = 1};
  external.address = (void *)(uintptr_t)code;
  if (call_heap_or_host_function(in, op, &external))
    skip_call_without_effect(in, to_host);
}

void enter_code_with_handle(struct interp *in, const struct op *op, uint64_t code, uint64_t handle, bool to_host)
{
  const struct code *known = code_at_address(in, code);
  if (!known) {
    call_host_code_with_handle(in, op, "", code, handle, to_host);
  } else if (known->kind == CODE_NOOP) {
    skip_call_without_effect(in, to_host);
  } else if (known->kind == CODE_FUNCTION && known->function->declared) {
    call_host_code_with_handle(in, op, known->function->name, code, handle, to_host);
  } else if (known->kind == CODE_FUNCTION) {
    call_function_with_handle(in, op, known->function, handle, to_host);
  } else if (known->kind == CODE_RESUME || known->kind == CODE_DESTROY) {
    struct activation *act = enter_resume_or_destroy_clone(in, op, known, handle);
    if (act)
      act->on_return = to_host ? return_value_to_host : return_without_value;
  } else {
    interp_stop_undefined_behavior(in, op, "no-handle",
                                   "the frame at the handle does not start with a resume function");
  }
}

/* ---- Continuations ---- */

/* The context that the suspend's projection function computes from an argument; runs it to completion. */
static uint64_t compute_projected_context(struct interp *in, const struct op *op, const struct op *suspend,
                                          const struct cell *args)
{
  const struct layout *pointer = layout_of_pointer(in);
  const struct cell *which = suspend->operands[ASYNC_SUSPEND_INDICES].constant;
  LLVMTypeRef type = suspend->type ? suspend->type->type : NULL;
  uint32_t index = which ? (uint32_t)(which->bits & 0xff) : 0, at = 0;
  bool known = which && !which->undef && type && LLVMGetTypeKind(type) == LLVMStructTypeKind;
  for (uint32_t i = 0; known && i < index && i < LLVMCountStructElementTypes(type); i++)
    at += layout_of_llvm_type(in, LLVMStructGetTypeAtIndex(type, i))->count;
  const struct cell *projection = suspend->operands[ASYNC_SUSPEND_PROJECTION].constant;
  const struct code *code = projection ? code_at_address(in, (uint64_t)projection->bits) : NULL;
  if (!pointer || !known || at >= suspend->type->count || !code || code->kind != CODE_FUNCTION ||
      code->function->declared) {
    interp_stop_undefined_behavior(
        in, op, "projection", "the projection of llvm.coro.suspend.async is not a function on one of its arguments");
    return 0;
  }
  const struct activation *outer = in->base;
  in->base = in->top;
  struct activation *act = call_interpreted_function(in, op, code->function, args + at, &pointer, 1);
  if (act)
    act->on_return = return_value_to_host;
  control_interpret_until_innermost(in, in->base);
  in->base = outer;
  if (in->status)
    return 0;
  return in->results_type && !in->results->undef ? (uint64_t)in->results->bits : 0;
}

static uint32_t swifterror_argument_index_or_none(LLVMValueRef function)
{
  for (unsigned i = 0, count = LLVMCountParams(function); i < count; i++)
    if (edit_has_attribute(function, i + 1, "swifterror"))
      return i;
  return IR_NONE;
}

/* The swifterror argument of a continuation replaces the coroutine's swifterror parameter. */
static void set_swifterror_of_coroutine(struct interp *in, struct activation *act, const struct cell *args,
                                        uint32_t count)
{
  struct function *function = act->function;
  LLVMValueRef prototype = LLVMGetOperand(function->id, RETCON_PROTOTYPE);
  uint32_t own = swifterror_argument_index_or_none(function->llvm),
           passed = LLVMIsAFunction(prototype) ? swifterror_argument_index_or_none(prototype) : IR_NONE;
  uint32_t at = 0;
  if (own == IR_NONE || passed == IR_NONE)
    return;
  for (uint32_t i = 0; i < passed; i++)
    at += layout_of_llvm_type(in, LLVMTypeOf(LLVMGetParam(prototype, i)))->count;
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
  if (count != wanted)
    return interp_stop_undefined_behavior(in, op, "wrong-type",
                                          "the number of arguments differs from the continuation's parameters");
  uint64_t place = async ? compute_projected_context(in, op, suspend, args) : args->undef ? 0 : (uint64_t)args->bits;
  struct coroutine *coroutine = in->status ? NULL : coroutine_with_handle(in, place);
  if (!coroutine || coroutine->function != function || !coroutine->resumable || coroutine->saved_at != code->at)
    return interp_stop_undefined_behavior(
        in, op, "not-suspended", "no coroutine with this buffer or context is suspended at the continuation's suspend");
  struct activation *act = restore_suspended_activation(in, op, coroutine, ROLE_RESUME);
  if (!act)
    return NULL;
  if (!async)
    set_swifterror_of_coroutine(in, act, args, count);
  for (uint32_t i = 0; i < count - skipped; i++) {
    struct cell *to = result_cells(act, suspend) + i;
    u128 mask = integer_mask(suspend->type->leaves[i].bits);
    *to = args[skipped + i];
    to->undef &= mask;
    to->bits &= mask & ~to->undef;
  }
  return act;
}

/* ---- Calls with operands ---- */

struct flat_arguments {
  const struct layout *types[MAX_ARGUMENTS];
  struct cell cells[MAX_SCALARS];
  uint32_t count; /* number of cells */
};

/* Copies the operands, because a tail call frees the activation that holds them. */
static bool flatten_call_operands(struct interp *in, const struct activation *act, const struct op *op,
                                  const struct callee *callee, struct flat_arguments *out)
{
  out->count = 0;
  for (uint32_t k = 0; k < callee->count; k++) {
    const struct layout *type = op->operands[callee->first + k].type;
    if (k >= MAX_ARGUMENTS || !type || type->count > MAX_SCALARS - out->count)
      return interp_stop_with_error(in, op, CORO_EUNSUPPORTED, "many-arguments",
                                    "a call passes more than %d arguments or %d scalars", MAX_ARGUMENTS, MAX_SCALARS);
    out->types[k] = type;
    cells_move(out->cells + out->count, operand_cells(act, op, callee->first + k), type->count);
    out->count += type->count;
  }
  return true;
}

/* For a tail call, the host's result becomes the result of the ended activation. */
static void call_or_tail_call_host(struct interp *in, struct activation *act, const struct op *op, struct callee callee)
{
  bool returns = callee.tail && !(op->flags & OP_MUSTTAIL);
  callee.tail = returns;
  if (returns && LLVMGetTypeKind(LLVMGetReturnType(callee.type)) != LLVMVoidTypeKind) {
    interp_stop_unsupported(in, act, op);
    return;
  }
  call_external_function(in, act, op, &callee);
  if (returns && !in->status && in->top == act)
    control_return_from_activation(in, op, NULL, NULL);
}

void enter_code_with_operands(struct interp *in, struct activation *act, const struct op *op, struct callee callee)
{
  const struct code *code = callee.code;
  struct flat_arguments args;
  callee.name = code && code->kind == CODE_FUNCTION ? code->function->name : NULL;
  if (!code || (code->kind == CODE_FUNCTION && code->function->declared)) {
    call_or_tail_call_host(in, act, op, callee);
    return;
  }
  if (!flatten_call_operands(in, act, op, &callee, &args))
    return;
  on_return *then = callee.tail ? act->on_return : return_value_to_caller;
  if (callee.tail)
    control_pop_activation(in, op);
  struct activation *next = NULL;
  if (in->status)
    return;
  if (code->kind == CODE_FUNCTION)
    next = call_interpreted_function(in, op, code->function, args.cells, args.types, callee.count);
  else if (code->kind == CODE_CONTINUATION)
    next = enter_continuation(in, op, code, args.cells, args.count);
  else if (args.count == 1 && !args.cells->undef)
    enter_code_with_handle(in, op, callee.address, (uint64_t)args.cells->bits,
                           callee.tail && then == return_value_to_host);
  else
    interp_stop_undefined_behavior(in, op, "wrong-type", "a resume or destroy function takes one argument, the handle");
  if (next)
    next->on_return = then;
}

void run_call(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  if (call->special) {
    call->special(in, act, op);
    real_apply_fast_math_flags(act, op);
    return;
  }
  struct callee callee = {.type = call->type, .count = call->arg_count, .tail = op->flags & OP_MUSTTAIL};
  callee.code = call->code;
  if (!callee.code) {
    callee.address = (uint64_t)interp_read_defined_operand(in, act, op, op->count - 1, "a call");
    callee.code = code_at_address(in, callee.address);
  }
  if (!in->status)
    enter_code_with_operands(in, act, op, callee);
}
