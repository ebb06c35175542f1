/* Meets and refines the state of "has the coroutine suspended"; see suspended.h. */
#include "check/suspended.h"

#include "check/evaluate.h"
#include "check/feasible_edge.h"
#include "ir/constant_fold.h"
#include "ir/flow.h"

/* The state at the end of a block. */
static struct check_suspended_at suspended_at_block_end(const struct check_clone *k, uint32_t block)
{
  struct check_suspended_at change = k->header_out[block].suspended;
  return change.is == SUSPENDED_SAME ? k->header_in[block].suspended : change;
}

struct check_suspended_at suspended_meet(struct check_suspended_at a, struct check_suspended_at b)
{
  if (a.is == SUSPENDED_UNSET)
    return b;
  if (b.is == SUSPENDED_UNSET || (a.is == b.is && a.at == b.at))
    return a;
  bool one = a.is == SUSPENDED_NO || b.is == SUSPENDED_NO || a.at == b.at;
  return (struct check_suspended_at){a.is == SUSPENDED_YES && b.is == SUSPENDED_YES ? SUSPENDED_YES : SUSPENDED_MAYBE,
                                     !one                   ? IR_NONE
                                     : a.is == SUSPENDED_NO ? b.at
                                                            : a.at};
}

/* Whether a branch may take an edge if its condition depends on `source`, which is `constant`. */
static bool may_take_successor_if_constant(LLVMValueRef terminator, LLVMValueRef source, LLVMValueRef constant,
                                           unsigned index)
{
  unsigned successor = evaluate_successor_if_never_undef(terminator, source, constant);
  return successor == index || successor == CONSTANT_SUCCESSOR_UNKNOWN;
}

/* Of the edges of a branch, one may mean that control has suspended: `condition`, which decides, is the result of the
   suspend, or a phi that has it on the edge on which control has come. If control has suspended on all paths, the other
   edges are infeasible. */
static struct check_suspended_at suspended_if_successor(LLVMValueRef terminator, LLVMValueRef condition, unsigned index,
                                                        struct check_suspended_at suspended)
{
  bool reached[3];
  for (int result = -1; result <= 1; result++)
    reached[result + 1] = may_take_successor_if_constant(
        terminator, condition, LLVMConstInt(LLVMTypeOf(condition), (unsigned long long)result, true), index);
  if (!reached[0])
    return (struct check_suspended_at){suspended.is == SUSPENDED_YES ? SUSPENDED_UNSET : SUSPENDED_NO, IR_NONE};
  return reached[1] || reached[2] ? suspended : (struct check_suspended_at){SUSPENDED_YES, suspended.at};
}

enum { MAX_PREDECESSORS = 16, MAX_JUMPS = 16 }; /* from a phi to the branch on it; with more it is not examined */

/* The block of the clone that control enters on edges to the phi's presplit block, searched backwards from `block` over
   single predecessors. IR_NONE: none, or control may have suspended after it. */
static uint32_t block_that_enters_phi_or_none(const struct check *c, const struct check_clone *k, uint32_t block,
                                              uint32_t phi)
{
  for (unsigned jumps = 0; jumps < MAX_JUMPS && k->header_out[block].suspended.is == SUSPENDED_SAME; jumps++) {
    const uint32_t *preds = k->graph.pred_start + block;
    if (k->in[block].where == WHERE_EDGE && k->in[block].to == c->low->fn.inst_block[phi])
      return preds[1] - preds[0] <= MAX_PREDECESSORS ? block : IR_NONE;
    if (preds[1] - preds[0] != 1)
      return IR_NONE;
    block = k->graph.pred[preds[0]];
  }
  return IR_NONE;
}

/* The state after the branch if control has come from a block with state `before`, with `incoming` as the
   value of the phi. */
static struct check_suspended_at suspended_if_incoming(const struct check *c, LLVMValueRef terminator, uint32_t phi,
                                                       uint32_t incoming, unsigned index,
                                                       struct check_suspended_at before)
{
  const struct ir_fn *fn = &c->low->fn;
  LLVMValueRef source = fn->insts[phi], value = LLVMGetIncomingValue(source, incoming);
  uint32_t inst = ir_operand_inst(fn, phi, incoming);
  if (LLVMIsAConstantInt(value))
    return may_take_successor_if_constant(terminator, source, value, index)
               ? before
               : (struct check_suspended_at){SUSPENDED_UNSET, IR_NONE};
  bool result = before.at != IR_NONE && inst != IR_NONE && inst == c->low->shape.suspends[before.at].inst;
  return result && before.is != SUSPENDED_NO ? suspended_if_successor(terminator, source, index, before) : before;
}

/* The same for a branch on a phi. Each predecessor of the phi's block has its own state and incoming value. */
static struct check_suspended_at suspended_if_phi(const struct check *c, const struct check_clone *k, uint32_t block,
                                                  uint32_t phi, unsigned index, struct check_suspended_at suspended)
{
  LLVMValueRef terminator = c->low->fn.insts[k->out[block].inst];
  struct check_suspended_at all = {SUSPENDED_UNSET, IR_NONE};
  uint32_t entered = block_that_enters_phi_or_none(c, k, block, phi);
  if (entered == IR_NONE)
    return suspended;
  for (uint32_t p = k->graph.pred_start[entered]; p < k->graph.pred_start[entered + 1]; p++) {
    uint32_t from = k->graph.pred[p];
    if (k->out[from].where == WHERE_LEFT)
      continue;
    uint32_t source = edge_presplit_source_or_none(c, k, from, entered);
    uint32_t incoming = source == IR_NONE ? IR_NONE : ir_phi_index_of(&c->low->fn, phi, source);
    struct check_suspended_at at = suspended_at_block_end(k, from);
    if (incoming != IR_NONE)
      at = suspended_if_incoming(c, terminator, phi, incoming, index, at);
    all = suspended_meet(all, at);
  }
  return all;
}

static struct check_suspended_at suspended_on_edge(const struct check *c, const struct check_clone *k, uint32_t from,
                                                   unsigned index, struct check_suspended_at suspended)
{
  if (!edge_may_be_feasible(k, from, index))
    return (struct check_suspended_at){SUSPENDED_UNSET, IR_NONE};
  if (k->out[from].where != WHERE_BRANCH)
    return suspended;
  LLVMValueRef terminator = c->low->fn.insts[k->out[from].inst], operand = flow_branch_operand(terminator),
               condition = operand ? constant_fold_single_source_or_null(operand) : NULL;
  uint32_t inst = condition ? ir_inst(&c->low->fn, condition) : IR_NONE;
  if (inst == IR_NONE)
    return suspended;
  if (c->low->fn.opcode[inst] == LLVMPHI)
    return suspended_if_phi(c, k, from, inst, index, suspended);
  return suspended.at != IR_NONE && inst == c->low->shape.suspends[suspended.at].inst
             ? suspended_if_successor(terminator, condition, index, suspended)
             : suspended;
}

struct check_suspended_at suspended_meet_on_edges(const struct check *c, const struct check_clone *k, uint32_t from,
                                                  uint32_t to, struct check_suspended_at suspended)
{
  struct check_suspended_at all = {SUSPENDED_UNSET, IR_NONE};
  bool jumps = ir_successor_count(&k->fn, from) == 1 &&
               k->fn.opcode[k->fn.block_start[from + 1] - 1] != LLVMSwitch; /* which may have one successor */
  uint32_t count = jumps ? 0 : ir_successor_count(&k->fn, from);
  for (unsigned i = 0; i < count; i++)
    if (ir_successor(&k->fn, from, i) == to)
      all = suspended_meet(all, suspended_on_edge(c, k, from, i, suspended));
  return count ? all : suspended;
}

bool suspended_is_always_or_unreached(struct check_suspended_at suspended)
{
  return suspended.is == SUSPENDED_YES || suspended.is == SUSPENDED_UNSET;
}

bool suspended_is_always_after(const struct check_clone *k, uint32_t block)
{
  return suspended_is_always_or_unreached(suspended_at_block_end(k, block));
}
