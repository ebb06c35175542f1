/* Successors of removed branches that phis decide: see phi_choice.h. */
#include "check/phi_choice.h"

#include "check/evaluate.h"
#include "ir/constant_fold.h"
#include "ir/flow.h"

/* The clone's phi that was executed for the presplit phi `inst` when control entered the block of the terminator; NULL:
   not known. */
static LLVMValueRef executed_copy_of_phi_or_null(const struct check_walk *w, uint32_t inst, uint32_t terminator)
{
  struct check_event event;
  for (uint32_t i = inst; i < terminator; i++)
    if (coro_is_suspend(&w->c->low->shape, i))
      return NULL;
  if (!check_find_last_event_up_to(w->k, inst, w->block, 2 * w->position + 1, &event) &&
      !check_find_only_event_to_recheck(w->k, w->c->arena, inst, &event))
    return NULL;
  LLVMValueRef copy = w->k->fn.insts[w->k->fn.block_start[event.block] + event.at / 2];
  return event.at % 2 && LLVMIsAPHINode(copy) ? copy : NULL;
}

struct choice {
  LLVMValueRef branch, source; /* presplit */
  unsigned successor; /* that the constants select so far */
  coro_insts phis; /* of the clone, each once */
};

/* Whether the search has not listed the phi yet, and lists it. A mark of an instruction is its index in the list that
   listed it last. */
static bool list_phi_once(const struct check_walk *w, struct choice *choice, uint32_t phi)
{
  uint32_t *mark = &w->k->phi_marks[phi];
  if (*mark < choice->phis.count && choice->phis.items[*mark] == phi)
    return true;
  *mark = choice->phis.count;
  return coro_vec_push(w->c->arena, &choice->phis, phi);
}

/* Lists a phi, or adds the successor that a constant selects. False: it is not known, or another block. */
static bool follow_phi_or_merge_successor(const struct check_walk *w, struct choice *choice, LLVMValueRef value)
{
  uint32_t phi = LLVMIsAPHINode(value) ? ir_inst(&w->k->fn, value) : IR_NONE;
  if (LLVMIsAPHINode(value))
    return phi != IR_NONE && list_phi_once(w, choice, phi);
  unsigned successor = evaluate_successor_if_never_undef(choice->branch, choice->source, value),
           other = choice->successor;
  choice->successor = successor;
  return successor != CONSTANT_SUCCESSOR_UNKNOWN &&
         (other == CONSTANT_SUCCESSOR_UNKNOWN ||
          LLVMGetSuccessor(choice->branch, other) == LLVMGetSuccessor(choice->branch, successor));
}

unsigned phi_choice_successor_or_unknown(const struct check_walk *w, uint32_t terminator)
{
  const struct ir_fn *fn = &w->c->low->fn;
  struct choice choice = {.branch = fn->insts[terminator], .successor = CONSTANT_SUCCESSOR_UNKNOWN};
  LLVMValueRef operand = flow_branch_operand(choice.branch);
  choice.source = operand ? constant_fold_single_source_or_null(operand) : NULL;
  uint32_t inst = choice.source && LLVMIsAPHINode(choice.source) ? ir_inst(fn, choice.source) : IR_NONE;
  if (inst == IR_NONE || fn->inst_block[inst] != fn->inst_block[terminator])
    return CONSTANT_SUCCESSOR_UNKNOWN;
  LLVMValueRef copy = executed_copy_of_phi_or_null(w, inst, terminator);
  if (copy && !w->k->phi_marks)
    w->k->phi_marks = CORO_NEW_ARRAY(w->c->arena, uint32_t, w->k->fn.inst_count);
  bool known = copy && w->k->phi_marks && follow_phi_or_merge_successor(w, &choice, copy);
  for (uint32_t p = 0; p < choice.phis.count && known; p++) {
    LLVMValueRef phi = w->k->fn.insts[choice.phis.items[p]];
    for (unsigned i = 0; i < LLVMCountIncoming(phi) && known; i++)
      known = follow_phi_or_merge_successor(w, &choice, LLVMGetIncomingValue(phi, i));
  }
  return known ? choice.successor : CONSTANT_SUCCESSOR_UNKNOWN;
}
