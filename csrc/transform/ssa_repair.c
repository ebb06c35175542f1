/* Repairs SSA form after edges were redirected. Phis are placed in the iterated dominance frontier of the definition
   (Cytron et al.), but only those that a use reads are created.
   Requires: a function without unreachable blocks.
   Guarantees: every definition dominates its uses. The cost is linear in the function's operands and, for each
   repaired value, in its dominance frontier. */
#include "transform/ssa_repair.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"
#include "graph/worklist.h"
#include "ir/block_graph.h"
#include "ir/edit.h"

struct repair {
  struct coro_arena *arena;
  struct ir_fn fn;
  struct graph graph;
  struct graph_rpo rpo;
  struct graph_dom dom;
  LLVMBuilderRef builder;
  /* State for the value that is being repaired. */
  LLVMValueRef value;
  uint32_t defined; /* the block that defines the value */
  struct coro_bits frontier;
  struct worklist blocks; /* blocks with a new phi; pending: the phi has no operands yet */
  LLVMValueRef *phis; /* indexed by block */
};

static bool build_dominators_of_function(struct repair *r)
{
  return ir_build_block_graph(&r->graph, r->arena, &r->fn) &&
         graph_compute_reverse_postorder(&r->rpo, r->arena, &r->graph, 0) &&
         graph_compute_dominators(&r->dom, r->arena, &r->graph, &r->rpo);
}

/* The result of an invoke is defined at its normal destination, or only on the edge if that has other predecessors. */
static uint32_t block_defining_result(const struct repair *r, uint32_t inst)
{
  uint32_t block = ir_block_of(&r->fn, inst);
  if (r->fn.opcode[inst] != LLVMInvoke)
    return block;
  uint32_t normal = ir_id(&r->fn, LLVMBasicBlockAsValue(LLVMGetNormalDest(r->fn.insts[inst]))) & ~IR_BLOCK;
  return r->graph.pred_start[normal + 1] - r->graph.pred_start[normal] == 1 ? normal : block;
}

/* The block that uses operand `index`: for a phi, the predecessor. IR_NONE: this predecessor has the definition. */
static uint32_t block_using_operand_or_none(const struct repair *r, uint32_t inst, uint32_t user, unsigned index)
{
  if (r->fn.opcode[user] != LLVMPHI)
    return ir_block_of(&r->fn, user);
  uint32_t from = ir_id(&r->fn, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(r->fn.insts[user], index))) & ~IR_BLOCK;
  return from == ir_block_of(&r->fn, inst) ? IR_NONE : from;
}

static bool violates_dominance(const struct repair *r, uint32_t inst, uint32_t user, unsigned index)
{
  uint32_t at = block_using_operand_or_none(r, inst, user, index);
  return at != IR_NONE && !graph_dominates(&r->dom, block_defining_result(r, inst), at);
}

static unsigned count_value_operands(const struct repair *r, uint32_t user)
{
  LLVMValueRef inst = r->fn.insts[user];
  return r->fn.opcode[user] == LLVMPHI ? LLVMCountIncoming(inst) : (unsigned)LLVMGetNumOperands(inst);
}

static LLVMValueRef make_repair_phi(struct repair *r, uint32_t block)
{
  LLVMPositionBuilderBeforeInstrAndDbgRecords(r->builder, LLVMGetFirstInstruction(r->fn.blocks[block]));
  LLVMValueRef phi = LLVMBuildPhi(r->builder, LLVMTypeOf(r->value), "");
  worklist_enter(&r->blocks, block);
  return r->phis[block] = phi;
}

/* The value at the end of a block, or at the start of one that does not define it. */
static LLVMValueRef value_in_block_or_poison(struct repair *r, uint32_t block)
{
  for (;; block = r->dom.idom[block]) {
    if (block == r->defined)
      return r->value;
    if (coro_bits_get(&r->frontier, block))
      return worklist_has_entered(&r->blocks, block) ? r->phis[block] : make_repair_phi(r, block);
    if (r->dom.idom[block] == block)
      return LLVMGetPoison(LLVMTypeOf(r->value));
  }
}

static void fill_repair_phis(struct repair *r)
{
  for (uint32_t block; worklist_take(&r->blocks, &block);)
    for (uint32_t p = r->graph.pred_start[block]; p < r->graph.pred_start[block + 1]; p++) {
      LLVMValueRef value = value_in_block_or_poison(r, r->graph.pred[p]);
      LLVMAddIncoming(r->phis[block], &value, &r->fn.blocks[r->graph.pred[p]], 1);
    }
}

struct broken_use {
  uint32_t inst, user; /* the definition, and the instruction that uses it */
  unsigned index; /* operand index */
};

typedef CORO_VEC(struct broken_use) broken_uses;

static int compare_uses_by_definition(const void *a, const void *b)
{
  const struct broken_use *x = a, *y = b;
  int order = compare_numbers(x->inst, y->inst);
  order = order ? order : compare_numbers(x->user, y->user);
  return order ? order : compare_numbers(x->index, y->index);
}

/* Finds all uses that are not dominated by their definition, ordered by definition. */
static bool find_uses_not_dominated(struct repair *r, broken_uses *found)
{
  for (uint32_t user = 0; user < r->fn.inst_count; user++)
    for (unsigned i = 0, count = count_value_operands(r, user); i < count; i++) {
      uint32_t inst = ir_operand_inst(&r->fn, user, i);
      if (inst != IR_NONE && violates_dominance(r, inst, user, i) &&
          !coro_vec_push(r->arena, found, ((struct broken_use){inst, user, i})))
        return false;
    }
  if (found->count)
    qsort(found->items, found->count, sizeof *found->items, compare_uses_by_definition);
  return true;
}

/* Repairs the uses of one value. */
static bool repair_uses_of_value(struct repair *r, const struct broken_use *uses, uint32_t count)
{
  uint32_t inst = uses[0].inst;
  r->value = r->fn.insts[inst];
  r->defined = block_defining_result(r, inst);
  worklist_restart(&r->blocks);
  if (!coro_bits_init(&r->frontier, r->arena, r->fn.block_count) ||
      !graph_iterated_dominance_frontier(&r->frontier, r->arena, &r->graph, &r->dom, &r->defined, 1))
    return false;
  for (uint32_t u = 0; u < count; u++) {
    uint32_t user = uses[u].user, at = block_using_operand_or_none(r, inst, user, uses[u].index);
    LLVMSetOperand(r->fn.insts[user], uses[u].index, value_in_block_or_poison(r, at));
  }
  fill_repair_phis(r);
  return true;
}

static bool repair_all_values(struct repair *r)
{
  broken_uses uses = {0};
  if (!find_uses_not_dominated(r, &uses))
    return false;
  for (uint32_t first = 0, end; first < uses.count; first = end) {
    for (end = first + 1; end < uses.count && uses.items[end].inst == uses.items[first].inst; end++)
      ;
    if (!repair_uses_of_value(r, uses.items + first, end - first))
      return false;
  }
  return true;
}

bool ssa_repair_dominance(struct coro_arena *arena, LLVMValueRef function)
{
  struct repair r = {.arena = arena};
  if (!ir_number_function(&r.fn, arena, function) || !build_dominators_of_function(&r) ||
      !worklist_init(&r.blocks, arena, r.fn.block_count) ||
      !(r.phis = CORO_NEW_ARRAY(arena, LLVMValueRef, r.fn.block_count)))
    return false;
  r.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
  bool fine = repair_all_values(&r);
  LLVMDisposeBuilder(r.builder);
  return fine;
}
