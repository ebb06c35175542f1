/* The first value of a generator: a ramp that stores to the promise has made it; C++'s stop at an initial suspend.
   Needs: shape. Leaves: the function as it was. */
#include "coro/first.h"

#include "base/bits.h"

/* The pointer points into the promise: the variable, or what llvm.coro.promise gives of the frame. */
static bool is_inside(const struct ir_fn *fn, const struct coro_shape *shape, LLVMValueRef pointer)
{
  while (pointer != shape->promise && LLVMIsAGetElementPtrInst(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  if (pointer == shape->promise)
    return true;
  uint32_t inst = LLVMIsAInstruction(pointer) ? ir_inst_of_value(fn, ir_id(fn, pointer)) : IR_NONE;
  return inst != IR_NONE && coro_is_own_promise(fn, shape, inst);
}

static bool is_store(const struct ir_fn *fn, const struct coro_shape *shape, LLVMValueRef inst)
{
  if (LLVMIsAStoreInst(inst))
    return is_inside(fn, shape, LLVMGetOperand(inst, 1));
  return LLVMIsAMemIntrinsic(inst) && is_inside(fn, shape, LLVMGetOperand(inst, 0));
}

/* Whether control leaves the block without a suspend; *found as in the header. */
static bool passes(bool *found, const struct ir_fn *fn, const struct coro_shape *shape, uint32_t block)
{
  for (uint32_t i = fn->block_start[block]; i < fn->block_start[block + 1]; i++) {
    if (coro_is_suspend(shape, i))
      return false;
    *found = *found || is_store(fn, shape, fn->insts[i]);
  }
  return true;
}

bool coro_first_value(bool *found, struct coro_arena *arena, const struct ir_fn *fn, const struct coro_shape *shape)
{
  struct coro_bits seen;
  uint32_t *open = CORO_NEW_ARRAY(arena, uint32_t, fn->block_count), count = 0;
  *found = false;
  if (!open || !coro_bits_init(&seen, arena, fn->block_count))
    return false;
  open[count++] = 0;
  coro_bits_set(&seen, 0);
  while (count && shape->promise && !*found) {
    uint32_t block = open[--count];
    if (!passes(found, fn, shape, block))
      continue;
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(fn->blocks[block]);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(terminator); s++) {
      uint32_t next = ir_id(fn, LLVMBasicBlockAsValue(LLVMGetSuccessor(terminator, s))) & ~IR_BLOCK;
      if (coro_bits_get(&seen, next))
        continue;
      coro_bits_set(&seen, next);
      open[count++] = next;
    }
  }
  return true;
}
