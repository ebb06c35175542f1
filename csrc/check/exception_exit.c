/* Where destroy continues after an exception has ended the coroutine.
   Requires: numbered clones. */
#include "check/exception_exit.h"

#include "check/verdict.h"
#include "lowering/abi.h"

uint32_t exception_exit_of_landing(const struct check *c, uint32_t landing, struct path_edge *edge)
{
  const struct cfg_extra *extra = &c->low->cfg.extra;
  uint32_t number = landing - c->low->shape.suspend_count;
  for (uint32_t h = 0; h < extra->hop_count; h++)
    if (extra->hops[h].landing == number && c->low->shape.intrin[extra->hops[h].inst] == INTRIN_END &&
        path_edge_after_end(c, extra->hops[h].inst, edge) &&
        c->low->fn.block_start[edge->to] == extra->landings[number])
      return extra->hops[h].inst;
  return IR_NONE;
}

static bool leaves_pad(const struct check *c, uint32_t end)
{
  const struct ir_fn *fn = &c->low->fn;
  LLVMValueRef terminator = fn->insts[fn->block_start[fn->inst_block[end] + 1] - 1];
  return LLVMGetNumOperandBundles(fn->insts[end]) && LLVMIsACleanupReturnInst(terminator) &&
         LLVMGetUnwindDest(terminator);
}

/* The final suspend is as good as the ramp's cleanup only if both execute the same code. */
static bool check_final_suspend_cleanup(struct check *c, const struct check_exit *exit, LLVMValueRef at)
{
  uint32_t differs = IR_NONE;
  if (path_is_as_at_final(c, exit->inst, &differs))
    return true;
  if (!path_is_plain_cleanup(c, exit->inst))
    return check_unsupported(c, "a cleanup after an exception that the final suspend's cleanup may not do the work of");
  const char *where = differs == IR_NONE ? "no code" : check_presplit_name(c, ir_value_of_inst(&c->low->fn, differs));
  return check_refute(
      c, c->clones[exit->clone], at,
      "destroy continues at the final suspend, which differs from the ramp's cleanup after '%s' at '%s'",
      check_presplit_name(c, ir_value_of_inst(&c->low->fn, exit->inst)), where);
}

static bool check_exceptional_exit(struct check *c, const struct check_exit *exit)
{
  const struct check_clone *k = c->clones[exit->clone];
  LLVMValueRef at = k->fn.insts[k->fn.block_start[exit->block] + exit->at / 2];
  struct path_edge edge, own;
  if (leaves_pad(c, exit->inst))
    return check_unsupported(c, "destruction after an exception in funclet pads");
  if (!path_edge_after_end(c, exit->inst, &edge))
    return true; /* nothing is left to do but to free the frame */
  if (exit->landing != IR_NONE && check_is_suspend_landing(c, exit->landing))
    return check_final_suspend_cleanup(c, exit, at);
  uint32_t of = exit->landing == IR_NONE ? IR_NONE : exception_exit_of_landing(c, exit->landing, &own);
  if (of != IR_NONE && own.from == edge.from && own.to == edge.to)
    return true;
  if (!path_is_plain_cleanup(c, exit->inst))
    return check_unsupported(c, "a cleanup after an exception that destroy does not execute");
  return check_refute(c, k, at, "destroy does not execute the ramp's cleanup after '%s'",
                      check_presplit_name(c, ir_value_of_inst(&c->low->fn, exit->inst)));
}

bool exception_exit_check(struct check *c)
{
  struct coro_map seen;
  coro_map_init(&seen, c->arena);
  for (uint32_t i = 0; i < c->exits.count && !c->low->abi->returns; i++) {
    const struct check_exit *exit = &c->exits.items[i];
    bool ends = c->low->shape.intrin[exit->inst] == INTRIN_END;
    if (!ends || coro_map_has(&seen, (uint64_t)exit->inst + 1))
      continue;
    if (!check_exceptional_exit(c, exit) || !coro_map_put(&seen, (uint64_t)exit->inst + 1, 1))
      return false;
  }
  return true;
}
