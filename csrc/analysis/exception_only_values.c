/* Finds instructions that only serve the propagation of an exception (dead-code analysis with use counts). They are
   unused when a coroutine ended by an exception is destroyed. */
#include "analysis/exception_only_values.h"

#include "graph/worklist.h"
#include "ir/edit.h"
#include "ir/flow.h"

struct release {
  const struct exception_only *x;
  uint32_t *uses; /* indexed by instruction: number of live uses plus one; 0: not counted yet */
  struct worklist dead; /* instructions */
};

/* Whether it has no effect besides its result. */
static bool has_no_side_effects(const struct ir_fn *fn, uint32_t inst)
{
  switch (fn->opcode[inst]) {
  case LLVMPHI:
  case LLVMExtractValue:
  case LLVMInsertValue:
  case LLVMFreeze: return true;
  case LLVMLoad: return edit_is_unordered_nonvolatile_load(fn->insts[inst]);
  default: return false;
  }
}

static bool block_has_no_side_effects(const struct ir_fn *fn, const struct coro_shape *shape, uint32_t block)
{
  for (uint32_t i = fn->block_start[block]; i + 1 < fn->block_start[block + 1]; i++)
    if (!has_no_side_effects(fn, i) && shape->intrin[i] != INTRIN_LIFETIME_END)
      return false;
  return true;
}

void exception_only_blocks(const struct ir_fn *fn, const struct coro_shape *shape, struct coro_bits *eh_resume)
{
  for (uint32_t b = 0; b < fn->block_count; b++)
    if (fn->opcode[fn->block_start[b + 1] - 1] == LLVMResume && block_has_no_side_effects(fn, shape, b))
      coro_bits_set(eh_resume, b);
  for (uint32_t b = 0; b < fn->block_count; b++) {
    LLVMValueRef branch = fn->insts[fn->block_start[b + 1] - 1];
    if (flow_is_jump(branch) && coro_bits_get(eh_resume, flow_successor(fn, branch, 0)) &&
        block_has_no_side_effects(fn, shape, b))
      coro_bits_set(eh_resume, b);
  }
}

/* ---- Instructions ---- */

static bool init_use_count_release(struct release *r, struct coro_arena *arena)
{
  r->uses = CORO_NEW_ARRAY(arena, uint32_t, r->x->fn->inst_count);
  return r->uses && worklist_init(&r->dead, arena, r->x->fn->inst_count);
}

static uint32_t count_uses_outside_release(LLVMValueRef inst)
{
  uint32_t count = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(inst); use; use = LLVMGetNextUse(use))
    count++;
  return count;
}

/* Decrements the use counts of a dead instruction's operands. */
static void release_operands(struct release *r, uint32_t inst)
{
  const struct ir_fn *fn = r->x->fn;
  const struct coro_bits *within = r->x->within;
  for (uint32_t o = 0; o < fn->operand_start[inst + 1] - fn->operand_start[inst]; o++) {
    uint32_t i = ir_operand_inst(fn, inst, o);
    if (i == IR_NONE || !has_no_side_effects(fn, i) ||
        !(within ? coro_bits_get(within, ir_block_of(fn, i)) : fn->opcode[i] != LLVMLoad))
      continue;
    r->uses[i] = r->uses[i] ? r->uses[i] : count_uses_outside_release(fn->insts[i]) + 1;
    if (--r->uses[i] == 1)
      worklist_enter(&r->dead, i);
  }
}

static void release_unused_values(struct release *r)
{
  for (uint32_t inst; worklist_take(&r->dead, &inst);)
    release_operands(r, inst);
  coro_bits_union(r->x->released, &r->dead.entered);
}

/* Destroy runs outside of pads, so pad instructions are dead. */
static void release_unused_pads(const struct exception_only *x, uint32_t block)
{
  for (uint32_t i = x->fn->block_start[block]; i < x->fn->block_start[block + 1]; i++)
    if (x->fn->opcode[i] == LLVMCleanupPad || x->fn->opcode[i] == LLVMCleanupRet)
      coro_bits_set(x->released, i);
}

bool exception_only_in_own_cleanup(const struct exception_only *x, struct coro_arena *arena,
                                   const struct coro_bits *eh_resume)
{
  struct release r = {.x = x};
  if (!init_use_count_release(&r, arena))
    return false;
  for (uint32_t b = 0; b < x->fn->block_count; b++) {
    uint32_t last = x->fn->block_start[b + 1] - 1;
    bool cleans = coro_bits_get(x->within, b);
    if (cleans)
      release_unused_pads(x, b);
    if (cleans && x->fn->opcode[last] == LLVMResume) {
      coro_bits_set(x->released, last);
      release_operands(&r, last);
    }
    for (uint32_t i = x->fn->block_start[b]; i <= last && coro_bits_get(eh_resume, b); i++)
      release_operands(&r, i);
  }
  release_unused_values(&r);
  return true;
}

bool exception_only_in_shared_cleanup(const struct exception_only *x, struct coro_arena *arena)
{
  struct release r = {.x = x};
  if (!init_use_count_release(&r, arena))
    return false;
  for (uint32_t b = 0; b < x->fn->block_count; b++)
    if (x->fn->opcode[x->fn->block_start[b + 1] - 1] == LLVMResume)
      release_operands(&r, x->fn->block_start[b + 1] - 1);
  release_unused_values(&r);
  return true;
}
