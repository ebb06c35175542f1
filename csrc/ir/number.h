/* Numbering: dense ids for the blocks, instructions and values of one function.
   Needs: a function with a body that verifies. Leaves: the function as it was; arrays in the arena, in program order,
   without the blocks that cannot be reached. */
#ifndef CORO_IR_NUMBER_H
#define CORO_IR_NUMBER_H

#include "base/invariant.h"
#include "base/map.h"
#include "llvm-c/Core.h"

#define IR_NONE UINT32_MAX
#define IR_BLOCK UINT32_C(0x80000000) /* set in an operand that is a block: IR_BLOCK | block id */

struct ir_fn {
  LLVMValueRef function;
  uint32_t arg_count, block_count, inst_count;
  LLVMBasicBlockRef *blocks;
  uint32_t *block_start; /* instructions of block b: [block_start[b], block_start[b + 1]) */
  LLVMValueRef *insts;
  uint32_t *inst_block;
  unsigned char *opcode; /* LLVMOpcode */
  /* Operands of instruction i: operands[operand_start[i] .. operand_start[i + 1]), as many as LLVM counts. Each is a
     value id, a block, or IR_NONE for what is the same in every copy (constants, metadata, inline assembly). A phi's
     incoming blocks follow its values, one IR_BLOCK operand each, or IR_NONE for a block that cannot be reached. */
  uint32_t *operand_start, *operands;
  struct coro_map ids; /* LLVM's pointer -> value id, or IR_BLOCK | block id */
};

/* Values are numbered arguments first, then instructions. */
static inline uint32_t ir_value_of_inst(const struct ir_fn *fn, uint32_t inst)
{
  return fn->arg_count + inst;
}

static inline uint32_t ir_inst_of_value(const struct ir_fn *fn, uint32_t value) /* IR_NONE for an argument */
{
  return value < fn->arg_count ? IR_NONE : value - fn->arg_count;
}

static inline uint32_t ir_value_count(const struct ir_fn *fn)
{
  return fn->arg_count + fn->inst_count;
}

static inline uint32_t ir_block_of(const struct ir_fn *fn, uint32_t inst)
{
  return fn->inst_block[CORO_INDEX(inst, fn->inst_count)];
}

/* Operand `index` of an instruction: a value, IR_BLOCK | a block, or IR_NONE for what is the same in every copy. */
static inline uint32_t ir_operand(const struct ir_fn *fn, uint32_t inst, uint32_t index)
{
  return fn->operands[fn->operand_start[inst] + index];
}

/* The instruction that gives it; IR_NONE: none does. */
static inline uint32_t ir_operand_inst(const struct ir_fn *fn, uint32_t inst, uint32_t index)
{
  uint32_t id = ir_operand(fn, inst, index);
  return id == IR_NONE || id & IR_BLOCK ? IR_NONE : ir_inst_of_value(fn, id);
}

bool ir_number(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function); /* false: memory ran out */
LLVMValueRef ir_value(const struct ir_fn *fn, uint32_t value);
/* Id of an argument or instruction of this function, IR_BLOCK | id of a block, IR_NONE for everything else. */
uint32_t ir_id(const struct ir_fn *fn, LLVMValueRef value);
uint32_t ir_inst(const struct ir_fn *fn, LLVMValueRef value); /* IR_NONE: NULL, or no instruction of this function */
/* Number of values a phi chooses from. */
uint32_t ir_phi_count(const struct ir_fn *fn, uint32_t inst);

#endif
