/* Checks of the returned-continuation ABIs' rules.
   Requires: number, shape; cfg, for the control flow.
   Guarantees: the function is unchanged. */
#include "abi/hook_module.h"
#include "abi/retcon_internal.h"
#include "ir/edit.h"
#include "lowering/abi.h"
#include "lowering/check.h"

uint32_t retcon_end_results_inst_or_none(const struct coro_lowering *low, uint32_t end)
{
  return ir_operand_inst(&low->fn, end, END_TOKEN);
}

/* The number of values in a return type. */
static unsigned count_returned_values(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMVoidTypeKind ? 0 : kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 1;
}

LLVMTypeRef retcon_element_type_if_struct(LLVMTypeRef type, unsigned index)
{
  return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index) : type;
}

/* The type of the prototype, or NULL if it is not a function. */
static LLVMTypeRef function_type_of_prototype_or_null(const struct coro_lowering *low)
{
  return retcon_function_type_of_operand_or_null(low, retcon_index(low, RETCON_PROTOTYPE));
}

/* Checks that the buffer can hold a pointer: the address of a frame that does not fit in it. */
static coro_status check_buffer_holds_pointer(const struct coro_lowering *low)
{
  if (retcon_id_number(low, RETCON_SIZE) < ir_pointer_size(low->context, low->layout))
    return reject_id(low, "id-size-holds-pointer",
                     "the buffer is smaller than a pointer, so it cannot hold the frame's address",
                     "increase the size to at least that of a pointer");
  return CORO_OK;
}

coro_status retcon_check_buffer_alignment(const struct coro_lowering *low)
{
  if (!LLVMIsAConstantInt(retcon_id_operand(low, RETCON_ALIGN)))
    return reject_id(low, "id-align-is-constant", "the alignment of the buffer must be a constant", "pass it in bytes");
  uint64_t align = retcon_id_number(low, RETCON_ALIGN);
  if (!align || align & (align - 1))
    return reject_id(low, "id-align-is-power", "the alignment of the buffer is not a power of two",
                     "pass the alignment in bytes that all callers provide");
  return CORO_OK;
}

static coro_status check_buffer_size_and_alignment(const struct coro_lowering *low)
{
  if (!LLVMIsAConstantInt(retcon_id_operand(low, RETCON_SIZE)))
    return reject_id(low, "id-size-is-constant", "the size of the buffer must be a constant", "pass it in bytes");
  coro_status status = retcon_check_buffer_alignment(low);
  /* without a suspend the frame may be empty */
  return status || !low->shape.suspend_count ? status : check_buffer_holds_pointer(low);
}

bool retcon_parameter_is_not_copy_nor_swifterror(LLVMValueRef function, unsigned parameter)
{
  return !edit_stack_argument_attribute(function, parameter + 1) &&
         !edit_has_attribute(function, parameter + 1, "swifterror");
}

/* Checks that the coroutine and its continuations, which inherit the prototype's attributes, access the same buffer. */
static coro_status check_buffer_is_shared_with_prototype(const struct coro_lowering *low)
{
  LLVMValueRef prototype = retcon_id_operand(low, RETCON_PROTOTYPE);
  uint32_t buffer = ir_operand(&low->fn, low->shape.id, retcon_index(low, RETCON_BUFFER));
  if (edit_has_function_attribute(prototype, "naked"))
    return reject_id(low, "naked", "the prototype is naked, so its continuations would have no parameters and no stack",
                     "remove the attribute from the prototype");
  if (!retcon_parameter_is_not_copy_nor_swifterror(prototype, 0))
    return reject_id(low, "prototype-takes-buffer",
                     "the attributes of the prototype's first parameter make it a copy of the caller's memory",
                     "remove byval, inalloca, preallocated and swifterror: continuations share the buffer");
  if (buffer < low->fn.arg_count && !retcon_parameter_is_not_copy_nor_swifterror(low->fn.function, buffer))
    return reject_id(low, "buffer-is-shared",
                     "the attributes of the parameter with the buffer make it a copy of the caller's memory",
                     "remove byval, inalloca and preallocated: continuations share the buffer");
  return CORO_OK;
}

static coro_status check_prototype(const struct coro_lowering *low)
{
  LLVMTypeRef type = function_type_of_prototype_or_null(low);
  LLVMTypeRef ramp_type = LLVMGetReturnType(LLVMGlobalGetValueType(low->fn.function));
  if (!type)
    return reject_id(low, "prototype-is-function", "the prototype of the continuations is not a function",
                     "pass a function; a declaration suffices");
  if (!count_returned_values(ramp_type) || !edit_is_pointer(retcon_element_type_if_struct(ramp_type, 0)))
    return reject_id(low, "continuation-comes-first", "the first result of the coroutine is not a pointer",
                     "return the continuation, or a struct that begins with it");
  if (retcon_element_type_if_struct(ramp_type, 0) !=
      LLVMPointerTypeInContext(low->context, ir_program_address_space(low->layout)))
    return reject_id(low, "continuation-is-code",
                     "the address space of the coroutine's first result is not that of its code",
                     "return the continuation as a pointer of the data layout's program address space");
  if (!retcon_is_once(low) && LLVMGetReturnType(type) != ramp_type)
    return reject_id(low, "prototype-returns-as-function", "the return types of the prototype and the coroutine differ",
                     "use the same return type for both: a pointer, or a struct that begins with one");
  LLVMTypeRef *types = CORO_NEW_ARRAY(low->arena, LLVMTypeRef, LLVMCountParamTypes(type) + 1);
  if (!types)
    return CORO_ENOMEM;
  LLVMGetParamTypes(type, types);
  if (!types[0] || !edit_is_pointer(types[0]))
    return reject_id(low, "prototype-takes-buffer", "the first parameter of the prototype is not a pointer",
                     "declare the buffer as first parameter, then the values that resume a continuation");
  if (LLVMIsFunctionVarArg(type))
    return reject_id(low, "prototype-takes-buffer", "the prototype is variadic, but continuations are not",
                     "declare a parameter for each value that resumes a continuation, and no `...`");
  if (!retcon_is_frame_address(low, types[0]))
    return reject_id(low, "prototype-takes-buffer",
                     "the address space of the prototype's first parameter is not that of the buffer",
                     "declare the parameter as ptr");
  return check_buffer_is_shared_with_prototype(low);
}

/* Whether values can be bitcast between the types. */
static bool is_bitcast_possible(const struct coro_lowering *low, LLVMTypeRef a, LLVMTypeRef b)
{
  LLVMTypeKind x = LLVMGetTypeKind(a), y = LLVMGetTypeKind(b);
  bool are_bits = x != LLVMPointerTypeKind && y != LLVMPointerTypeKind && x != LLVMStructTypeKind &&
                  y != LLVMStructTypeKind && x != LLVMArrayTypeKind && y != LLVMArrayTypeKind &&
                  ir_has_fixed_size(low->sizes, a) && ir_has_fixed_size(low->sizes, b);
  return a == b || (are_bits && LLVMSizeOfTypeInBits(low->layout, a) == LLVMSizeOfTypeInBits(low->layout, b));
}

static coro_status check_yielded_values(const struct coro_lowering *low, uint32_t suspend)
{
  LLVMValueRef inst = low->fn.insts[suspend];
  LLVMTypeRef returned = LLVMGetReturnType(LLVMGlobalGetValueType(low->fn.function));
  unsigned count = LLVMGetNumArgOperands(inst);
  if (count + 1 != count_returned_values(returned))
    return coro_reject(
        low, "yield-count", suspend,
        "the suspend yields a different number of values than the coroutine returns after its continuation",
        "pass a value for each result of the function except the first");
  for (unsigned i = 0; i < count; i++)
    if (!is_bitcast_possible(low, LLVMTypeOf(LLVMGetOperand(inst, i)), retcon_element_type_if_struct(returned, i + 1)))
      return coro_reject(low, "yield-type", suspend,
                         "the type of a value that the suspend yields differs from the coroutine's result",
                         "yield values of the types of the function's results");
  return CORO_OK;
}

static coro_status check_resumed_values(const struct coro_lowering *low, uint32_t suspend)
{
  if (retcon_is_dynamic(low) && !LLVMGetFirstUse(low->fn.insts[suspend]))
    return CORO_OK; /* Swift does not use the result, which is the allocator of the continuation */
  LLVMTypeRef resumed_type = LLVMTypeOf(low->fn.insts[suspend]), type = function_type_of_prototype_or_null(low);
  unsigned count = LLVMCountParamTypes(type);
  LLVMTypeRef *types = CORO_NEW_ARRAY(low->arena, LLVMTypeRef, count);
  if (!types)
    return CORO_ENOMEM;
  LLVMGetParamTypes(type, types);
  if (count_returned_values(resumed_type) + 1 != count)
    return coro_reject(
        low, "resume-count", suspend,
        "the suspend returns a different number of values than the prototype has parameters after the buffer",
        "return a value for each parameter of the prototype except the first");
  for (unsigned i = 1; i < count; i++)
    if (retcon_element_type_if_struct(resumed_type, i - 1) != types[i])
      return coro_reject(low, "resume-type", suspend,
                         "the type of a value that the suspend returns differs from the prototype's parameter",
                         "use the types of the prototype's parameters in the suspend's result");
  return CORO_OK;
}

static coro_status check_results_of_end(const struct coro_lowering *low, uint32_t end)
{
  uint32_t results = retcon_end_results_inst_or_none(low, end);
  LLVMTypeRef type = LLVMGetReturnType(function_type_of_prototype_or_null(low));
  unsigned count = results == IR_NONE ? 0 : LLVMGetNumArgOperands(low->fn.insts[results]);
  if (results != IR_NONE && low->shape.intrin[results] != INTRIN_END_RESULTS)
    return coro_reject(low, "end-names-results", end,
                       "the token operand of llvm.coro.end is not the result of llvm.coro.end.results",
                       "pass `token none` or the result of llvm.coro.end.results");
  if (coro_is_unwind_end(&low->fn, end))
    return CORO_OK;
  bool fits = count == (retcon_is_once(low) ? count_returned_values(type) : 0);
  for (unsigned i = 0; i < count && fits; i++)
    fits = LLVMTypeOf(LLVMGetOperand(low->fn.insts[results], i)) == retcon_element_type_if_struct(type, i);
  return fits ? CORO_OK
              : coro_reject(low, "end-results", end, "the results of the end differ from those of the prototype",
                            "pass an llvm.coro.end.results with a value for each, or `token none` in a coroutine that "
                            "yields more than once");
}

/* Rejects intrinsics that need a coroutine handle. */
static coro_status reject_intrinsics_of_other_abis(const struct coro_lowering *low)
{
  static const enum intrin foreign[] = {INTRIN_ALLOC,      INTRIN_FREE,         INTRIN_SAVE,         INTRIN_AWAIT_VOID,
                                        INTRIN_AWAIT_BOOL, INTRIN_AWAIT_HANDLE, INTRIN_ASYNC_RESUME, INTRIN_END_ASYNC};
  return coro_check_intrinsics_absent(
      low, foreign, sizeof foreign / sizeof *foreign, "intrinsic-of-abi",
      "the intrinsic belongs to a different ABI than the coroutine's id",
      "remove it: the lowering allocates and frees the frame of a coroutine that returns "
      "continuations");
}

coro_status retcon_check_prototype_suspends_and_ends(const struct coro_lowering *low)
{
  coro_status status = check_prototype(low);
  if (!status)
    status = reject_intrinsics_of_other_abis(low);
  for (uint32_t k = 0; k < low->shape.suspend_count && !status; k++) {
    uint32_t suspend = low->shape.suspends[k].inst;
    if (low->shape.intrin[suspend] != INTRIN_SUSPEND_RETCON)
      return coro_reject(low, "suspend-of-abi", suspend,
                         "llvm.coro.id.retcon.* must be paired with llvm.coro.suspend.retcon",
                         "use llvm.coro.suspend.retcon, or the id that belongs to this suspend");
    status = check_yielded_values(low, suspend);
    if (!status)
      status = check_resumed_values(low, suspend);
  }
  for (uint32_t e = 0; e < low->shape.ends.count && !status; e++)
    status = check_results_of_end(low, low->shape.ends.items[e]);
  return status;
}

coro_status retcon_check(const struct coro_lowering *low)
{
  coro_status status = check_buffer_size_and_alignment(low);
  if (!status)
    status = retcon_check_type_ids(low);
  if (!status)
    status = retcon_check_allocator(low, RETCON_ALLOCATOR);
  if (!status)
    status = retcon_check_deallocator(low, RETCON_DEALLOCATOR);
  return status ? status : retcon_check_prototype_suspends_and_ends(low);
}

coro_status retcon_check_flow(const struct coro_lowering *low)
{
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    const struct cfg_node *node = &low->cfg.nodes[low->cfg.node_of_inst[i]];
    if (!(node->clone_kinds & CLONE_RESUME))
      continue;
    if (low->fn.opcode[i] == LLVMRet)
      return coro_reject(low, "end-before-return", i, "a continuation returns without llvm.coro.end",
                         "end the coroutine with llvm.coro.end, which becomes a return with the prototype's results");
    if (coro_is_suspend(&low->shape, i) && retcon_is_once(low))
      return coro_reject(low, "yields-once", i, "a coroutine that yields once can reach a second suspend",
                         "use llvm.coro.id.retcon, or end the coroutine on all paths from the first suspend");
  }
  for (uint32_t e = 0; e < low->shape.ends.count; e++) {
    uint32_t end = low->shape.ends.items[e], results = retcon_end_results_inst_or_none(low, end);
    if (results != IR_NONE && low->cfg.node_of_inst[results] != low->cfg.node_of_inst[end])
      return coro_reject(low, "results-beside-end", end, "llvm.coro.end.results is separated from its end",
                         "call it in the block of the end, right before it");
  }
  return CORO_OK;
}

/* Checks a frame that does not fit the buffer: the buffer must hold its address, and without the hook abi.alloc the
   allocator's parameter must hold its size and malloc's alignment be enough for the ABI's header. */
coro_status retcon_check_frame_fits_allocator(const struct coro_lowering *low)
{
  bool has_alloc_hook = hook_module_defines_hook(low->abi->hook_module, HOOK_alloc);
  if (retcon_frame_is_in_buffer(low))
    return CORO_OK;
  coro_status status = check_buffer_holds_pointer(low);
  if (status || has_alloc_hook)
    return status;
  if (coro_fits_unsigned_integer(low->frame.size, retcon_size_type_of_allocator(low)))
    return hook_module_check_header_alignment(low, ir_malloc_align(low->context, low->layout));
  return coro_reject(low, "frame-size-fits", low->shape.id,
                     "the size of the frame exceeds the integer parameter of its allocator",
                     "use an allocator with a wider integer parameter");
}
