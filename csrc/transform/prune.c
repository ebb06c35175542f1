/* Folds branches on constants and deletes unreachable blocks, as LLVM's ConstantFoldTerminator and
   removeUnreachableBlocks. Near-linear in blocks and edges. */
#include "transform/prune.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/constant_fold.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"

typedef CORO_VEC(LLVMBasicBlockRef) blocks;

struct pruner {
  struct coro_arena *arena;
  LLVMValueRef function;
  LLVMBuilderRef builder;
  struct coro_map reached; /* block -> 1 */
  blocks live, dead;       /* in program order */
};

bool prune_has_constant_branch(LLVMValueRef function)
{
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    if (constant_successor_or_unknown(LLVMGetBasicBlockTerminator(block), NULL, NULL) != CONSTANT_SUCCESSOR_UNKNOWN)
      return true;
  return false;
}

/* True: there was one. */
static bool fold_constant_terminators(struct pruner *p)
{
  bool folded = false;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(p->function); block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
    unsigned taken = constant_successor_or_unknown(terminator, NULL, NULL);
    if (taken == CONSTANT_SUCCESSOR_UNKNOWN)
      continue;
    edit_position_builder_with_location(p->builder, terminator);
    LLVMBuildBr(p->builder, LLVMGetSuccessor(terminator, taken));
    LLVMInstructionEraseFromParent(terminator);
    folded = true;
  }
  return folded;
}

bool prune_find_reachable(struct coro_arena *arena, LLVMValueRef function, prune_edge_fn *takes, const void *user,
                          struct coro_map *reached)
{
  blocks pending = {0};
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  if (!coro_map_put(reached, coro_map_key(entry), 1) || !coro_vec_push(arena, &pending, entry))
    return false;
  while (pending.count) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(pending.items[--pending.count]);
    unsigned count = LLVMGetNumSuccessors(terminator);
    for (unsigned i = 0; i < count; i++) {
      LLVMBasicBlockRef next = LLVMGetSuccessor(terminator, i);
      if ((takes && !takes(user, terminator, i)) || coro_map_has(reached, coro_map_key(next)))
        continue;
      if (!coro_map_put(reached, coro_map_key(next), 1) || !coro_vec_push(arena, &pending, next))
        return false;
    }
  }
  return true;
}

static bool partition_blocks_by_reachability(struct pruner *p)
{
  if (!prune_find_reachable(p->arena, p->function, NULL, NULL, &p->reached))
    return false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(p->function); b; b = LLVMGetNextBasicBlock(b))
    if (!(coro_map_has(&p->reached, coro_map_key(b)) ? coro_vec_push(p->arena, &p->live, b)
                                                     : coro_vec_push(p->arena, &p->dead, b)))
      return false;
  return true;
}

/* Counts the edges from reachable blocks to a block; also by their source, unless `edges` is NULL. A switch may have
   several. False: out of memory. */
static bool count_live_edges(const struct pruner *p, LLVMBasicBlockRef block, struct coro_map *edges, unsigned *count)
{
  *count = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!edit_is_instruction(user) || !LLVMIsATerminatorInst(user) ||
        !coro_map_has(&p->reached, coro_map_key(LLVMGetInstructionParent(user))))
      continue;
    uint64_t known = 0, source = coro_map_key(LLVMGetInstructionParent(user));
    *count += 1;
    if (edges)
      coro_map_get(edges, source, &known);
    if (edges && !coro_map_put(edges, source, known + 1))
      return false;
  }
  return true;
}

/* Removes the incoming values of a phi whose edge no longer exists. A phi with a single value left is replaced by
   it. */
static bool remove_dead_phi_entries(struct pruner *p, const struct coro_map *edges, LLVMValueRef phi)
{
  unsigned count = LLVMCountIncoming(phi), remaining = 0;
  LLVMValueRef *values = CORO_NEW_ARRAY(p->arena, LLVMValueRef, count + 1);
  LLVMBasicBlockRef *from = CORO_NEW_ARRAY(p->arena, LLVMBasicBlockRef, count + 1);
  if (!values || !from)
    return false;
  struct coro_map used;
  coro_map_init(&used, p->arena);
  for (unsigned i = 0; i < count; i++) {
    LLVMBasicBlockRef source = LLVMGetIncomingBlock(phi, i);
    uint64_t edge_count = 0, used_count = 0;
    coro_map_get(edges, coro_map_key(source), &edge_count);
    coro_map_get(&used, coro_map_key(source), &used_count);
    if (used_count == edge_count)
      continue;
    if (!coro_map_put(&used, coro_map_key(source), used_count + 1))
      return false;
    values[remaining] = LLVMGetIncomingValue(phi, i);
    from[remaining++] = source;
  }
  if (remaining == count && count > 1)
    return true;
  if (remaining == 1) {
    edit_replace_and_erase(phi, values[0]);
    return true;
  }
  LLVMPositionBuilderBefore(p->builder, phi);
  LLVMValueRef pruned = LLVMBuildPhi(p->builder, LLVMTypeOf(phi), "");
  LLVMInstructionSetDebugLoc(pruned, LLVMInstructionGetDebugLoc(phi));
  LLVMAddIncoming(pruned, values, from, remaining);
  edit_move_value_name(p->arena, pruned, phi);
  edit_replace_and_erase(phi, pruned);
  return true;
}

/* The phis of a block have entries for all edges, so they have no others if the numbers are equal. */
static bool remove_dead_entries_of_block(struct pruner *p, LLVMBasicBlockRef block)
{
  LLVMValueRef at = LLVMGetFirstInstruction(block), next;
  unsigned entries = LLVMGetInstructionOpcode(at) == LLVMPHI ? LLVMCountIncoming(at) : 0, count = 0;
  struct coro_map edges;
  if (!entries || (count_live_edges(p, block, NULL, &count) && entries == count && entries > 1))
    return true;
  coro_map_init(&edges, p->arena);
  if (!count_live_edges(p, block, &edges, &count))
    return false;
  for (; LLVMGetInstructionOpcode(at) == LLVMPHI; at = next) {
    next = LLVMGetNextInstruction(at);
    if (!remove_dead_phi_entries(p, &edges, at))
      return false;
  }
  return true;
}

static bool remove_dead_entries_of_phis(struct pruner *p)
{
  for (uint32_t b = 0; b < p->live.count; b++)
    if (!remove_dead_entries_of_block(p, p->live.items[b]))
      return false;
  return true;
}

static void delete_unreachable_blocks(struct pruner *p)
{
  for (uint32_t b = 0; b < p->dead.count; b++)
    edit_make_block_unreachable_and_unused(p->dead.items[b]);
  for (uint32_t b = 0; b < p->dead.count; b++)
    LLVMDeleteBasicBlock(p->dead.items[b]);
}

static void init_pruner(struct pruner *p, struct coro_arena *arena, LLVMValueRef function)
{
  *p = (struct pruner){.arena = arena, .function = function};
  coro_map_init(&p->reached, arena);
  p->builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
}

static bool delete_dead_blocks_and_phi_entries(struct pruner *p)
{
  bool alive = remove_dead_entries_of_phis(p);
  if (alive)
    delete_unreachable_blocks(p);
  return alive;
}

bool prune_fold_and_delete_unreachable(struct coro_arena *arena, LLVMValueRef function, bool *changed)
{
  struct pruner p;
  init_pruner(&p, arena, function);
  bool folded = fold_constant_terminators(&p);
  bool alive = partition_blocks_by_reachability(&p);
  if (alive && (folded || p.dead.count)) {
    *changed = true;
    alive = delete_dead_blocks_and_phi_entries(&p);
  }
  LLVMDisposeBuilder(p.builder);
  return alive;
}

bool prune_after_edges_were_removed(struct coro_arena *arena, LLVMValueRef function)
{
  struct pruner p;
  init_pruner(&p, arena, function);
  bool alive = partition_blocks_by_reachability(&p) && delete_dead_blocks_and_phi_entries(&p);
  LLVMDisposeBuilder(p.builder);
  return alive;
}
