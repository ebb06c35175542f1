/* Computes the periods of the values of a loop of one block, and which values depend on the previous iteration: see
   loop_block.h. The period of an operation is the least common multiple of those of its operands. */
#include "loops/loop_block.h"

#include "ir/edit.h"
#include "ir/operand.h"

static uint32_t period_of_operands(const struct loop_block *l, uint32_t inst, uint32_t count)
{
  uint32_t common = 1;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t period = loop_period_of_operand(l, inst, i), multiple = common;
    if (period == PERIOD_NONE || period == PERIOD_COUNTER)
      return PERIOD_NONE;
    while (multiple % period) /* the least common multiple */
      multiple += common;
    if (multiple > MAX_PERIOD)
      return PERIOD_NONE;
    common = multiple;
  }
  return common;
}

bool loop_inst_is_add_sub_or_disjoint_or(const struct loop_block *l, uint32_t inst)
{
  LLVMOpcode opcode = (LLVMOpcode)l->fn->opcode[inst];
  return opcode == LLVMAdd || opcode == LLVMSub || (opcode == LLVMOr && LLVMGetIsDisjoint(l->fn->insts[inst]));
}

static uint32_t limited_period(uint64_t period)
{
  return period && period <= MAX_PERIOD ? (uint32_t)period : PERIOD_NONE;
}

/* The period of a remainder of a counter, or of its lowest bits. */
static uint32_t period_of_remainder(LLVMOpcode opcode, LLVMValueRef by)
{
  uint64_t number, period = 1;
  if (!edit_read_integer_constant(by, &number) || number > MAX_PERIOD)
    return PERIOD_NONE;
  if (opcode != LLVMAnd)
    return limited_period(number);
  while (period <= number)
    period *= 2;
  return limited_period(period);
}

static uint32_t period_of_binary_with_counter(const struct loop_block *l, uint32_t inst)
{
  LLVMOpcode opcode = (LLVMOpcode)l->fn->opcode[inst];
  uint32_t left = loop_period_of_operand(l, inst, FIRST_OPERAND),
           right = loop_period_of_operand(l, inst, SECOND_OPERAND);
  bool invariant = loop_operand(l, inst, SECOND_OPERAND) == IR_NONE;
  if (loop_inst_is_add_sub_or_disjoint_or(l, inst) && left != right)
    return left == 1 || right == 1 ? PERIOD_COUNTER : PERIOD_NONE;
  if (left != PERIOD_COUNTER || !invariant)
    return PERIOD_NONE;
  switch (opcode) {
  case LLVMMul:
  case LLVMShl: return PERIOD_COUNTER;
  case LLVMAnd:
  case LLVMURem:
  case LLVMSRem: return period_of_remainder(opcode, LLVMGetOperand(l->fn->insts[inst], SECOND_OPERAND));
  case LLVMICmp: return loop_set_contains(&l->wraps, l, loop_operand(l, inst, FIRST_OPERAND)) ? PERIOD_NONE : 1;
  default: return PERIOD_NONE;
  }
}

static uint32_t period_of_cast(const struct loop_block *l, uint32_t inst)
{
  uint32_t period = loop_period_of_operand(l, inst, CAST_SOURCE);
  LLVMTypeRef type = LLVMTypeOf(l->fn->insts[inst]);
  if (period != PERIOD_COUNTER || l->fn->opcode[inst] != LLVMTrunc || LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    return period;
  unsigned width = LLVMGetIntTypeWidth(type);
  return width < 64 && limited_period(UINT64_C(1) << width) ? 1u << width : PERIOD_COUNTER;
}

/* The value of the phi in the next iteration, if that is an instruction of the loop; else IR_NONE. */
static uint32_t value_in_next_iteration_or_none(const struct loop_block *l, uint32_t phi)
{
  uint32_t next = ir_inst(l->fn, edit_incoming_from(l->fn->insts[phi], l->fn->blocks[l->block]));
  return next != IR_NONE && next >= l->first && next < l->end ? next : IR_NONE;
}

static bool is_counter_phi(const struct loop_block *l, uint32_t phi)
{
  uint32_t sum = value_in_next_iteration_or_none(l, phi);
  if (sum == IR_NONE || !loop_inst_is_add_sub_or_disjoint_or(l, sum))
    return false;
  uint32_t left = loop_operand(l, sum, ADD_LEFT), right = loop_operand(l, sum, ADD_RIGHT);
  return (left == phi && right == IR_NONE) || (right == phi && left == IR_NONE && l->fn->opcode[sum] != LLVMSub);
}

/* Whether the counter overflows every few iterations if it is changed or multiplied by the constant. */
static bool is_large_step_or_factor(LLVMValueRef value)
{
  uint64_t number;
  LLVMTypeRef type = LLVMTypeOf(value);
  unsigned width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
  if (!width || width > 64 || !edit_read_integer_constant(value, &number))
    return false;
  uint64_t negative = (0 - number) & (UINT64_MAX >> (64 - width));
  return number >> (width / 2) && negative >> (width / 2);
}

/* Whether the counter may overflow every few iterations, as a hash does, so that comparisons of it are not
   predictable. */
static bool wraps_often(const struct loop_block *l, uint32_t inst)
{
  LLVMValueRef at = l->fn->insts[inst];
  uint64_t shift;
  if (l->fn->opcode[inst] == LLVMPHI) {
    uint32_t sum = value_in_next_iteration_or_none(l, inst);
    LLVMValueRef next = l->fn->insts[sum];
    LLVMValueRef step = LLVMGetOperand(next, loop_operand(l, sum, ADD_LEFT) == inst ? ADD_RIGHT : ADD_LEFT);
    return is_large_step_or_factor(step) &&
           (LLVMGetInstructionOpcode(next) == LLVMOr || !(LLVMGetNSW(next) || LLVMGetNUW(next)));
  }
  bool multiplied = l->fn->opcode[inst] == LLVMMul, shifted = l->fn->opcode[inst] == LLVMShl;
  if ((multiplied || shifted) && !LLVMGetNSW(at) && !LLVMGetNUW(at)) {
    LLVMValueRef by = LLVMGetOperand(at, SECOND_OPERAND);
    bool known = edit_read_integer_constant(by, &shift);
    if (!known || (multiplied ? is_large_step_or_factor(by) : shift >= LLVMGetIntTypeWidth(LLVMTypeOf(at)) / 2))
      return true;
  }
  for (uint32_t o = 0; o < loop_operand_count(l, inst); o++)
    if (loop_set_contains(&l->wraps, l, loop_operand(l, inst, o)))
      return true;
  return false;
}

static bool is_binary_opcode(unsigned opcode)
{
  return opcode >= LLVMAdd && opcode <= LLVMXor;
}

static uint32_t compute_period(const struct loop_block *l, uint32_t inst)
{
  switch (l->fn->opcode[inst]) {
  case LLVMPHI: return is_counter_phi(l, inst) ? PERIOD_COUNTER : PERIOD_NONE;
  case LLVMZExt:
  case LLVMSExt:
  case LLVMTrunc:
  case LLVMFreeze: return period_of_cast(l, inst);
  case LLVMSelect: return period_of_operands(l, inst, 3);
  default: break;
  }
  if (!is_binary_opcode(l->fn->opcode[inst]) && l->fn->opcode[inst] != LLVMICmp)
    return PERIOD_NONE;
  bool counter = loop_period_of_operand(l, inst, FIRST_OPERAND) == PERIOD_COUNTER ||
                 loop_period_of_operand(l, inst, SECOND_OPERAND) == PERIOD_COUNTER;
  return counter ? period_of_binary_with_counter(l, inst) : period_of_operands(l, inst, 2);
}

bool loop_inst_only_computes_result(const struct loop_block *l, uint32_t inst)
{
  LLVMValueRef at = l->fn->insts[inst];
  unsigned opcode = l->fn->opcode[inst];
  if (is_binary_opcode(opcode) || opcode == LLVMICmp || opcode == LLVMFNeg || opcode == LLVMFCmp ||
      opcode == LLVMGetElementPtr || LLVMIsACastInst(at))
    return true;
  return opcode == LLVMCall && LLVMGetIntrinsicID(LLVMGetCalledValue(at)) && !LLVMGetNumOperandBundles(at) &&
         edit_call_or_callee_has_function_attribute(at, "speculatable") &&
         !edit_call_or_callee_has_function_attribute(at, "convergent");
}

static bool has_carried_operand(const struct loop_block *l, uint32_t inst)
{
  for (uint32_t i = 0; i < loop_operand_count(l, inst); i++)
    if (loop_set_contains(&l->carried, l, loop_operand(l, inst, i)))
      return true;
  return false;
}

static void find_dependencies_between_iterations(struct loop_block *l)
{
  for (uint32_t i = l->first; i < l->end; i++) {
    bool phi = l->fn->opcode[i] == LLVMPHI;
    if (phi ? l->period[i - l->first] == PERIOD_NONE : has_carried_operand(l, i))
      coro_bits_set(&l->carried, i - l->first);
    uint32_t next = phi && loop_set_contains(&l->carried, l, i) ? value_in_next_iteration_or_none(l, i) : IR_NONE;
    if (next != IR_NONE)
      coro_bits_set(&l->carries, next - l->first);
  }
  for (uint32_t i = l->end; i-- > l->first && l->fn->opcode[i] != LLVMPHI;)
    for (uint32_t o = 0; o < loop_operand_count(l, i) && loop_set_contains(&l->carries, l, i); o++)
      if (loop_operand(l, i, o) != IR_NONE)
        coro_bits_set(&l->carries, loop_operand(l, i, o) - l->first);
}

bool loop_is_one_block(LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
    if (LLVMGetSuccessor(end, s) == block)
      return LLVMIsABranchInst(end) != NULL;
  return false;
}

bool loop_block_init(struct loop_block *l, struct coro_arena *arena, const struct ir_fn *fn, uint32_t block)
{
  *l =
      (struct loop_block){.fn = fn, .block = block, .first = fn->block_start[block], .end = fn->block_start[block + 1]};
  uint32_t count = l->end - l->first;
  l->period = CORO_NEW_ARRAY(arena, uint32_t, count);
  if (!l->period || !coro_bits_init(&l->carried, arena, count) || !coro_bits_init(&l->carries, arena, count) ||
      !coro_bits_init(&l->wraps, arena, count))
    return false;
  for (uint32_t i = l->first; i < l->end; i++) {
    l->period[i - l->first] = compute_period(l, i);
    if (loop_inst_is_counter(l, i) && wraps_often(l, i))
      coro_bits_set(&l->wraps, i - l->first);
  }
  find_dependencies_between_iterations(l);
  return true;
}
