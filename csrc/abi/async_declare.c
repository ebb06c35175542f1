/* Declares the continuation functions of an async coroutine.
   Requires: the frame of a coroutine.
   Guarantees: a declaration with the coroutine's calling convention and the context parameter at the position that
   resumers use. */
#include <string.h>

#include "abi/async_internal.h"
#include "emit/declare.h"
#include "ir/edit.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

/* The name suffix that tells Swift's debuggers where the frame is: after the context parameter, or after the context
   that it points to. NULL: another projection. */
static const char *swift_suffix_for_frame_location_or_null(const struct coro_lowering *low, uint32_t suspend)
{
  LLVMValueRef inst = low->fn.insts[low->shape.suspends[suspend].inst];
  LLVMValueRef projection = async_function_of_operand_or_null(LLVMGetOperand(inst, ASYNC_SUSPEND_PROJECTION));
  const char *name = edit_value_name(projection);
  if (!strcmp(name, "__swift_async_resume_project_context"))
    return "TQ";
  return !strcmp(name, "__swift_async_resume_get_context") ? "TY" : NULL;
}

static LLVMValueRef declare_clone_with_suffix(const struct coro_lowering *low, uint32_t suspend, LLVMTypeRef type)
{
  const char *swift = swift_suffix_for_frame_location_or_null(low, suspend), *name = edit_value_name(low->fn.function);
  const char *suffix = coro_arena_append_number(low->arena, "resume.", suspend);
  const char *swift_name = swift ? coro_arena_printf(low->arena, "%s%s%u_", name, swift, (unsigned)suspend) : NULL;
  LLVMValueRef function = declare_function(low, suffix ? suffix : "", type);
  if (swift_name)
    LLVMSetValueName2(function, swift_name, strlen(swift_name));
  return function;
}

LLVMTypeRef async_continuation_type(const struct coro_lowering *low, uint32_t suspend)
{
  LLVMTypeRef result = LLVMTypeOf(low->fn.insts[low->shape.suspends[suspend].inst]);
  unsigned count = LLVMCountStructElementTypes(result);
  LLVMTypeRef *parameters = CORO_NEW_ARRAY(low->arena, LLVMTypeRef, count);
  if (!parameters)
    return NULL;
  LLVMGetStructElementTypes(result, parameters);
  return LLVMFunctionType(LLVMVoidTypeInContext(low->context), parameters, count, false);
}

LLVMValueRef async_declare_continuation(const struct coro_lowering *low, uint32_t suspend)
{
  LLVMValueRef coroutine = low->fn.function;
  LLVMTypeRef type = async_continuation_type(low, suspend);
  if (!type)
    return NULL;
  LLVMValueRef function = declare_clone_with_suffix(low, suspend, type);
  LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(coroutine));
  edit_copy_attributes(low->arena, coroutine, function, on_function, declare_attribute_holds_for_clone);
  if (!edit_has_attribute(coroutine, (unsigned)async_id_number(low, ASYNC_ID_ARGUMENT) + 1, "swiftasync"))
    return function;
  declare_add_enum_attribute(function, async_context_parameter_index(low, suspend) + 1, "swiftasync", 0);
  if (async_self_parameter_index_or_0(low, suspend))
    declare_add_enum_attribute(function, async_self_parameter_index_or_0(low, suspend) + 1, "swiftself", 0);
  return function;
}
