/* Checks branches around hooks; see hook_choice.h. */
#include "check/hook_choice.h"

#include "check/call_rules.h"
#include "check/claim_list.h"
#include "check/hook_state.h"
#include "check/inlined_body.h"
#include "check/intrinsic_results.h"
#include "check/verdict.h"
#include "ir/flow.h"
#include "ir/operand.h"

static bool is_added_by_lowering(const struct check_clone *k, LLVMValueRef value)
{
  uint32_t inst = ir_inst(&k->fn, value);
  return inst != IR_NONE && k->entries[inst].kind == WITNESS_NONE;
}

/* ---- The mark ---- */

bool hook_choice_is_suspended_mark(const struct check_walk *w, LLVMValueRef address)
{
  return w->c->hooks & HOOK_STATE_MARK && LLVMIsAAllocaInst(address) && is_added_by_lowering(w->k, address) &&
         LLVMGetAllocatedType(address) == LLVMInt1TypeInContext(w->c->low->context);
}

/* It is false where the clone starts, and true from each suspend on. */
bool hook_choice_check_store_of_suspended_mark(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef store = check_walk_inst(w, inst), address = LLVMGetOperand(store, STORE_ADDRESS);
  LLVMValueRef value = LLVMGetOperand(store, STORE_VALUE);
  LLVMValueRef next = LLVMGetNextInstruction(address);
  while (LLVMIsAAllocaInst(next) ||
         (next != store && LLVMIsAStoreInst(next) && LLVMIsAAllocaInst(LLVMGetOperand(next, STORE_ADDRESS)) &&
          LLVMGetOperand(next, STORE_ADDRESS) != address)) /* of another alloca */
    next = LLVMGetNextInstruction(next);
  if (!w->k->mark && LLVMIsNull(value) && next == store && LLVMGetInstructionParent(store) == w->k->from->entry) {
    w->k->mark = address;
    return true;
  }
  uint32_t suspend = w->state.transfer == IR_NONE ? skip_droppable_insts_to_intrinsic_or_none(w, INTRIN_SUSPEND)
                                                  : find_suspend_along_jumps_or_none(w);
  if (address != w->k->mark || suspend == IR_NONE || !LLVMIsAConstantInt(value) || LLVMIsNull(value))
    return check_refute(w->c, w->k, store, "the mark of a suspended clone is not stored at a suspend");
  w->state.hooks |= HOOK_STATE_MARK;
  return true;
}

/* Whether the condition is the mark, as it is at the end of the block. */
static bool is_suspended_mark_at_block_end(const struct check_walk *w, LLVMValueRef condition)
{
  if (!LLVMIsALoadInst(condition) || !w->k->mark || LLVMGetOperand(condition, LOAD_ADDRESS) != w->k->mark ||
      LLVMGetInstructionParent(condition) != w->k->fn.blocks[w->block])
    return false;
  for (LLVMValueRef i = condition; i; i = LLVMGetNextInstruction(i))
    if (LLVMIsAStoreInst(i))
      return false;
  return true;
}

/* ---- Calls ---- */

static bool is_added_call_of(const struct check_walk *w, LLVMValueRef value, enum intrin intrin)
{
  return is_added_by_lowering(w->k, value) && is_call_of_intrinsic(w, value, intrin);
}

bool hook_choice_check_alloc_or_free_call(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef call = check_walk_inst(w, inst);
  uint32_t begin = w->c->low->shape.begin;
  bool alloc = is_added_call_of(w, call, INTRIN_ALLOC) && w->c->hooks & hook_bit(HOOK_alloc) && !w->k->alloc_result;
  bool free = is_added_call_of(w, call, INTRIN_FREE) && w->c->hooks & hook_bit(HOOK_free) &&
              LLVMGetOperand(call, FREE_HANDLE) == w->k->from->frame;
  if (w->k->from->clone_kind != CLONE_RAMP || (!alloc && !free))
    return false;
  if (alloc)
    w->k->alloc_result = call;
  return claim_presplit_operand(w->c, w->k, inst, LLVMGetOperand(call, alloc ? ALLOC_ID : FREE_ID), begin, BEGIN_ID) &&
         check_call_has_only_source_properties(w, call, NULL, LLVMCCallConv);
}

/* ---- Branches ---- */

static bool start_hook_branch(struct check_walk *w, uint32_t inst, enum hook hook, uint32_t presplit, bool skips_first)
{
  unsigned required =
      presplit == IR_NONE ? 0 : hook_state_hooks_required_before(w->c, w->k, w->block, w->position, presplit);
  if (!(required & hook_bit(hook)) || w->state.chosen & hook_bit(hook) || w->state.hooks & hook_bit(hook) ||
      w->state.due)
    return check_refute(w->c, w->k, check_walk_inst(w, inst), "abi.%s is not executed here",
                        hook_name_without_abi_prefix(hook));
  w->state.branch_hook = (uint8_t)(hook + 1);
  w->state.skips_first = skips_first;
  return true;
}

/* In the ramp llvm.coro.free finds the memory, in f.resume the destroy slot tells it. */
static bool is_memory_to_free(struct check_walk *w, LLVMValueRef memory)
{
  if (w->k->from->clone_kind == CLONE_RAMP)
    return is_added_call_of(w, memory, INTRIN_FREE);
  return w->k->from->clone_kind == CLONE_RESUME && is_added_by_lowering(w->k, memory) &&
         check_is_memory_to_free_in_resume(w->c, w->k, memory);
}

bool hook_choice_check_branch(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef condition = flow_branch_condition(check_walk_inst(w, inst));
  if (w->state.where != WHERE_INST && w->state.where != WHERE_EDGE)
    return check_unsupported(w->c, "a branch by the lowering");
  if (condition && condition == w->k->alloc_result)
    return skip_to_presplit_inst(w, w->c->low->shape.begin) &&
           start_hook_branch(w, inst, HOOK_alloc, w->c->low->shape.begin, false);
  if (condition && is_suspended_mark_at_block_end(w, condition))
    return start_hook_branch(w, inst, HOOK_end, skip_droppable_insts_to_intrinsic_or_none(w, INTRIN_END), true);
  bool tests = condition && LLVMIsAICmpInst(condition) && is_added_by_lowering(w->k, condition) &&
               LLVMGetICmpPredicate(condition) == LLVMIntEQ && !LLVMGetICmpSameSign(condition) &&
               LLVMIsNull(LLVMGetOperand(condition, COMPARE_RIGHT));
  LLVMValueRef memory = tests ? LLVMGetOperand(condition, COMPARE_LEFT) : NULL;
  if (!memory || !(w->c->hooks & hook_bit(HOOK_free)) || !is_memory_to_free(w, memory))
    return check_unsupported(w->c, "a branch by the lowering");
  w->k->memory = memory;
  return start_hook_branch(w, inst, HOOK_free, skip_droppable_insts_to_intrinsic_or_none(w, INTRIN_FREE), true);
}

/* ---- Memory ---- */

bool hook_choice_is_memory_for_begin(const struct check *c, const struct check_clone *k, LLVMValueRef memory)
{
  uint32_t inst = ir_inst(&k->fn, memory);
  uint32_t count = inst != IR_NONE && is_added_by_lowering(k, memory) && k->fn.opcode[inst] == LLVMPHI
                       ? ir_phi_count(&k->fn, inst)
                       : 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t from = ir_operand(&k->fn, inst, count + i);
    LLVMValueRef value = LLVMGetIncomingValue(memory, i);
    bool elided = from != IR_NONE && k->out[from & ~IR_BLOCK].branch_hook == HOOK_alloc + 1;
    if (from != IR_NONE && !(elided ? LLVMIsNull(value) : inlined_body_is_result(c, k, k->alloc_body, value)))
      return false;
  }
  return count == 2;
}
