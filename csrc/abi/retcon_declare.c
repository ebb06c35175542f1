/* Declares the continuation functions of a returned-continuation coroutine.
   Requires: the frame of a coroutine.
   Guarantees: a declaration that can be called as the prototype says. */
#include "abi/retcon_internal.h"
#include "emit/declare.h"
#include "ir/edit.h"

LLVMValueRef retcon_declare_continuation(const struct coro_lowering *low, uint32_t suspend)
{
  LLVMValueRef prototype = retcon_id_operand(low, RETCON_PROTOTYPE);
  char *suffix = coro_arena_append_number(low->arena, "resume.", suspend);
  LLVMValueRef clone =
      declare_clone_of_prototype(low, suffix ? suffix : "", prototype, declare_attribute_holds_for_buffer);
  declare_mark_dereferenceable_pointer(clone, 1, retcon_id_number(low, RETCON_ALIGN), retcon_buffer_size(low));
  return clone;
}
