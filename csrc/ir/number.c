/* Numbers one function densely, with a search for reachable blocks. Linear in instructions and operands. */
#include "ir/number.h"

#include "base/vec.h"
#include "graph/worklist.h"

/* The blocks of a function in program order, the edges of those that the search has reached, and their ids. */
struct block_search {
  struct worklist reached; /* places in program order */
  uint32_t *first, *count; /* by place: its successors in `targets` */
  CORO_VEC(uint32_t) targets; /* places */
};

static bool start_block_search(struct block_search *search, struct ir_fn *fn, struct coro_arena *arena, uint32_t all)
{
  fn->blocks = CORO_NEW_ARRAY(arena, LLVMBasicBlockRef, all);
  search->first = CORO_NEW_ARRAY(arena, uint32_t, all);
  search->count = CORO_NEW_ARRAY(arena, uint32_t, all);
  if (!worklist_init(&search->reached, arena, all) || !coro_map_reserve(&fn->ids, fn->arg_count + all) ||
      coro_arena_failed(arena))
    return false;
  LLVMGetBasicBlocks(fn->function, fn->blocks);
  for (uint32_t b = 0; b < all; b++)
    if (!coro_map_put(&fn->ids, coro_map_key(LLVMBasicBlockAsValue(fn->blocks[b])), IR_BLOCK | b))
      return false;
  return true;
}

static uint32_t block_place(const struct ir_fn *fn, LLVMBasicBlockRef block)
{
  uint64_t place = 0;
  coro_map_get(&fn->ids, coro_map_key(LLVMBasicBlockAsValue(block)), &place);
  return (uint32_t)place & ~IR_BLOCK;
}

static bool search_blocks(struct block_search *search, const struct ir_fn *fn, struct coro_arena *arena,
                          LLVMBasicBlockRef entry)
{
  worklist_enter(&search->reached, block_place(fn, entry));
  for (uint32_t b; worklist_take(&search->reached, &b);) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(fn->blocks[b]);
    search->first[b] = search->targets.count;
    search->count[b] = LLVMGetNumSuccessors(terminator);
    for (unsigned i = 0; i < search->count[b]; i++) {
      uint32_t to = block_place(fn, LLVMGetSuccessor(terminator, i));
      worklist_enter(&search->reached, to);
      if (!coro_vec_push(arena, &search->targets, to))
        return false;
    }
  }
  return true;
}

/* Gives the reached blocks, in program order, dense ids in place of their places; the others none. */
static bool renumber_reached_blocks(struct ir_fn *fn, const struct worklist *reached, uint32_t all)
{
  for (uint32_t b = 0; b < all; b++) {
    bool is_reached = worklist_has_entered(reached, b);
    LLVMBasicBlockRef block = fn->blocks[b];
    if (!coro_map_put(&fn->ids, coro_map_key(LLVMBasicBlockAsValue(block)),
                      is_reached ? IR_BLOCK | fn->block_count : IR_NONE))
      return false;
    if (is_reached)
      fn->blocks[fn->block_count++] = block;
  }
  return true;
}

static void set_successors(struct ir_fn *fn, const struct block_search *search, const uint32_t *id, uint32_t all)
{
  uint32_t block = 0, at = 0;
  for (uint32_t b = 0; b < all; b++) {
    if (!worklist_has_entered(&search->reached, b))
      continue;
    for (uint32_t i = 0; i < search->count[b]; i++) {
      uint32_t to = search->targets.items[search->first[b] + i];
      fn->successors[at++] = id ? id[to] : to;
    }
    fn->successor_start[++block] = at;
  }
}

/* The dense id of each reached place. NULL: out of memory. */
static uint32_t *ids_of_places(struct coro_arena *arena, const struct worklist *reached, uint32_t all)
{
  uint32_t *id = CORO_NEW_ARRAY(arena, uint32_t, all), next = 0;
  for (uint32_t b = 0; id && b < all; b++)
    id[b] = worklist_has_entered(reached, b) ? next++ : IR_NONE;
  return id;
}

/* Numbers the blocks reachable from `entry` in program order, and lists their successors. */
static bool number_blocks(struct ir_fn *fn, struct coro_arena *arena, LLVMBasicBlockRef entry)
{
  uint32_t all = LLVMCountBasicBlocks(fn->function), *id = NULL;
  struct block_search search = {0};
  if (!start_block_search(&search, fn, arena, all) || !search_blocks(&search, fn, arena, entry))
    return false;
  fn->block_count = search.reached.count;
  if (fn->block_count != all) {
    fn->block_count = 0;
    id = ids_of_places(arena, &search.reached, all);
    if (!id || !renumber_reached_blocks(fn, &search.reached, all))
      return false;
  }
  fn->successor_start = CORO_NEW_ARRAY(arena, uint32_t, fn->block_count + 1);
  fn->successors = CORO_NEW_ARRAY(arena, uint32_t, search.targets.count);
  if (!fn->successor_start || !fn->successors)
    return false;
  set_successors(fn, &search, id, all);
  return true;
}

/* Lists the instructions of each block with their opcodes. */
static bool list_instructions(struct ir_fn *fn, struct coro_arena *arena)
{
  CORO_VEC(LLVMValueRef) insts = {0};
  fn->block_start = CORO_NEW_ARRAY(arena, uint32_t, fn->block_count + 1);
  if (!fn->block_start)
    return false;
  for (uint32_t b = 0; b < fn->block_count; b++) {
    for (LLVMValueRef v = LLVMGetFirstInstruction(fn->blocks[b]); v; v = LLVMGetNextInstruction(v))
      if (!coro_vec_push(arena, &insts, v))
        return false;
    fn->block_start[b + 1] = insts.count;
  }
  fn->insts = insts.items;
  fn->inst_count = insts.count;
  return true;
}

static uint32_t operand_slot_count(const struct ir_fn *fn, uint32_t inst, bool only_phis)
{
  bool phi = fn->opcode[inst] == LLVMPHI;
  return phi         ? 2 * (uint32_t)LLVMGetNumOperands(fn->insts[inst])
         : only_phis ? 0
                     : (uint32_t)LLVMGetNumOperands(fn->insts[inst]);
}

static bool number_instructions(struct ir_fn *fn, struct coro_arena *arena, bool only_phis)
{
  if (!list_instructions(fn, arena))
    return false;
  fn->inst_block = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  fn->opcode = CORO_NEW_ARRAY(arena, unsigned char, fn->inst_count);
  fn->operand_start = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count + 1);
  if (coro_arena_failed(arena) || !coro_map_reserve(&fn->ids, fn->ids.count + fn->inst_count))
    return false;
  for (uint32_t b = 0; b < fn->block_count; b++)
    for (uint32_t i = fn->block_start[b]; i < fn->block_start[b + 1]; i++) {
      fn->inst_block[i] = b;
      fn->opcode[i] = (unsigned char)LLVMGetInstructionOpcode(fn->insts[i]);
      fn->operand_start[i + 1] = fn->operand_start[i] + operand_slot_count(fn, i, only_phis);
      if (!coro_map_put(&fn->ids, coro_map_key(fn->insts[i]), ir_value_of_inst(fn, i)))
        return false;
    }
  fn->operands = CORO_NEW_ARRAY(arena, uint32_t, fn->operand_start[fn->inst_count]);
  return fn->operands;
}

static void number_operands(struct ir_fn *fn)
{
  for (uint32_t i = 0; i < fn->inst_count; i++) {
    uint32_t *out = fn->operands + fn->operand_start[i];
    uint32_t slots = fn->operand_start[i + 1] - fn->operand_start[i];
    uint32_t count = fn->opcode[i] == LLVMPHI ? slots / 2 : slots;
    for (uint32_t k = 0; k < count; k++)
      out[k] = ir_id(fn, LLVMGetOperand(fn->insts[i], k));
    for (uint32_t k = count; k < slots; k++)
      out[k] = ir_id(fn, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(fn->insts[i], k - count)));
  }
}

static bool number_function(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function, LLVMBasicBlockRef entry,
                            bool only_phis)
{
  *fn = (struct ir_fn){.function = function, .arg_count = LLVMCountParams(function)};
  coro_map_init(&fn->ids, arena);
  for (uint32_t a = 0; a < fn->arg_count; a++)
    if (!coro_map_put(&fn->ids, coro_map_key(LLVMGetParam(function, a)), a))
      return false;
  if (!number_blocks(fn, arena, entry) || !number_instructions(fn, arena, only_phis))
    return false;
  number_operands(fn);
  return true;
}

bool ir_number(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function)
{
  return number_function(fn, arena, function, LLVMGetEntryBasicBlock(function), false);
}

bool ir_number_from(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function, LLVMBasicBlockRef entry)
{
  return number_function(fn, arena, function, entry, true);
}

bool ir_number_blocks(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function)
{
  *fn = (struct ir_fn){.function = function};
  coro_map_init(&fn->ids, arena);
  return number_blocks(fn, arena, LLVMGetEntryBasicBlock(function));
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

uint32_t ir_phi_index_of(const struct ir_fn *fn, uint32_t inst, uint32_t block)
{
  uint32_t count = ir_phi_count(fn, inst);
  for (uint32_t i = 0; i < count; i++)
    if (ir_operand(fn, inst, count + i) == (IR_BLOCK | block))
      return i;
  return IR_NONE;
}
