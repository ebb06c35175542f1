/* Taint analysis of exceptions thrown by the cleanup after an unwind end. */
#include "analysis/cleanup_exceptions.h"

#include "ir/operand.h"

struct taint {
  const struct cleanup_exceptions *t;
  struct worklist reached; /* nodes reachable when the cleanup throws */
  struct worklist tainted; /* values derived from such an exception, or allocas that hold one */
  bool rejoins; /* control returns to the cleanup */
};

/* Whether the cleanup may throw at all. */
static bool reach_handlers(struct taint *r)
{
  const struct coro_cfg *cfg = r->t->cfg;
  for (uint32_t n = 0; n < cfg->fragment_count; n++)
    if (coro_bits_get(r->t->cleanup, n) && r->t->fn->opcode[cfg->nodes[n].last - 1] == LLVMInvoke)
      worklist_enter(&r->reached, cfg->edges[cfg->nodes[n].edge_start + 1].to);
  for (uint32_t n; worklist_take(&r->reached, &n);)
    if (coro_bits_get(r->t->cleanup, n))
      r->rejoins = true; /* from here on it is the cleanup, which is visited already */
    else
      cfg_enter_successors(cfg, &r->reached, n, CLONE_DESTROY);
  return r->reached.count;
}

/* Whether a handler frees the frame, which the cleanup would then free again. */
static bool handler_frees_exception(const struct taint *r)
{
  for (uint32_t i = 0; i < r->t->fn->inst_count; i++) {
    uint32_t node = cfg_node_of(r->t->cfg, i);
    if (r->t->shape->intrin[i] == INTRIN_FREE && worklist_has_entered(&r->reached, node) &&
        !coro_bits_get(r->t->cleanup, node))
      return true;
  }
  return false;
}

static bool is_tainted(const struct taint *r, uint32_t operand)
{
  return operand != IR_NONE && !(operand & IR_BLOCK) && worklist_has_entered(&r->tainted, operand);
}

/* Whether the incoming value of a phi is tainted, or reached only after a throw. */
static bool is_reached_by_exception(const struct taint *r, uint32_t phi, uint32_t from)
{
  if (!coro_bits_get(r->t->eh_resume, ir_block_of(r->t->fn, phi)))
    return true;
  return from != IR_NONE && (coro_bits_get(r->t->eh_resume, from & ~IR_BLOCK) ||
                             coro_bits_get(r->t->cleanup, r->t->cfg->last_node[from & ~IR_BLOCK]));
}

static bool phi_is_tainted(const struct taint *r, uint32_t phi)
{
  const uint32_t *operands = r->t->fn->operands + r->t->fn->operand_start[phi];
  uint32_t count = ir_phi_count(r->t->fn, phi);
  for (uint32_t k = 0; k < count; k++)
    if (is_tainted(r, operands[k]) && is_reached_by_exception(r, phi, operands[count + k]))
      return true;
  return false;
}

static bool any_operand_tainted(const struct taint *r, uint32_t inst)
{
  for (uint32_t o = r->t->fn->operand_start[inst]; o < r->t->fn->operand_start[inst + 1]; o++)
    if (is_tainted(r, r->t->fn->operands[o]))
      return true;
  return false;
}

/* Propagates taint through an instruction. Calls do not: beginning or ending a handler returns the thrown object,
   not the exception. */
static void propagate_taint(struct taint *r, uint32_t inst)
{
  const struct ir_fn *fn = r->t->fn;
  uint32_t value = ir_value_of_inst(fn, inst), node = cfg_node_of(r->t->cfg, inst);
  switch (fn->opcode[inst]) {
  case LLVMCall:
  case LLVMInvoke: return;
  case LLVMLandingPad:
    if (worklist_has_entered(&r->reached, node) && !coro_bits_get(r->t->cleanup, node))
      worklist_enter(&r->tainted, value);
    return;
  case LLVMPHI:
    if (phi_is_tainted(r, inst))
      worklist_enter(&r->tainted, value);
    return;
  case LLVMStore: {
    uint32_t address = ir_operand(fn, inst, STORE_ADDRESS);
    if (is_tainted(r, ir_operand(fn, inst, STORE_VALUE)) && address != IR_NONE)
      worklist_enter(&r->tainted, address);
    return;
  }
  default:
    if (any_operand_tainted(r, inst))
      worklist_enter(&r->tainted, value);
  }
}

/* Whether the cleanup, which may also propagate the coroutine's exception, throws another exception itself. */
static bool propagates_exception_of_cleanup(const struct taint *r)
{
  const struct ir_fn *fn = r->t->fn;
  bool found = false;
  for (uint32_t i = 0; i < fn->inst_count; i++) {
    if (fn->opcode[i] != LLVMResume || !any_operand_tainted(r, i))
      continue;
    coro_bits_set(r->t->thrown, ir_block_of(fn, i));
    found |=
        coro_bits_get(r->t->eh_resume, ir_block_of(fn, i)) || coro_bits_get(r->t->cleanup, cfg_node_of(r->t->cfg, i));
  }
  return found;
}

bool cleanup_exceptions_are_distinct(const struct cleanup_exceptions *t, struct coro_arena *arena, bool *distinct)
{
  struct taint r = {.t = t};
  if (!worklist_init(&r.reached, arena, t->cfg->node_count) ||
      !worklist_init(&r.tainted, arena, ir_value_count(t->fn)) || !coro_bits_init(t->thrown, arena, t->fn->block_count))
    return false;
  bool throws = reach_handlers(&r);
  *distinct = !r.rejoins || !handler_frees_exception(&r);
  if (!throws || !*distinct)
    return true;
  for (uint32_t i = 0; i < t->fn->inst_count; i++)
    if (t->fn->opcode[i] == LLVMLandingPad)
      propagate_taint(&r, i);
  for (uint32_t value; worklist_take(&r.tainted, &value);)
    for (LLVMUseRef use = LLVMGetFirstUse(ir_value(t->fn, value)); use; use = LLVMGetNextUse(use))
      if (ir_inst(t->fn, LLVMGetUser(use)) != IR_NONE)
        propagate_taint(&r, ir_inst(t->fn, LLVMGetUser(use)));
  bool one = propagates_exception_of_cleanup(&r);
  *distinct = !r.rejoins || !one;
  return true;
}
