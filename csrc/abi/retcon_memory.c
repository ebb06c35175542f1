/* Functions that allocate and free memory for coroutines that return continuations. An allocator takes a size; one for
   typed memory takes a type id after it. In the dynamic ABI the caller's allocator object precedes the size, and the
   address of the frame may precede that. A deallocator takes the memory after the same pointers.
   Requires: number, shape; emission in progress, for calls.
   Guarantees: calls that the checks accepted fit the functions. */
#include <limits.h>

#include "abi/retcon_internal.h"
#include "base/align.h"
#include "emit/call.h"
#include "emit/declare.h"
#include "emit/lookup.h"
#include "ir/edit.h"
#include "lowering/allocation_operand.h"

enum { MAX_PARAMETERS = 4 };

/* ---- Functions for a caller that passes null as its allocator ----

   A caller with Swift's calling convention swiftcorocc passes null to get the memory on its own stack: the callee
   returns without popping it. LLVM has no such return, so the memory comes from malloc. The attribute "swiftcorocc"
   marks functions that had the convention. */

static LLVMBasicBlockRef append_helper_block(const struct emit *e, LLVMValueRef function, const char *name)
{
  return LLVMAppendBasicBlockInContext(e->low->context, function, name);
}

/* Calls the library's function with one argument, and returns what it returns. */
static void build_library_call_and_return(const struct emit *e, LLVMBuilderRef builder, const char *name,
                                          LLVMTypeRef result, LLVMValueRef argument)
{
  LLVMTypeRef parameter = LLVMTypeOf(argument), type = LLVMFunctionType(result, &parameter, 1, false);
  LLVMValueRef function = edit_declare_library_function(e->low->module, name, type);
  LLVMValueRef call = LLVMBuildCall2(builder, type, function, &argument, 1, "");
  if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, call);
}

/* Builds the body `if (allocator) return callee(...); else return malloc(size)`, or free(memory). */
static void build_body_with_malloc_if_no_allocator(const struct emit *e, LLVMBuilderRef builder, LLVMValueRef function,
                                                   LLVMValueRef callee, unsigned pointers)
{
  LLVMBasicBlockRef entry = append_helper_block(e, function, "entry"),
                    no_allocator = append_helper_block(e, function, "no.allocator"),
                    has_allocator = append_helper_block(e, function, "given");
  LLVMValueRef arguments[MAX_PARAMETERS], last_argument = LLVMGetParam(function, pointers);
  LLVMTypeRef word = LLVMIntPtrTypeInContext(e->low->context, e->low->layout);
  bool allocates = LLVMGetTypeKind(LLVMTypeOf(last_argument)) == LLVMIntegerTypeKind;
  LLVMGetParams(function, arguments);
  LLVMPositionBuilderAtEnd(builder, entry);
  LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, arguments[pointers - 1], ""), no_allocator, has_allocator);
  LLVMPositionBuilderAtEnd(builder, no_allocator);
  build_library_call_and_return(e, builder, allocates ? "malloc" : "free",
                                LLVMGetReturnType(LLVMGlobalGetValueType(function)),
                                allocates ? LLVMBuildIntCast2(builder, last_argument, word, false, "") : last_argument);
  LLVMPositionBuilderAtEnd(builder, has_allocator);
  LLVMValueRef result = edit_build_call(builder, callee, arguments, LLVMCountParams(function), "");
  if (allocates)
    LLVMBuildRet(builder, result);
  else
    LLVMBuildRetVoid(builder);
}

/* A function of the type of operand `index` of the coroutine's id, whose parameter number `pointers` - 1 is the
   caller's allocator. It is the operand itself unless the allocator may be null. */
static LLVMValueRef allocation_function_accepting_null_allocator(struct emit *e, unsigned index, unsigned pointers)
{
  const struct coro_lowering *low = e->low;
  LLVMValueRef callee = LLVMGetOperand(low->fn.insts[low->shape.id], index);
  if (!pointers || !edit_has_string_attribute(low->fn.function, "swiftcorocc"))
    return callee;
  LLVMValueRef *helper = &low->scratch->allocators[index - DYNAMIC_ALLOCATOR];
  if (*helper)
    return *helper;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(low->context);
  bool frees = (index - DYNAMIC_ALLOCATOR) % 2;
  *helper = declare_function(low, frees ? "deallocate" : "allocate", LLVMGlobalGetValueType(callee));
  edit_copy_attributes(low->arena, low->fn.function, *helper, (unsigned)LLVMAttributeFunctionIndex,
                       declare_attribute_holds_for_helper);
  build_body_with_malloc_if_no_allocator(e, builder, *helper, callee, pointers);
  LLVMDisposeBuilder(builder);
  return *helper;
}

struct signature {
  unsigned pointers; /* leading pointer parameters */
  LLVMTypeRef types[MAX_PARAMETERS];
  unsigned count;
};

LLVMTypeRef retcon_function_type_of_operand_or_null(const struct coro_lowering *low, unsigned index)
{
  LLVMValueRef value = LLVMGetOperand(low->fn.insts[low->shape.id], index);
  return LLVMIsAFunction(value) ? LLVMGlobalGetValueType(value) : NULL;
}

static bool is_integer_type(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
}

/* False: it is variadic or has more parameters than any allocator or deallocator. Their types are not checked. */
static bool read_parameters_within_limit(LLVMTypeRef type, struct signature *s)
{
  *s = (struct signature){.count = LLVMCountParamTypes(type)};
  if (s->count > MAX_PARAMETERS || LLVMIsFunctionVarArg(type))
    return false;
  LLVMGetParamTypes(type, s->types);
  while (s->pointers < s->count && edit_is_pointer(s->types[s->pointers]))
    s->pointers++;
  return true;
}

uint64_t retcon_buffer_size(const struct coro_lowering *low)
{
  return retcon_is_dynamic(low) ? coro_align_to(low->frame.size, retcon_id_number(low, RETCON_ALIGN))
                                : retcon_id_number(low, RETCON_SIZE);
}

/* ---- Checks ---- */

/* The parameters before the size or the memory: the caller's allocator, and the frame before it. */
static bool first_parameters_take_frame_and_allocator(const struct coro_lowering *low, LLVMValueRef function,
                                                      const struct signature *s, unsigned count)
{
  static const unsigned operands[] = {DYNAMIC_BUFFER, DYNAMIC_CONTEXT};
  if (count > (retcon_is_dynamic(low) ? 2 : 0))
    return false;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef given = LLVMGetOperand(low->fn.insts[low->shape.id], operands[2 - count + i]);
    if (s->types[i] != LLVMTypeOf(given) || edit_has_attribute(function, i + 1, "byval"))
      return false;
  }
  return true;
}

coro_status retcon_check_type_ids(const struct coro_lowering *low)
{
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    struct allocation_type_ids ids = {0};
    if (i == low->shape.id || low->shape.intrin[i] == INTRIN_ALLOCA_ALLOC)
      ids = find_allocation_type_ids(low, i);
    if (ids.malformed)
      return coro_reject(low, "type-id", i, "the type id in the operand bundle coro-type-id is not an integer",
                         "write the bundle as [ \"coro-type-id\"(i64 7) ], or remove it");
    if (ids.count > 1)
      return coro_reject(low, "type-id", i, "the call has more than one type id, but an allocator takes one",
                         "leave one integer in one operand bundle coro-type-id, or as the last argument of "
                         "llvm.coro.id.retcon.once.dynamic");
  }
  return CORO_OK;
}

coro_status retcon_check_allocator(const struct coro_lowering *low, unsigned index)
{
  bool dynamic = retcon_is_dynamic(low);
  LLVMValueRef function = LLVMGetOperand(low->fn.insts[low->shape.id], index);
  LLVMTypeRef type = retcon_function_type_of_operand_or_null(low, index);
  struct signature s;
  bool fits = type && edit_is_pointer(LLVMGetReturnType(type)) && read_parameters_within_limit(type, &s) &&
              s.count > s.pointers && s.count <= s.pointers + 2 && is_integer_type(s.types[s.pointers]) &&
              is_integer_type(s.types[s.count - 1]) &&
              first_parameters_take_frame_and_allocator(low, function, &s, s.pointers);
  if (!fits && dynamic)
    return reject_id(
        low, "allocator",
        "an allocator of llvm.coro.id.retcon.once.dynamic must be a function that takes up to two pointers "
        "(the frame, the caller's allocator), a size and optionally a type id, and returns a pointer",
        "declare it as ptr (ptr frame, ptr allocator, iN size)");
  if (!fits)
    return reject_id(low, "allocator", "the allocator must be a function that takes an integer and returns a pointer",
                     "pass a function such as malloc; its argument is the size of the frame in bytes");
  if (!dynamic && s.count == 2 && allocation_type_id_operand_or_max(low, low->shape.id) == UINT_MAX)
    return reject_id(low, "allocator", "the allocator takes a type id, but llvm.coro.id.retcon has none",
                     "add it as operand bundle coro-type-id, as pycoro upgrade does");
  if (!retcon_is_frame_address(low, LLVMGetReturnType(type)))
    return reject_id(low, "allocator", "the address space of the allocator's result is not that of the buffer",
                     "use an allocator that returns a ptr");
  return coro_check_callable_by_generated_code(low, "allocator", low->shape.id, function, "the allocator");
}

coro_status retcon_check_deallocator(const struct coro_lowering *low, unsigned index)
{
  bool dynamic = retcon_is_dynamic(low);
  LLVMValueRef function = LLVMGetOperand(low->fn.insts[low->shape.id], index);
  LLVMTypeRef type = retcon_function_type_of_operand_or_null(low, index);
  struct signature s;
  bool fits = type && LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind &&
              read_parameters_within_limit(type, &s) && s.count && s.pointers == s.count &&
              first_parameters_take_frame_and_allocator(low, function, &s, s.count - 1);
  if (!fits && dynamic)
    return reject_id(low, "deallocator",
                     "a deallocator of llvm.coro.id.retcon.once.dynamic must be a function that takes up to three "
                     "pointers (the frame, the caller's allocator, the memory) and returns void",
                     "declare it as void (ptr frame, ptr allocator, ptr memory)");
  if (!fits)
    return reject_id(low, "deallocator", "the deallocator must be a function that takes a pointer and returns void",
                     "pass a function such as free");
  if (!retcon_is_frame_address(low, s.types[s.count - 1]))
    return reject_id(low, "deallocator", "the address space of the deallocator's parameter is not that of the buffer",
                     "use a deallocator with a ptr parameter");
  if (edit_has_attribute(function, s.count, "byval"))
    return reject_id(low, "deallocator", "the deallocator takes a copy of the memory instead of its address",
                     "remove byval from its parameter");
  return coro_check_callable_by_generated_code(low, "deallocator", low->shape.id, function, "the deallocator");
}

LLVMTypeRef retcon_size_type_of_allocator(const struct coro_lowering *low)
{
  struct signature s;
  read_parameters_within_limit(LLVMGlobalGetValueType(retcon_id_operand(low, RETCON_ALLOCATOR)), &s);
  return s.types[s.pointers];
}

/* ---- Calls ---- */

/* The number of the id's operand that allocates or frees for this call: memory for the frame of a callee may have
   functions of its own. */
static unsigned id_operand_of_allocation_function(const struct emit *e, uint32_t inst, unsigned operand)
{
  const struct coro_lowering *low = e->low;
  LLVMValueRef id = low->fn.insts[low->shape.id];
  if (allocation_is_marked_callee_frame(low, inst) && retcon_is_dynamic(low) &&
      LLVMGetNumArgOperands(id) > DYNAMIC_FRAME_DEALLOCATOR)
    return operand == RETCON_ALLOCATOR ? DYNAMIC_FRAME_ALLOCATOR : DYNAMIC_FRAME_DEALLOCATOR;
  return retcon_index(low, operand);
}

/* The frame and the caller's allocator in this clone. */
static LLVMValueRef frame_or_allocator_argument(const struct emit *e, bool allocator)
{
  const struct coro_lowering *low = e->low;
  if (e->clone_kind != CLONE_RAMP)
    return LLVMGetParam(e->function, allocator ? 1 : 0);
  return LLVMGetParam(e->function,
                      allocator ? ir_operand(&low->fn, low->shape.id, DYNAMIC_CONTEXT) : low->frame_argument);
}

/* Stores the arguments before the size or the memory in `arguments`, and returns their number. The last pointer of a
   deallocator is the memory itself. */
static unsigned set_leading_pointer_arguments(const struct emit *e, unsigned pointers, LLVMValueRef *arguments)
{
  for (unsigned i = 0; i < pointers; i++)
    arguments[i] = frame_or_allocator_argument(e, i + 1 == pointers);
  return pointers;
}

/* The type id of an allocation; an allocation without one uses the constant operand of the coroutine's id. */
static LLVMValueRef emit_type_id_of_allocation(struct emit *e, uint32_t inst, LLVMTypeRef type)
{
  unsigned operand = allocation_type_id_operand_or_max(e->low, inst);
  if (operand == UINT_MAX)
    operand = allocation_type_id_operand_or_max(e->low, inst = e->low->shape.id);
  return operand == UINT_MAX ? LLVMConstNull(type)
                             : LLVMBuildIntCast2(e->builder, emit_operand(e, inst, operand), type, false, "");
}

LLVMValueRef retcon_emit_allocator_call(struct emit *e, uint32_t inst, LLVMValueRef bytes)
{
  unsigned index = id_operand_of_allocation_function(e, inst, RETCON_ALLOCATOR), count;
  LLVMValueRef function = LLVMGetOperand(e->low->fn.insts[e->low->shape.id], index), arguments[MAX_PARAMETERS];
  struct signature s;
  read_parameters_within_limit(LLVMGlobalGetValueType(function), &s);
  count = set_leading_pointer_arguments(e, s.pointers, arguments);
  arguments[count] = LLVMBuildIntCast2(e->builder, bytes, s.types[count], false, "");
  if (++count < s.count) {
    arguments[count] = emit_type_id_of_allocation(e, inst, s.types[count]);
    count++;
  }
  return emit_call(e, allocation_function_accepting_null_allocator(e, index, s.pointers), arguments, count);
}

void retcon_emit_deallocator_call(struct emit *e, uint32_t inst, LLVMValueRef block)
{
  unsigned index = id_operand_of_allocation_function(e, inst, RETCON_DEALLOCATOR), count;
  LLVMValueRef function = LLVMGetOperand(e->low->fn.insts[e->low->shape.id], index), arguments[MAX_PARAMETERS];
  struct signature s;
  read_parameters_within_limit(LLVMGlobalGetValueType(function), &s);
  count = set_leading_pointer_arguments(e, s.pointers - 1, arguments);
  arguments[count++] = block;
  emit_call(e, allocation_function_accepting_null_allocator(e, index, s.pointers - 1), arguments, count);
}
