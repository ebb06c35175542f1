/* Dense numbers for the blocks, instructions and values of one function, so that analyses work on arrays of integers.
   Requires: a function body that verifies. Guarantees: the function does not change; arrays in the arena, in program
   order, without unreachable blocks. */
#pragma once

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
  /* Successors of block b: successors[successor_start[b] .. successor_start[b + 1]), in the terminator's order. */
  uint32_t *successor_start, *successors;
  /* Operands of instruction i: operands[operand_start[i] .. operand_start[i + 1]), in LLVM's order. Each is a value
     id, a block, or IR_NONE for operands that are equal in every copy (constants, metadata, inline assembly). A
     phi's incoming blocks follow its values as IR_BLOCK operands, or IR_NONE for an unreachable block. */
  uint32_t *operand_start, *operands;
  struct coro_map *ids; /* LLVM value -> value id, or IR_BLOCK | block id, in the lower half of the map's value */
  bool shares_ids; /* with other functions */
};

/* The value id of an instruction: arguments have the first ids, then instructions in order. */
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

/* Operand `index` of an instruction: a value id, IR_BLOCK | block id, or IR_NONE for a constant. */
static inline uint32_t ir_operand(const struct ir_fn *fn, uint32_t inst, uint32_t index)
{
  return fn->operands[fn->operand_start[inst] + index];
}

/* The terminator of a block. */
static inline LLVMValueRef ir_terminator(const struct ir_fn *fn, uint32_t block)
{
  return fn->insts[fn->block_start[block + 1] - 1];
}

static inline uint32_t ir_successor_count(const struct ir_fn *fn, uint32_t block)
{
  return fn->successor_start[block + 1] - fn->successor_start[block];
}

/* The block number of successor `index` of a block. */
static inline uint32_t ir_successor(const struct ir_fn *fn, uint32_t block, uint32_t index)
{
  return fn->successors[fn->successor_start[block] + index];
}

/* The instruction that defines it, or IR_NONE. */
static inline uint32_t ir_operand_inst(const struct ir_fn *fn, uint32_t inst, uint32_t index)
{
  uint32_t id = ir_operand(fn, inst, index);
  return id == IR_NONE || id & IR_BLOCK ? IR_NONE : ir_inst_of_value(fn, id);
}

bool ir_number_function(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function); /* false: out of memory */
/* Labels of a function's blocks and instructions: what a map of ids has in the upper half of their values. */
struct ir_labels {
  uint32_t *of_block, *of_inst; /* by id; 0: none */
};
/* The same for the blocks that are reachable from `entry`, and that follow it in the function. Only phis have operands.
   The ids are added to a map that other functions may share, and that keeps its labels. */
bool ir_number_reachable_with_phi_operands(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function,
                                           LLVMBasicBlockRef entry, struct coro_map *ids, struct ir_labels *labels);
/* Numbers the reachable blocks and their edges only: no instructions, arguments or operands. */
bool ir_number_blocks(struct ir_fn *fn, struct coro_arena *arena, LLVMValueRef function);
LLVMValueRef ir_value(const struct ir_fn *fn, uint32_t value);
/* Id of an argument or instruction of this function, IR_BLOCK | id of a block, else IR_NONE. */
uint32_t ir_id(const struct ir_fn *fn, LLVMValueRef value);
uint32_t ir_block_id(const struct ir_fn *fn, LLVMBasicBlockRef block); /* IR_NONE: not numbered in this function */
uint32_t ir_inst(const struct ir_fn *fn, LLVMValueRef value); /* IR_NONE: NULL, or not an instruction of this
                                                                 function */
/* Number of incoming values of a phi. */
uint32_t ir_phi_count(const struct ir_fn *fn, uint32_t inst);
/* Index of the incoming value for the edge from a block; IR_NONE: there is none. */
uint32_t ir_phi_index_of(const struct ir_fn *fn, uint32_t inst, uint32_t block);

struct graph;
/* Builds the control flow graph of the function, over the ids of its blocks; the edges are in the order of the blocks
   and of their successors. False: out of memory. */
bool ir_build_block_graph(struct graph *graph, struct coro_arena *arena, const struct ir_fn *fn);
