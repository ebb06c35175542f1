/* The walk: contents of cells after an instruction's assignments, and on the edges to its successors. */
#include "handles/handle_walk_internal.h"
#include "ir/constant_fold.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"

/* ---- Cells ---- */

static enum holds content_of_value(const struct walking *w, uint64_t state, LLVMValueRef value)
{
  uint16_t cell = trace_cell_of_value_or_none(w->walk->trace, value);
  if (LLVMIsAConstantPointerNull(value))
    return HOLDS_NULL;
  return cell == TRACE_NO_CELL ? HOLDS_OTHER : state_get(state, cell);
}

bool walk_is_slot_of_exposed_object(const struct walking *w, uint16_t cell)
{
  const struct trace *t = w->walk->trace;
  return !t->cells.items[cell].value && t->objects.items[t->cells.items[cell].object].exposed;
}

/* The content after a call that changes a cell only if it holds the handle. */
static enum holds content_after_callee_change(enum holds before, enum holds after)
{
  if (before == HOLDS_HANDLE)
    return after;
  return holds_may_be_handle(before) && holds_may_be_handle(after) ? HOLDS_MAYBE : HOLDS_OTHER;
}

/* The content of a cell that other code may have overwritten. */
static enum holds content_after_possible_overwrite(enum holds holds)
{
  return holds_may_be_handle(holds) ? HOLDS_MAYBE : HOLDS_OTHER;
}

static enum holds content_after_assignment(const struct walking *w, uint64_t before, enum holds now,
                                           const struct trace_event *e)
{
  enum holds holds = e->constant;
  if (e->by_callee)
    return content_after_callee_change(now, e->constant);
  if (e->from != TRACE_NO_CELL)
    holds = state_get(before, e->from);
  else if (e->value)
    holds = content_of_value(w, before, e->value);
  if (e->other)
    holds = holds_join(holds, content_of_value(w, before, e->other));
  if (e->from == TRACE_NO_CELL && !e->value && e->weak) /* a write by code that does not know the handle */
    return content_after_possible_overwrite(now);
  return e->weak || (e->from != TRACE_NO_CELL && walk_is_slot_of_exposed_object(w, e->from))
             ? content_after_possible_overwrite(holds)
             : holds;
}

static void set_content_and_escape_if_exposed(struct walking *w, struct program_point *s, struct program_point *unwound,
                                              uint32_t index, enum holds holds)
{
  struct trace_event *e = &w->walk->trace->events.items[index];
  enum holds before = state_get(unwound->state, e->cell);
  s->state = state_with_content(s->state, e->cell, holds);
  unwound->state = state_with_content(
      unwound->state, e->cell, e->by_callee ? content_after_possible_overwrite(before) : holds_join(before, holds));
  if (!holds_may_be_handle(holds) || !walk_is_slot_of_exposed_object(w, e->cell))
    return;
  w->walk->escapes = true;
  if (!(s->state & WALK_ESCAPED)) {
    e->what = "is stored in memory that escapes";
    s->escape_event = unwound->escape_event = index + 1;
  }
  s->state |= WALK_ESCAPED;
  unwound->state |= WALK_ESCAPED;
}

/* All sources are read before the instruction. A cell with several assignments gets the merged content. */
uint32_t apply_assignments_of_instruction(struct walking *w, struct program_point *s, struct program_point *unwound,
                                          uint32_t first)
{
  const struct trace *t = w->walk->trace;
  const uint64_t before = s->state;
  uint64_t assigned = 0;
  uint32_t i = first;
  for (; i < t->events.count && t->events.items[i].at == t->events.items[first].at; i++) {
    const struct trace_event *e = &t->events.items[i];
    enum holds now = state_get(s->state, e->cell), holds = content_after_assignment(w, before, now, e);
    set_content_and_escape_if_exposed(w, s, unwound, i, assigned >> e->cell & 1 ? holds_join(now, holds) : holds);
    assigned |= (uint64_t)(e->from != TRACE_NO_CELL) << e->cell;
  }
  return i;
}

/* ---- Edges ---- */

static uint64_t incoming_key(uint16_t cell, LLVMBasicBlockRef from)
{
  return coro_map_key(from) ^ (uint64_t)(cell + 1) << 56; /* the upper bits of an address are unused */
}

bool walk_find_phis(struct walking *w)
{
  const struct trace *t = w->walk->trace;
  for (uint16_t c = 0; c < t->cells.count; c++) {
    LLVMValueRef phi = t->cells.items[c].value;
    uint64_t before = 0;
    if (!phi || !edit_is_instruction(phi) || LLVMGetInstructionOpcode(phi) != LLVMPHI)
      continue;
    uint64_t block = coro_map_key(LLVMGetInstructionParent(phi));
    coro_map_get(&w->last_phi_cell, block, &before);
    w->previous_phi_cell[c] = (uint16_t)before;
    if (!coro_map_put(&w->last_phi_cell, block, (uint64_t)c + 1))
      return false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
      if (!coro_map_put(&w->incoming, incoming_key(c, LLVMGetIncomingBlock(phi, i)), (uint64_t)i + 1))
        return false;
  }
  return true;
}

static uint64_t assign_phis_on_edge(const struct walking *w, LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                                    uint64_t state)
{
  uint64_t cell = 0, entered = state, index;
  coro_map_get(&w->last_phi_cell, coro_map_key(to), &cell);
  for (; cell; cell = w->previous_phi_cell[cell - 1]) {
    LLVMValueRef phi = w->walk->trace->cells.items[cell - 1].value;
    if (coro_map_get(&w->incoming, incoming_key((uint16_t)(cell - 1), from), &index)) {
      LLVMValueRef value = LLVMGetIncomingValue(phi, (unsigned)index - 1);
      entered = state_with_content(entered, (uint16_t)(cell - 1), content_of_value(w, state, value));
    }
  }
  return entered;
}

/* The successor of `to`, plus 1, that its phi selects for the edge from `from`; 0: unknown. */
static unsigned successor_plus_one_selected_by_phi(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
  LLVMValueRef phi = constant_successor_own_phi_or_null(to), value = phi ? edit_incoming_from(phi, from) : NULL;
  return value && LLVMIsAConstantInt(value)
             ? constant_successor_or_unknown(LLVMGetBasicBlockTerminator(to), phi, value) + 1
             : 0;
}

/* Whether the block has not been visited in this state. *full: the limit of states is reached. */
static bool add_state_if_new(struct walking *w, const struct program_point *s, bool *full)
{
  uint64_t last = 0;
  unsigned count = 0;
  coro_map_get(&w->seen, coro_map_key(s->block), &last);
  for (uint64_t at = last; at; at = w->states.items[at - 1].previous, count++)
    if (w->states.items[at - 1].state == s->state && w->states.items[at - 1].only_successor == s->only_successor)
      return false;
  *full = count >= WALK_MAX_STATES;
  struct walk_seen seen = {s->state, s->only_successor, (uint32_t)last};
  return coro_vec_push(w->walk->trace->run->arena, &w->states, seen) &&
         coro_map_put(&w->seen, coro_map_key(s->block), w->states.count);
}

bool walk_push_successor_if_new(struct walking *w, LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                                const struct program_point *s)
{
  struct program_point next = *s;
  bool full = false;
  next.block = to;
  next.from = NULL;
  next.state = assign_phis_on_edge(w, from, to, s->state);
  next.only_successor = successor_plus_one_selected_by_phi(from, to);
  if (!add_state_if_new(w, &next, &full))
    return !coro_arena_failed(w->walk->trace->run->arena);
  if (full && !w->walk->reason) {
    w->walk->reason = "its handle has too many possible states";
    w->walk->at = LLVMGetBasicBlockTerminator(to);
  }
  return coro_vec_push(w->walk->trace->run->arena, &w->stack, next);
}

/* Whether the edge is the suspend path of a caller that is a coroutine. It is not followed: the caller's frame,
   which contains the elided one, exists until the caller is resumed or destroyed. */
static bool is_suspend_edge(const struct walking *w, LLVMValueRef terminator, unsigned successor)
{
  return successor_for_suspend_result_or_unknown(w->walk->trace->run, terminator, -1) == successor;
}

/* The cell that a branch compares with null; *null is the index of the successor for null. TRACE_NO_CELL: another
   condition. */
static uint16_t cell_compared_with_null_or_none(const struct walking *w, LLVMValueRef terminator,
                                                unsigned *null_successor)
{
  LLVMValueRef condition = flow_branch_condition(terminator);
  if (!condition || !LLVMIsAICmpInst(condition) ||
      !LLVMIsAConstantPointerNull(LLVMGetOperand(condition, COMPARE_RIGHT)))
    return TRACE_NO_CELL;
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
  *null_successor = predicate == LLVMIntEQ ? 0 : 1;
  bool equal = predicate == LLVMIntEQ || predicate == LLVMIntNE;
  return equal ? trace_cell_of_value_or_none(w->walk->trace, LLVMGetOperand(condition, COMPARE_LEFT)) : TRACE_NO_CELL;
}

static bool refine_state_if_edge_possible(const struct walking *w, LLVMValueRef terminator, unsigned successor,
                                          struct program_point *s)
{
  unsigned null = 0;
  uint16_t cell = cell_compared_with_null_or_none(w, terminator, &null);
  enum holds holds = cell == TRACE_NO_CELL ? HOLDS_OTHER : state_get(s->state, cell);
  if (s->only_successor)
    return successor == s->only_successor - 1;
  if (holds == HOLDS_HANDLE)
    return successor != null;
  if (holds == HOLDS_NULL)
    return successor == null;
  if (cell != TRACE_NO_CELL && successor == null)
    s->state = state_with_content(s->state, cell, HOLDS_NULL);
  return true;
}

bool walk_successors(struct walking *w, LLVMValueRef terminator, const struct program_point *s,
                     const struct program_point *unwound, bool ended)
{
  unsigned count = LLVMGetNumSuccessors(terminator);
  bool invokes = LLVMGetInstructionOpcode(terminator) == LLVMInvoke;
  for (unsigned i = 0; i < count; i++) {
    struct program_point next = invokes && i ? *unwound : *s;
    if ((ended && !(invokes && i)) || is_suspend_edge(w, terminator, i))
      continue;
    if (!invokes && !refine_state_if_edge_possible(w, terminator, i, &next))
      continue;
    if (!walk_push_successor_if_new(w, s->block, LLVMGetSuccessor(terminator, i), &next))
      return false;
  }
  return true;
}
