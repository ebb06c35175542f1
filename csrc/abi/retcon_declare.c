/* Declares the continuation functions of a returned-continuation coroutine.
   Requires: the frame of a coroutine.
   Guarantees: a declaration that can be called as the prototype says. */
#include "abi/retcon_internal.h"
#include "emit/declare.h"
#include "ir/edit.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

/* Declares a continuation with the attributes of the prototype, which is all that callers know, and with the
   coroutine's codegen attributes (target features, stack protection). */
LLVMValueRef retcon_declare_continuation(const struct coro_lowering *low, uint32_t suspend)
{
  LLVMValueRef prototype = retcon_id_operand(low, RETCON_PROTOTYPE);
  char *suffix = coro_arena_append_number(low->arena, "resume.", suspend);
  LLVMValueRef clone = declare_function(low, suffix ? suffix : "", LLVMGlobalGetValueType(prototype));
  unsigned count = LLVMCountParams(clone);
  LLVMSetFunctionCallConv(clone, LLVMGetFunctionCallConv(prototype));
  edit_copy_attributes(low->arena, low->fn.function, clone, on_function, declare_attribute_holds_for_clone);
  declare_drop_attributes_incompatible_with(clone, prototype);
  edit_copy_attributes(low->arena, prototype, clone, on_function, declare_attribute_holds_for_continuation);
  for (unsigned at = 0; at <= count; at++)
    edit_copy_attributes(low->arena, prototype, clone, at, at == 1 ? declare_attribute_holds_for_buffer : NULL);
  declare_mark_dereferenceable_pointer(clone, 1, retcon_id_number(low, RETCON_ALIGN), retcon_buffer_size(low));
  return clone;
}
