/* Rematerialisation: values that are cheaper to compute again than to keep in the frame.
   Needs: number, shape, cfg, crossing. Leaves: for every crossing value whether it is kept or made again. */
#include "coro/remat.h"

enum { REMAT_DEPTH = 4 }; /* instructions in a chain that is computed again at each resumption */

struct chooser {
  struct coro_remat *remat;
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  const struct coro_crossing *crossing;
  unsigned char *depth; /* by value: length of the chain that makes it again */
};

static bool is_cheap(const struct chooser *c, uint32_t inst)
{
  if (c->shape->intrin[inst] == INTRIN_ALLOCA_GET)
    return true;
  switch (c->fn->opcode[inst]) {
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMFPTrunc:
  case LLVMFPExt:
  case LLVMFPToUI:
  case LLVMFPToSI:
  case LLVMUIToFP:
  case LLVMSIToFP:
  case LLVMPtrToInt:
  case LLVMIntToPtr:
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
  case LLVMFNeg:
  case LLVMICmp:
  case LLVMFCmp:
  case LLVMSelect: return true;
  default: return false;
  }
}

static unsigned chain(const struct chooser *c, uint32_t inst, unsigned budget);

/* What it takes to have an operand behind the suspend: 0 if nothing, IR_NONE if it cannot be had without keeping it. */
static unsigned operand_depth(const struct chooser *c, uint32_t operand, unsigned budget)
{
  if (operand == IR_NONE || coro_value_is_free(c->fn, c->shape, operand))
    return 0;
  if (operand & IR_BLOCK)
    return IR_NONE;
  if (coro_bits_get(&c->remat->again, operand))
    return c->depth[operand];
  if (coro_bits_get(&c->crossing->crosses, operand))
    return 0;
  uint32_t inst = ir_inst_of_value(c->fn, operand);
  unsigned depth = inst == IR_NONE || !is_cheap(c, inst) ? 0 : chain(c, inst, budget);
  return depth ? depth : IR_NONE;
}

/* Instructions on the longest way from what is there anyway to this one, or 0 if there is no way within the budget. */
static unsigned chain(const struct chooser *c, uint32_t inst, unsigned budget)
{
  unsigned deepest = 0;
  if (!budget)
    return 0;
  for (uint32_t o = c->fn->operand_start[inst]; o < c->fn->operand_start[inst + 1]; o++) {
    unsigned depth = operand_depth(c, c->fn->operands[o], budget - 1);
    if (depth == IR_NONE || depth >= budget)
      return 0;
    deepest = depth > deepest ? depth : deepest;
  }
  return deepest + 1;
}

/* Marks it, and what it is computed from on the way. */
static void mark(struct chooser *c, uint32_t inst, unsigned depth)
{
  uint32_t value = ir_value_of_inst(c->fn, inst);
  coro_bits_set(&c->remat->again, value);
  c->depth[value] = (unsigned char)depth;
  for (uint32_t o = c->fn->operand_start[inst]; o < c->fn->operand_start[inst + 1]; o++) {
    uint32_t operand = c->fn->operands[o];
    if (operand == IR_NONE || coro_value_is_free(c->fn, c->shape, operand) ||
        coro_bits_get(&c->remat->again, operand) || coro_bits_get(&c->crossing->crosses, operand))
      continue;
    mark(c, ir_inst_of_value(c->fn, operand), depth - 1);
  }
}

static void choose(struct chooser *c, uint32_t inst)
{
  uint32_t value = ir_value_of_inst(c->fn, inst);
  if (!coro_bits_get(&c->crossing->crosses, value) || !is_cheap(c, inst))
    return;
  unsigned depth = chain(c, inst, REMAT_DEPTH);
  if (depth)
    mark(c, inst, depth);
}

bool coro_remat_choose(struct coro_remat *remat, struct coro_arena *arena, const struct ir_fn *fn,
                       const struct coro_shape *shape, const struct coro_cfg *cfg, const struct coro_crossing *crossing)
{
  struct chooser c = {.remat = remat, .fn = fn, .shape = shape, .crossing = crossing};
  c.depth = CORO_NEW_ARRAY(arena, unsigned char, ir_value_count(fn));
  if (!c.depth || !coro_bits_init(&remat->again, arena, ir_value_count(fn)))
    return false;
  for (uint32_t i = 0; i < cfg->rpo.count; i++) { /* definitions before the uses that they dominate */
    const struct cfg_node *node = &cfg->nodes[cfg->rpo.order[i]];
    for (uint32_t inst = node->first; inst < node->last; inst++)
      choose(&c, inst);
  }
  return true;
}
