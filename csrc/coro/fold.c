/* Folding: chooses the successor behind a suspend by its result.
   Needs: number. Leaves: the function as it was. */
#include "coro/fold.h"

enum { FOLD_MOST = 4 }; /* instructions before the terminator: a frontend emits none, an optimiser one or two */

/* Every use of the value is by an instruction in [first, last), none of them a phi. */
static bool used_only_within(const struct ir_fn *fn, uint32_t inst, uint32_t first, uint32_t last)
{
  for (LLVMUseRef use = LLVMGetFirstUse(fn->insts[inst]); use; use = LLVMGetNextUse(use)) {
    uint32_t user = ir_id(fn, LLVMGetUser(use));
    uint32_t at = user == IR_NONE ? IR_NONE : ir_inst_of_value(fn, user);
    if (at == IR_NONE || at < first || at >= last)
      return false;
  }
  return true;
}

static bool is_known(const struct ir_fn *fn, LLVMValueRef value, uint32_t first, uint32_t last)
{
  uint32_t id = ir_id(fn, value);
  uint32_t inst = id == IR_NONE ? IR_NONE : ir_inst_of_value(fn, id);
  return LLVMIsAConstantInt(value) || (inst != IR_NONE && inst >= first && inst < last);
}

bool fold_possible(const struct ir_fn *fn, uint32_t suspend, uint32_t last)
{
  uint32_t terminator = last - 1;
  if (terminator - suspend - 1 > FOLD_MOST || !used_only_within(fn, suspend, suspend + 1, last))
    return false;
  for (uint32_t i = suspend + 1; i < terminator; i++)
    if (fn->opcode[i] != LLVMICmp || !used_only_within(fn, i, i + 1, last) ||
        !is_known(fn, LLVMGetOperand(fn->insts[i], 0), suspend, i) ||
        !is_known(fn, LLVMGetOperand(fn->insts[i], 1), suspend, i))
      return false;
  LLVMValueRef last_inst = fn->insts[terminator];
  if (fn->opcode[terminator] == LLVMBr)
    return LLVMGetNumSuccessors(last_inst) == 1 || is_known(fn, LLVMGetCondition(last_inst), suspend, terminator);
  return fn->opcode[terminator] == LLVMSwitch && is_known(fn, LLVMGetOperand(last_inst, 0), suspend, terminator);
}

static long long evaluate(const struct ir_fn *fn, uint32_t suspend, LLVMValueRef value, int result);

static long long compare(const struct ir_fn *fn, uint32_t suspend, LLVMValueRef icmp, int result)
{
  long long a = evaluate(fn, suspend, LLVMGetOperand(icmp, 0), result);
  long long b = evaluate(fn, suspend, LLVMGetOperand(icmp, 1), result);
  unsigned char ua = (unsigned char)a, ub = (unsigned char)b; /* a suspend's result is an i8; an i1 fits too */
  switch (LLVMGetICmpPredicate(icmp)) {
  case LLVMIntEQ: return a == b;
  case LLVMIntNE: return a != b;
  case LLVMIntUGT: return ua > ub;
  case LLVMIntUGE: return ua >= ub;
  case LLVMIntULT: return ua < ub;
  case LLVMIntULE: return ua <= ub;
  case LLVMIntSGT: return a > b;
  case LLVMIntSGE: return a >= b;
  case LLVMIntSLT: return a < b;
  case LLVMIntSLE: return a <= b;
  }
  return 0;
}

/* An i1 is sign-extended as LLVM's constants are, so that comparisons of comparisons agree. */
static long long evaluate(const struct ir_fn *fn, uint32_t suspend, LLVMValueRef value, int result)
{
  if (LLVMIsAConstantInt(value))
    return LLVMConstIntGetSExtValue(value);
  if (value == fn->insts[suspend])
    return result;
  return compare(fn, suspend, value, result) ? -1 : 0;
}

uint32_t fold_target(const struct ir_fn *fn, uint32_t suspend, uint32_t last, int result)
{
  LLVMValueRef terminator = fn->insts[last - 1];
  if (fn->opcode[last - 1] == LLVMBr) {
    unsigned taken = 0;
    if (LLVMGetNumSuccessors(terminator) == 2)
      taken = evaluate(fn, suspend, LLVMGetCondition(terminator), result) ? 0 : 1;
    return ir_id(fn, LLVMBasicBlockAsValue(LLVMGetSuccessor(terminator, taken)));
  }
  long long chosen = evaluate(fn, suspend, LLVMGetOperand(terminator, 0), result);
  unsigned successors = LLVMGetNumSuccessors(terminator);
  for (unsigned i = 1; i < successors; i++)
    if (LLVMConstIntGetSExtValue(LLVMGetSwitchCaseValue(terminator, i)) == chosen)
      return ir_id(fn, LLVMBasicBlockAsValue(LLVMGetSuccessor(terminator, i)));
  return ir_id(fn, LLVMBasicBlockAsValue(LLVMGetSuccessor(terminator, 0)));
}
