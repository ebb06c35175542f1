/* Gives loops that contain exception handling a single entry. Loops are strongly connected components, outermost first.
   When a component has a single header, edges to the header are ignored, and the remaining components are the loops
   nested in it. If a component has several entries, the one that a depth-first search reaches first becomes its header:
   all edges to it, and edges from outside to the other entries, are redirected to a dispatch block. An entry that is a
   pad is reached by unwinding, and such an edge cannot be redirected. Instead, the block that unwinds is added to the
   loop, so that the loop is entered there. The algorithm terminates because each iteration removes a header from all
   cycles, or adds a block to a loop. */
#include "transform/loop_entry.h"

#include "base/map.h"
#include "base/vec.h"
#include "graph/graph.h"
#include "ir/edit.h"
#include "ir/number.h"
#include "llvm-c/DebugInfo.h"
#include "transform/prune.h"
#include "transform/split_block.h"
#include "transform/ssa_repair.h"

/* ---- Redirecting edges ----

   Edges are redirected through a dispatch block, which branches to each entry of a loop by the index of the edge's
   target. Phis get an entry for each predecessor. Values used after the dispatch may have to be repaired
   (transform/ssa_repair.h). */

struct redirected {
  /* enter: the new target of the redirected edges, which branches to the dispatch block */
  LLVMBasicBlockRef target, enter;
};

struct redirected_phi {
  LLVMValueRef phi, value; /* a phi of the dispatch block, and its value for the enter block */
  uint32_t target;
};

struct redirect {
  struct coro_arena *arena;
  LLVMBuilderRef builder;
  LLVMValueRef function;
  LLVMBasicBlockRef dispatch; /* NULL before redirect_create_dispatch_block */
  CORO_VEC(struct redirected) targets;
  CORO_VEC(struct redirected_phi) phis;
};

static LLVMContextRef context_of_redirect(const struct redirect *r)
{
  return LLVMGetModuleContext(LLVMGetGlobalParent(r->function));
}

/* New instructions have no debug location. */
static void position_builder_at_end(LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMSetCurrentDebugLocation2(builder, NULL);
}

static LLVMBasicBlockRef append_block_to_function(const struct redirect *r, const char *name)
{
  return LLVMAppendBasicBlockInContext(context_of_redirect(r), r->function, name);
}

static void redirect_create_dispatch_block(struct redirect *r, struct coro_arena *arena, LLVMBuilderRef builder,
                                           LLVMValueRef function)
{
  *r = (struct redirect){.arena = arena, .builder = builder, .function = function};
  r->dispatch = append_block_to_function(r, "loop.dispatch");
}

static bool is_redirected_predecessor(const struct coro_map *from, LLVMBasicBlockRef block)
{
  return coro_map_has(from, coro_map_key(block));
}

static void move_redirected_phi_entries(LLVMValueRef old, const struct coro_map *from, LLVMValueRef moved,
                                        LLVMValueRef stays)
{
  for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
    LLVMValueRef value = LLVMGetIncomingValue(old, i);
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(old, i);
    LLVMAddIncoming(is_redirected_predecessor(from, block) ? moved : stays, &value, &block, 1);
  }
}

static bool split_phi_of_target(struct redirect *r, LLVMValueRef old, const struct coro_map *from,
                                LLVMBasicBlockRef enter)
{
  LLVMTypeRef type = LLVMTypeOf(old);
  position_builder_at_end(r->builder, enter);
  LLVMValueRef moved = LLVMBuildPhi(r->builder, type, "");
  position_builder_at_end(r->builder, r->dispatch);
  LLVMValueRef phi = LLVMBuildPhi(r->builder, type, "");
  LLVMPositionBuilderBefore(r->builder, old);
  LLVMValueRef stays = LLVMBuildPhi(r->builder, type, "");
  LLVMInstructionSetDebugLoc(stays, LLVMInstructionGetDebugLoc(old));
  move_redirected_phi_entries(old, from, moved, stays);
  LLVMAddIncoming(stays, &phi, &r->dispatch, 1);
  edit_move_value_name(r->arena, stays, old);
  struct redirected_phi added = {phi, moved, r->targets.count};
  edit_replace_and_erase(old, stays);
  return coro_vec_push(r->arena, &r->phis, added);
}

static void redirect_edges_of_block(LLVMBasicBlockRef from, LLVMBasicBlockRef target, LLVMBasicBlockRef enter)
{
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(from);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++)
    if (LLVMGetSuccessor(terminator, i) == target)
      LLVMSetSuccessor(terminator, i, enter);
}

/* Redirects the edges to the target from these blocks, which may be listed more than once. False: out of memory. */
static bool redirect_edges_through_dispatch(struct redirect *r, LLVMBasicBlockRef target, const LLVMBasicBlockRef *from,
                                            uint32_t count)
{
  LLVMBasicBlockRef enter = append_block_to_function(r, "loop.enter");
  struct coro_map blocks;
  coro_map_init(&blocks, r->arena);
  for (uint32_t i = 0; i < count; i++) {
    redirect_edges_of_block(from[i], target, enter);
    if (!coro_map_put(&blocks, coro_map_key(from[i]), 1))
      return false;
  }
  for (LLVMValueRef next, at = LLVMGetFirstInstruction(target); LLVMIsAPHINode(at); at = next) {
    next = LLVMGetNextInstruction(at);
    if (!split_phi_of_target(r, at, &blocks, enter))
      return false;
  }
  position_builder_at_end(r->builder, enter);
  LLVMBuildBr(r->builder, r->dispatch);
  return coro_vec_push(r->arena, &r->targets, ((struct redirected){target, enter}));
}

/* fills the dispatch block; the first target is its default */
static bool redirect_fill_dispatch_block(struct redirect *r)
{
  LLVMTypeRef number = LLVMInt32TypeInContext(context_of_redirect(r));
  for (uint32_t i = 0; i < r->phis.count; i++)
    for (uint32_t t = 0; t < r->targets.count; t++) {
      const struct redirected_phi *p = &r->phis.items[i];
      LLVMValueRef value = t == p->target ? p->value : LLVMGetPoison(LLVMTypeOf(p->phi));
      LLVMAddIncoming(p->phi, &value, &r->targets.items[t].enter, 1);
    }
  position_builder_at_end(r->builder, r->dispatch);
  LLVMValueRef chosen = LLVMBuildPhi(r->builder, number, "loop.target");
  LLVMValueRef choice = LLVMBuildSwitch(r->builder, chosen, r->targets.items[0].target, r->targets.count - 1);
  for (uint32_t t = 0; t < r->targets.count; t++) {
    LLVMValueRef index = LLVMConstInt(number, t, false);
    LLVMAddIncoming(chosen, &index, &r->targets.items[t].enter, 1);
    if (t)
      LLVMAddCase(choice, index, r->targets.items[t].target);
  }
  return !coro_arena_failed(r->arena);
}

/* An artificial edge that adds a block to the loop of a header. */
struct pull {
  LLVMBasicBlockRef header, block;
  bool split; /* only the invoke of the block is added */
};

struct search {
  struct coro_arena *arena;
  LLVMValueRef function;
  LLVMBuilderRef builder;
  struct coro_map done; /* headers with ignored incoming edges; 0: it is no header any more */
  CORO_VEC(struct pull) pulls;
  bool changed;
  /* State of one iteration. */
  struct ir_fn fn;
  struct graph graph; /* all edges */
  struct graph_rpo rpo;
  struct graph_scc scc; /* components of the edges that are not ignored, and of the artificial ones */
  uint32_t *header; /* by component: the entry that is reached first; GRAPH_NONE: none */
  uint32_t *entries; /* by component: number of entries */
  bool *pads; /* by component: it contains a pad */
  bool *pulled; /* by component: blocks were added to it */
};

static bool is_loop_entry_processed(const struct search *s, LLVMBasicBlockRef block)
{
  uint64_t processed = 0;
  coro_map_get(&s->done, coro_map_key(block), &processed);
  return processed;
}

static bool is_eh_pad_block(LLVMBasicBlockRef block)
{
  LLVMValueRef at = edit_first_after_phis(block);
  return LLVMIsALandingPadInst(at) || LLVMIsACleanupPadInst(at) || LLVMIsACatchPadInst(at) ||
         LLVMIsACatchSwitchInst(at);
}

static bool build_graph_without_processed_entries(struct search *s)
{
  CORO_VEC(struct graph_edge) open = {0};
  if (!ir_build_block_graph(&s->graph, s->arena, &s->fn) ||
      !graph_compute_reverse_postorder(&s->rpo, s->arena, &s->graph, 0))
    return false;
  for (uint32_t b = 0; b < s->fn.block_count; b++)
    for (uint32_t e = s->graph.succ_start[b]; e < s->graph.succ_start[b + 1]; e++)
      if (!is_loop_entry_processed(s, s->fn.blocks[s->graph.succ[e]]) &&
          !coro_vec_push(s->arena, &open, ((struct graph_edge){b, s->graph.succ[e]})))
        return false;
  for (uint32_t p = 0; p < s->pulls.count; p++) {
    struct graph_edge edge = {ir_block_id(&s->fn, s->pulls.items[p].header),
                              ir_block_id(&s->fn, s->pulls.items[p].block)};
    if (!coro_vec_push(s->arena, &open, edge))
      return false;
  }
  struct graph cut;
  return graph_build(&cut, s->arena, s->fn.block_count, open.items, open.count) &&
         graph_strongly_connected_components(&s->scc, s->arena, &cut);
}

/* Whether the block has a predecessor outside of its component. */
static bool is_entered_from_outside_component(const struct search *s, uint32_t block)
{
  for (uint32_t p = s->graph.pred_start[block]; p < s->graph.pred_start[block + 1]; p++)
    if (s->scc.component[s->graph.pred[p]] != s->scc.component[block])
      return true;
  return false;
}

static bool classify_components(struct search *s)
{
  s->header = CORO_NEW_ARRAY(s->arena, uint32_t, s->scc.count);
  s->entries = CORO_NEW_ARRAY(s->arena, uint32_t, s->scc.count);
  s->pads = CORO_NEW_ARRAY(s->arena, bool, s->scc.count);
  s->pulled = CORO_NEW_ARRAY(s->arena, bool, s->scc.count);
  if (!s->header || !s->entries || !s->pads || !s->pulled)
    return false;
  for (uint32_t c = 0; c < s->scc.count; c++)
    s->header[c] = GRAPH_NONE;
  for (uint32_t i = 0; i < s->rpo.count; i++) {
    uint32_t block = s->rpo.order[i], c = s->scc.component[block];
    s->pads[c] |= s->scc.cyclic[c] && is_eh_pad_block(s->fn.blocks[block]);
    if (!s->scc.cyclic[c] || !is_entered_from_outside_component(s, block))
      continue;
    s->header[c] = s->entries[c]++ ? s->header[c] : block;
  }
  /* the first one decides: its header is on a cycle even without artificial edges */
  for (uint32_t p = s->pulls.count; p-- > 0;) {
    uint32_t header = ir_block_id(&s->fn, s->pulls.items[p].header), c = s->scc.component[header];
    s->header[c] = header;
    s->pulled[c] = true;
  }
  return true;
}

static bool find_irreducible_loops(struct search *s)
{
  return ir_number_function(&s->fn, s->arena, s->function) && build_graph_without_processed_entries(s) &&
         classify_components(s);
}

/* Only with an exception handling pad; also with one entry if blocks were pulled into the component. */
static bool needs_single_entry(const struct search *s, uint32_t component)
{
  return s->scc.cyclic[component] && s->pads[component] && (s->entries[component] > 1 || s->pulled[component]);
}

/* The block to add to the loop, so that the loop is not entered by unwinding from `block`: the pad of the funclet
   that unwinds, or the block itself. */
static LLVMBasicBlockRef funclet_pad_block_or_unwinding_block(LLVMBasicBlockRef block)
{
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block), pad = NULL;
  if (LLVMIsACleanupReturnInst(terminator))
    pad = LLVMGetOperand(terminator, 0);
  else if (LLVMIsAInvokeInst(terminator))
    pad = edit_funclet_pad(terminator);
  return pad ? LLVMGetInstructionParent(pad) : block;
}

/* Separates the invoke of a block from the instructions before it, which are executed outside of the loop. They move to
   a new block, which *head becomes; NULL: there are none. */
static bool split_before_invoke(struct search *s, LLVMBasicBlockRef block, LLVMBasicBlockRef *head)
{
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
  bool header = is_loop_entry_processed(s, block);
  bool alone = LLVMGetFirstInstruction(block) == terminator && block != LLVMGetEntryBasicBlock(s->function) && !header;
  if (alone || !LLVMIsAInvokeInst(terminator))
    return true;
  *head = split_block(s->arena, s->builder, terminator, "loop.unwind");
  s->changed = true;
  return *head && (!header ||
                   (coro_map_put(&s->done, coro_map_key(*head), 1) && coro_map_put(&s->done, coro_map_key(block), 0)));
}

/* Splits the blocks of the pulls from `first` on. The new blocks are the headers if the blocks were. */
static bool split_pulled_blocks(struct search *s, uint32_t first)
{
  struct coro_map heads;
  coro_map_init(&heads, s->arena);
  for (uint32_t p = first; p < s->pulls.count; p++) {
    LLVMBasicBlockRef block = s->pulls.items[p].block, head = NULL;
    if (s->pulls.items[p].split && !split_before_invoke(s, block, &head))
      return false;
    if (head && !coro_map_put(&heads, coro_map_key(block), coro_map_key(head)))
      return false;
  }
  for (uint32_t p = 0; p < s->pulls.count; p++) {
    uint64_t head;
    if (coro_map_get(&heads, coro_map_key(s->pulls.items[p].header), &head))
      s->pulls.items[p].header = (LLVMBasicBlockRef)(uintptr_t)head;
  }
  return true;
}

/* *added: the edge did not exist before. */
static bool add_edge_to_pull_unwinding_block(struct search *s, LLVMBasicBlockRef header, LLVMBasicBlockRef from,
                                             bool *added)
{
  LLVMBasicBlockRef block = funclet_pad_block_or_unwinding_block(from);
  for (uint32_t p = 0; p < s->pulls.count; p++)
    if (s->pulls.items[p].header == header && s->pulls.items[p].block == block)
      return true;
  *added = true;
  return coro_vec_push(s->arena, &s->pulls, ((struct pull){header, block, block == from}));
}

/* Adds blocks that unwind into an irreducible component to it. */
static bool pull_unwinding_blocks(struct search *s, bool *grown)
{
  uint32_t first = s->pulls.count;
  for (uint32_t b = 0; b < s->fn.block_count; b++) {
    uint32_t c = s->scc.component[b];
    if (!needs_single_entry(s, c) || !is_eh_pad_block(s->fn.blocks[b]))
      continue;
    for (uint32_t p = s->graph.pred_start[b]; p < s->graph.pred_start[b + 1]; p++) {
      uint32_t from = s->graph.pred[p];
      LLVMBasicBlockRef header = s->fn.blocks[s->header[c]];
      if (s->scc.component[from] != c && !add_edge_to_pull_unwinding_block(s, header, s->fn.blocks[from], grown))
        return false;
    }
  }
  return split_pulled_blocks(s, first);
}

static bool mark_entry_processed(struct search *s, LLVMBasicBlockRef block)
{
  return coro_map_put(&s->done, coro_map_key(block), 1);
}

/* Redirects the edges to the block: for the header all of them, else those from outside. */
static bool redirect_edges_to_loop_entry(struct search *s, struct redirect *to, uint32_t block)
{
  CORO_VEC(LLVMBasicBlockRef) from = {0};
  uint32_t c = s->scc.component[block];
  for (uint32_t p = s->graph.pred_start[block]; p < s->graph.pred_start[block + 1]; p++)
    if ((block == s->header[c] || s->scc.component[s->graph.pred[p]] != c) &&
        !coro_vec_push(s->arena, &from, s->fn.blocks[s->graph.pred[p]]))
      return false;
  return redirect_edges_through_dispatch(to, s->fn.blocks[block], from.items, from.count);
}

/* Gives components with several entries a dispatch block, then ignores the edges to all headers. Components without
   a pad, or entered at a pad, are unchanged. */
static bool unify_entries_of_components(struct search *s)
{
  struct redirect *to = CORO_NEW_ARRAY(s->arena, struct redirect, s->scc.count);
  bool *unchanged = CORO_NEW_ARRAY(s->arena, bool, s->scc.count);
  if (!to || !unchanged)
    return false;
  for (uint32_t b = 0; b < s->fn.block_count; b++) {
    uint32_t c = s->scc.component[b];
    unchanged[c] |=
        !s->pads[c] || s->header[c] == GRAPH_NONE ||
        (needs_single_entry(s, c) && is_eh_pad_block(s->fn.blocks[b]) && is_entered_from_outside_component(s, b));
  }
  for (uint32_t i = 0; i < s->rpo.count; i++) {
    uint32_t block = s->rpo.order[i], c = s->scc.component[block];
    if (!s->scc.cyclic[c])
      continue;
    bool irreducible = needs_single_entry(s, c), header = block == s->header[c];
    if (unchanged[c] || (!irreducible && header)) {
      if (!mark_entry_processed(s, s->fn.blocks[block]))
        return false;
    } else if (irreducible && (header || is_entered_from_outside_component(s, block))) {
      if (!to[c].dispatch)
        redirect_create_dispatch_block(&to[c], s->arena, s->builder, s->function);
      if (!mark_entry_processed(s, to[c].dispatch) || !redirect_edges_to_loop_entry(s, &to[c], block))
        return false;
      s->changed = true;
    }
  }
  for (uint32_t c = 0; c < s->scc.count; c++)
    if (to[c].dispatch && !redirect_fill_dispatch_block(&to[c]))
      return false;
  return true;
}

static bool unify_entries_until_reducible(struct search *s)
{
  for (bool more = true; more;) {
    bool grown = false;
    if (!find_irreducible_loops(s) || !pull_unwinding_blocks(s, &grown))
      return false;
    more = graph_has_cycle(&s->scc);
    if (grown)
      continue;
    if (!unify_entries_of_components(s))
      return false;
    s->pulls.count = 0;
  }
  return true;
}

/* Whether a cycle may contain a pad; most functions have none. */
static bool has_eh_pads(LLVMValueRef function)
{
  bool found = false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !found; b = LLVMGetNextBasicBlock(b))
    found = is_eh_pad_block(b);
  return found;
}

bool loop_entry_unify_loops_with_pads(struct coro_arena *arena, LLVMValueRef function, bool *changed)
{
  struct search s = {.arena = arena, .function = function};
  if (!has_eh_pads(function))
    return true;
  if (!prune_fold_and_delete_unreachable(arena, function, changed))
    return false;
  coro_map_init(&s.done, arena);
  s.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
  bool fine = unify_entries_until_reducible(&s);
  LLVMDisposeBuilder(s.builder);
  *changed |= s.changed;
  return fine && (!s.changed || ssa_repair_dominance(arena, function));
}
