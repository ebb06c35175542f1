/* Numbers one function densely, with a search for reachable blocks. Linear in instructions and operands. */
#include "ir/number.h"

#include "base/invariant.h"
#include "base/vec.h"
#include "graph/graph.h"
#include "graph/worklist.h"

/* The blocks of a function in program order, the edges of those that the search has reached, and their ids. */
struct block_search {
  uint32_t all; /* number of blocks */
  struct worklist reached; /* places in program order */
  uint32_t *first, *count; /* by place: its successors in `targets` */
  CORO_VEC(uint32_t) targets; /* places */
};

/* Sets the id of a value. Returns its label in *label, unless NULL. */
static bool set_id(struct ir_fn *fn, LLVMValueRef value, uint32_t id, uint32_t *label)
{
  uint64_t *at = fn->shares_ids ? coro_map_find(fn->ids, coro_map_key(value)) : NULL; /* most have a label */
  if (!at && !(at = coro_map_value_of_key(fn->ids, coro_map_key(value))))
    return false;
  if (label)
    *label = (uint32_t)(*at >> 32);
  *at = (*at >> 32) << 32 | id;
  return true;
}

/* Gives each block from `entry` on its place among them as id. */
static bool init_block_search_and_places(struct block_search *search, struct ir_fn *fn, struct coro_arena *arena,
                                         LLVMBasicBlockRef entry, struct ir_labels *labels)
{
  for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b))
    search->all++;
  fn->blocks = coro_arena_alloc(arena, search->all * sizeof(LLVMBasicBlockRef));
  search->first = coro_arena_alloc(arena, search->all * sizeof *search->first);
  search->count = coro_arena_alloc(arena, search->all * sizeof *search->count);
  if (labels)
    labels->of_block = coro_arena_alloc(arena, search->all * sizeof *labels->of_block);
  if (!worklist_init(&search->reached, arena, search->all) || coro_arena_failed(arena))
    return false;
  uint32_t place = 0;
  for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b), place++) {
    fn->blocks[place] = b;
    if (!set_id(fn, LLVMBasicBlockAsValue(b), IR_BLOCK | place, labels ? &labels->of_block[place] : NULL))
      return false;
  }
  return true;
}

/* IR_NONE: the block is not among those from the entry on. */
static uint32_t place_of_block(const struct ir_fn *fn, uint32_t all, LLVMBasicBlockRef block)
{
  uint64_t id = 0;
  coro_map_get(fn->ids, coro_map_key(LLVMBasicBlockAsValue(block)), &id);
  uint32_t place = (uint32_t)id & ~IR_BLOCK;
  return place < all && fn->blocks[place] == block ? place : IR_NONE;
}

static bool find_reachable_blocks_and_successors(struct block_search *search, const struct ir_fn *fn,
                                                 struct coro_arena *arena)
{
  worklist_enter(&search->reached, 0);
  for (uint32_t b; worklist_take(&search->reached, &b);) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(fn->blocks[b]);
    search->first[b] = search->targets.count;
    search->count[b] = LLVMGetNumSuccessors(terminator);
    for (unsigned i = 0; i < search->count[b]; i++) {
      uint32_t to = place_of_block(fn, search->all, LLVMGetSuccessor(terminator, i));
      if (!CORO_INVARIANT(arena, to != IR_NONE) || !coro_vec_push(arena, &search->targets, to))
        return false;
      worklist_enter(&search->reached, to);
    }
  }
  return true;
}

/* Gives the reached blocks, in program order, dense ids in place of their places; the others none. */
static bool renumber_reached_blocks(struct ir_fn *fn, const struct worklist *reached, uint32_t all, uint32_t *labels)
{
  for (uint32_t b = 0; b < all; b++) {
    bool is_reached = worklist_has_entered(reached, b);
    LLVMBasicBlockRef block = fn->blocks[b];
    if (!set_id(fn, LLVMBasicBlockAsValue(block), is_reached ? IR_BLOCK | fn->block_count : IR_NONE, NULL))
      return false;
    if (is_reached && labels)
      labels[fn->block_count] = labels[b];
    if (is_reached)
      fn->blocks[fn->block_count++] = block;
  }
  return true;
}

static void set_successors(struct ir_fn *fn, const struct block_search *search, const uint32_t *id)
{
  uint32_t block = 0, at = 0;
  for (uint32_t b = 0; b < search->all; b++) {
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
static uint32_t *dense_ids_of_reached_blocks(struct coro_arena *arena, const struct worklist *reached, uint32_t all)
{
  uint32_t *id = CORO_NEW_ARRAY(arena, uint32_t, all), next = 0;
  for (uint32_t b = 0; id && b < all; b++)
    id[b] = worklist_has_entered(reached, b) ? next++ : IR_NONE;
  return id;
}

/* Numbers the blocks reachable from `entry` in program order, and lists their successors. */
static bool number_blocks(struct ir_fn *fn, struct coro_arena *arena, LLVMBasicBlockRef entry, struct ir_labels *labels)
{
  uint32_t *id = NULL;
  struct block_search search = {0};
  if (!init_block_search_and_places(&search, fn, arena, entry, labels) ||
      !find_reachable_blocks_and_successors(&search, fn, arena))
    return false;
  fn->block_count = search.reached.count;
  if (fn->block_count != search.all) {
    fn->block_count = 0;
    id = dense_ids_of_reached_blocks(arena, &search.reached, search.all);
    if (!id || !renumber_reached_blocks(fn, &search.reached, search.all, labels ? labels->of_block : NULL))
      return false;
  }
  fn->successor_start = CORO_NEW_ARRAY(arena, uint32_t, fn->block_count + 1);
  fn->successors = CORO_NEW_ARRAY(arena, uint32_t, search.targets.count);
  if (!fn->successor_start || !fn->successors)
    return false;
  set_successors(fn, &search, id);
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

static uint32_t count_operand_slots(const struct ir_fn *fn, uint32_t inst, bool only_phis)
{
  bool phi = fn->opcode[inst] == LLVMPHI;
  uint32_t count = phi || !only_phis ? (uint32_t)LLVMGetNumOperands(fn->insts[inst]) : 0;
  return phi ? 2 * count : count;
}

static bool number_instructions(struct ir_fn *fn, struct coro_arena *arena, struct ir_labels *labels)
{
  bool only_phis = labels; /* of a part of a function */
  if (!list_instructions(fn, arena) || !coro_map_reserve(fn->ids, fn->ids->count + (labels ? 0 : fn->inst_count)))
    return false;
  fn->inst_block = coro_arena_alloc(arena, fn->inst_count * sizeof *fn->inst_block);
  fn->opcode = coro_arena_alloc(arena, fn->inst_count);
  fn->operand_start = coro_arena_alloc(arena, (fn->inst_count + (size_t)1) * sizeof *fn->operand_start);
  if (labels)
    labels->of_inst = coro_arena_alloc(arena, fn->inst_count * sizeof *labels->of_inst);
  if (coro_arena_failed(arena))
    return false;
  uint32_t slots = 0;
  for (uint32_t b = 0; b < fn->block_count; b++)
    for (uint32_t i = fn->block_start[b]; i < fn->block_start[b + 1]; i++) {
      fn->inst_block[i] = b;
      fn->opcode[i] = (unsigned char)LLVMGetInstructionOpcode(fn->insts[i]);
      fn->operand_start[i] = slots;
      slots += count_operand_slots(fn, i, only_phis);
      if (!set_id(fn, fn->insts[i], ir_value_of_inst(fn, i), labels ? &labels->of_inst[i] : NULL))
        return false;
    }
  fn->operand_start[fn->inst_count] = slots;
  fn->operands = coro_arena_alloc(arena, slots * sizeof *fn->operands);
  return fn->operands;
}

static void number_operands_of_instruction(struct ir_fn *fn, uint32_t inst)
{
  uint32_t *out = fn->operands + fn->operand_start[inst];
  uint32_t slots = fn->operand_start[inst + 1] - fn->operand_start[inst];
  uint32_t count = fn->opcode[inst] == LLVMPHI ? slots / 2 : slots;
  for (uint32_t k = 0; k < count; k++)
    out[k] = ir_id(fn, LLVMGetOperand(fn->insts[inst], k));
  for (uint32_t k = count; k < slots; k++)
    out[k] = ir_id(fn, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(fn->insts[inst], k - count)));
}

static void number_operands(struct ir_fn *fn, bool only_phis)
{
  for (uint32_t b = 0; b < fn->block_count; b++) /* phis come first */
    for (uint32_t i = fn->block_start[b]; i < fn->block_start[b + 1] && (!only_phis || fn->opcode[i] == LLVMPHI); i++)
      number_operands_of_instruction(fn, i);
}

static bool number_function(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function, LLVMBasicBlockRef entry,
                            struct coro_map *ids, struct ir_labels *labels)
{
  *fn = (struct ir_fn){.function = function, .arg_count = LLVMCountParams(function), .ids = ids, .shares_ids = labels};
  for (uint32_t a = 0; a < fn->arg_count; a++)
    if (!set_id(fn, LLVMGetParam(function, a), a, NULL))
      return false;
  if (!number_blocks(fn, arena, entry, labels) || !number_instructions(fn, arena, labels))
    return false;
  number_operands(fn, labels);
  return true;
}

/* NULL: out of memory. */
static struct coro_map *create_ids(struct coro_arena *arena, LLVMValueRef function)
{
  struct coro_map *ids = CORO_NEW(arena, struct coro_map);
  if (!ids)
    return NULL;
  coro_map_init(ids, arena);
  return coro_map_reserve(ids, LLVMCountParams(function) + LLVMCountBasicBlocks(function)) ? ids : NULL;
}

bool ir_number_function(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function)
{
  struct coro_map *ids = create_ids(arena, function);
  return ids && number_function(fn, arena, function, LLVMGetEntryBasicBlock(function), ids, NULL);
}

bool ir_number_reachable_with_phi_operands(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function,
                                           LLVMBasicBlockRef entry, struct coro_map *ids, struct ir_labels *labels)
{
  return number_function(fn, arena, function, entry, ids, labels);
}

bool ir_number_blocks(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function)
{
  *fn = (struct ir_fn){.function = function, .ids = create_ids(arena, function)};
  return fn->ids && number_blocks(fn, arena, LLVMGetEntryBasicBlock(function), NULL);
}

LLVMValueRef ir_value(const struct ir_fn *fn, uint32_t value)
{
  return value < fn->arg_count ? LLVMGetParam(fn->function, value) : fn->insts[value - fn->arg_count];
}

/* Whether the id is that of a value of this function. */
static bool is_own_id(const struct ir_fn *fn, LLVMValueRef value, LLVMValueKind kind, uint32_t id)
{
  if (kind == LLVMInstructionValueKind)
    return id >= fn->arg_count && id < ir_value_count(fn) && fn->insts[id - fn->arg_count] == value;
  if (kind == LLVMArgumentValueKind)
    return id < fn->arg_count && LLVMGetParam(fn->function, id) == value;
  return id != IR_NONE && (id & ~IR_BLOCK) < fn->block_count &&
         LLVMBasicBlockAsValue(fn->blocks[id & ~IR_BLOCK]) == value;
}

uint32_t ir_id(const struct ir_fn *fn, LLVMValueRef value)
{
  LLVMValueKind kind = value ? LLVMGetValueKind(value) : LLVMUndefValueValueKind;
  uint64_t id = IR_NONE;
  if (kind == LLVMInstructionValueKind || kind == LLVMArgumentValueKind || kind == LLVMBasicBlockValueKind)
    coro_map_get(fn->ids, coro_map_key(value), &id);
  return fn->shares_ids && !is_own_id(fn, value, kind, (uint32_t)id) ? IR_NONE : (uint32_t)id;
}

uint32_t ir_block_id(const struct ir_fn *fn, LLVMBasicBlockRef block)
{
  uint32_t id = ir_id(fn, LLVMBasicBlockAsValue(block));
  return id == IR_NONE ? IR_NONE : id & ~IR_BLOCK;
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

bool ir_build_block_graph(struct graph *graph, struct coro_arena *arena, const struct ir_fn *fn)
{
  return graph_build_from_successors(graph, arena, fn->block_count, fn->successor_start, fn->successors);
}
