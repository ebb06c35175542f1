/* Finds for each suspend whether a ramp that stops there has produced the first value. */
#include "analysis/first_value.h"

#include <string.h>

#include "graph/worklist.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"

/* Whether the pointer is in the promise: in its alloca, or derived from llvm.coro.promise of this frame. */
static bool is_in_promise(const struct ir_fn *fn, const struct coro_shape *shape, LLVMValueRef pointer)
{
  while (pointer != shape->promise && LLVMIsAGetElementPtrInst(pointer))
    pointer = LLVMGetOperand(pointer, ADDRESS_BASE);
  if (pointer == shape->promise)
    return true;
  uint32_t inst = ir_inst(fn, pointer);
  return inst != IR_NONE && coro_is_own_promise(fn, shape, inst);
}

static bool writes_to_promise(const struct ir_fn *fn, const struct coro_shape *shape, LLVMValueRef inst)
{
  if (LLVMIsAStoreInst(inst))
    return is_in_promise(fn, shape, LLVMGetOperand(inst, STORE_ADDRESS));
  return LLVMIsAMemIntrinsic(inst) && is_in_promise(fn, shape, LLVMGetOperand(inst, MEMORY_TO));
}

/* Clang's keyword for the await of a suspend, "init", "yield", "await" or "final"; NULL: not an await. */
static const char *await_keyword_of_suspend_or_null(const struct ir_fn *fn, const struct coro_shape *shape,
                                                    const struct coro_suspend *suspend)
{
  static const char mark[] = "__await_suspend_wrapper__";
  uint32_t from = suspend->save == IR_NONE ? suspend->inst : suspend->save;
  for (uint32_t i = from; i < fn->block_start[ir_block_of(fn, from) + 1]; i++) {
    if (shape->intrin[i] < INTRIN_AWAIT_VOID || shape->intrin[i] > INTRIN_AWAIT_HANDLE)
      continue;
    const char *name = edit_value_name(edit_strip_casts_and_zero_geps(LLVMGetOperand(fn->insts[i], AWAIT_FUNCTION)));
    const char *found = strstr(name, mark);
    return found ? found + sizeof mark - 1 : NULL;
  }
  return NULL;
}

struct walk {
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  struct worklist blocks; /* reachable without a suspend */
  bool *reached; /* indexed by suspend */
  bool stored;
};

/* Whether control can leave the block without a suspend. */
static bool reaches_block_end_without_suspend(struct walk *w, uint32_t block)
{
  for (uint32_t i = w->fn->block_start[block]; i < w->fn->block_start[block + 1]; i++) {
    if (coro_is_suspend(w->shape, i)) {
      w->reached[w->shape->suspend_of[i]] = true;
      return false;
    }
    w->stored = w->stored || writes_to_promise(w->fn, w->shape, w->fn->insts[i]);
  }
  return true;
}

bool *coro_suspends_after_first_value(struct coro_arena *arena, const struct ir_fn *fn, const struct coro_shape *shape)
{
  struct walk w = {.fn = fn, .shape = shape, .reached = CORO_NEW_ARRAY(arena, bool, shape->suspend_count)};
  if (!w.reached || !worklist_init(&w.blocks, arena, fn->block_count))
    return NULL;
  if (!shape->promise)
    return w.reached;
  worklist_enter(&w.blocks, 0);
  for (uint32_t block; worklist_take(&w.blocks, &block);) {
    if (!reaches_block_end_without_suspend(&w, block))
      continue;
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(fn->blocks[block]);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(terminator); s++)
      worklist_enter(&w.blocks, flow_successor(fn, terminator, s));
  }
  for (uint32_t k = 0; k < shape->suspend_count; k++) {
    const char *await = await_keyword_of_suspend_or_null(fn, shape, &shape->suspends[k]);
    w.reached[k] = await ? !strncmp(await, "yield", 5) : w.reached[k] && w.stored;
  }
  return w.reached;
}
