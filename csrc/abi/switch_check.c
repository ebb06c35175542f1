/* Checks of the switched-resume ABI's rules.
   Requires: number, shape; cfg, for the ends of clones.
   Guarantees: the function is unchanged. */
#include "abi/hook_module.h"
#include "abi/switch_internal.h"
#include "ir/edit.h"
#include "lowering/abi.h"
#include "lowering/check.h"
#include "transform/tailcall.h"

static coro_status check_suspends_and_one_final(const struct coro_lowering *low)
{
  uint32_t final = IR_NONE;
  for (uint32_t k = 0; k < low->shape.suspend_count; k++) {
    const struct coro_suspend *suspend = &low->shape.suspends[k];
    if (low->shape.intrin[suspend->inst] != INTRIN_SUSPEND)
      return coro_reject(low, "suspend-of-abi", suspend->inst, "llvm.coro.id must be paired with llvm.coro.suspend",
                         "use llvm.coro.suspend, or the id that belongs to this suspend");
    if (suspend->final && final != IR_NONE)
      return coro_reject(low, "one-final-suspend", suspend->inst, "only one suspend point can be marked as final",
                         "let all paths that end the coroutine branch to one final suspend");
    if (suspend->final)
      final = k;
  }
  return CORO_OK;
}

static coro_status check_ends_and_one_fallthrough(const struct coro_lowering *low)
{
  uint32_t fallthrough = IR_NONE;
  for (uint32_t e = 0; e < low->shape.ends.count; e++) {
    uint32_t end = low->shape.ends.items[e];
    LLVMValueRef inst = low->fn.insts[end];
    if (low->shape.intrin[end] != INTRIN_END)
      return coro_reject(low, "end-of-abi", end, "llvm.coro.end.async belongs to llvm.coro.id.async",
                         "use llvm.coro.end");
    if (LLVMGetValueKind(LLVMGetOperand(inst, END_TOKEN)) != LLVMConstantTokenNoneValueKind)
      return coro_reject(low, "end-results", end, "a coroutine of the switch ABI returns no results at its end",
                         "pass `token none` to llvm.coro.end");
    if (coro_is_unwind_end(&low->fn, end))
      continue;
    if (fallthrough != IR_NONE)
      return coro_reject(low, "one-fallthrough-end", end, "only one llvm.coro.end can be marked as fallthrough",
                         "branch to one llvm.coro.end on all paths that leave the coroutine");
    fallthrough = end;
  }
  return CORO_OK;
}

static coro_status check_alignment_operand_of_id(const struct coro_lowering *low)
{
  uint64_t align = 0;
  if (!edit_read_integer_constant(LLVMGetOperand(low->fn.insts[low->shape.id], ID_ALIGN), &align))
    return coro_reject(low, "id-align-is-constant", low->shape.id, "the alignment in llvm.coro.id must be a constant",
                       "pass 0, or the alignment in bytes that the allocator guarantees");
  if (align & (align - 1))
    return coro_reject(low, "id-align-is-power", low->shape.id, "the alignment in llvm.coro.id is not a power of two",
                       "pass 0, or the alignment in bytes that the allocator guarantees");
  return CORO_OK;
}

/* Repeats the checks of coro-early, for modules that skip that pass. */
static coro_status check_operands_of_promise_calls(const struct coro_lowering *low)
{
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    uint64_t align, from;
    LLVMValueRef inst = low->fn.insts[i];
    if (low->shape.intrin[i] != INTRIN_PROMISE)
      continue;
    if (!edit_read_integer_constant(LLVMGetOperand(inst, PROMISE_ALIGN), &align) ||
        !edit_read_integer_constant(LLVMGetOperand(inst, PROMISE_FROM), &from))
      return coro_reject(low, "promise-constant", i,
                         "llvm.coro.promise is called with an alignment or direction that is not a constant",
                         "pass the alignment as a constant i32 and the direction as a constant i1");
    if (align & (align - 1))
      return coro_reject(low, "promise-align", i, "the alignment argument of llvm.coro.promise is not a power of two",
                         "pass the alignment of the promise, that of the coroutine's llvm.coro.id");
  }
  return CORO_OK;
}

static coro_status check_callees_of_awaits(const struct coro_lowering *low)
{
  coro_status status;
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    if (low->shape.intrin[i] < INTRIN_AWAIT_VOID || low->shape.intrin[i] > INTRIN_AWAIT_HANDLE)
      continue;
    LLVMValueRef function = LLVMIsAFunction(LLVMGetOperand(low->fn.insts[i], AWAIT_FUNCTION));
    if (function &&
        (status = coro_check_callable_by_generated_code(low, "await-callee", i, function, "the await's function")))
      return status;
  }
  return CORO_OK;
}

/* Checks that code pointers, which the frame header stores, have the size of data pointers, which users of a handle
   expect. */
static coro_status check_code_pointer_size(const struct coro_lowering *low)
{
  LLVMTypeRef code = LLVMPointerTypeInContext(low->context, ir_program_address_space(low->layout));
  if (LLVMABISizeOfType(low->layout, code) == ir_pointer_size(low->context, low->layout))
    return CORO_OK;
  return coro_reject(low, "code-address-size", low->shape.id,
                     "code addresses differ in size from data addresses, which the frame's header holds",
                     "use a data layout with pointers of equal size in the program address space and address space 0");
}

/* Whether the clones can end in the call as a tail call. Clones declared by the ABI's hook module are known only
   after it is linked. */
bool switch_musttail_can_end_clone(const struct coro_lowering *low, uint32_t call)
{
  LLVMTypeRef type = switch_clone_type(low->context);
  unsigned clone_kinds = low->cfg.nodes[cfg_node_of(&low->cfg, call)].clone_kinds & CLONE_ALL_BUT_RAMP;
  return (clone_kinds == CLONE_RESUME && low->abi->hook_module && low->abi->hook_module->clone_prototype) ||
         tailcall_is_valid_musttail(type, LLVMFastCallConv, NULL, low->fn.insts[call]);
}

coro_status switch_check(const struct coro_lowering *low)
{
  static coro_legality_check *const checks[] = {check_code_pointer_size,
                                                check_suspends_and_one_final,
                                                check_ends_and_one_fallthrough,
                                                check_alignment_operand_of_id,
                                                check_callees_of_awaits,
                                                check_operands_of_promise_calls,
                                                NULL};
  return coro_run_checks_until_rejection(low, checks);
}
