/* Describes in debug information where the frame of an async coroutine is. The register of a continuation's context
   parameter is described as an entry value, which debuggers can always recover; Swift's contexts lead to the frame from
   there.
   Requires: the declaration of a continuation. */
#include "abi/async_internal.h"
#include "debug/clone_metadata.h"
#include "ir/edit.h"
#include "ir/operand.h"

/* DWARF operations equivalent to the context projection, or NULL. Known projections return their argument or load
   through it. */
static const char *dwarf_operations_of_projection_or_null(LLVMValueRef projection)
{
  LLVMBasicBlockRef entry = LLVMIsDeclaration(projection) ? NULL : LLVMGetEntryBasicBlock(projection);
  LLVMValueRef end = entry ? LLVMGetBasicBlockTerminator(entry) : NULL, argument = LLVMGetParam(projection, 0);
  if (!end || LLVMGetInstructionOpcode(end) != LLVMRet)
    return NULL;
  LLVMValueRef returned = LLVMGetOperand(end, RET_VALUE);
  if (returned == argument)
    return "DW_OP_LLVM_entry_value, 1";
  bool loads = LLVMIsALoadInst(returned) && LLVMGetOperand(returned, LOAD_ADDRESS) == argument;
  return loads ? "DW_OP_LLVM_entry_value, 1, DW_OP_deref" : NULL;
}

/* Finds the value from which debuggers compute the frame's address. False: none; LLVM can describe a register on
   64-bit targets only. */
bool async_find_debug_base(const struct emit *e, struct debug_base *base)
{
  const struct coro_lowering *low = e->low;
  base->offset = async_frame_offset(low);
  if (e->clone_kind == CLONE_RAMP) {
    base->parameter = LLVMGetParam(e->function, (unsigned)async_id_number(low, ASYNC_ID_ARGUMENT));
    base->operations = "";
    return true;
  }
  uint32_t suspend = low->cfg.nodes[e->landing].suspend;
  LLVMValueRef inst = low->fn.insts[low->shape.suspends[suspend].inst];
  unsigned context = async_context_parameter_index(low, suspend);
  const char *operations = dwarf_operations_of_projection_or_null(
      async_function_of_operand_or_null(LLVMGetOperand(inst, ASYNC_SUSPEND_PROJECTION)));
  if (!operations || LLVMPointerSize(low->layout) != 8 || !edit_has_attribute(e->function, context + 1, "swiftasync")) {
    base->offset = 0;
    return false;
  }
  base->parameter = LLVMGetParam(e->function, context);
  base->operations = operations;
  return true;
}
