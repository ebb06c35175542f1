/* Done: what is run when a coroutine is destroyed that an exception has ended.
   Needs: number, shape, a graph without the landings that are found here. Leaves: the function as it was. */
#include "coro/unwound.h"

#include "coro/cfg.h"
#include "coro/throwing.h"
#include "ir/edit.h"

/* How control comes to a block of the ramp's way: with the memory there, or with the memory given back. */
enum { KEPT = 1, FREED = 2 };

struct finder {
  struct coro_done *done;
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  const struct coro_cfg *cfg;
  unsigned char *seen; /* by node: how control has come there */
  uint32_t *stack;     /* nodes, doubled, plus one where the memory was given back */
  uint32_t top;
  uint32_t *uses;      /* by instruction: uses that need it, plus one; 0: not counted yet */
};

static uint32_t terminator_of(const struct finder *f, uint32_t node)
{
  return f->cfg->nodes[node].last - 1;
}

/* ---- Where the ways begin ---- */

static bool ends_in_clone(const struct finder *f, uint32_t n)
{
  return f->cfg->nodes[n].unwinds && f->cfg->nodes[n].parts & PART_RESUME;
}

/* Its terminator asks is_in_ramp. */
static bool asks(const struct finder *f, uint32_t n)
{
  const struct cfg_edge *edges = f->cfg->edges + f->cfg->nodes[n].edge_start;
  return f->cfg->nodes[n + 1].edge_start - f->cfg->nodes[n].edge_start == 2 && edges[0].parts == PART_RAMP &&
         edges[1].parts == PART_CLONES;
}

/* The end is in a pad, behind which the ramp goes on in another one. */
static bool leaves_pad(const struct finder *f, uint32_t n)
{
  const struct cfg_node *behind = &f->cfg->nodes[n + 1];
  return f->cfg->nodes[n].cut && !behind->cut && f->fn->opcode[behind->last - 1] == LLVMCleanupRet &&
         LLVMGetUnwindDest(f->fn->insts[behind->last - 1]);
}

/* The node from whose only edge, or whose first one, the ramp's way begins; IR_NONE: there is none. */
static uint32_t way_begins(const struct finder *f, uint32_t n)
{
  return asks(f, n) ? n : leaves_pad(f, n) ? n + 1 : IR_NONE;
}

static bool find_ways(struct finder *f, struct coro_arena *arena)
{
  f->done->ways = CORO_NEW_ARRAY(arena, struct done_way, f->shape->ends.count + 1);
  if (!f->done->ways)
    return false;
  for (uint32_t n = 0; n < f->cfg->fragment_count; n++)
    if (ends_in_clone(f, n) && way_begins(f, n) != IR_NONE) {
      uint32_t from = way_begins(f, n), to = f->cfg->edges[f->cfg->nodes[from].edge_start].to;
      f->done->ways[f->done->count++] =
          (struct done_way){.end = terminator_of(f, n), .from = terminator_of(f, from), .to = f->cfg->nodes[to].first};
    }
  return true;
}

/* ---- Where they lead ---- */

/* Takes no part in anything but its result. */
static bool is_pure(const struct finder *f, uint32_t inst)
{
  switch (f->fn->opcode[inst]) {
  case LLVMPHI:
  case LLVMExtractValue:
  case LLVMInsertValue:
  case LLVMFreeze: return true;
  case LLVMLoad: return edit_is_plain_load(f->fn->insts[inst]);
  default: return false;
  }
}

static bool is_pure_block(const struct finder *f, uint32_t block)
{
  for (uint32_t i = f->fn->block_start[block]; i + 1 < f->fn->block_start[block + 1]; i++)
    if (!is_pure(f, i) && f->shape->intrin[i] != INTRIN_LIFETIME_END)
      return false;
  return true;
}

/* Blocks that end in `resume`, and those that do nothing but lead there. */
static void find_handing_on(struct finder *f)
{
  for (uint32_t b = 0; b < f->fn->block_count; b++)
    if (f->fn->opcode[f->fn->block_start[b + 1] - 1] == LLVMResume && is_pure_block(f, b))
      coro_bits_set(&f->done->hands_on, b);
  for (uint32_t b = 0; b < f->fn->block_count; b++) {
    LLVMValueRef branch = f->fn->insts[f->fn->block_start[b + 1] - 1];
    if (!LLVMIsABranchInst(branch) || LLVMGetNumSuccessors(branch) != 1)
      continue;
    uint32_t to = ir_id(f->fn, LLVMBasicBlockAsValue(LLVMGetSuccessor(branch, 0))) & ~IR_BLOCK;
    if (coro_bits_get(&f->done->hands_on, to) && is_pure_block(f, b))
      coro_bits_set(&f->done->hands_on, b);
  }
}

static bool frees(const struct finder *f, uint32_t n)
{
  for (uint32_t i = f->cfg->nodes[n].first; i < f->cfg->nodes[n].last; i++)
    if (f->shape->intrin[i] == INTRIN_FREE)
      return true;
  return false;
}

/* False where no destruction goes: past a suspend or an end, without giving the memory back, or into what is run in a
   clone for other reasons, unless ways are shared or it is fatal whoever comes there. */
static bool come_to(struct finder *f, uint32_t n, unsigned how)
{
  const struct cfg_node *node = &f->cfg->nodes[n];
  if (coro_bits_get(&f->done->hands_on, node->block))
    return how == FREED;
  if (node->parts & PART_CLONES && !f->done->shared)
    return f->fn->opcode[terminator_of(f, n)] == LLVMUnreachable;
  if (node->cut || node->unwinds)
    return false;
  if (!(f->seen[n] & how))
    f->stack[f->top++] = 2 * n + (how == FREED);
  f->seen[n] |= how;
  return true;
}

/* Of nothing of the coroutine's, and outside of pads: what unwinds from there can be told apart. */
static bool is_plain_invoke(const struct finder *f, uint32_t inst)
{
  return f->shape->intrin[inst] == INTRIN_NONE && !LLVMGetNumOperandBundles(f->fn->insts[inst]);
}

static bool leave(struct finder *f, uint32_t n, unsigned how)
{
  uint32_t first = f->cfg->nodes[n].edge_start, last = f->cfg->nodes[n + 1].edge_start;
  switch (f->fn->opcode[terminator_of(f, n)]) {
  case LLVMUnreachable: return true;
  case LLVMResume: return how == FREED;
  case LLVMCleanupRet:
    return f->done->shared ? false : first == last ? how == FREED : come_to(f, f->cfg->edges[first].to, how);
  case LLVMInvoke: return is_plain_invoke(f, terminator_of(f, n)) && come_to(f, f->cfg->edges[first].to, how);
  case LLVMBr:
  case LLVMSwitch: break;
  default: return false;
  }
  for (uint32_t e = first; e < last; e++)
    if (f->cfg->edges[e].parts & PART_DESTROY && !come_to(f, f->cfg->edges[e].to, how))
      return false;
  return true;
}

static bool follow(struct finder *f)
{
  for (uint32_t w = 0; w < f->done->count; w++)
    if (!come_to(f, f->cfg->node_of_inst[f->done->ways[w].to], KEPT))
      return false;
  while (f->top) {
    uint32_t item = f->stack[--f->top], n = item / 2;
    if (!leave(f, n, item % 2 || frees(f, n) ? FREED : KEPT))
      return false;
  }
  return true;
}

/* What is thrown while what is done is destroyed is handed on in earnest, where no handler catches it. */
static bool keeps_thrown_apart(struct finder *f, struct coro_arena *arena, bool *apart)
{
  struct coro_bits way;
  struct thrown t = {.fn = f->fn, .shape = f->shape, .cfg = f->cfg, .way = &way, .hands_on = &f->done->hands_on};
  if (!coro_bits_init(&way, arena, f->cfg->node_count))
    return false;
  for (uint32_t n = 0; n < f->cfg->fragment_count; n++)
    if (f->seen[n])
      coro_bits_set(&way, n);
  return thrown_told_apart(&t, arena, apart);
}

/* ---- What is computed there for the exception alone ---- */

static uint32_t count_uses(LLVMValueRef inst)
{
  uint32_t count = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(inst); use; use = LLVMGetNextUse(use))
    count++;
  return count;
}

/* One instruction that needs these operands is as good as not there. */
static void release_operands(struct finder *f, uint32_t inst)
{
  for (uint32_t o = f->fn->operand_start[inst]; o < f->fn->operand_start[inst + 1]; o++) {
    uint32_t operand = f->fn->operands[o];
    uint32_t i = operand == IR_NONE || operand & IR_BLOCK ? IR_NONE : ir_inst_of_value(f->fn, operand);
    if (i == IR_NONE || !is_pure(f, i) || !coro_bits_get(&f->done->destroys, f->fn->inst_block[i]))
      continue;
    f->uses[i] = f->uses[i] ? f->uses[i] : count_uses(f->fn->insts[i]) + 1;
    if (--f->uses[i] > 1)
      continue;
    coro_bits_set(&f->done->idle, i);
    f->stack[f->top++] = i;
  }
}

/* Destruction runs outside of pads. */
static void mark_pads(struct finder *f, uint32_t block)
{
  for (uint32_t i = f->fn->block_start[block]; i < f->fn->block_start[block + 1]; i++)
    if (f->fn->opcode[i] == LLVMCleanupPad || f->fn->opcode[i] == LLVMCleanupRet)
      coro_bits_set(&f->done->idle, i);
}

static void find_idle(struct finder *f)
{
  for (uint32_t b = 0; b < f->fn->block_count; b++) {
    uint32_t last = f->fn->block_start[b + 1] - 1;
    if (coro_bits_get(&f->done->destroys, b))
      mark_pads(f, b);
    if (coro_bits_get(&f->done->destroys, b) && f->fn->opcode[last] == LLVMResume) {
      coro_bits_set(&f->done->idle, last);
      release_operands(f, last);
    }
    if (coro_bits_get(&f->done->hands_on, b))
      for (uint32_t i = f->fn->block_start[b]; i <= last; i++)
        release_operands(f, i);
  }
  while (f->top)
    release_operands(f, f->stack[--f->top]);
}

/* ---- */

static bool prepare(struct finder *f, struct coro_arena *arena)
{
  uint32_t most = 2 * f->cfg->node_count > f->fn->inst_count ? 2 * f->cfg->node_count : f->fn->inst_count;
  f->seen = CORO_NEW_ARRAY(arena, unsigned char, f->cfg->node_count);
  f->stack = CORO_NEW_ARRAY(arena, uint32_t, most);
  f->uses = CORO_NEW_ARRAY(arena, uint32_t, f->fn->inst_count);
  return coro_bits_init(&f->done->destroys, arena, f->fn->block_count) &&
         coro_bits_init(&f->done->hands_on, arena, f->fn->block_count) &&
         coro_bits_init(&f->done->idle, arena, f->fn->inst_count) && !coro_arena_failed(arena);
}

static void find_blocks(struct finder *f)
{
  for (uint32_t n = 0; n < f->cfg->fragment_count; n++)
    if (f->seen[n])
      coro_bits_set(&f->done->destroys, f->cfg->nodes[n].block);
}

static uint32_t first_free(const struct finder *f)
{
  for (uint32_t i = 0; i < f->fn->inst_count; i++)
    if (f->shape->intrin[i] == INTRIN_FREE && f->cfg->nodes[f->cfg->node_of_inst[i]].parts & PART_DESTROY)
      return i;
  return IR_NONE;
}

/* Ends from which no way leads along the ramp's. What they have ended is destroyed at the final suspend or, where there
   is none, its memory is given back. */
static void add_others(struct finder *f)
{
  bool final = f->shape->suspends[f->shape->suspend_count - 1].final;
  for (uint32_t n = 0; n < f->cfg->fragment_count && !final; n++)
    if (ends_in_clone(f, n) && !(f->done->count && way_begins(f, n) != IR_NONE)) {
      f->done->ways[f->done->count++] = (struct done_way){.from = IR_NONE, .to = first_free(f)};
      return;
    }
}

/* Ways of the ramp's own; else ways that are shared, on which nothing is left out. */
static bool find_any(struct finder *f, struct coro_arena *arena, bool *found)
{
  find_handing_on(f);
  for (int shared = 0; shared < 2 && !*found; shared++) {
    f->done->shared = shared;
    if (shared && !coro_bits_init(&f->done->hands_on, arena, f->fn->block_count))
      return false;
    for (uint32_t n = 0; n < f->cfg->node_count; n++)
      f->seen[n] = 0;
    f->top = 0;
    if (follow(f) && !keeps_thrown_apart(f, arena, found))
      return false;
  }
  return true;
}

bool done_find(struct coro_done *done, struct coro_arena *arena, const struct ir_fn *fn, const struct coro_shape *shape,
               const struct coro_cfg *cfg)
{
  struct finder f = {.done = done, .fn = fn, .shape = shape, .cfg = cfg};
  *done = (struct coro_done){0};
  if (!shape->suspend_count)
    return true;
  if (!find_ways(&f, arena) || (done->count && !prepare(&f, arena)))
    return false;
  bool found = false;
  if (done->count && !find_any(&f, arena, &found))
    return false;
  if (found && !done->shared) {
    find_blocks(&f);
    f.top = 0;
    find_idle(&f);
  } else if (!found) {
    *done = (struct coro_done){.ways = done->ways};
  }
  add_others(&f);
  return true;
}
