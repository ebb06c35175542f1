/* Thrown: what is thrown in its turn while something is destroyed that an exception has ended.
   Needs: number, shape, a graph, the nodes and blocks of the destruction. Leaves: the function as it was. */
#include "coro/throwing.h"

#include "coro/cfg.h"

struct tracer {
  const struct thrown *t;
  struct coro_bits reached; /* by node: control comes here when something is thrown on the way */
  struct coro_bits tells;   /* by value: holds, or as a variable is given, what tells of an exception thrown there */
  uint32_t *stack, top;
  bool rejoins; /* control comes back to the way */
  bool changed;
};

static void reach(struct tracer *r, uint32_t node)
{
  if (coro_bits_get(&r->reached, node))
    return;
  coro_bits_set(&r->reached, node);
  r->stack[r->top++] = node;
}

static void reach_all(struct tracer *r)
{
  const struct coro_cfg *cfg = r->t->cfg;
  for (uint32_t n = 0; n < cfg->fragment_count; n++)
    if (coro_bits_get(r->t->way, n) && r->t->fn->opcode[cfg->nodes[n].last - 1] == LLVMInvoke)
      reach(r, cfg->edges[cfg->nodes[n].edge_start + 1].to);
  while (r->top) {
    uint32_t n = r->stack[--r->top];
    if (coro_bits_get(r->t->way, n)) {
      r->rejoins = true; /* from here on it is the way, followed already */
      continue;
    }
    for (uint32_t e = cfg->nodes[n].edge_start; e < cfg->nodes[n + 1].edge_start; e++)
      if (cfg->edges[e].parts & PART_DESTROY)
        reach(r, cfg->edges[e].to);
  }
}

/* A handler that gives the memory back would let the way do it again. */
static bool handler_frees(const struct tracer *r)
{
  for (uint32_t i = 0; i < r->t->fn->inst_count; i++) {
    uint32_t node = r->t->cfg->node_of_inst[i];
    if (r->t->shape->intrin[i] == INTRIN_FREE && coro_bits_get(&r->reached, node) && !coro_bits_get(r->t->way, node))
      return true;
  }
  return false;
}

static bool tells(const struct tracer *r, uint32_t operand)
{
  return operand != IR_NONE && !(operand & IR_BLOCK) && coro_bits_get(&r->tells, operand);
}

static void mark(struct tracer *r, uint32_t value)
{
  if (coro_bits_get(&r->tells, value))
    return;
  coro_bits_set(&r->tells, value);
  r->changed = true;
}

/* Where only what is thrown in its turn comes to a block that hands an exception on, it is handed on in earnest. */
static bool comes_along(const struct tracer *r, uint32_t phi, uint32_t from)
{
  if (!coro_bits_get(r->t->hands_on, r->t->fn->inst_block[phi]))
    return true;
  return from != IR_NONE && (coro_bits_get(r->t->hands_on, from & ~IR_BLOCK) ||
                             coro_bits_get(r->t->way, r->t->cfg->last_node[from & ~IR_BLOCK]));
}

static bool phi_tells(const struct tracer *r, uint32_t phi)
{
  const uint32_t *operands = r->t->fn->operands + r->t->fn->operand_start[phi];
  uint32_t count = ir_phi_count(r->t->fn, phi);
  for (uint32_t k = 0; k < count; k++)
    if (tells(r, operands[k]) && comes_along(r, phi, operands[count + k]))
      return true;
  return false;
}

static bool any_operand_tells(const struct tracer *r, uint32_t inst)
{
  for (uint32_t o = r->t->fn->operand_start[inst]; o < r->t->fn->operand_start[inst + 1]; o++)
    if (tells(r, r->t->fn->operands[o]))
      return true;
  return false;
}

/* Calls tell nothing: what begins or ends a handler gives the object that was thrown, not the exception. */
static void trace(struct tracer *r, uint32_t inst)
{
  const struct ir_fn *fn = r->t->fn;
  uint32_t value = ir_value_of_inst(fn, inst), node = r->t->cfg->node_of_inst[inst];
  switch (fn->opcode[inst]) {
  case LLVMCall:
  case LLVMInvoke: return;
  case LLVMLandingPad:
    if (coro_bits_get(&r->reached, node) && !coro_bits_get(r->t->way, node))
      mark(r, value);
    return;
  case LLVMPHI:
    if (phi_tells(r, inst))
      mark(r, value);
    return;
  case LLVMStore: {
    uint32_t address = fn->operands[fn->operand_start[inst] + 1];
    if (tells(r, fn->operands[fn->operand_start[inst]]) && address != IR_NONE)
      mark(r, address);
    return;
  }
  default:
    if (any_operand_tells(r, inst))
      mark(r, value);
  }
}

static bool is_handed_on(const struct tracer *r)
{
  const struct ir_fn *fn = r->t->fn;
  for (uint32_t i = 0; i < fn->inst_count; i++) {
    if (fn->opcode[i] != LLVMResume || !any_operand_tells(r, i))
      continue;
    if (coro_bits_get(r->t->hands_on, fn->inst_block[i]) || coro_bits_get(r->t->way, r->t->cfg->node_of_inst[i]))
      return true;
  }
  return false;
}

bool thrown_told_apart(const struct thrown *t, struct coro_arena *arena, bool *apart)
{
  struct tracer r = {.t = t};
  r.stack = CORO_NEW_ARRAY(arena, uint32_t, t->cfg->node_count);
  if (!r.stack || !coro_bits_init(&r.reached, arena, t->cfg->node_count) ||
      !coro_bits_init(&r.tells, arena, ir_value_count(t->fn)))
    return false;
  reach_all(&r);
  *apart = !r.rejoins || !handler_frees(&r);
  if (!r.rejoins || !*apart)
    return true;
  do {
    r.changed = false;
    for (uint32_t i = 0; i < t->fn->inst_count; i++)
      trace(&r, i);
  } while (r.changed);
  *apart = !is_handed_on(&r);
  return true;
}
