/* Finds the cleanup that destroy executes for a coroutine ended by an exception.
   Requires: number, shape, choose.
   Guarantees: the extra landings and edges of the graph; the function is unchanged. */
#include "coro/unwound.h"

#include "coro/abi.h"
#include "coro/as_final.h"
#include "coro/by_number.h"
#include "coro/for_exception.h"
#include "coro/throwing.h"
#include "ir/constant_fold.h"
#include "ir/flow.h"

/* State in which a node of the cleanup is reached: with the frame allocated, or freed. */
enum { ALLOCATED = 1, FREED = 2 };

/* Which clones execute the cleanup: only the ramp and destroy; others too, but a selector leads to other successors
   after it; others too, and destroy must record how it entered. */
enum whose { OWN, BY_NUMBER, SHARED };

struct search {
  struct coro_unwound *unwound;
  struct coro_arena *arena;
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  struct coro_cfg cfg; /* the graph without extra landings */
  uint32_t *end_in; /* indexed by node: its unwind end, or IR_NONE */
  struct coro_bits eh_resume; /* set of blocks that only propagate the exception */
  struct coro_bits padded; /* set of blocks that refer to a pad, so they are only executed inside of it */
  unsigned char *seen; /* indexed by node: states in which it was reached */
  enum whose way;
  bool relied; /* an edge was chosen by the selector value of a landing */
  struct coro_bits returns; /* set of edges on which destroy returns */
  struct coro_bits returns_from, returns_to; /* sets of source and target blocks of these edges */
  struct by_number numbers;
  coro_insts as_final; /* unwind ends after which destroy executes the same code as at the final suspend */
  uint32_t *stack; /* worklist: twice the node, plus one if the frame is freed */
  uint32_t top;
};

static uint32_t terminator_of(const struct search *s, uint32_t node)
{
  return s->cfg.nodes[node].last - 1;
}

static uint32_t first_edge(const struct search *s, uint32_t node)
{
  return s->cfg.nodes[node].edge_start;
}

/* ---- Entries of cleanups ---- */

static bool ends_in_clone(const struct search *s, uint32_t n)
{
  return s->end_in[n] != IR_NONE && s->cfg.nodes[n].parts & PART_RESUME;
}

/* Whether the node ends in a branch on is_in_ramp. */
static bool asks(const struct search *s, uint32_t n)
{
  const struct cfg_edge *edges = s->cfg.edges + first_edge(s, n);
  return first_edge(s, n + 1) - first_edge(s, n) == 2 && edges[0].parts == PART_RAMP && edges[1].parts == PART_CLONES;
}

/* Whether the end is in a cleanuppad that unwinds to another pad in the ramp. */
static bool leaves_pad(const struct search *s, uint32_t n)
{
  const struct cfg_node *behind = &s->cfg.nodes[n + 1];
  return s->cfg.nodes[n].cut && !behind->cut && s->fn->opcode[behind->last - 1] == LLVMCleanupRet &&
         LLVMGetUnwindDest(s->fn->insts[behind->last - 1]);
}

/* The node whose first edge leads to the ramp's cleanup; IR_NONE: none. */
static uint32_t leads_to_cleanup(const struct search *s, uint32_t n)
{
  return asks(s, n) ? n : leaves_pad(s, n) ? n + 1 : IR_NONE;
}

/* Adds an edge from the exit of the function at `inst` to the last landing. */
static void add_hop(struct cfg_extra *extra, uint32_t inst)
{
  extra->hops[extra->hop_count++] = (struct cfg_hop){inst, extra->landing_count - 1};
}

static bool find_cleanups(struct search *s)
{
  struct cfg_extra *extra = &s->unwound->extra;
  extra->landings = CORO_NEW_ARRAY(s->arena, uint32_t, s->shape->ends.count + 1);
  extra->hops = CORO_NEW_ARRAY(s->arena, struct cfg_hop, 2 * s->shape->ends.count);
  struct as_final final = {.fn = s->fn, .shape = s->shape, .eh_resume = &s->eh_resume};
  if (!extra->landings || !extra->hops || !as_final_begin(&final, s->arena))
    return false;
  for (uint32_t n = 0; n < s->cfg.fragment_count; n++) {
    uint32_t from = ends_in_clone(s, n) ? leads_to_cleanup(s, n) : IR_NONE;
    bool as_at_final = false;
    if (from == IR_NONE)
      continue;
    if (asks(s, from) && !as_final(&final, s->arena, s->cfg.nodes[from].block, &as_at_final))
      return false;
    if (as_at_final) {
      if (!coro_vec_push(s->arena, &s->as_final, s->end_in[n]))
        return false;
      continue;
    }
    uint32_t landing = s->cfg.nodes[s->cfg.edges[first_edge(s, from)].to].first;
    by_number_add(&s->numbers, landing, s->cfg.nodes[from].block);
    extra->landings[extra->landing_count++] = landing;
    add_hop(extra, s->end_in[n]);
    add_hop(extra, terminator_of(s, from));
  }
  return true;
}

/* ---- Paths through cleanups ---- */

static bool frees(const struct search *s, uint32_t n)
{
  for (uint32_t i = s->cfg.nodes[n].first; i < s->cfg.nodes[n].last; i++)
    if (s->shape->intrin[i] == INTRIN_FREE)
      return true;
  return false;
}

/* Whether other paths through a shared cleanup leave the coroutine here. Destroy leaves it here as well. */
static bool leaves(const struct search *s, uint32_t n, unsigned how)
{
  uint32_t last = s->cfg.nodes[n].last - 1;
  return s->way == SHARED && how == FREED && s->cfg.nodes[n].cut && s->shape->intrin[last] == INTRIN_END &&
         s->end_in[n] == IR_NONE;
}

/* Enters a node. False if destroy cannot execute it: a suspend or an end before the frame is freed, or code that
   other clones execute, unless the cleanup is shared or the code ends in `unreachable`. Code of other clones inside of
   a pad is also excluded, because destroy is in no pad. */
static bool come_to(struct search *s, uint32_t n, unsigned how)
{
  const struct cfg_node *node = &s->cfg.nodes[n];
  if (coro_bits_get(&s->eh_resume, node->block))
    return how == FREED && s->way != BY_NUMBER;
  bool padded = coro_bits_get(&s->padded, node->block);
  if (node->parts & PART_CLONES && s->way == OWN)
    return s->fn->opcode[terminator_of(s, n)] == LLVMUnreachable && !padded;
  if (leaves(s, n, how)) {
    s->seen[n] |= how;
    return true;
  }
  if ((s->way != OWN && padded) || node->cut || s->end_in[n] != IR_NONE)
    return false;
  if (!(s->seen[n] & how))
    s->stack[s->top++] = 2 * n + (how == FREED);
  s->seen[n] |= how;
  return true;
}

/* Whether it calls no coroutine intrinsic, and is in no funclet, so that its unwind edge can be identified. */
static bool is_plain_invoke(const struct search *s, uint32_t inst)
{
  return s->shape->intrin[inst] == INTRIN_NONE && !LLVMGetNumOperandBundles(s->fn->insts[inst]);
}

/* Records an edge on which the ramp propagates the exception and destroy returns. */
static bool return_on(struct search *s, uint32_t n, uint32_t edge, unsigned how)
{
  coro_bits_set(&s->returns, edge);
  coro_bits_set(&s->returns_from, s->cfg.nodes[n].block);
  coro_bits_set(&s->returns_to, s->cfg.nodes[s->cfg.edges[edge].to].block);
  return how == FREED;
}

static bool propagates(const struct search *s, uint32_t n)
{
  return coro_bits_get(&s->eh_resume, s->cfg.nodes[n].block);
}

static bool leave_by_number(struct search *s, uint32_t n, uint32_t phi, unsigned how)
{
  LLVMValueRef terminator = s->fn->insts[terminator_of(s, n)], seen = NULL;
  s->relied = true;
  for (uint32_t k = 0; k < ir_phi_count(s->fn, phi); k++) {
    LLVMValueRef number = LLVMGetIncomingValue(s->fn->insts[phi], k);
    if (number == seen || !by_number_is_brought(&s->numbers, phi, k))
      continue; /* several ends may provide the same value */
    seen = number;
    if (!LLVMIsAConstantInt(number))
      return false;
    unsigned way = constant_successor(terminator, s->fn->insts[phi], number);
    if (way == CONSTANT_SUCCESSOR_UNKNOWN)
      return false;
    uint32_t edge = first_edge(s, n) + way, to = s->cfg.edges[edge].to;
    bool ok = propagates(s, to) ? by_number_alone(&s->numbers, terminator, phi, way) && return_on(s, n, edge, how)
                                : come_to(s, to, how);
    if (!ok)
      return false;
  }
  return true;
}

/* Enters the successors of a node that other clones execute as well. They are chosen by a selector, whose value each
   landing provides. */
static bool leave_known(struct search *s, uint32_t n, unsigned how)
{
  LLVMValueRef terminator = s->fn->insts[terminator_of(s, n)], chosen = flow_branch_operand(terminator);
  uint32_t phi = chosen ? by_number_of(&s->numbers, chosen) : IR_NONE;
  if (phi != IR_NONE)
    return leave_by_number(s, n, phi, how);
  for (uint32_t e = first_edge(s, n); e < first_edge(s, n + 1); e++) {
    uint32_t to = s->cfg.edges[e].to;
    if (!(s->cfg.edges[e].parts & PART_DESTROY))
      continue;
    bool own = !(s->cfg.nodes[n].parts & PART_CLONES);
    if (propagates(s, to) ? !own || !return_on(s, n, e, how) : !come_to(s, to, how))
      return false;
  }
  return true;
}

static bool leave(struct search *s, uint32_t n, unsigned how)
{
  uint32_t first = first_edge(s, n), last = first_edge(s, n + 1);
  switch (s->fn->opcode[terminator_of(s, n)]) {
  case LLVMUnreachable: return true;
  case LLVMResume: return how == FREED && s->way != BY_NUMBER;
  case LLVMCleanupRet:
    if (s->way == BY_NUMBER)
      return false;
    if (unwound_never_leaves(&s->cfg, terminator_of(s, n)))
      return true;
    return first == last ? how == FREED : come_to(s, s->cfg.edges[first].to, how);
  case LLVMInvoke: return is_plain_invoke(s, terminator_of(s, n)) && come_to(s, s->cfg.edges[first].to, how);
  default:
    if (!flow_is_branch(s->fn->insts[terminator_of(s, n)]))
      return false;
  }
  if (s->way == BY_NUMBER)
    return leave_known(s, n, how);
  for (uint32_t e = first; e < last; e++)
    if (s->cfg.edges[e].parts & PART_DESTROY && !come_to(s, s->cfg.edges[e].to, how))
      return false;
  return true;
}

static bool follow(struct search *s)
{
  s->relied = false;
  for (uint32_t x = 0; x < s->unwound->extra.landing_count; x++)
    if (!come_to(s, cfg_node_of(&s->cfg, s->unwound->extra.landings[x]), ALLOCATED))
      return false;
  while (s->top) {
    uint32_t item = s->stack[--s->top], n = item / 2;
    if (!leave(s, n, item % 2 || frees(s, n) ? FREED : ALLOCATED))
      return false;
  }
  return !s->relied || by_number_stays(&s->numbers, &s->cfg, s->seen);
}

/* Checks that exceptions thrown by the cleanup itself, which propagate out of destroy, can be distinguished. */
static bool check_throwing(struct search *s, bool *distinct)
{
  struct coro_bits cleanup;
  struct throwing t = {.fn = s->fn,
                       .shape = s->shape,
                       .cfg = &s->cfg,
                       .cleanup = &cleanup,
                       .eh_resume = &s->eh_resume,
                       .thrown = &s->unwound->thrown};
  if (!coro_bits_init(&cleanup, s->arena, s->cfg.node_count))
    return false;
  for (uint32_t n = 0; n < s->cfg.fragment_count; n++)
    if (s->seen[n])
      coro_bits_set(&cleanup, n);
  return throwing_is_distinct(&t, s->arena, distinct);
}

/* Whether nodes of other clones lead to the target blocks only by edges on which destroy returns. */
static bool returns_hold(const struct search *s)
{
  for (uint32_t n = 0; n < s->cfg.fragment_count; n++) {
    if (!(s->cfg.nodes[n].parts & PART_CLONES) || !coro_bits_get(&s->returns_from, s->cfg.nodes[n].block))
      continue;
    for (uint32_t e = first_edge(s, n); e < first_edge(s, n + 1); e++)
      if (coro_bits_get(&s->returns_to, s->cfg.nodes[s->cfg.edges[e].to].block) && !coro_bits_get(&s->returns, e))
        return false;
  }
  return true;
}

/* Tries the three kinds of cleanup, starting with the one that removes most code from other clones. */
static bool follow_cleanups(struct search *s, bool *found)
{
  for (s->way = OWN; !*found; s->way++) {
    s->unwound->shared = s->way == SHARED;
    if ((s->way == SHARED && !coro_bits_init(&s->eh_resume, s->arena, s->fn->block_count)) ||
        !coro_bits_init(&s->returns, s->arena, first_edge(s, s->cfg.node_count)) ||
        !coro_bits_init(&s->returns_from, s->arena, s->fn->block_count) ||
        !coro_bits_init(&s->returns_to, s->arena, s->fn->block_count))
      return false;
    for (uint32_t n = 0; n < s->cfg.node_count; n++)
      s->seen[n] = 0;
    s->top = 0;
    if (follow(s) && returns_hold(s) && !check_throwing(s, found))
      return false;
    if (*found || s->way == SHARED)
      return true;
  }
  return true;
}

/* ---- Code that destroy skips ---- */

static bool keep_cleanup(struct search *s)
{
  struct coro_unwound *unwound = s->unwound;
  if (!coro_bits_init(&unwound->cleanup, s->arena, s->fn->block_count) ||
      !coro_bits_init(&unwound->extra.ramp_only, s->arena, s->fn->inst_count))
    return false;
  for (uint32_t n = 0; n < s->cfg.fragment_count; n++)
    if (s->seen[n])
      coro_bits_set(&unwound->cleanup, s->cfg.nodes[n].block);
  unwound->extra.returns_from = unwound->cleanup;
  unwound->extra.returns_to = s->eh_resume;
  struct for_exception x = {s->fn, s->shape, &unwound->extra.ramp_only, &unwound->cleanup};
  return for_exception_own(&x, s->arena, &s->eh_resume);
}

/* Marks the instructions of a shared cleanup that only serve the propagation of the exception. A destroy that
   entered after an end does not use their results. */
static bool keep_shared(struct search *s)
{
  struct cfg_extra *extra = &s->unwound->extra;
  if (!coro_bits_init(&extra->for_exception, s->arena, s->fn->inst_count) ||
      !coro_bits_init(&extra->without_exception, s->arena, s->fn->block_count))
    return false;
  for (uint32_t b = 0; b < s->fn->block_count; b++) {
    const struct cfg_node *end = &s->cfg.nodes[s->cfg.last_node[b]];
    if (!end->folded && !(end->parts & PART_CLONES))
      coro_bits_set(&extra->without_exception, b);
  }
  struct for_exception x = {s->fn, s->shape, &extra->for_exception, NULL};
  return for_exception_shared(&x, s->arena);
}

/* ---- Entries of destroy ---- */

static uint32_t first_free(const struct search *s)
{
  for (uint32_t i = 0; i < s->fn->inst_count; i++)
    if (s->shape->intrin[i] == INTRIN_FREE && s->cfg.nodes[cfg_node_of(&s->cfg, i)].parts & PART_DESTROY)
      return i;
  return IR_NONE;
}

/* Adds a landing for coroutines that ended without a cleanup. They are destroyed at the final suspend or, without
   one, at the first coro.free. */
static void add_landing_of_others(struct search *s)
{
  struct cfg_extra *extra = &s->unwound->extra;
  bool needed = false;
  for (uint32_t h = 0; h < extra->hop_count; h++)
    s->end_in[cfg_node_of(&s->cfg, extra->hops[h].inst)] = IR_NONE;
  for (uint32_t n = 0; n < s->cfg.fragment_count; n++)
    needed |= ends_in_clone(s, n);
  if (!needed || s->shape->suspends[s->shape->suspend_count - 1].final)
    return;
  extra->landings[extra->landing_count++] = first_free(s);
  for (uint32_t n = 0; n < s->cfg.fragment_count; n++)
    if (s->end_in[n] != IR_NONE)
      add_hop(extra, s->end_in[n]);
}

/* ---- Search ---- */

static bool names_pad(const struct ir_fn *fn, uint32_t inst)
{
  for (uint32_t o = fn->operand_start[inst]; o < fn->operand_start[inst + 1]; o++) {
    uint32_t operand = fn->operands[o];
    uint32_t i = operand == IR_NONE || operand & IR_BLOCK ? IR_NONE : ir_inst_of_value(fn, operand);
    if (i != IR_NONE && pads_is_pad(fn, i))
      return true;
  }
  return pads_is_pad(fn, inst);
}

static void find_padded(struct search *s)
{
  for (uint32_t i = 0; s->cfg.pads.of_block && i < s->fn->inst_count; i++)
    if (names_pad(s->fn, i))
      coro_bits_set(&s->padded, ir_block_of(s->fn, i));
}

static bool prepare(struct search *s)
{
  uint32_t nodes = s->cfg.node_count;
  s->end_in = CORO_NEW_ARRAY(s->arena, uint32_t, nodes);
  s->seen = CORO_NEW_ARRAY(s->arena, unsigned char, nodes);
  s->stack = CORO_NEW_ARRAY(s->arena, uint32_t, 2 * nodes);
  s->numbers = (struct by_number){.fn = s->fn, .extra = &s->unwound->extra};
  if (coro_arena_failed(s->arena) || !coro_bits_init(&s->numbers.from, s->arena, s->fn->block_count) ||
      !coro_bits_init(&s->numbers.to, s->arena, s->fn->block_count) ||
      !coro_bits_init(&s->eh_resume, s->arena, s->fn->block_count) ||
      !coro_bits_init(&s->padded, s->arena, s->fn->block_count))
    return false;
  find_padded(s);
  for_exception_blocks(s->fn, s->shape, &s->eh_resume);
  for (uint32_t n = 0; n < nodes; n++)
    s->end_in[n] = IR_NONE;
  for (uint32_t e = 0; e < s->shape->ends.count; e++)
    if (coro_is_unwind_end(s->fn, s->shape->ends.items[e]))
      s->end_in[cfg_node_of(&s->cfg, s->shape->ends.items[e])] = s->shape->ends.items[e];
  return true;
}

static bool has_unwind_end(const struct ir_fn *fn, const struct coro_shape *shape)
{
  for (uint32_t e = 0; e < shape->ends.count; e++)
    if (coro_is_unwind_end(fn, shape->ends.items[e]))
      return true;
  return false;
}

static bool find(struct search *s, bool returns)
{
  struct coro_unwound *unwound = s->unwound;
  bool found = false;
  unwound->any = has_unwind_end(s->fn, s->shape);
  if (returns || !unwound->any || !s->shape->suspend_count)
    return true;
  if (!cfg_outline(&s->cfg, s->arena, s->fn, s->shape, &unwound->extra, returns) || !prepare(s) || !find_cleanups(s) ||
      (unwound->extra.landing_count && !follow_cleanups(s, &found)) ||
      (found && !(s->way == OWN ? keep_cleanup(s) : keep_shared(s))))
    return false;
  if (found && s->way == BY_NUMBER) {
    unwound->extra.returns_from = s->returns_from;
    unwound->extra.returns_to = s->returns_to;
  }
  if (!found) {
    unwound->shared = false;
    unwound->extra.landing_count = unwound->extra.hop_count = 0;
  }
  add_landing_of_others(s);
  for (uint32_t e = 0; e < s->as_final.count; e++)
    unwound->extra.hops[unwound->extra.hop_count++] = (struct cfg_hop){s->as_final.items[e], IR_NONE};
  return true;
}

coro_status coro_unwound(struct coro_lowering *low)
{
  struct search s = {.unwound = &low->unwound, .arena = low->arena, .fn = &low->fn, .shape = &low->shape};
  return find(&s, low->abi->returns) ? CORO_OK : CORO_ENOMEM;
}
