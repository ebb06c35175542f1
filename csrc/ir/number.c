/* Numbers one function densely, with a search for reachable blocks. Linear in instructions and operands. */
#include "ir/number.h"

#include "graph/worklist.h"

/* Appends the blocks reachable from `entry` in program order. */
static bool number_blocks(struct ir_fn *fn, struct coro_arena *arena, LLVMBasicBlockRef entry)
{
  uint64_t place = 0;
  uint32_t all = LLVMCountBasicBlocks(fn->function);
  struct coro_map places;
  struct worklist reached; /* places in the program */
  coro_map_init(&places, arena);
  fn->blocks = CORO_NEW_ARRAY(arena, LLVMBasicBlockRef, all);
  if (!fn->blocks || !coro_map_reserve(&places, all) || !worklist_init(&reached, arena, all))
    return false;
  LLVMGetBasicBlocks(fn->function, fn->blocks);
  for (uint32_t b = 0; b < all; b++)
    if (!coro_map_put(&places, coro_map_key(fn->blocks[b]), b))
      return false;
  coro_map_get(&places, coro_map_key(entry), &place);
  worklist_enter(&reached, (uint32_t)place);
  for (uint32_t b; worklist_take(&reached, &b);) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(fn->blocks[b]);
    unsigned count = LLVMGetNumSuccessors(terminator);
    for (unsigned i = 0; i < count; i++)
      if (coro_map_get(&places, coro_map_key(LLVMGetSuccessor(terminator, i)), &place))
        worklist_enter(&reached, (uint32_t)place);
  }
  for (uint32_t b = 0; b < all; b++) {
    if (!worklist_has_entered(&reached, b))
      continue;
    if (!coro_map_put(&fn->ids, coro_map_key(LLVMBasicBlockAsValue(fn->blocks[b])), IR_BLOCK | fn->block_count))
      return false;
    fn->blocks[fn->block_count++] = fn->blocks[b];
  }
  return true;
}

static uint32_t operand_slot_count(LLVMValueRef inst)
{
  uint32_t count = (uint32_t)LLVMGetNumOperands(inst);
  return LLVMGetInstructionOpcode(inst) == LLVMPHI ? 2 * count : count;
}

static bool number_instructions(struct ir_fn *fn, struct coro_arena *arena)
{
  uint32_t operands = 0, i = 0;
  for (uint32_t b = 0; b < fn->block_count; b++)
    for (LLVMValueRef v = LLVMGetFirstInstruction(fn->blocks[b]); v; v = LLVMGetNextInstruction(v)) {
      fn->inst_count++;
      operands += operand_slot_count(v);
    }
  fn->block_start = CORO_NEW_ARRAY(arena, uint32_t, fn->block_count + 1);
  fn->insts = CORO_NEW_ARRAY(arena, LLVMValueRef, fn->inst_count);
  fn->inst_block = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  fn->opcode = CORO_NEW_ARRAY(arena, unsigned char, fn->inst_count);
  fn->operand_start = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count + 1);
  fn->operands = CORO_NEW_ARRAY(arena, uint32_t, operands);
  if (coro_arena_failed(arena) || !coro_map_reserve(&fn->ids, fn->ids.count + fn->inst_count))
    return false;
  for (uint32_t b = 0; b < fn->block_count; b++) {
    fn->block_start[b] = i;
    for (LLVMValueRef v = LLVMGetFirstInstruction(fn->blocks[b]); v; v = LLVMGetNextInstruction(v), i++) {
      fn->insts[i] = v;
      fn->inst_block[i] = b;
      fn->opcode[i] = (unsigned char)LLVMGetInstructionOpcode(v);
      fn->operand_start[i + 1] = fn->operand_start[i] + operand_slot_count(v);
      if (!coro_map_put(&fn->ids, coro_map_key(v), ir_value_of_inst(fn, i)))
        return false;
    }
  }
  fn->block_start[fn->block_count] = i;
  return true;
}

static void number_operands(struct ir_fn *fn)
{
  for (uint32_t i = 0; i < fn->inst_count; i++) {
    uint32_t *out = fn->operands + fn->operand_start[i];
    uint32_t count = (uint32_t)LLVMGetNumOperands(fn->insts[i]);
    for (uint32_t k = 0; k < count; k++)
      out[k] = ir_id(fn, LLVMGetOperand(fn->insts[i], k));
    if (fn->opcode[i] == LLVMPHI)
      for (uint32_t k = 0; k < count; k++)
        out[count + k] = ir_id(fn, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(fn->insts[i], k)));
  }
}

bool ir_number(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function)
{
  return ir_number_from(fn, arena, function, LLVMGetEntryBasicBlock(function));
}

bool ir_number_from(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function, LLVMBasicBlockRef entry)
{
  *fn = (struct ir_fn){.function = function, .arg_count = LLVMCountParams(function)};
  coro_map_init(&fn->ids, arena);
  for (uint32_t a = 0; a < fn->arg_count; a++)
    if (!coro_map_put(&fn->ids, coro_map_key(LLVMGetParam(function, a)), a))
      return false;
  if (!number_blocks(fn, arena, entry) || !number_instructions(fn, arena))
    return false;
  number_operands(fn);
  return true;
}

LLVMValueRef ir_value(const struct ir_fn *fn, uint32_t value)
{
  return value < fn->arg_count ? LLVMGetParam(fn->function, value) : fn->insts[value - fn->arg_count];
}

uint32_t ir_id(const struct ir_fn *fn, LLVMValueRef value)
{
  LLVMValueKind kind = value ? LLVMGetValueKind(value) : LLVMUndefValueValueKind;
  uint64_t id = IR_NONE;
  if (kind == LLVMInstructionValueKind || kind == LLVMArgumentValueKind || kind == LLVMBasicBlockValueKind)
    coro_map_get(&fn->ids, coro_map_key(value), &id);
  return (uint32_t)id;
}

uint32_t ir_inst(const struct ir_fn *fn, LLVMValueRef value)
{
  uint32_t id = value ? ir_id(fn, value) : IR_NONE;
  return id == IR_NONE || id & IR_BLOCK ? IR_NONE : ir_inst_of_value(fn, id);
}

uint32_t ir_phi_count(const struct ir_fn *fn, uint32_t inst)
{
  return (fn->operand_start[inst + 1] - fn->operand_start[inst]) / 2;
}
