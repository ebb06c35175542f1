/* Folding: chooses the successor behind a suspend by its result.
   Needs: number. Leaves: the function as it was. */
#include "coro/fold.h"

#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"

enum { FOLD_MOST = 4 }; /* instructions before the terminator: a frontend emits none, an optimiser one or two */

/* Every use of the value is by an instruction in [first, last), none of them a phi. */
static bool used_only_within(const struct ir_fn *fn, uint32_t inst, uint32_t first, uint32_t last)
{
  for (LLVMUseRef use = LLVMGetFirstUse(fn->insts[inst]); use; use = LLVMGetNextUse(use)) {
    uint32_t at = ir_inst(fn, LLVMGetUser(use));
    if (at == IR_NONE || at < first || at >= last)
      return false;
  }
  return true;
}

static bool is_known(const struct ir_fn *fn, LLVMValueRef value, uint32_t first, uint32_t last)
{
  uint32_t inst = ir_inst(fn, value);
  return LLVMIsAConstantInt(value) || (inst != IR_NONE && inst >= first && inst < last);
}

bool fold_possible(const struct ir_fn *fn, uint32_t suspend, uint32_t last)
{
  uint32_t terminator = last - 1;
  if (terminator - suspend - 1 > FOLD_MOST || !used_only_within(fn, suspend, suspend + 1, last))
    return false;
  for (uint32_t i = suspend + 1; i < terminator; i++)
    if (fn->opcode[i] != LLVMICmp || !used_only_within(fn, i, i + 1, last) ||
        !is_known(fn, LLVMGetOperand(fn->insts[i], COMPARE_LEFT), suspend, i) ||
        !is_known(fn, LLVMGetOperand(fn->insts[i], COMPARE_RIGHT), suspend, i))
      return false;
  LLVMValueRef last_inst = fn->insts[terminator];
  LLVMValueRef chosen = flow_chooses_by(last_inst);
  return chosen ? is_known(fn, chosen, suspend, terminator) : flow_is_jump(last_inst);
}

struct known {
  LLVMValueRef suspend;
  int result; /* of the suspend */
};

/* LLVM's constants stand for what is known: it folds their comparison whatever their width. A flag that does not hold
   makes a comparison poison, and a branch on that undefined: any way will do. */
static LLVMValueRef evaluate(const struct known *known, LLVMValueRef value)
{
  if (value == known->suspend)
    return LLVMConstInt(LLVMTypeOf(value), (unsigned long long)(long long)known->result, true);
  if (LLVMIsAConstantInt(value))
    return value;
  return edit_compare(LLVMGetICmpPredicate(value), evaluate(known, LLVMGetOperand(value, COMPARE_LEFT)),
                      evaluate(known, LLVMGetOperand(value, COMPARE_RIGHT)));
}

uint32_t fold_target(const struct ir_fn *fn, uint32_t suspend, uint32_t last, int result)
{
  struct known known = {fn->insts[suspend], result};
  LLVMValueRef terminator = fn->insts[last - 1], chosen = flow_chooses_by(terminator);
  unsigned way = chosen ? flow_way(terminator, evaluate(&known, chosen)) : 0;
  return ir_id(fn, LLVMBasicBlockAsValue(LLVMGetSuccessor(terminator, way)));
}
