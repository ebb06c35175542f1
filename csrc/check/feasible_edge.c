/* Evaluates branches on phis of constants, and computes the presplit position on an edge; see feasible_edge.h. */
#include "check/feasible_edge.h"

#include "check/evaluate.h"
#include "check/hook_state.h"
#include "ir/constant_fold.h"
#include "ir/flow.h"
#include "ir/intrin.h"

enum { MAX_CONSTANTS = 16, MAX_SUCCESSORS = 64 }; /* of a branch on a phi, which is else not examined */

/* The phi that alone decides the successor of a block's terminator; NULL: none, or it is not examined. */
static LLVMValueRef phi_that_decides_successor_or_null(const struct check_clone *k, uint32_t block)
{
  LLVMValueRef terminator = ir_terminator(&k->fn, block);
  uint32_t count = ir_successor_count(&k->fn, block);
  bool branches = count > 1 || k->fn.opcode[k->fn.block_start[block + 1] - 1] == LLVMSwitch;
  LLVMValueRef operand = branches && count <= MAX_SUCCESSORS ? flow_branch_operand(terminator) : NULL;
  LLVMValueRef phi = operand ? constant_fold_single_source_or_null(operand) : NULL;
  return phi && LLVMIsAPHINode(phi) && LLVMCountIncoming(phi) <= MAX_CONSTANTS ? phi : NULL;
}

static bool phi_may_select_successor(const struct check_clone *k, LLVMValueRef phi, LLVMValueRef terminator,
                                     unsigned index)
{
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    uint32_t from = ir_block_id(&k->fn, LLVMGetIncomingBlock(phi, i));
    if (from != IR_NONE && k->out[from].where == WHERE_LEFT)
      continue;
    unsigned successor = evaluate_successor_if_never_undef(terminator, phi, value);
    if (successor == index || successor == CONSTANT_SUCCESSOR_UNKNOWN)
      return true;
  }
  return false;
}

/* Whether a cleanupret leaves the pad in which the call is for the block. */
static bool is_pad_of_call_left_for_block(LLVMValueRef call, LLVMBasicBlockRef to)
{
  LLVMValueRef pad = LLVMGetNumOperandBundles(call) == 1 ? LLVMGetOperand(call, LLVMGetNumArgOperands(call)) : NULL;
  bool left = false;
  for (LLVMUseRef use = pad ? LLVMGetFirstUse(pad) : NULL; use && !left; use = LLVMGetNextUse(use)) {
    LLVMValueRef exit = LLVMGetUser(use);
    left = LLVMIsACleanupReturnInst(exit) && LLVMGetNumSuccessors(exit) && LLVMGetSuccessor(exit, 0) == to;
  }
  return left;
}

/* Whether the edge leads from a marker of asynchronous exceptions to a pad that the lowering has added for the exit of
   the pad that contains the marker. A marker has no effect, and does not unwind: it only separates instructions that
   may. */
static bool is_unwind_edge_of_marker_to_added_pad(const struct check_clone *k, uint32_t block, unsigned index)
{
  static const char *const markers[] = {"llvm.seh.scope.begin", "llvm.seh.scope.end", "llvm.seh.try.begin",
                                        "llvm.seh.try.end"};
  LLVMValueRef terminator = ir_terminator(&k->fn, block);
  return LLVMIsAInvokeInst(terminator) && index + 1 == ir_successor_count(&k->fn, block) &&
         k->node[ir_successor(&k->fn, block, index)] == IR_NONE &&
         intrin_calls_one_of(terminator, markers, sizeof markers / sizeof *markers) &&
         is_pad_of_call_left_for_block(terminator, LLVMGetUnwindDest(terminator));
}

bool find_infeasible_edges(struct check *c, struct check_clone *k)
{
  struct coro_bits found;
  if (!coro_bits_init(&found, c->arena, k->fn.successor_start[k->fn.block_count]))
    return false;
  for (uint32_t b = 0; b < k->fn.block_count; b++) {
    LLVMValueRef phi = phi_that_decides_successor_or_null(k, b);
    for (uint32_t i = 0; i < ir_successor_count(&k->fn, b); i++)
      if (phi ? !phi_may_select_successor(k, phi, ir_terminator(&k->fn, b), i)
              : is_unwind_edge_of_marker_to_added_pad(k, b, i))
        coro_bits_set(&found, k->fn.successor_start[b] + i);
  }
  k->infeasible_edges = found;
  return true;
}

bool edge_may_be_feasible(const struct check_clone *k, uint32_t block, unsigned index)
{
  if (k->infeasible_edges.words)
    return !coro_bits_get(&k->infeasible_edges, k->fn.successor_start[block] + index);
  LLVMValueRef phi = phi_that_decides_successor_or_null(k, block);
  return phi ? phi_may_select_successor(k, phi, ir_terminator(&k->fn, block), index)
             : !is_unwind_edge_of_marker_to_added_pad(k, block, index);
}

struct check_state state_on_edge(const struct check *c, const struct check_clone *k, uint32_t block, unsigned index)
{
  struct check_state state = k->out[block];
  if (state.body != IR_NONE && state.branches) {
    const struct ir_fn *fn = c->bodies[state.body].fn;
    state.body_inst = fn->block_start[flow_successor(fn, fn->insts[state.body_inst], index)];
    state.branches = false;
    return state;
  }
  if (state.branch_hook) {
    unsigned hook = 1u << (state.branch_hook - 1);
    bool skips = (index == 0) == state.skips_first, done = skips || c->empty_hooks & hook;
    state.hooks |= (uint16_t)(done ? hook : 0);
    if (skips && hook == hook_bit(HOOK_end))
      state.hooks |= (uint16_t)hook_state_result_bit_or_zero(c, k);
    state.chosen |= (uint16_t)hook;
    state.branch_hook = 0;
    return state;
  }
  if (state.where != WHERE_BRANCH)
    return state;
  uint32_t from = c->low->fn.inst_block[state.inst];
  uint32_t to = index < ir_successor_count(&c->low->fn, from) ? ir_successor(&c->low->fn, from, index) : IR_NONE;
  struct check_state edge = check_state_on_edge(from, to);
  edge.transfer = state.transfer;
  return edge;
}

uint32_t edge_presplit_source_or_none(const struct check *c, const struct check_clone *k, uint32_t from, uint32_t to)
{
  uint32_t count = ir_successor_count(&k->fn, from);
  for (unsigned i = 0; i < count; i++)
    if (ir_successor(&k->fn, from, i) == to) {
      struct check_state state = state_on_edge(c, k, from, i);
      return state.where == WHERE_EDGE && state.to == k->in[to].to ? state.from : IR_NONE;
    }
  return IR_NONE;
}
