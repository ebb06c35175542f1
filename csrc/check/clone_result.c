/* Checks the return value of a clone that has the function type of abi.clone.
   Requires: a walk in progress. */
#include "check/clone_result.h"

#include "check/hook_state.h"
#include "check/inlined_body.h"
#include "check/own_clone.h"
#include "check/verdict.h"
#include "ir/operand.h"

static LLVMTypeRef single_alloca_type_or_null(LLVMValueRef value)
{
  return LLVMIsAAllocaInst(value) ? check_single_alloca_type(value) : NULL;
}

/* Whether the store initializes the alloca of the result, right after it in the entry. */
static bool is_initialization_of_result(const struct check_walk *w, LLVMValueRef store)
{
  LLVMValueRef address = LLVMGetOperand(store, STORE_ADDRESS);
  uint32_t inst = ir_inst(&w->k->fn, address);
  return !w->k->result && LLVMIsNull(LLVMGetOperand(store, STORE_VALUE)) && inst != IR_NONE &&
         w->k->entries[inst].kind == WITNESS_NONE &&
         single_alloca_type_or_null(address) == result_type_of_own_clone_or_null(w->c, w->k) &&
         LLVMGetInstructionParent(store) == w->k->from->entry && LLVMGetNextInstruction(address) == store;
}

bool clone_result_is_store(const struct check_walk *w, uint32_t inst)
{
  LLVMValueRef store = check_walk_inst(w, inst);
  return result_type_of_own_clone_or_null(w->c, w->k) &&
         (LLVMGetOperand(store, STORE_ADDRESS) == w->k->result || is_initialization_of_result(w, store));
}

/* What a hook without other code returns; NULL: nothing known. */
static LLVMValueRef returned_constant_or_null(LLVMValueRef hook)
{
  LLVMValueRef ret = hook ? LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(hook)) : NULL;
  LLVMValueRef value = ret && LLVMIsAReturnInst(ret) && LLVMGetNumOperands(ret) ? LLVMGetOperand(ret, RET_VALUE) : NULL;
  return value && LLVMIsAConstant(value) ? value : NULL;
}

bool clone_result_check_store(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef store = check_walk_inst(w, inst), address = LLVMGetOperand(store, STORE_ADDRESS);
  LLVMValueRef value = LLVMGetOperand(store, STORE_VALUE);
  if (is_initialization_of_result(w, store)) {
    w->k->result = address;
    return true;
  }
  uint32_t presplit = skip_droppable_insts_to_exit_or_none(w);
  if (presplit == IR_NONE)
    return check_refute(w->c, w->k, store, "the result of the clone is stored at no suspend and no end");
  enum hook hook = w->c->low->shape.intrin[presplit] == INTRIN_SUSPEND ? HOOK_suspend : HOOK_end;
  bool same = w->c->empty_hooks & hook_bit(hook)
                  ? value == returned_constant_or_null(w->c->witness->hooks[hook])
                  : w->state.hooks & hook_bit(hook) && inlined_body_is_result(w->c, w->k, w->state.result_body, value);
  if (!same)
    return check_refute(w->c, w->k, store, "it is not what abi.%s returned", hook_name_without_abi_prefix(hook));
  w->state.hooks |= HOOK_STATE_RESULT;
  return true;
}

/* Whether the value is the alloca's content at the end of its block. */
static bool is_last_content_of_alloca(LLVMValueRef value, LLVMValueRef address, LLVMValueRef ret)
{
  if (!address || !LLVMIsALoadInst(value) || LLVMGetOperand(value, LOAD_ADDRESS) != address ||
      LLVMGetInstructionParent(value) != LLVMGetInstructionParent(ret))
    return false;
  for (LLVMValueRef i = value; i != ret; i = LLVMGetNextInstruction(i))
    if (LLVMIsAStoreInst(i))
      return false;
  return true;
}

bool clone_result_check(struct check *c, const struct check_clone *k)
{
  for (uint32_t i = 0; i < k->fn.inst_count && result_type_of_own_clone_or_null(c, k); i++) {
    LLVMValueRef ret = k->fn.insts[i];
    if (k->fn.opcode[i] == LLVMRet && k->in[k->fn.inst_block[i]].where != WHERE_LEFT &&
        !is_last_content_of_alloca(LLVMGetOperand(ret, RET_VALUE), k->result, ret))
      return check_refute(c, k, ret, "it does not return the result of the last abi.suspend or abi.end");
  }
  return true;
}
