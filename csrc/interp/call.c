/* Calls of module functions and of host functions. */
#include "interp/call.h"

#include <string.h>

#include "interp/control.h"
#include "interp/coroutine.h"
#include "interp/execution_error.h"
#include "interp/floating_point.h"
#include "interp/heap.h"
#include "interp/memory.h"
#include "interp/unwind.h"

/* ---- Host functions ---- */

static bool set_value_type_if_scalar(const struct layout *type, coro_value *value)
{
  if (!type || type->unsupported || type->count != 1 || type->leaves[0].kind == LEAF_TOKEN)
    return false;
  value->kind = (coro_value_kind)type->leaves[0].kind;
  value->bits = type->leaves[0].bits;
  value->defined = true;
  return true;
}

static bool convert_operand_to_host_value(struct interp *in, const struct activation *act, const struct op *op,
                                          uint32_t k, coro_value *value)
{
  if (!set_value_type_if_scalar(op->operands[k].type, value))
    return interp_stop_with_error(in, op, CORO_EUNSUPPORTED, "host-argument",
                                  "argument %u has a type that cannot be passed to the host", k + 1);
  u128 bits = interp_read_defined_operand(in, act, op, k, "an argument of a host call");
  value->words[0] = (uint64_t)bits;
  value->words[1] = (uint64_t)(bits >> 64);
  return !in->status;
}

static void store_host_result(struct activation *act, const struct op *op, const coro_value *value)
{
  u128 bits = (u128)value->words[1] << 64 | value->words[0];
  *result_cells(act, op) = cell_of(bits & integer_mask(value->bits));
  real_apply_fast_math_flags(act, op);
}

/* False: the callee is undefined and the execution has ended. */
static bool stop_unless_callee_is_defined(struct interp *in, const struct op *op, const coro_external *external,
                                          int answer)
{
  if (answer != CORO_EXTERNAL_UNKNOWN)
    return true;
  if (*external->name)
    interp_stop_with_error(in, op, CORO_EUNSUPPORTED, "no-definition", "@%s is not defined", external->name);
  else
    interp_stop_undefined_behavior(in, op, "no-function", "the called address is not a function");
  return false;
}

bool call_heap_or_host_function(struct interp *in, const struct op *op, coro_external *external)
{
  int answer = heap_call_function_or_host(in, op, external);
  if (in->status || !stop_unless_callee_is_defined(in, op, external, answer))
    return false;
  if (answer)
    return interp_stop_with_error(in, op, CORO_ECALLBACK, "callback", "the host's implementation of @%s failed",
                                  external->name);
  if (!external->thrown)
    return true;
  in->thrown = (struct thrown){(uintptr_t)external->exception, (uintptr_t)external->exception_type, 0};
  unwind_to_landing_pad(in, op);
  return false;
}

/* False: unsupported signature, host failure, or an exception. */
static bool convert_operands_and_call_host(struct interp *in, const struct activation *act, const struct op *op,
                                           const struct callee *callee, const struct layout *returned,
                                           coro_external *external)
{
  coro_value args[MAX_ARGUMENTS];
  bool many = callee->count > MAX_ARGUMENTS;
  if (many || !returned || (returned->count && !set_value_type_if_scalar(returned, &external->result)))
    return interp_stop_with_error(in, op, CORO_EUNSUPPORTED, "host-call", "@%s cannot be called on the host: %s",
                                  external->name, many ? "it takes too many arguments" : "its result is not a scalar");
  for (uint32_t k = 0; k < callee->count; k++)
    if (!convert_operand_to_host_value(in, act, op, callee->first + k, &args[k]))
      return false;
  char *text = LLVMPrintTypeToString(callee->type);
  external->type = text;
  external->args = args;
  external->arg_count = callee->count;
  bool answered = call_heap_or_host_function(in, op, external);
  LLVMDisposeMessage(text);
  return answered;
}

void call_external_function(struct interp *in, struct activation *act, const struct op *op, const struct callee *callee)
{
  coro_external external = {.name = callee->name ? callee->name : ""};
  external.address = callee->name ? NULL : (void *)(uintptr_t)callee->address;
  const struct layout *returned = layout_of_llvm_type(in, LLVMGetReturnType(callee->type));
  if (!convert_operands_and_call_host(in, act, op, callee, returned, &external))
    return;
  if (!callee->tail && op->type && returned->count)
    store_host_result(act, op, &external.result);
  branch_to_normal_destination_if_invoke(in, act, op);
}

/* ---- Module functions ---- */

static bool copy_argument_and_byval_memory(struct interp *in, const struct op *op, struct activation *act, uint32_t a,
                                           const struct cell *from)
{
  struct function *function = act->function;
  struct cell *to = act->cells + function->slots[a];
  cells_move(to, from, function->types[a]->count);
  const struct layout *byval = function->byval[a];
  if (!byval)
    return true;
  struct block **list = allocas_of_activation(act);
  uint32_t align = function->byval_align[a] > byval->align ? function->byval_align[a] : byval->align;
  struct origin origin = {.kind = OBJECT_VARIABLE, .value = LLVMGetParam(function->llvm, a)};
  uint64_t copy = object_allocate_in_list(in, list, byval->size, align, origin);
  if (from->undef)
    interp_stop_undefined_behavior(in, op, "undef", "the address of a byval argument is undefined");
  if (!copy || in->status)
    return false;
  memory_copy_bytes_checked(in, op, copy, (uint64_t)from->bits, byval->size);
  *to = cell_of(copy);
  return !in->status;
}

struct activation *call_interpreted_function(struct interp *in, const struct op *op, struct function *function,
                                             const struct cell *args, const struct layout *const *types, uint32_t count)
{
  struct activation *act = control_push_activation(in, op, function, ROLE_PLAIN, NULL);
  if (!act || (function->coroutine && !coroutine_create_for_ramp(in, act)))
    return NULL;
  if (count < function->fn.arg_count || (count > function->fn.arg_count && !function->variadic))
    return interp_stop_undefined_behavior(in, op, "wrong-type",
                                          "the number of arguments differs from the function's parameters");
  for (uint32_t a = 0; a < function->fn.arg_count; a++) {
    if (function->types[a]->unsupported || types[a]->count != function->types[a]->count)
      interp_stop_undefined_behavior(in, op, "wrong-type",
                                     "an argument type differs from the function's parameter type");
    else
      copy_argument_and_byval_memory(in, op, act, a, args);
    if (in->status)
      return NULL;
    args += types[a]->count;
  }
  return act;
}
