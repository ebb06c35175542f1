/* Evaluates branches on phis of constants, and maps edges to presplit ones; see feasible_edge.h. */
#include "check/feasible_edge.h"

#include "check/evaluate.h"
#include "check/skipped_code.h"
#include "ir/constant_fold.h"
#include "ir/flow.h"

enum { MAX_CONSTANTS = 16, MAX_SUCCESSORS = 64 }; /* of a branch on a phi, which is else not examined */

bool edge_may_be_feasible(const struct check_clone *k, uint32_t block, unsigned index)
{
  LLVMValueRef terminator = ir_terminator(&k->fn, block);
  uint32_t count = ir_successor_count(&k->fn, block);
  if (count > MAX_SUCCESSORS || (count < 2 && !LLVMIsASwitchInst(terminator)))
    return true;
  LLVMValueRef operand = flow_branch_operand(terminator), phi = operand ? constant_fold_source(operand) : NULL;
  if (!phi || !LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) > MAX_CONSTANTS)
    return true;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    uint32_t from = ir_id(&k->fn, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(phi, i)));
    if (from != IR_NONE && k->out[from & ~IR_BLOCK].where == WHERE_LEFT)
      continue;
    unsigned successor = evaluate_successor_if_never_undef(terminator, phi, value);
    if (successor == index || successor == CONSTANT_SUCCESSOR_UNKNOWN)
      return true;
  }
  return false;
}

uint32_t edge_presplit_source_or_none(const struct check *c, const struct check_clone *k, uint32_t from, uint32_t to)
{
  uint32_t count = ir_successor_count(&k->fn, from);
  for (unsigned i = 0; i < count; i++)
    if (ir_successor(&k->fn, from, i) == to) {
      struct check_state state = state_on_edge(c, k, from, i);
      return state.where == WHERE_EDGE && state.to == k->in[to].to ? state.from : IR_NONE;
    }
  return IR_NONE;
}
