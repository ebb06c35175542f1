/* Returned-continuation and async coroutines. Their identity is the caller's buffer or the async context; the
   interpreter stores their state elsewhere and does not write to the buffer. */
#include "interp/continuation.h"

#include <string.h>

#include "interp/cell_memory.h"
#include "interp/code_entry.h"
#include "interp/control.h"
#include "interp/coroutine.h"
#include "interp/execution_error.h"
#include "interp/handlers.h"

uint64_t continuation_buffer_or_context_address(struct interp *in, const struct activation *act, const struct op *op)
{
  const struct function *function = act->function;
  struct cell cell;
  if (function->abi == INTRIN_ID_ASYNC) {
    LLVMValueRef which = LLVMGetOperand(function->id, ASYNC_ID_ARGUMENT);
    uint64_t argument = LLVMIsAConstantInt(which) ? LLVMConstIntGetZExtValue(which) : UINT64_MAX;
    cell = argument < function->fn.arg_count ? act->cells[function->slots[argument]] : cell_poison(64);
  } else {
    uint32_t id = ir_inst(&function->fn, function->id);
    unsigned buffer = function->abi == INTRIN_ID_RETCON_DYNAMIC ? DYNAMIC_BUFFER : RETCON_BUFFER;
    cell = id == IR_NONE ? cell_poison(64) : *operand_cells(act, &function->ops[id], buffer);
  }
  if (cell.undef || !cell.bits)
    interp_stop_undefined_behavior(in, op, "no-handle", "the buffer or context of the coroutine is undefined or null");
  return (uint64_t)cell.bits;
}

static struct code *continuation_code_of_suspend(struct interp *in, struct function *function, uint32_t suspend)
{
  return code_get_or_create(in, &function->ops[suspend], CODE_CONTINUATION, function, suspend);
}

/* ---- Returned continuations ---- */

/* NULL: the prototype is not a function. */
static LLVMTypeRef continuation_return_type(const struct activation *act)
{
  const struct function *function = act->function;
  LLVMValueRef from = function->llvm;
  if (act->role != ROLE_RAMP && function->abi != INTRIN_ID_RETCON)
    from = LLVMGetOperand(function->id, function->abi == INTRIN_ID_RETCON_ONCE ? RETCON_PROTOTYPE : DYNAMIC_PROTOTYPE);
  return LLVMIsAFunction(from) ? LLVMGetReturnType(LLVMGlobalGetValueType(from)) : NULL;
}

/* Returns the continuation's address, then the operands of `values`, as the coroutine's return type. */
static void return_continuation(struct interp *in, struct activation *act, const struct op *op, const void *code,
                                const struct op *values, uint32_t count)
{
  LLVMTypeRef type = continuation_return_type(act);
  const struct layout *layout = type ? layout_of_llvm_type(in, type) : NULL;
  struct cell *cells = layout && !layout->unsupported ? cells_allocate_scratch(in, layout->count + 1) : NULL;
  bool continues = act->role == ROLE_RAMP || act->function->abi == INTRIN_ID_RETCON;
  uint32_t at = 0;
  if (!cells) {
    interp_stop_undefined_behavior(in, op, "prototype", "the prototype of llvm.coro.id.retcon is not a function");
    return;
  }
  cells_fill_with_poison(layout, cells);
  if (continues && layout->count)
    cells[at++] = cell_of((uintptr_t)code);
  for (uint32_t k = 0; k < count; k++) {
    const struct layout *operand_layout = values->operands[k].type;
    if (!operand_layout || operand_layout->count > layout->count - at) {
      interp_stop_undefined_behavior(in, op, "wrong-type",
                                     "the yielded values do not match the coroutine's return type");
      return;
    }
    memcpy(cells + at, operand_cells(act, values, k), operand_layout->count * sizeof *cells);
    at += operand_layout->count;
  }
  control_return_from_activation(in, op, LLVMGetTypeKind(type) == LLVMVoidTypeKind ? NULL : layout, cells);
}

static bool save_and_suspend(struct interp *in, struct activation *act, const struct op *op)
{
  if (!coroutine_of_activation_after_begin(in, act, op) ||
      !coroutine_save_activation(in, act, (uint32_t)(op - act->function->ops)))
    return false;
  act->suspended = true;
  return true;
}

void run_suspend_retcon(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  if (!save_and_suspend(in, act, op))
    return;
  const struct code *code = continuation_code_of_suspend(in, act->function, (uint32_t)(op - act->function->ops));
  if (code)
    return_continuation(in, act, op, code, op, call->arg_count);
}

void continuation_end_and_return_unless_unwinding(struct interp *in, struct activation *act, const struct op *op,
                                                  bool unwinds)
{
  const struct call *call = op->more;
  struct function *function = act->function;
  if (!coroutine_of_activation_after_begin(in, act, op))
    return;
  coroutine_mark_ended_and_unregister(in, act->coroutine);
  act->suspended = true; /* coroutine_release_from_ending_activation has nothing left to end */
  if (unwinds)
    return;
  if (function->abi == INTRIN_ID_ASYNC) {
    control_return_from_activation(in, op, NULL, NULL);
    return;
  }
  const struct op *results = call->token == IR_NONE ? NULL : &function->ops[call->token];
  const struct call *given = results ? results->more : NULL;
  return_continuation(in, act, op, NULL, results, given ? given->arg_count : 0);
}

/* ---- Async ---- */

void run_async_resume(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  const struct code *code =
      call->token == IR_NONE ? NULL : continuation_code_of_suspend(in, act->function, call->token);
  *result_cells(act, op) = cell_of((uintptr_t)code);
}

/* The type of a void call with the operands from `first`. */
static LLVMTypeRef function_type_of_operands(const struct op *op, uint32_t first, uint32_t count)
{
  LLVMTypeRef types[64];
  for (uint32_t k = 0; k < count && k < 64; k++)
    types[k] = LLVMTypeOf(LLVMGetOperand(op->inst, first + k));
  return LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetTypeContext(LLVMTypeOf(op->inst))), types,
                          count < 64 ? count : 64, false);
}

/* Tail-calls operand `callee` with the operands after it. */
static void tail_call_function_operand(struct interp *in, struct activation *act, const struct op *op, uint32_t callee)
{
  const struct call *call = op->more;
  struct callee to = {
      .first = callee + 1, .count = call->arg_count > callee ? call->arg_count - callee - 1 : 0, .tail = true};
  to.address = (uint64_t)interp_read_defined_operand(in, act, op, callee, "a call");
  to.code = code_at_address(in, to.address);
  to.type = function_type_of_operands(op, to.first, to.count);
  if (call->arg_count <= callee) {
    interp_stop_undefined_behavior(in, op, "no-function", "the intrinsic has no function to call");
    return;
  }
  if (!in->status)
    enter_code_with_operands(in, act, op, to);
}

void run_suspend_async(struct interp *in, struct activation *act, const struct op *op)
{
  if (save_and_suspend(in, act, op))
    tail_call_function_operand(in, act, op, ASYNC_SUSPEND_CALLEE);
}

void run_end_async(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  bool unwinds = operand_cells(act, op, END_UNWINDS)->bits;
  if (unwinds || call->arg_count <= ASYNC_END_CALLEE) {
    continuation_end_and_return_unless_unwinding(in, act, op, unwinds);
    return;
  }
  if (!coroutine_of_activation_after_begin(in, act, op))
    return;
  coroutine_mark_ended_and_unregister(in, act->coroutine);
  act->suspended = true;
  tail_call_function_operand(in, act, op, ASYNC_END_CALLEE);
}

/* ---- Other intrinsics ---- */

/* llvm.coro.async.size.replace, which has an effect only in coro-cleanup. */
void run_nothing(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in, (void)act, (void)op;
}

/* The token is the address. */
void run_alloca_alloc(struct interp *in, struct activation *act, const struct op *op)
{
  uint64_t size = interp_read_size_operand_saturated(in, act, op, ALLOCA_ALLOC_SIZE, "the size of an alloca");
  uint64_t align = (uint64_t)operand_cells(act, op, ALLOCA_ALLOC_ALIGN)->bits;
  struct origin origin = {.kind = OBJECT_VARIABLE, .value = op->inst};
  if (!in->status)
    *result_cells(act, op) = cell_of(object_allocate_in_list(in, allocas_of_activation(act), size, align, origin));
}

void run_alloca_free(struct interp *in, struct activation *act, const struct op *op)
{
  if (!object_free_listed_at_address(in, op, (uint64_t)operand_cells(act, op, ALLOCA_TOKEN)->bits))
    interp_stop_undefined_behavior(in, op, "freed-twice", "the memory of llvm.coro.alloca.alloc was already freed");
}
