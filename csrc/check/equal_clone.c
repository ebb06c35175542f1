/* Walks two clones in lockstep, block by block and instruction by instruction; see equal_clone.h. */
#include "check/equal_clone.h"

#include "ir/edit.h"
#include "ir/operand.h"
#include "llvm_metadata.h"
#include "lowering/abi.h"
#include "transform/identical_instruction.h"
#include "transform/swifterror.h"

/* Blocks and instructions of the cleanup function have the numbers of their counterparts in the destroy function. */
struct clone_pair {
  const struct check *c;
  const struct check_clone *destroy;
  const struct witness_clone *cleanup;
  LLVMBasicBlockRef *blocks;
  LLVMValueRef *insts;
};

static uint32_t label_of(const struct clone_pair *p, LLVMValueRef value)
{
  uint64_t label = 0;
  coro_map_get(&p->c->witness->entries, coro_map_key(value), &label);
  return (uint32_t)(label >> 32);
}

/* Lists the instructions of a block. False: their number or their witness differs. */
static bool pair_instructions_of_block(const struct clone_pair *p, uint32_t block)
{
  const struct check_clone *k = p->destroy;
  uint32_t i = k->fn.block_start[block], end = k->fn.block_start[block + 1];
  for (LLVMValueRef inst = LLVMGetFirstInstruction(p->blocks[block]); inst; inst = LLVMGetNextInstruction(inst), i++) {
    struct witness_entry entry = witness_entry_of_label(label_of(p, inst));
    if (i == end || entry.kind != k->entries[i].kind || entry.of != k->entries[i].of)
      return false;
    p->insts[i] = inst;
  }
  return i == end;
}

/* Blocks correspond in the order of the functions, and so do their instructions. */
static bool pair_blocks_and_instructions(struct clone_pair *p)
{
  const struct ir_fn *fn = &p->destroy->fn;
  p->blocks = coro_arena_alloc(p->c->arena, fn->block_count * sizeof *p->blocks);
  p->insts = coro_arena_alloc(p->c->arena, fn->inst_count * sizeof(LLVMValueRef));
  if (!p->blocks || !p->insts)
    return false;
  LLVMGetBasicBlocks(p->cleanup->function, p->blocks);
  for (uint32_t b = 0; b < fn->block_count; b++)
    if (witness_node_of_label(label_of(p, LLVMBasicBlockAsValue(p->blocks[b]))) != p->destroy->node[b] ||
        !pair_instructions_of_block(p, b))
      return false;
  return true;
}

/* Whether `other` is the counterpart of an operand of the destroy function, or the same constant. */
static bool is_counterpart(const struct clone_pair *p, LLVMValueRef operand, LLVMValueRef other)
{
  const struct ir_fn *fn = &p->destroy->fn;
  uint32_t id = operand ? ir_id(fn, operand) : IR_NONE;
  if (id == IR_NONE) /* the functions themselves would be constants that mean different things */
    return operand && operand == other && operand != fn->function && operand != p->cleanup->function;
  if (id & IR_BLOCK)
    return LLVMBasicBlockAsValue(p->blocks[id & ~IR_BLOCK]) == other;
  return (id < fn->arg_count ? LLVMGetParam(p->cleanup->function, id) : p->insts[id - fn->arg_count]) == other;
}

/* Whether the operand of a presplit instruction is the memory to free: the only value that the two functions compute
   differently. */
static bool is_memory_to_free(const struct clone_pair *p, uint32_t presplit, uint32_t index)
{
  uint32_t source = ir_operand_inst(&p->c->low->fn, presplit, index);
  return source != IR_NONE && p->c->low->shape.intrin[source] == INTRIN_FREE;
}

static bool computes_or_uses_memory_to_free(const struct clone_pair *p, uint32_t presplit)
{
  const struct ir_fn *fn = &p->c->low->fn;
  bool found = p->c->low->shape.intrin[presplit] == INTRIN_FREE;
  for (uint32_t i = 0; i < fn->operand_start[presplit + 1] - fn->operand_start[presplit] && !found; i++)
    found = is_memory_to_free(p, presplit, i);
  return found;
}

/* The presplit instruction of an instruction of the clones; IR_NONE: none, or it stands for an argument. */
static uint32_t presplit_inst_or_none(const struct clone_pair *p, struct witness_entry entry)
{
  if (entry.kind == WITNESS_NONE)
    return IR_NONE;
  return entry.kind == WITNESS_COPY || entry.kind == WITNESS_LOWERED ? entry.of
                                                                     : ir_inst_of_value(&p->c->low->fn, entry.of);
}

/* Of the code for the memory to free, only copies with null in place of the memory are compared. */
static bool have_equal_operands(const struct clone_pair *p, uint32_t inst)
{
  LLVMValueRef one = p->destroy->fn.insts[inst], other = p->insts[inst];
  bool phi = p->destroy->fn.opcode[inst] == LLVMPHI;
  uint32_t presplit = presplit_inst_or_none(p, p->destroy->entries[inst]);
  bool differs = presplit != IR_NONE && computes_or_uses_memory_to_free(p, presplit);
  unsigned count = (unsigned)LLVMGetNumOperands(one);
  if (differs &&
      (phi || p->destroy->entries[inst].kind != WITNESS_COPY || p->c->low->shape.intrin[presplit] == INTRIN_FREE))
    return false;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef operand = LLVMGetOperand(other, i), expected = LLVMGetOperand(one, i);
    if (differs && is_memory_to_free(p, presplit, i)
            ? !LLVMIsNull(operand) || LLVMTypeOf(operand) != LLVMTypeOf(expected)
            : !is_counterpart(p, expected, operand))
      return false;
    if (phi && !is_counterpart(p, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(one, i)),
                               LLVMBasicBlockAsValue(LLVMGetIncomingBlock(other, i))))
      return false;
  }
  return true;
}

/* Metadata of loops, and the flag of a swifterror alloca, are not compared with the rest of an instruction. */
static bool has_incomparable_properties(const struct clone_pair *p, uint32_t inst)
{
  LLVMValueRef one = p->destroy->fn.insts[inst], other = p->insts[inst];
  if (p->destroy->fn.opcode[inst] == LLVMAlloca && ir_is_swifterror(one))
    return true;
  return (LLVMHasMetadata(one) || LLVMHasMetadata(other)) &&
         (LLVMGetMetadata(one, METADATA_LOOP) || LLVMGetMetadata(other, METADATA_LOOP));
}

bool equal_clone_is_proved_by(const struct check *c, const struct witness_clone *other,
                              const struct check_clone *destroy)
{
  struct clone_pair p = {.c = c, .destroy = destroy, .cleanup = other};
  if (c->low->shape.abi != CORO_ABI_SWITCH || c->low->abi->hook_module || c->witness->bodies.count ||
      other->clone_kind != CLONE_CLEANUP || destroy->from->clone_kind != CLONE_DESTROY)
    return false;
  bool same = LLVMGlobalGetValueType(other->function) == LLVMGlobalGetValueType(destroy->from->function) &&
              LLVMCountBasicBlocks(other->function) == destroy->fn.block_count &&
              LLVMCountBasicBlocks(destroy->from->function) == destroy->fn.block_count &&
              LLVMGetEntryBasicBlock(other->function) == other->entry &&
              LLVMGetEntryBasicBlock(destroy->from->function) == destroy->from->entry &&
              destroy->from->frame == LLVMGetParam(destroy->from->function, 0) &&
              other->frame == LLVMGetParam(other->function, 0) && other->landing == destroy->from->landing &&
              pair_blocks_and_instructions(&p);
  for (uint32_t i = 0; same && i < destroy->fn.inst_count; i++)
    same = is_copy_but_for_operands_and_loop_metadata(destroy->fn.insts[i], p.insts[i]) &&
           !has_incomparable_properties(&p, i) && have_equal_operands(&p, i);
  return same;
}
