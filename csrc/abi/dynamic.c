/* The dynamic returned-continuation ABI of Swift's LLVM, llvm.coro.id.retcon.once.dynamic: the coroutine yields once.
   Its caller allocates the frame, whose size is in the coroutine function pointer, and passes an allocator for all
   other memory. Everything else is as in the returned-continuation ABIs.
   Requires: crossing, allocas and frame of a coroutine.
   Guarantees: functions f.resume.N after the ramp; the coroutine function pointer holds the size of the frame. */
#include "abi/abi.h"
#include "abi/retcon_internal.h"
#include "ir/async_pointer.h"
#include "lowering/check.h"

static LLVMValueRef id_operand(const struct coro_lowering *low, unsigned index)
{
  return LLVMGetOperand(low->fn.insts[low->shape.id], index);
}

/* ---- Checks ---- */

static bool has_operand_of_kind(const struct coro_lowering *low, unsigned index, LLVMTypeKind kind)
{
  return index < LLVMGetNumArgOperands(low->fn.insts[low->shape.id]) &&
         LLVMGetTypeKind(LLVMTypeOf(id_operand(low, index))) == kind;
}

static coro_status reject_operand(const struct coro_lowering *low, const char *operand, const char *defect)
{
  const char *message = coro_arena_printf(low->arena, "the %s of llvm.coro.id.retcon.once.dynamic %s", operand, defect);
  return message ? reject_id(low, "dynamic-operands", message,
                             "pass i32 size, i32 alignment, and 6 or 8 pointers: coroutine function pointer, "
                             "allocator, frame, prototype, allocate, deallocate, and optionally the last two for "
                             "frames of callees; a type id, one integer, may follow")
                 : CORO_ENOMEM;
}

/* Checks the number and the types of the operands. Swift's LLVM had 8 first, then two more for the frames of callees,
   and a type id after either. */
static coro_status check_count_and_types_of_id_operands(const struct coro_lowering *low)
{
  static const char *const names[] = {"size",
                                      "alignment",
                                      "coroutine function pointer",
                                      "allocator",
                                      "frame",
                                      "prototype",
                                      "allocation function",
                                      "deallocation function",
                                      "allocation function for frames of callees",
                                      "deallocation function for frames of callees"};
  unsigned known = DYNAMIC_DEALLOCATOR + 1, count = LLVMGetNumArgOperands(low->fn.insts[low->shape.id]);
  if (has_operand_of_kind(low, known, LLVMPointerTypeKind))
    known = DYNAMIC_FRAME_DEALLOCATOR + 1;
  for (unsigned i = 0; i < known; i++) {
    bool integer = i < DYNAMIC_POINTER;
    if (!has_operand_of_kind(low, i, integer ? LLVMIntegerTypeKind : LLVMPointerTypeKind))
      return reject_operand(low, names[i],
                            i >= count ? "is missing"
                            : integer  ? "is not an integer"
                                       : "is not a pointer");
  }
  if (count > known + 1)
    return reject_operand(low, "type id", "is not the last argument: a coroutine has one type id at most");
  if (count > known && !has_operand_of_kind(low, known, LLVMIntegerTypeKind))
    return reject_operand(low, "type id", "is not an integer");
  return CORO_OK;
}

static bool is_id_operand_a_parameter(const struct coro_lowering *low, unsigned operand)
{
  return ir_operand(&low->fn, low->shape.id, operand) < low->fn.arg_count;
}

/* Checks that the frame and the allocator are parameters: clones get them as their first two arguments. */
static coro_status check_frame_allocator_and_prototype(const struct coro_lowering *low)
{
  if (!async_pointer(id_operand(low, DYNAMIC_POINTER)))
    return reject_id(low, "coroutine-function-pointer",
                     "the coroutine function pointer of llvm.coro.id.retcon.once.dynamic is not a global with an "
                     "initializer of an offset and an integer size",
                     "pass a global such as @f.cfp = global <{ i32, i32 }> <{ i32 ..., i32 0 }>");
  if (!is_id_operand_a_parameter(low, DYNAMIC_CONTEXT) || !is_id_operand_a_parameter(low, DYNAMIC_BUFFER))
    return reject_id(low, "dynamic-arguments",
                     "the allocator or the frame of llvm.coro.id.retcon.once.dynamic is not a parameter of the "
                     "coroutine",
                     "declare both as ptr parameters of the coroutine, and pass these");
  if (!retcon_parameter_is_not_copy_nor_swifterror(low->fn.function,
                                                   ir_operand(&low->fn, low->shape.id, DYNAMIC_CONTEXT)))
    return reject_id(low, "dynamic-arguments",
                     "the attributes of the parameter with the allocator make it a copy of the caller's allocator",
                     "remove byval, inalloca and preallocated: continuations share the allocator");
  LLVMTypeRef prototype = retcon_function_type_of_operand_or_null(low, DYNAMIC_PROTOTYPE);
  unsigned count = prototype ? LLVMCountParamTypes(prototype) : 0;
  LLVMTypeRef *types = CORO_NEW_ARRAY(low->arena, LLVMTypeRef, count + 1);
  if (!types)
    return CORO_ENOMEM;
  if (prototype)
    LLVMGetParamTypes(prototype, types);
  if (prototype && (count < 2 || types[1] != LLVMTypeOf(id_operand(low, DYNAMIC_CONTEXT))))
    return reject_id(low, "dynamic-prototype",
                     "the prototype of llvm.coro.id.retcon.once.dynamic does not take the allocator as its second "
                     "parameter",
                     "declare it as void (ptr frame, ptr allocator)");
  if (prototype && !retcon_parameter_is_not_copy_nor_swifterror(id_operand(low, DYNAMIC_PROTOTYPE), 1))
    return reject_id(low, "dynamic-prototype",
                     "the attributes of the prototype's second parameter make it a copy of the caller's allocator",
                     "remove byval, inalloca, preallocated and swifterror: continuations share the allocator");
  return CORO_OK;
}

static coro_status dynamic_check(const struct coro_lowering *low)
{
  coro_status status = check_count_and_types_of_id_operands(low);
  if (!status)
    status = retcon_check_buffer_alignment(low);
  if (!status)
    status = retcon_check_type_ids(low);
  if (!status)
    status = check_frame_allocator_and_prototype(low);
  bool frames = !status && LLVMGetNumArgOperands(low->fn.insts[low->shape.id]) > DYNAMIC_FRAME_DEALLOCATOR;
  for (unsigned i = DYNAMIC_ALLOCATOR; i <= (frames ? DYNAMIC_FRAME_DEALLOCATOR : DYNAMIC_DEALLOCATOR) && !status; i++)
    status = i == DYNAMIC_ALLOCATOR || i == DYNAMIC_FRAME_ALLOCATOR ? retcon_check_allocator(low, i)
                                                                    : retcon_check_deallocator(low, i);
  return status ? status : retcon_check_prototype_suspends_and_ends(low);
}

static coro_status check_frame(const struct coro_lowering *low)
{
  LLVMValueRef size = async_pointer_size(async_pointer(id_operand(low, DYNAMIC_POINTER)));
  if (coro_fits_unsigned_integer(retcon_buffer_size(low), LLVMTypeOf(size)))
    return CORO_OK;
  return reject_id(low, "frame-size-fits",
                   "the size of the frame exceeds the size field of the coroutine function pointer",
                   "store large data outside of the coroutine, or on the heap");
}

const struct coro_abi coro_abi_dynamic = {.name = "dynamic returned continuation",
                                          .ids = 1u << CORO_ABI_RETCON_DYNAMIC,
                                          RETCON_COMMON,
                                          .check = dynamic_check,
                                          .check_frame = check_frame};
