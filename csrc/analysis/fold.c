/* Constant-folds the branch on a suspend's result: computes the successor for each of the three results. */
#include "analysis/fold.h"

#include "ir/constant_fold.h"
#include "ir/flow.h"

/* Whether all uses of the value are by instructions in [first, last) other than phis. */
static bool is_used_only_within_range(const struct ir_fn *fn, uint32_t inst, uint32_t first, uint32_t last)
{
  for (LLVMUseRef use = LLVMGetFirstUse(fn->insts[inst]); use; use = LLVMGetNextUse(use)) {
    uint32_t at = ir_inst(fn, LLVMGetUser(use));
    if (at == IR_NONE || at < first || at >= last)
      return false;
  }
  return true;
}

static unsigned successor_index_for_result(const struct ir_fn *fn, uint32_t suspend, uint32_t last, int result)
{
  LLVMValueRef source = fn->insts[suspend], terminator = fn->insts[last - 1];
  LLVMValueRef constant = LLVMConstInt(LLVMTypeOf(source), (unsigned long long)(long long)result, true);
  return flow_is_jump(terminator) ? 0 : constant_successor_or_unknown(terminator, source, constant);
}

bool can_fold_suspend_result(const struct ir_fn *fn, uint32_t suspend, uint32_t last)
{
  uint32_t terminator = last - 1;
  if (terminator - suspend > CONSTANT_FOLD_STEPS || !is_used_only_within_range(fn, suspend, suspend + 1, last))
    return false;
  for (uint32_t i = suspend + 1; i < terminator; i++)
    if (!constant_fold_supports_instruction(fn->insts[i]) || !is_used_only_within_range(fn, i, i + 1, last))
      return false;
  for (int result = -1; result <= 1; result++)
    if (successor_index_for_result(fn, suspend, last, result) == CONSTANT_SUCCESSOR_UNKNOWN)
      return false;
  return true;
}

uint32_t successor_block_for_folded_suspend(const struct ir_fn *fn, uint32_t suspend, uint32_t last, int result)
{
  return ir_id(fn, LLVMBasicBlockAsValue(
                       LLVMGetSuccessor(fn->insts[last - 1], successor_index_for_result(fn, suspend, last, result))));
}
