/* Successors of removed branches that phis decide: see phi_choice.h. */
#include "check/phi_choice.h"

#include "check/evaluate.h"
#include "ir/constant_fold.h"
#include "ir/flow.h"

/* The clone's phi that was executed for the presplit phi `inst` when control entered the block of the terminator; NULL:
   not known. */
static LLVMValueRef executed_copy_of_phi(const struct check_walk *w, uint32_t inst, uint32_t terminator)
{
  struct check_event event;
  for (uint32_t i = inst; i < terminator; i++)
    if (coro_is_suspend(&w->c->low->shape, i))
      return NULL;
  if (!check_event_before(w->k, inst, w->block, 2 * w->position + 1, &event) &&
      !check_only_event_so_far(w->k, w->c->arena, inst, &event))
    return NULL;
  LLVMValueRef copy = w->k->fn.insts[w->k->fn.block_start[event.block] + event.at / 2];
  return event.at % 2 && LLVMIsAPHINode(copy) ? copy : NULL;
}

static bool push_phi(coro_insts *phis, const struct check_walk *w, LLVMValueRef phi, struct coro_map *seen)
{
  return coro_map_has(seen, coro_map_key(phi)) ||
         (coro_map_put(seen, coro_map_key(phi), 1) && coro_vec_push(w->c->arena, phis, ir_inst(&w->k->fn, phi)));
}

unsigned phi_choice_successor(const struct check_walk *w, uint32_t terminator)
{
  const struct ir_fn *fn = &w->c->low->fn;
  LLVMValueRef branch = fn->insts[terminator], operand = flow_branch_operand(branch);
  LLVMValueRef source = operand ? constant_fold_source(operand) : NULL;
  uint32_t inst = source && LLVMIsAPHINode(source) ? ir_inst(fn, source) : IR_NONE;
  if (inst == IR_NONE || fn->inst_block[inst] != fn->inst_block[terminator])
    return CONSTANT_SUCCESSOR_UNKNOWN;
  LLVMValueRef copy = executed_copy_of_phi(w, inst, terminator);
  coro_insts phis = {0};
  struct coro_map seen;
  coro_map_init(&seen, w->c->arena);
  unsigned chosen = CONSTANT_SUCCESSOR_UNKNOWN;
  bool known = copy && push_phi(&phis, w, copy, &seen);
  for (uint32_t p = 0; p < phis.count && known; p++) {
    LLVMValueRef phi = w->k->fn.insts[phis.items[p]];
    for (unsigned i = 0; i < LLVMCountIncoming(phi) && known; i++) {
      LLVMValueRef value = LLVMGetIncomingValue(phi, i);
      if (LLVMIsAPHINode(value)) {
        known = push_phi(&phis, w, value, &seen);
        continue;
      }
      unsigned successor = LLVMIsAConstantInt(value) && evaluate_is_certain(operand, source, value)
                               ? evaluate_successor(branch, source, value)
                               : CONSTANT_SUCCESSOR_UNKNOWN;
      known = successor != CONSTANT_SUCCESSOR_UNKNOWN &&
              (chosen == CONSTANT_SUCCESSOR_UNKNOWN ||
               LLVMGetSuccessor(branch, chosen) == LLVMGetSuccessor(branch, successor));
      chosen = successor;
    }
  }
  return known ? chosen : CONSTANT_SUCCESSOR_UNKNOWN;
}
