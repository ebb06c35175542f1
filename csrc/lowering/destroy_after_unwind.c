/* Finds the cleanup that destroy executes for a coroutine ended by an exception.
   Guarantees: the extra landings and edges of the graph; the function is unchanged. */
#include "lowering/destroy_after_unwind.h"

#include "analysis/cleanup_exceptions.h"
#include "analysis/cleanup_selector.h"
#include "analysis/exception_only_values.h"
#include "analysis/final_cleanup_equivalence.h"
#include "ir/constant_fold.h"
#include "ir/flow.h"
#include "lowering/abi.h"

/* State in which a node of the cleanup is reached: with the frame allocated, or freed. */
enum { ALLOCATED = 1, FREED = 2 };

/* Which clones execute the cleanup: only the ramp and destroy; others too, but a selector leads to other successors
   after it; others too, and destroy must record how it entered. */
enum cleanup_kind { CLEANUP_OWN, CLEANUP_SELECTED, CLEANUP_SHARED };

struct search {
  struct coro_destroy_after_unwind *unwound;
  struct coro_arena *arena;
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  struct coro_cfg cfg; /* the graph without extra landings */
  uint32_t *end_in; /* indexed by node: its unwind end, or IR_NONE */
  struct coro_bits eh_resume; /* set of blocks that only propagate the exception */
  struct coro_bits in_pad; /* set of blocks that refer to a pad, so they are only executed inside of it */
  struct worklist reached; /* nodes, and the state in which they are reached: twice the node, plus one if FREED */
  struct coro_bits cleanup; /* set of the same nodes */
  enum cleanup_kind kind;
  bool uses_selector; /* an edge was chosen by the selector value of a landing */
  struct coro_bits returns; /* set of edges on which destroy returns */
  struct coro_bits returns_from, returns_to; /* sets of source and target blocks of these edges */
  struct cleanup_selector selector;
  coro_insts equal_to_final; /* unwind ends after which destroy executes the same code as at the final suspend */
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
  return s->end_in[n] != IR_NONE && s->cfg.nodes[n].clone_kinds & CLONE_RESUME;
}

/* Whether the node ends in a branch on is_in_ramp. */
static bool branches_on_is_in_ramp(const struct search *s, uint32_t n)
{
  const struct cfg_edge *edges = s->cfg.edges + first_edge(s, n);
  return first_edge(s, n + 1) - first_edge(s, n) == 2 && edges[0].clone_kinds == CLONE_RAMP &&
         edges[1].clone_kinds == CLONE_ALL_BUT_RAMP;
}

/* Whether the end is in a cleanuppad that unwinds to another pad in the ramp. */
static bool leaves_pad(const struct search *s, uint32_t n)
{
  const struct cfg_node *next = &s->cfg.nodes[n + 1];
  return s->cfg.nodes[n].cut && !next->cut && s->fn->opcode[next->last - 1] == LLVMCleanupRet &&
         LLVMGetUnwindDest(s->fn->insts[next->last - 1]);
}

/* The node whose first edge leads to the ramp's cleanup; IR_NONE: none. */
static uint32_t leads_to_cleanup(const struct search *s, uint32_t n)
{
  return branches_on_is_in_ramp(s, n) ? n : leaves_pad(s, n) ? n + 1 : IR_NONE;
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
  struct final_cleanup final = {.fn = s->fn, .shape = s->shape, .eh_resume = &s->eh_resume};
  if (!extra->landings || !extra->hops || !final_cleanup_init(&final, s->arena))
    return false;
  for (uint32_t n = 0; n < s->cfg.fragment_count; n++) {
    uint32_t from = ends_in_clone(s, n) ? leads_to_cleanup(s, n) : IR_NONE;
    bool as_at_final = false;
    if (from == IR_NONE)
      continue;
    if (branches_on_is_in_ramp(s, from) &&
        !final_cleanup_is_equivalent(&final, s->arena, s->cfg.nodes[from].block, &as_at_final))
      return false;
    if (as_at_final) {
      if (!coro_vec_push(s->arena, &s->equal_to_final, s->end_in[n]))
        return false;
      continue;
    }
    uint32_t landing = s->cfg.nodes[s->cfg.edges[first_edge(s, from)].to].first;
    cleanup_selector_add_landing(&s->selector, landing, s->cfg.nodes[from].block);
    extra->landings[extra->landing_count++] = landing;
    add_hop(extra, s->end_in[n]);
    add_hop(extra, terminator_of(s, from));
  }
  return true;
}

/* ---- Paths through cleanups ---- */

static bool frees_frame(const struct search *s, uint32_t n)
{
  for (uint32_t i = s->cfg.nodes[n].first; i < s->cfg.nodes[n].last; i++)
    if (s->shape->intrin[i] == INTRIN_FREE)
      return true;
  return false;
}

/* Whether other paths through a shared cleanup leave the coroutine here. Destroy leaves it here as well. */
static bool leaves_shared_cleanup(const struct search *s, uint32_t n, unsigned how)
{
  uint32_t last = s->cfg.nodes[n].last - 1;
  return s->kind == CLEANUP_SHARED && how == FREED && s->cfg.nodes[n].cut && s->shape->intrin[last] == INTRIN_END &&
         s->end_in[n] == IR_NONE;
}

/* Enters a node. False if destroy cannot execute it: a suspend or an end before the frame is freed, or code that
   other clones execute, unless the cleanup is shared or the code ends in `unreachable`. Code of other clones inside of
   a pad is also excluded, because destroy is in no pad. */
static bool enter_node(struct search *s, uint32_t n, unsigned how)
{
  const struct cfg_node *node = &s->cfg.nodes[n];
  if (coro_bits_get(&s->eh_resume, node->block))
    return how == FREED && s->kind != CLEANUP_SELECTED;
  bool in_pad = coro_bits_get(&s->in_pad, node->block);
  if (node->clone_kinds & CLONE_ALL_BUT_RAMP && s->kind == CLEANUP_OWN)
    return s->fn->opcode[terminator_of(s, n)] == LLVMUnreachable && !in_pad;
  if (!leaves_shared_cleanup(s, n, how) && ((s->kind != CLEANUP_OWN && in_pad) || node->cut || s->end_in[n] != IR_NONE))
    return false;
  worklist_enter(&s->reached, 2 * n + (how == FREED));
  return true;
}

/* Whether it calls no coroutine intrinsic, and is in no funclet, so that its unwind edge can be identified. */
static bool is_plain_invoke(const struct search *s, uint32_t inst)
{
  return s->shape->intrin[inst] == INTRIN_NONE && !LLVMGetNumOperandBundles(s->fn->insts[inst]);
}

/* Records an edge on which the ramp propagates the exception and destroy returns. */
static bool add_return_edge(struct search *s, uint32_t n, uint32_t edge, unsigned how)
{
  coro_bits_set(&s->returns, edge);
  coro_bits_set(&s->returns_from, s->cfg.nodes[n].block);
  coro_bits_set(&s->returns_to, s->cfg.nodes[s->cfg.edges[edge].to].block);
  return how == FREED;
}

static bool propagates_exception(const struct search *s, uint32_t n)
{
  return coro_bits_get(&s->eh_resume, s->cfg.nodes[n].block);
}

static bool enter_selected(struct search *s, uint32_t n, uint32_t phi, unsigned how)
{
  LLVMValueRef terminator = s->fn->insts[terminator_of(s, n)], seen = NULL;
  s->uses_selector = true;
  for (uint32_t k = 0; k < ir_phi_count(s->fn, phi); k++) {
    LLVMValueRef number = LLVMGetIncomingValue(s->fn->insts[phi], k);
    if (number == seen || !cleanup_selector_is_of_landing(&s->selector, phi, k))
      continue; /* several ends may provide the same value */
    seen = number;
    if (!LLVMIsAConstantInt(number))
      return false;
    unsigned successor = constant_successor(terminator, s->fn->insts[phi], number);
    if (successor == CONSTANT_SUCCESSOR_UNKNOWN)
      return false;
    uint32_t edge = first_edge(s, n) + successor, to = s->cfg.edges[edge].to;
    bool ok = propagates_exception(s, to)
                  ? cleanup_selector_only_from_landings(&s->selector, terminator, phi, successor) &&
                        add_return_edge(s, n, edge, how)
                  : enter_node(s, to, how);
    if (!ok)
      return false;
  }
  return true;
}

/* Enters the successors of a node that other clones execute as well. They are chosen by a selector, whose value each
   landing provides. */
static bool enter_successors_of_clones(struct search *s, uint32_t n, unsigned how)
{
  uint32_t phi = cleanup_selector_of(&s->selector, s->fn->insts[terminator_of(s, n)]);
  if (phi != IR_NONE)
    return enter_selected(s, n, phi, how);
  for (uint32_t e = first_edge(s, n); e < first_edge(s, n + 1); e++) {
    uint32_t to = s->cfg.edges[e].to;
    if (!(s->cfg.edges[e].clone_kinds & CLONE_DESTROY))
      continue;
    bool own = !(s->cfg.nodes[n].clone_kinds & CLONE_ALL_BUT_RAMP);
    if (propagates_exception(s, to) ? !own || !add_return_edge(s, n, e, how) : !enter_node(s, to, how))
      return false;
  }
  return true;
}

static bool enter_successors(struct search *s, uint32_t n, unsigned how)
{
  uint32_t first = first_edge(s, n), last = first_edge(s, n + 1);
  switch (s->fn->opcode[terminator_of(s, n)]) {
  case LLVMUnreachable: return true;
  case LLVMResume: return how == FREED && s->kind != CLEANUP_SELECTED;
  case LLVMCleanupRet:
    if (s->kind == CLEANUP_SELECTED)
      return false;
    if (unwound_is_never_executed(&s->cfg, terminator_of(s, n)))
      return true;
    return first == last ? how == FREED : enter_node(s, s->cfg.edges[first].to, how);
  case LLVMInvoke: return is_plain_invoke(s, terminator_of(s, n)) && enter_node(s, s->cfg.edges[first].to, how);
  default:
    if (!flow_is_branch(s->fn->insts[terminator_of(s, n)]))
      return false;
  }
  if (s->kind == CLEANUP_SELECTED)
    return enter_successors_of_clones(s, n, how);
  for (uint32_t e = first; e < last; e++)
    if (s->cfg.edges[e].clone_kinds & CLONE_DESTROY && !enter_node(s, s->cfg.edges[e].to, how))
      return false;
  return true;
}

static bool follow_landings(struct search *s)
{
  s->uses_selector = false;
  worklist_restart(&s->reached);
  coro_bits_clear(&s->cleanup);
  for (uint32_t x = 0; x < s->unwound->extra.landing_count; x++)
    if (!enter_node(s, cfg_node_of(&s->cfg, s->unwound->extra.landings[x]), ALLOCATED))
      return false;
  for (uint32_t item; worklist_take(&s->reached, &item);) {
    uint32_t n = item / 2;
    unsigned how = item % 2 ? FREED : ALLOCATED;
    coro_bits_set(&s->cleanup, n);
    if (!leaves_shared_cleanup(s, n, how) && !enter_successors(s, n, frees_frame(s, n) ? FREED : how))
      return false;
  }
  return !s->uses_selector || cleanup_selector_is_stable(&s->selector, &s->cfg, &s->cleanup);
}

/* Checks that exceptions thrown by the cleanup itself, which propagate out of destroy, can be distinguished. */
static bool check_throwing(struct search *s, bool *distinct)
{
  struct cleanup_exceptions t = {.fn = s->fn,
                                 .shape = s->shape,
                                 .cfg = &s->cfg,
                                 .cleanup = &s->cleanup,
                                 .eh_resume = &s->eh_resume,
                                 .thrown = &s->unwound->thrown};
  return cleanup_exceptions_are_distinct(&t, s->arena, distinct);
}

/* Whether nodes of other clones lead to the target blocks only by edges on which destroy returns. */
static bool return_edges_are_exclusive(const struct search *s)
{
  for (uint32_t n = 0; n < s->cfg.fragment_count; n++) {
    if (!(s->cfg.nodes[n].clone_kinds & CLONE_ALL_BUT_RAMP) || !coro_bits_get(&s->returns_from, s->cfg.nodes[n].block))
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
  for (s->kind = CLEANUP_OWN; !*found; s->kind++) {
    s->unwound->shared = s->kind == CLEANUP_SHARED;
    if ((s->kind == CLEANUP_SHARED && !coro_bits_init(&s->eh_resume, s->arena, s->fn->block_count)) ||
        !coro_bits_init(&s->returns, s->arena, first_edge(s, s->cfg.node_count)) ||
        !coro_bits_init(&s->returns_from, s->arena, s->fn->block_count) ||
        !coro_bits_init(&s->returns_to, s->arena, s->fn->block_count))
      return false;
    if (follow_landings(s) && return_edges_are_exclusive(s) && !check_throwing(s, found))
      return false;
    if (*found || s->kind == CLEANUP_SHARED)
      return true;
  }
  return true;
}

/* ---- Code that destroy skips ---- */

static bool record_own_cleanup(struct search *s)
{
  struct coro_destroy_after_unwind *unwound = s->unwound;
  if (!coro_bits_init(&unwound->cleanup, s->arena, s->fn->block_count) ||
      !coro_bits_init(&unwound->extra.ramp_only, s->arena, s->fn->inst_count))
    return false;
  for (uint32_t n = 0; n < s->cfg.fragment_count; n++)
    if (coro_bits_get(&s->cleanup, n))
      coro_bits_set(&unwound->cleanup, s->cfg.nodes[n].block);
  unwound->extra.returns_from = unwound->cleanup;
  unwound->extra.returns_to = s->eh_resume;
  struct exception_only x = {s->fn, s->shape, &unwound->extra.ramp_only, &unwound->cleanup};
  return exception_only_in_own_cleanup(&x, s->arena, &s->eh_resume);
}

/* Marks the instructions of a shared cleanup that only serve the propagation of the exception. A destroy that
   entered after an end does not use their results. */
static bool record_shared_cleanup(struct search *s)
{
  struct cfg_extra *extra = &s->unwound->extra;
  if (!coro_bits_init(&extra->exception_only, s->arena, s->fn->inst_count) ||
      !coro_bits_init(&extra->without_exception, s->arena, s->fn->block_count))
    return false;
  for (uint32_t b = 0; b < s->fn->block_count; b++) {
    const struct cfg_node *end = &s->cfg.nodes[s->cfg.last_node[b]];
    if (!end->folded && !(end->clone_kinds & CLONE_ALL_BUT_RAMP))
      coro_bits_set(&extra->without_exception, b);
  }
  struct exception_only x = {s->fn, s->shape, &extra->exception_only, NULL};
  return exception_only_in_shared_cleanup(&x, s->arena);
}

/* ---- Entries of destroy ---- */

static uint32_t first_free(const struct search *s)
{
  for (uint32_t i = 0; i < s->fn->inst_count; i++)
    if (s->shape->intrin[i] == INTRIN_FREE && s->cfg.nodes[cfg_node_of(&s->cfg, i)].clone_kinds & CLONE_DESTROY)
      return i;
  return IR_NONE;
}

/* Adds a landing for coroutines that ended without a cleanup. They are destroyed at the final suspend or, without
   one, at the first coro.free. */
static void add_default_landing(struct search *s)
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

static bool refers_to_pad(const struct ir_fn *fn, uint32_t inst)
{
  for (uint32_t o = fn->operand_start[inst]; o < fn->operand_start[inst + 1]; o++) {
    uint32_t operand = fn->operands[o];
    uint32_t i = operand == IR_NONE || operand & IR_BLOCK ? IR_NONE : ir_inst_of_value(fn, operand);
    if (i != IR_NONE && pads_is_pad(fn, i))
      return true;
  }
  return pads_is_pad(fn, inst);
}

static void find_in_pad(struct search *s)
{
  for (uint32_t i = 0; s->cfg.pads.of_block && i < s->fn->inst_count; i++)
    if (refers_to_pad(s->fn, i))
      coro_bits_set(&s->in_pad, ir_block_of(s->fn, i));
}

static bool init_search(struct search *s)
{
  uint32_t nodes = s->cfg.node_count;
  s->end_in = CORO_NEW_ARRAY(s->arena, uint32_t, nodes);
  s->selector = (struct cleanup_selector){.fn = s->fn, .extra = &s->unwound->extra};
  if (!s->end_in || !worklist_init(&s->reached, s->arena, 2 * nodes) || !coro_bits_init(&s->cleanup, s->arena, nodes) ||
      !coro_bits_init(&s->selector.from, s->arena, s->fn->block_count) ||
      !coro_bits_init(&s->selector.to, s->arena, s->fn->block_count) ||
      !coro_bits_init(&s->eh_resume, s->arena, s->fn->block_count) ||
      !coro_bits_init(&s->in_pad, s->arena, s->fn->block_count))
    return false;
  find_in_pad(s);
  exception_only_blocks(s->fn, s->shape, &s->eh_resume);
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

static bool find_unwind_landings(struct search *s, bool returns)
{
  struct coro_destroy_after_unwind *unwound = s->unwound;
  bool found = false;
  unwound->has_unwind_end = has_unwind_end(s->fn, s->shape);
  if (returns || !unwound->has_unwind_end || !s->shape->suspend_count)
    return true;
  if (!cfg_outline(&s->cfg, s->arena, s->fn, s->shape, &unwound->extra, returns) || !init_search(s) ||
      !find_cleanups(s) || (unwound->extra.landing_count && !follow_cleanups(s, &found)) ||
      (found && !(s->kind == CLEANUP_OWN ? record_own_cleanup(s) : record_shared_cleanup(s))))
    return false;
  if (found && s->kind == CLEANUP_SELECTED) {
    unwound->extra.returns_from = s->returns_from;
    unwound->extra.returns_to = s->returns_to;
  }
  if (!found) {
    unwound->shared = false;
    unwound->extra.landing_count = unwound->extra.hop_count = 0;
  }
  add_default_landing(s);
  for (uint32_t e = 0; e < s->equal_to_final.count; e++)
    unwound->extra.hops[unwound->extra.hop_count++] = (struct cfg_hop){s->equal_to_final.items[e], IR_NONE};
  return true;
}

coro_status coro_destroy_after_unwind(struct coro_lowering *low)
{
  struct search s = {.unwound = &low->destroy_after_unwind, .arena = low->arena, .fn = &low->fn, .shape = &low->shape};
  return find_unwind_landings(&s, low->abi->returns) ? CORO_OK : CORO_ENOMEM;
}
