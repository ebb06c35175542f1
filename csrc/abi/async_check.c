/* Checks of the async ABI's rules.
   Requires: number, shape.
   Guarantees: the function is unchanged. */
#include "abi/async_internal.h"
#include "abi/hook_module.h"
#include "graph/worklist.h"
#include "ir/async_pointer.h"
#include "ir/edit.h"
#include "lowering/check.h"
#include "transform/tailcall.h"

static LLVMValueRef intrinsic_operand(const struct coro_lowering *low, uint32_t inst, unsigned index)
{
  return LLVMGetOperand(low->fn.insts[inst], index);
}

/* Whether a value of one type can be passed to a parameter of the other by a bitcast. */
static bool fits_parameter_by_cast(const struct coro_lowering *low, LLVMTypeRef from, LLVMTypeRef to)
{
  LLVMTypeKind a = LLVMGetTypeKind(from), b = LLVMGetTypeKind(to);
  if (from == to)
    return true;
  bool aggregate =
      a == LLVMStructTypeKind || a == LLVMArrayTypeKind || b == LLVMStructTypeKind || b == LLVMArrayTypeKind;
  if (aggregate || !ir_has_fixed_size(low->sizes, from) || !ir_has_fixed_size(low->sizes, to) ||
      LLVMSizeOfTypeInBits(low->layout, from) != LLVMSizeOfTypeInBits(low->layout, to))
    return false;
  bool pointer = a == LLVMPointerTypeKind || b == LLVMPointerTypeKind;
  return !pointer || a == LLVMIntegerTypeKind || b == LLVMIntegerTypeKind;
}

/* ---- llvm.coro.id.async ---- */

static coro_status check_constant_operands_of_id(const struct coro_lowering *low)
{
  static const struct {
    unsigned operand;
    const char *rule, *message, *hint;
  } table[] = {
      {ASYNC_ID_SIZE, "id-size-is-constant", "the size argument of llvm.coro.id.async must be a constant",
       "pass the size in bytes of the context without the frame"},
      {ASYNC_ID_ALIGN, "id-align-is-constant", "the alignment argument of llvm.coro.id.async must be a constant",
       "pass the alignment of contexts in bytes, a power of two"},
      {ASYNC_ID_ARGUMENT, "id-argument-is-constant",
       "the index of the context parameter in llvm.coro.id.async must be a constant",
       "pass the zero-based index of the coroutine's context parameter"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!LLVMIsAConstantInt(intrinsic_operand(low, low->shape.id, table[i].operand)))
      return coro_reject(low, table[i].rule, low->shape.id, table[i].message, table[i].hint);
  uint64_t align = async_id_number(low, ASYNC_ID_ALIGN);
  if (align & (align - 1))
    return coro_reject(low, "id-align-is-power", low->shape.id,
                       "the alignment in llvm.coro.id.async is not a power of two",
                       "pass the alignment of contexts in bytes, a power of two");
  return CORO_OK;
}

static coro_status check_operands_of_id_and_void_result(const struct coro_lowering *low)
{
  coro_status status = check_constant_operands_of_id(low);
  if (status != CORO_OK)
    return status;
  uint64_t argument = async_id_number(low, ASYNC_ID_ARGUMENT);
  LLVMTypeRef type = LLVMGlobalGetValueType(low->fn.function);
  if (argument >= low->fn.arg_count ||
      !edit_is_default_pointer(LLVMTypeOf(LLVMGetParam(low->fn.function, (unsigned)argument))))
    return coro_reject(low, "id-argument", low->shape.id,
                       "the argument index in llvm.coro.id.async is not that of a pointer parameter",
                       "pass the zero-based index of the coroutine's context parameter");
  if (edit_has_attribute(low->fn.function, (unsigned)argument + 1, "swifterror"))
    return coro_reject(low, "id-argument", low->shape.id,
                       "the context parameter of llvm.coro.id.async is a swifterror, which has no address",
                       "pass the index of the context parameter, or remove its attribute swifterror");
  if (edit_stack_argument_attribute(low->fn.function, (unsigned)argument + 1))
    return coro_reject(low, "id-argument", low->shape.id,
                       "the attributes of the context parameter make it a copy of the caller's context",
                       "remove byval, inalloca and preallocated: continuations share the context");
  if (!async_pointer(intrinsic_operand(low, low->shape.id, ASYNC_ID_POINTER)))
    return coro_reject(low, "async-function-pointer", low->shape.id,
                       "the async function pointer of llvm.coro.id.async is not a global with an initializer of two "
                       "fields, the second an integer",
                       "pass a global of the type {relative offset, context size} that this module defines");
  if (LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind)
    return coro_reject(low, "async-returns-void", low->shape.id,
                       "an async coroutine must return void; it passes its results to the continuation of its caller",
                       "change the return type to void");
  return CORO_OK;
}

/* ---- llvm.coro.suspend.async ---- */

static coro_status check_context_and_self_indices(const struct coro_lowering *low, uint32_t suspend)
{
  uint32_t inst = low->shape.suspends[suspend].inst;
  LLVMTypeRef result = LLVMTypeOf(low->fn.insts[inst]);
  if (LLVMGetTypeKind(result) != LLVMStructTypeKind)
    return coro_reject(low, "async-result", inst,
                       "the result of llvm.coro.suspend.async is not a struct of the continuation's parameters",
                       "use the overload that returns a struct, a field for each parameter of the continuation");
  if (!LLVMIsAConstantInt(intrinsic_operand(low, inst, ASYNC_SUSPEND_INDICES)))
    return coro_reject(low, "async-indices-are-constant", inst,
                       "the index of the continuation's context parameter must be a constant",
                       "pass the index of the context parameter in the low eight bits");
  unsigned count = LLVMCountStructElementTypes(result);
  unsigned context = async_context_parameter_index(low, suspend), self = async_self_parameter_index_or_0(low, suspend);
  if (context >= count || !edit_is_default_pointer(LLVMStructGetTypeAtIndex(result, context)))
    return coro_reject(low, "async-indices", inst,
                       "the first argument of llvm.coro.suspend.async is not the index of a pointer in its result",
                       "pass the index of the field that has the context of the resuming function");
  if (self >= count || (self && (self == context || !edit_is_default_pointer(LLVMStructGetTypeAtIndex(result, self)))))
    return coro_reject(
        low, "async-indices", inst,
        "bits 8 and up of the first argument of llvm.coro.suspend.async are not the index of a pointer in its result",
        "pass the index of the field that has self, or 0 if there is none");
  return CORO_OK;
}

static coro_status check_suspend_has_own_async_resume(const struct coro_lowering *low, uint32_t k,
                                                      const uint32_t *suspend_using_async_resume_address)
{
  uint32_t inst = low->shape.suspends[k].inst, resume = async_resume_inst_of_suspend_or_none(low, inst);
  if (resume == IR_NONE)
    return coro_reject(low, "async-resume", inst,
                       "the second argument of llvm.coro.suspend.async is not a call of llvm.coro.async.resume",
                       "pass the result of llvm.coro.async.resume itself");
  if (suspend_using_async_resume_address[resume] != k)
    return coro_reject(low, "one-suspend-a-resume", inst, "two suspends share one llvm.coro.async.resume",
                       "call llvm.coro.async.resume once for each suspend");
  return CORO_OK;
}

static coro_status check_context_projection(const struct coro_lowering *low, uint32_t inst)
{
  LLVMValueRef function = async_function_of_operand_or_null(intrinsic_operand(low, inst, ASYNC_SUSPEND_PROJECTION));
  LLVMTypeRef type = function ? LLVMGlobalGetValueType(function) : NULL, parameter = NULL;
  if (!function)
    return coro_reject(low, "async-projection", inst,
                       "the context projection of llvm.coro.suspend.async is not a function",
                       "pass a function that returns the coroutine's context for the context that it is resumed with");
  if (!edit_is_default_pointer(LLVMGetReturnType(type)))
    return coro_reject(low, "async-projection", inst,
                       "llvm.coro.suspend.async resume function projection function must return a ptr type",
                       "return the address of the coroutine's context");
  if (!LLVMIsFunctionVarArg(type) && LLVMCountParamTypes(type) == 1)
    LLVMGetParamTypes(type, &parameter);
  if (!parameter || !edit_is_default_pointer(parameter))
    return coro_reject(
        low, "async-projection", inst,
        "llvm.coro.suspend.async resume function projection function must take one ptr type as parameter",
        "declare one ptr parameter, for the context that the coroutine is resumed with");
  return coro_check_callable_by_generated_code(low, "async-projection", inst, function, "the context projection");
}

/* Checks the arguments of `inst` from `first` on against the callee's parameters. A suspend may have surplus
   arguments, as in LLVM; an end may not. */
static coro_status check_tail_callee_and_arguments(const struct coro_lowering *low, uint32_t inst,
                                                   unsigned callee_operand, unsigned first)
{
  unsigned passed_count = LLVMGetNumArgOperands(low->fn.insts[inst]) - first;
  bool end = low->shape.intrin[inst] == INTRIN_END_ASYNC;
  LLVMValueRef function = async_function_of_operand_or_null(intrinsic_operand(low, inst, callee_operand));
  LLVMTypeRef type = function ? LLVMGlobalGetValueType(function) : NULL;
  if (!function)
    return coro_reject(low, "async-callee", inst, "the callee of the tail call is not a function",
                       "pass a function; that function can call one that is only known at run time");
  if (LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind || LLVMIsFunctionVarArg(type))
    return coro_reject(
        low, "async-callee", inst,
        "the callee of the tail call of an async coroutine must return void and take a fixed number of arguments",
        "wrap it in a function with the coroutine's calling convention");
  coro_status status =
      coro_check_callable_by_generated_code(low, "async-callee", inst, function, "the callee of the tail call");
  if (status)
    return status;
  unsigned count = LLVMCountParamTypes(type);
  bool fits = end ? passed_count == count : passed_count >= count;
  for (unsigned p = 0; p < count && fits; p++) {
    LLVMTypeRef from = LLVMTypeOf(intrinsic_operand(low, inst, first + p)), to = LLVMTypeOf(LLVMGetParam(function, p));
    fits = end ? from == to : fits_parameter_by_cast(low, from, to);
  }
  if (!fits && end)
    return coro_reject(low, "async-arguments", inst,
                       "llvm.coro.end.async must tail call function argument type must match the tail arguments",
                       "pass one argument of the right type for each parameter of the function");
  if (!fits)
    return coro_reject(low, "async-arguments", inst,
                       "the arguments of llvm.coro.suspend.async do not match the parameters of its callee",
                       "pass one argument of the same size for each parameter of the function");
  return CORO_OK;
}

static coro_status check_suspends(const struct coro_lowering *low)
{
  const uint32_t *suspend_using_async_resume_address = async_suspend_index_of_each_resume(low);
  coro_status status = suspend_using_async_resume_address ? CORO_OK : CORO_ENOMEM;
  for (uint32_t k = 0; k < low->shape.suspend_count && status == CORO_OK; k++) {
    uint32_t inst = low->shape.suspends[k].inst;
    if (low->shape.intrin[inst] != INTRIN_SUSPEND_ASYNC)
      return coro_reject(low, "suspend-of-abi", inst, "llvm.coro.id.async must be paired with llvm.coro.suspend.async",
                         "use llvm.coro.suspend.async, or the id that belongs to this suspend");
    if (LLVMGetNumArgOperands(low->fn.insts[inst]) < ASYNC_SUSPEND_FIRST)
      return coro_reject(low, "async-callee", inst, "llvm.coro.suspend.async has no callee",
                         "pass a function and its arguments after the context projection");
    status = check_context_and_self_indices(low, k);
    if (status == CORO_OK)
      status = check_suspend_has_own_async_resume(low, k, suspend_using_async_resume_address);
    if (status == CORO_OK)
      status = check_context_projection(low, inst);
    if (status == CORO_OK)
      status = check_tail_callee_and_arguments(low, inst, ASYNC_SUSPEND_CALLEE, ASYNC_SUSPEND_FIRST);
  }
  return status;
}

/* ---- Ends, and intrinsics of other ABIs ---- */

static coro_status check_results_and_tail_calls_of_ends(const struct coro_lowering *low)
{
  for (uint32_t e = 0; e < low->shape.ends.count; e++) {
    uint32_t end = low->shape.ends.items[e];
    LLVMValueRef inst = low->fn.insts[end];
    bool async = low->shape.intrin[end] == INTRIN_END_ASYNC;
    if (!async && LLVMGetValueKind(LLVMGetOperand(inst, END_TOKEN)) != LLVMConstantTokenNoneValueKind)
      return coro_reject(low, "end-results", end, "an async coroutine returns no results at its end",
                         "pass `token none`, and pass results as arguments of llvm.coro.end.async");
    if (!async || LLVMGetNumArgOperands(inst) <= ASYNC_END_CALLEE)
      continue;
    coro_status status = check_tail_callee_and_arguments(low, end, ASYNC_END_CALLEE, ASYNC_END_FIRST);
    if (status != CORO_OK)
      return status;
  }
  return CORO_OK;
}

static coro_status reject_intrinsics_of_other_abis(const struct coro_lowering *low)
{
  static const enum intrin foreign[] = {INTRIN_ALLOC,      INTRIN_FREE,       INTRIN_SAVE,
                                        INTRIN_AWAIT_VOID, INTRIN_AWAIT_BOOL, INTRIN_AWAIT_HANDLE};
  return coro_check_intrinsics_absent(
      low, foreign, sizeof foreign / sizeof *foreign, "intrinsic-of-abi",
      "the intrinsic has no meaning in an async coroutine",
      "an async coroutine's frame is the tail of its context, which its caller allocates");
}

coro_status async_check(const struct coro_lowering *low)
{
  static coro_legality_check *const checks[] = {check_operands_of_id_and_void_result, check_suspends,
                                                check_results_and_tail_calls_of_ends, reject_intrinsics_of_other_abis,
                                                NULL};
  return coro_run_checks_until_rejection(low, checks);
}

/* Whether the clones that contain the call can end in it as a tail call: their calling convention is the
   coroutine's, and so is the call's. On memory exhaustion the arena records the failure. */
bool async_musttail_can_end_clone(const struct coro_lowering *low, uint32_t call)
{
  const struct coro_cfg *cfg = &low->cfg;
  LLVMTypeRef type = LLVMGetCalledFunctionType(low->fn.insts[call]);
  struct worklist work;
  if (tailcall_callee_pops_arguments(LLVMGetInstructionCallConv(low->fn.insts[call])) ||
      !worklist_init(&work, low->arena, cfg->node_count))
    return true;
  worklist_enter(&work, cfg_node_of(cfg, call));
  for (uint32_t node; worklist_take(&work, &node);) {
    bool landing = cfg->nodes[node].landing;
    if (landing && async_continuation_type(low, node - cfg->fragment_count) != type)
      return false;
    for (uint32_t p = cfg->graph.pred_start[node]; !landing && p < cfg->graph.pred_start[node + 1]; p++)
      worklist_enter(&work, cfg->graph.pred[p]);
  }
  return true;
}

coro_status async_check_context_size_and_header(const struct coro_lowering *low)
{
  LLVMValueRef pointer = async_pointer(LLVMGetOperand(low->fn.insts[low->shape.id], ASYNC_ID_POINTER));
  if (coro_fits_unsigned_integer(async_context_size(low), LLVMTypeOf(async_pointer_size(pointer))))
    return hook_module_check_header_alignment(low, async_context_align(low));
  return coro_reject(low, "context-size-fits", low->shape.id,
                     "the size of the context with the frame exceeds the size field of the async function pointer",
                     "store large data outside of the coroutine, or on the heap");
}
