/* Repairs SSA form after edges were redirected. Phis are placed in the iterated dominance frontier of the definition
   (Cytron et al.), but only those that a use reads are created. */
#include "transform/ssa_repair.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"
#include "graph/graph.h"
#include "graph/worklist.h"
#include "ir/number.h"

struct repair {
  struct coro_arena *arena;
  struct ir_fn fn; /* blocks only */
  struct graph graph;
  struct graph_rpo rpo;
  struct graph_dom dom;
  LLVMBuilderRef builder;
  struct coro_map order; /* instruction -> place in program order, in the blocks of definitions with broken uses */
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
static uint32_t block_defining_result(const struct repair *r, LLVMValueRef inst)
{
  uint32_t block = ir_block_id(&r->fn, LLVMGetInstructionParent(inst));
  if (LLVMGetInstructionOpcode(inst) != LLVMInvoke)
    return block;
  uint32_t normal = ir_block_id(&r->fn, LLVMGetNormalDest(inst));
  return r->graph.pred_start[normal + 1] - r->graph.pred_start[normal] == 1 ? normal : block;
}

/* The block that uses operand `index`: for a phi, the predecessor. NULL: the definition precedes the use in the same
   block. */
static LLVMBasicBlockRef block_using_operand_or_none(LLVMValueRef inst, LLVMValueRef user, unsigned index)
{
  LLVMBasicBlockRef at = LLVMGetInstructionParent(user), defined = LLVMGetInstructionParent(inst);
  if (LLVMGetInstructionOpcode(user) == LLVMPHI) {
    at = LLVMGetIncomingBlock(user, index);
    return at == defined ? NULL : at;
  }
  return at == defined && LLVMGetInstructionOpcode(inst) != LLVMInvoke ? NULL : at;
}

static bool violates_dominance(const struct repair *r, LLVMValueRef inst, LLVMValueRef user, unsigned index)
{
  LLVMBasicBlockRef block = block_using_operand_or_none(inst, user, index);
  uint32_t at = block ? ir_block_id(&r->fn, block) : IR_NONE;
  return at != IR_NONE && ir_block_id(&r->fn, LLVMGetInstructionParent(inst)) != IR_NONE &&
         !graph_dominates(&r->dom, block_defining_result(r, inst), at);
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
  LLVMValueRef inst, user; /* the definition, and the instruction that uses it */
  unsigned index; /* operand index */
  uint64_t order; /* that of the definition in the program */
  uint32_t found; /* number of uses found before it */
};

typedef CORO_VEC(struct broken_use) broken_uses;

static int compare_uses_by_definition(const void *a, const void *b)
{
  const struct broken_use *x = a, *y = b;
  return x->order == y->order ? compare_numbers(x->found, y->found) : x->order < y->order ? -1 : 1;
}

/* The place of an instruction in the order of the whole function, in *order. The instructions of a block are numbered
   at its first use. False: out of memory. */
static bool find_program_order(struct repair *r, LLVMValueRef inst, uint64_t *order)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);
  uint64_t place = (uint64_t)ir_block_id(&r->fn, block) << 32;
  if (coro_map_get(&r->order, coro_map_key(inst), order))
    return true;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    if (!coro_map_put(&r->order, coro_map_key(i), place++))
      return false;
  return coro_map_get(&r->order, coro_map_key(inst), order);
}

static bool record_broken_use(struct repair *r, broken_uses *uses, LLVMValueRef inst, LLVMValueRef user, unsigned index)
{
  struct broken_use use = {inst, user, index, 0, uses->count};
  return find_program_order(r, inst, &use.order) && coro_vec_push(r->arena, uses, use);
}

static bool find_broken_uses_of_instruction(struct repair *r, broken_uses *uses, LLVMValueRef user)
{
  unsigned count = (unsigned)LLVMGetNumOperands(user);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef inst = LLVMIsAInstruction(LLVMGetOperand(user, i));
    if (inst && violates_dominance(r, inst, user, i) && !record_broken_use(r, uses, inst, user, i))
      return false;
  }
  return true;
}

/* Finds all uses that are not dominated by their definition, ordered by definition. */
static bool find_uses_not_dominated(struct repair *r, broken_uses *found)
{
  for (uint32_t b = 0; b < r->fn.block_count; b++)
    for (LLVMValueRef user = LLVMGetFirstInstruction(r->fn.blocks[b]); user; user = LLVMGetNextInstruction(user))
      if (!find_broken_uses_of_instruction(r, found, user))
        return false;
  if (found->count)
    qsort(found->items, found->count, sizeof *found->items, compare_uses_by_definition);
  return true;
}

/* Repairs the uses of one value. */
static bool repair_uses_of_value(struct repair *r, const struct broken_use *uses, uint32_t count)
{
  r->value = uses[0].inst;
  r->defined = block_defining_result(r, r->value);
  worklist_restart(&r->blocks);
  if (!coro_bits_init(&r->frontier, r->arena, r->fn.block_count) ||
      !graph_iterated_dominance_frontier(&r->frontier, r->arena, &r->graph, &r->dom, &r->defined, 1))
    return false;
  for (uint32_t u = 0; u < count; u++) {
    LLVMBasicBlockRef at = block_using_operand_or_none(r->value, uses[u].user, uses[u].index);
    LLVMSetOperand(uses[u].user, uses[u].index, value_in_block_or_poison(r, ir_block_id(&r->fn, at)));
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
  coro_map_init(&r.order, arena);
  if (!ir_number_blocks(&r.fn, arena, function) || !build_dominators_of_function(&r) ||
      !worklist_init(&r.blocks, arena, r.fn.block_count) ||
      !(r.phis = CORO_NEW_ARRAY(arena, LLVMValueRef, r.fn.block_count)))
    return false;
  r.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
  bool fine = repair_all_values(&r);
  LLVMDisposeBuilder(r.builder);
  return fine;
}
