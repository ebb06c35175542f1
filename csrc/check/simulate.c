/* Forward walk over a clone and the presplit function in lockstep; see simulate.h. */
#include "check/simulate.h"

#include "check/added_code.h"
#include "check/async_rules.h"
#include "check/claim_list.h"
#include "check/clone_result.h"
#include "check/copied_intrinsic.h"
#include "check/dispatch.h"
#include "check/feasible_edge.h"
#include "check/header.h"
#include "check/hook_state.h"
#include "check/inlined_body.h"
#include "check/metadata_rules.h"
#include "check/verdict.h"
#include "ir/flow.h"
#include "transform/identical_instruction.h"

/* ---- Copies ---- */

static const char *presplit_text(const struct check_walk *w, uint32_t inst)
{
  return presplit_value_text_for_message(w->c, ir_value_of_inst(&w->c->low->fn, inst));
}

static bool is_block_operand(uint32_t operand)
{
  return operand != IR_NONE && operand & IR_BLOCK;
}

/* Whether the operand is known to carry the presplit operand wherever it is available, and needs no claim. */
static bool is_known_operand(const struct check_walk *w, LLVMValueRef copy, uint32_t presplit, uint32_t index)
{
  const struct ir_fn *fn = &w->c->low->fn;
  uint32_t operand = ir_operand(fn, presplit, index);
  return operand != IR_NONE && operand >= fn->arg_count &&
         check_is_known_carrier(w->k, ir_inst_of_value(fn, operand), LLVMGetOperand(copy, index));
}

static bool claim_operands_of_copy(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  const struct ir_fn *fn = &w->c->low->fn;
  LLVMValueRef copy = w->k->fn.insts[inst];
  uint32_t count = fn->operand_start[presplit + 1] - fn->operand_start[presplit];
  for (uint32_t i = 0; i < count; i++)
    if (!is_block_operand(ir_operand(fn, presplit, i)) && !is_known_operand(w, copy, presplit, i) &&
        !claim_presplit_operand(w->c, w->k, inst, LLVMGetOperand(copy, i), presplit, i))
      return check_refute(w->c, w->k, copy, "operand %u is not that of '%s'", (unsigned)i, presplit_text(w, presplit));
  return true;
}

/* Operands are claimed to be those of the presplit instruction, and proved later. False: refuted, with an answer. */
static bool check_copy_and_claim_operands(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  LLVMValueRef copy = w->k->fn.insts[inst], source = w->c->low->fn.insts[presplit];
  if (w->c->low->shape.intrin[presplit] == INTRIN_ALLOC && w->c->hooks & hook_bit(HOOK_alloc))
    return check_refute(w->c, w->k, copy, "the coroutine must not allocate, because abi.alloc does");
  if (copied_intrinsic_is_id_or_begin(w->c, presplit))
    return copied_intrinsic_check_id_or_begin(w, inst, presplit);
  if (!is_copy_but_for_operands_and_loop_metadata(source, copy))
    return check_refute(w->c, w->k, copy, "it differs from '%s', which it stands for", presplit_text(w, presplit));
  return claim_operands_of_copy(w, inst, presplit);
}

static bool check_phi_is_on_edge_and_execute(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  const struct ir_fn *fn = &w->c->low->fn;
  LLVMValueRef phi = w->k->fn.insts[inst];
  bool there = w->state.where == WHERE_EDGE && fn->opcode[presplit] == LLVMPHI &&
               w->state.to == fn->inst_block[presplit] && LLVMTypeOf(phi) == LLVMTypeOf(fn->insts[presplit]);
  if (!there)
    return check_refute(w->c, w->k, phi, "control is not at '%s' here", presplit_text(w, presplit));
  if (LLVMCanValueUseFastMathFlags(phi) && LLVMGetFastMathFlags(phi) != LLVMGetFastMathFlags(fn->insts[presplit]))
    return check_refute(w->c, w->k, phi, "it has other flags than '%s'", presplit_text(w, presplit));
  record_execution_of_inst(w, presplit, true);
  return true;
}

static bool check_copy_and_move_past(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  if (w->k->fn.opcode[inst] == LLVMPHI)
    return check_phi_is_on_edge_and_execute(w, inst, presplit);
  bool next = w->state.where == WHERE_INST && w->state.inst == presplit && w->state.transfer == IR_NONE;
  if ((!next && !skip_to_presplit_inst(w, presplit)) || !check_copy_and_claim_operands(w, inst, presplit))
    return false;
  execute_and_skip_inst(w, presplit);
  if (inst + 1 == w->k->fn.block_start[w->block + 1])
    w->state.where = WHERE_BRANCH, w->state.inst = presplit;
  return true;
}

/* A copy of an instruction of a function that the ABI calls. */
static bool check_inlined_and_move_past(struct check_walk *w, uint32_t inst, uint32_t body)
{
  bool enters =
      !inlined_body_is_entered_and_not_returned(w->c, &w->state) && !inlined_body_is_entry_alloca(w->c, w->k, inst);
  if (enters && !(inlined_body_leave_if_returned_or_refute(w, inst) && added_code_enter_body(w, inst, body)))
    return false;
  return inlined_body_check_copy_and_advance(w, inst, body);
}

static bool check_instruction_and_move_past(struct check_walk *w, uint32_t inst)
{
  struct witness_entry entry = w->k->entries[inst];
  if (LLVMHasMetadata(w->k->fn.insts[inst]) && !metadata_rules_check(w, inst))
    return false;
  if (entry.kind == WITNESS_INLINED)
    return check_inlined_and_move_past(w, inst, entry.of);
  if (!inlined_body_leave_if_returned_or_refute(w, inst))
    return false;
  return entry.kind == WITNESS_COPY ? check_copy_and_move_past(w, inst, entry.of)
                                    : added_code_check_instruction(w, inst);
}

/* ---- Blocks ---- */

/* The state at the start of a clone's block that belongs to the node: before the node's first instruction, or on an
   edge to the presplit block that starts with it; WHERE_LEFT for a landing. */
static struct check_state state_at_node(const struct check *c, const struct check_clone *k, uint32_t node)
{
  const struct cfg_node *n = &c->low->cfg.nodes[node];
  struct check_state state = check_state_at(WHERE_INST);
  state.inst = n->first;
  state.due = hook_state_due_if_inst_follows_begin(c, k, n->first);
  if (n->landing)
    state.where = WHERE_LEFT; /* no suspend leads here */
  else if (c->low->fn.block_start[n->block] == n->first) {
    state.where = WHERE_EDGE;
    state.to = n->block;
  }
  return state;
}

static struct check_state state_at_landing(const struct check *c, const struct check_clone *k, uint32_t landing)
{
  struct check_state state = check_state_at(WHERE_INST);
  state.inst = c->low->shape.suspends[landing].inst + 1;
  state.suspend = c->low->shape.abi == CORO_ABI_SWITCH ? landing : IR_NONE;
  state.result = k->from->clone_kind == CLONE_RESUME ? 0 : 1;
  state.due = c->hooks & hook_bit(HOOK_resumed);
  return state;
}

/* The state on the first feasible edge from a predecessor that has been simulated; WHERE_LEFT: there is none. */
static struct check_state state_of_first_known_predecessor(const struct check *c, const struct check_clone *k,
                                                           uint32_t block)
{
  for (uint32_t p = k->graph.pred_start[block]; p < k->graph.pred_start[block + 1]; p++) {
    uint32_t from = k->graph.pred[p], count = ir_successor_count(&k->fn, from);
    for (unsigned i = 0; i < count && k->out[from].where > WHERE_UNKNOWN; i++)
      if (ir_successor(&k->fn, from, i) == block && edge_may_be_feasible(k, from, i))
        return state_on_edge(c, k, from, i);
  }
  return check_state_at(WHERE_LEFT);
}

static struct check_state state_at_block(const struct check *c, const struct check_clone *k, uint32_t block)
{
  uint32_t node = k->node[block];
  if (k->landing[block] != IR_NONE)
    return state_at_landing(c, k, k->landing[block]);
  if (node != IR_NONE)
    return state_at_node(c, k, node);
  if (block == k->rpo.order[0])
    return check_state_at(WHERE_DISPATCH);
  return state_of_first_known_predecessor(c, k, block);
}

static bool simulate_block(struct check *c, struct check_clone *k, uint32_t block)
{
  struct check_walk w = {c, k, block, 0, state_at_block(c, k, block), check_header_of(HEADER_SAME, SUSPENDED_SAME)};
  uint32_t first = k->fn.block_start[block], last = k->fn.block_start[block + 1];
  k->in[block] = w.state;
  for (uint32_t i = first; i < last && w.state.where != WHERE_LEFT; i++) {
    w.position = i - first;
    if (!check_instruction_and_move_past(&w, i))
      return false;
  }
  k->out[block] = w.state;
  k->header_out[block] = w.header;
  return true;
}

/* ---- Edges ---- */

/* Whether control is at the same place in both states; in `b` it may be on any edge to the block. */
static bool is_same_state(const struct check_state *a, const struct check_state *b)
{
  if (a->where != b->where || a->transfer != b->transfer || a->freed != b->freed || a->released != b->released ||
      a->suspend != b->suspend || a->body != b->body || a->body_inst != b->body_inst || a->branches != b->branches ||
      a->projected != b->projected || a->hooks != b->hooks || a->due != b->due || a->chosen != b->chosen ||
      (a->suspend != IR_NONE && a->result != b->result))
    return false;
  return a->where == WHERE_INST   ? a->inst == b->inst
         : a->where == WHERE_EDGE ? (a->from == b->from || b->from == IR_NONE) && a->to == b->to
                                  : true;
}

/* Whether the block only returns. It may have several predecessors. */
static bool starts_with_added_return(const struct check_clone *k, uint32_t block)
{
  return k->node[block] == IR_NONE && k->fn.opcode[k->fn.block_start[block]] == LLVMRet;
}

/* Whether an edge of a copied terminator leads to the start of the copy of its successor, and nothing is pending. */
static bool is_copied_edge(const struct check *c, const struct check_clone *k, uint32_t from, unsigned index)
{
  uint32_t to = ir_successor(&k->fn, from, index);
  const struct check_state *out = &k->out[from], *in = &k->in[to];
  uint32_t source = out->where == WHERE_BRANCH ? c->low->fn.inst_block[out->inst] : IR_NONE;
  return source != IR_NONE && in->where == WHERE_EDGE && in->from == IR_NONE && in->suspend == IR_NONE && !in->due &&
         index < ir_successor_count(&c->low->fn, source) && ir_successor(&c->low->fn, source, index) == in->to &&
         out->transfer == IR_NONE && out->body == IR_NONE && !out->branch_hook && k->landing[to] == IR_NONE &&
         k->node[to] != IR_NONE;
}

/* Proves that control on the edge is where the block's start is. Updates the state at the end of `from`. */
static bool check_edge_leads_to_block_start(struct check *c, struct check_clone *k, uint32_t from, unsigned index)
{
  uint32_t to = ir_successor(&k->fn, from, index);
  const struct check_state *in = &k->in[to];
  if (k->out[from].where == WHERE_LEFT || !edge_may_be_feasible(k, from, index) || is_copied_edge(c, k, from, index))
    return true;
  struct check_state state = state_on_edge(c, k, from, index);
  if (is_same_state(&state, in) && (k->landing[to] == IR_NONE || state.where == WHERE_DISPATCH))
    return true;
  LLVMValueRef terminator = ir_terminator(&k->fn, from);
  struct check_walk w = {
      c, k, from, k->fn.block_start[from + 1] - k->fn.block_start[from] - 1, state, k->header_out[from]};
  if (k->landing[to] != IR_NONE && w.state.where != WHERE_DISPATCH)
    return check_refute(c, k, terminator, "it leads to a landing, which only a suspend does");
  if (inlined_body_is_entered_and_not_returned(c, &w.state) || w.state.body != in->body)
    return check_refute(c, k, terminator, "it leaves or enters the inlined body of a function");
  if (starts_with_added_return(k, to))
    return added_code_check_return(&w, k->fn.block_start[from + 1] - 1);
  if (w.state.where == WHERE_DISPATCH && c->low->shape.abi == CORO_ABI_ASYNC &&
      !check_projection_was_executed(c, k, &w.state))
    return false;
  if (w.state.where == WHERE_DISPATCH)
    return k->landing[to] != IR_NONE || in->where == WHERE_LEFT ||
           check_refute(c, k, terminator, "the dispatch leads to code that is not a landing");
  if (in->where == WHERE_LEFT)
    return check_refute(c, k, terminator, "it leads to a landing, which only a suspend does");
  uint32_t exits = c->exits.count, saves = k->saves.count;
  bool arrives = false;
  if (in->where == WHERE_EDGE)
    arrives = skip_to_edge_or_refute(&w, in->to);
  else if (in->where == WHERE_INST)
    arrives = skip_to_presplit_inst(&w, in->inst);
  else
    check_refute(c, k, terminator, "it leads back to the dispatch");
  /* The places of these are before the terminator, which may be a call. */
  if (arrives && LLVMIsAInvokeInst(terminator) && (exits != c->exits.count || saves != k->saves.count))
    return check_refute(c, k, terminator, "it leads past a suspend");
  if (arrives && !hook_state_check_equal_at_block_start(c, k, &w.state, in, terminator))
    return false;
  if (arrives && k->out[from].where != WHERE_BRANCH) {
    k->out[from] = w.state;
    k->header_out[from] = w.header;
  }
  return arrives;
}

/* Whether no edge that was checked later added an event of an instruction that must have a single one. */
static bool check_events_are_still_single(struct check *c, const struct check_clone *k)
{
  struct check_event event;
  for (uint32_t i = 0; i < k->single_events.count; i++) {
    uint32_t inst = k->single_events.items[i];
    if (!check_find_only_event(k, inst, &event))
      return c->low->fn.opcode[inst] == LLVMPHI
                 ? check_refute(c, k, c->low->fn.insts[inst],
                                "a branch on it was removed, but paths to it lack the phi")
                 : check_unsupported(c, "a symmetric transfer that a clone executes at two places");
  }
  return true;
}

static bool check_edges(struct check *c, struct check_clone *k)
{
  for (uint32_t i = 0; i < k->rpo.count; i++) {
    uint32_t block = k->rpo.order[i], count = ir_successor_count(&k->fn, block);
    for (unsigned s = 0; s < count; s++)
      if (!check_edge_leads_to_block_start(c, k, block, s))
        return false;
  }
  return check_events_are_still_single(c, k);
}

/* Blocks that execute no presplit code must not form a cycle: the clone would run forever where the presplit function
   continues. */
static bool check_no_loop_without_presplit_code(struct check *c, struct check_clone *k)
{
  CORO_VEC(struct graph_edge) edges = {0};
  bool retreats = false; /* else there is no cycle */
  struct graph graph;
  struct graph_scc scc;
  for (uint32_t i = 0; i < k->rpo.count; i++) {
    uint32_t block = k->rpo.order[i];
    if (k->out[block].where == WHERE_LEFT || !is_same_state(&k->in[block], &k->out[block]))
      continue;
    for (uint32_t s = k->graph.succ_start[block]; s < k->graph.succ_start[block + 1]; s++) {
      retreats |= k->rpo.number[k->graph.succ[s]] <= i;
      if (!coro_vec_push(c->arena, &edges, ((struct graph_edge){block, k->graph.succ[s]})))
        return false;
    }
  }
  if (!retreats)
    return true;
  if (!graph_build(&graph, c->arena, k->fn.block_count, edges.items, edges.count) ||
      !graph_strongly_connected_components(&scc, c->arena, &graph))
    return false;
  for (uint32_t b = 0; b < k->fn.block_count; b++)
    if (scc.cyclic[scc.component[b]])
      return check_refute(c, k, ir_terminator(&k->fn, b), "it is in a loop without presplit code");
  return true;
}

/* ---- Phis ---- */

static bool check_incoming_values_of_phi(struct check *c, struct check_clone *k, uint32_t inst, uint32_t presplit)
{
  const struct ir_fn *fn = &c->low->fn;
  LLVMValueRef phi = k->fn.insts[inst];
  uint32_t block = k->fn.inst_block[inst], count = ir_phi_count(&k->fn, inst);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t from = ir_operand(&k->fn, inst, count + i), at = IR_NONE;
    if (from == IR_NONE || k->out[from & ~IR_BLOCK].where == WHERE_LEFT)
      continue;
    uint32_t source = edge_presplit_source_or_none(c, k, from & ~IR_BLOCK, block);
    if (source != IR_NONE)
      at = ir_phi_index_of(fn, presplit, source);
    if (at == IR_NONE)
      return check_refute(c, k, phi, "an incoming edge is no incoming edge of '%s'",
                          presplit_value_text_for_message(c, ir_value_of_inst(fn, presplit)));
    uint32_t value = ir_operand(fn, presplit, at);
    LLVMValueRef carrier = LLVMGetIncomingValue(phi, i);
    if (value == IR_NONE && carrier != LLVMGetIncomingValue(fn->insts[presplit], at))
      return check_refute(c, k, phi, "incoming value %u is not that of '%s'", (unsigned)i,
                          presplit_value_text_for_message(c, ir_value_of_inst(fn, presplit)));
    if (value != IR_NONE)
      claim_carrier_at_block_end(c, k, from & ~IR_BLOCK, carrier, value, phi);
  }
  return true;
}

static bool check_phis(struct check *c, struct check_clone *k)
{
  for (uint32_t i = 0; i < k->fn.inst_count; i++)
    if (k->fn.opcode[i] == LLVMPHI && k->entries[i].kind == WITNESS_COPY &&
        k->in[k->fn.inst_block[i]].where != WHERE_LEFT && !check_incoming_values_of_phi(c, k, i, k->entries[i].of))
      return false;
  return true;
}

bool simulate_clone(struct check *c, struct check_clone *k)
{
  if (!dispatch_find_landings(c, k))
    return false;
  for (uint32_t i = 0; i < k->rpo.count; i++)
    if (!simulate_block(c, k, k->rpo.order[i]))
      return false;
  return find_infeasible_edges(c, k) && check_edges(c, k) && check_no_loop_without_presplit_code(c, k) &&
         check_phis(c, k) && inlined_body_check_phis(c, k) &&
         (c->low->shape.abi != CORO_ABI_ASYNC || async_rules_check_context_is_projected(c, k)) &&
         clone_result_check(c, k) && check_header_at_exits_and_frame_accesses(c, k);
}
