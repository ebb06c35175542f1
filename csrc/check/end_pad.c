/* Matches the block of an added pad instruction by instruction; see end_pad.h. */
#include "check/end_pad.h"

#include "check/dispatch.h"
#include "check/feasible_edge.h"
#include "check/frame_rules.h"
#include "ir/operand.h"
#include "transform/identical_instruction.h"

/* Whether the instruction stores null to the resume pointer. */
static bool is_store_that_marks_coroutine_done(const struct check_walk *w, uint32_t inst)
{
  LLVMValueRef store = w->k->fn.insts[inst];
  uint64_t offset, resume;
  return LLVMIsAStoreInst(store) && LLVMIsNull(LLVMGetOperand(store, STORE_VALUE)) &&
         LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(store, STORE_VALUE))) == LLVMPointerTypeKind &&
         check_is_frame_address(w->k, LLVMGetOperand(store, STORE_ADDRESS), &offset) &&
         find_offset_of_header_field(w->c, CORO_FIELD_RESUME, &resume) && offset == resume &&
         frame_rules_check_access(w->c, w->k, inst, offset);
}

bool end_pad_leads_to_caller(const struct check_walk *w, uint32_t cleanup_return)
{
  LLVMValueRef exit = w->k->fn.insts[cleanup_return];
  if (!LLVMGetNumSuccessors(exit))
    return true;
  uint32_t block = ir_successor(&w->k->fn, w->k->fn.inst_block[cleanup_return], 0);
  uint32_t pad = w->k->fn.block_start[block], last = w->k->fn.block_start[block + 1] - 1;
  for (uint32_t p = w->k->graph.pred_start[block]; p < w->k->graph.pred_start[block + 1]; p++)
    if (!LLVMIsACleanupReturnInst(ir_terminator(&w->k->fn, w->k->graph.pred[p])) &&
        edge_may_be_feasible(w->k, w->k->graph.pred[p], ir_successor_count(&w->k->fn, w->k->graph.pred[p]) - 1))
      return false; /* an exception before the end of the coroutine */
  for (uint32_t i = pad; i <= last; i++)
    if (w->k->entries[i].kind == WITNESS_COPY || has_metadata_besides_location(w->k->fn.insts[i]))
      return false;
  return (last == pad + 1 || (last == pad + 2 && is_store_that_marks_coroutine_done(w, pad + 1))) &&
         LLVMIsACleanupPadInst(w->k->fn.insts[pad]) && LLVMIsACleanupReturnInst(w->k->fn.insts[last]) &&
         !LLVMGetNumSuccessors(w->k->fn.insts[last]) &&
         LLVMGetOperand(w->k->fn.insts[last], LEFT_PAD) == w->k->fn.insts[pad];
}
