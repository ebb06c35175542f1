/* Merges identical landing pads that end in unreachable. Pads are keyed by the last function they call, then
   compared instruction by instruction; only the first pad of each key is a merge target, so the cost is linear. */
#include "transform/terminating_pads.h"

#include "base/map.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "transform/identical_instruction.h"

enum { MAX_PAD_SIZE = 8 }; /* maximum number of instructions of a pad */

/* A block of a landingpad, extractvalues, calls, and unreachable. */
struct pad {
  LLVMBasicBlockRef block;
  LLVMValueRef insts[MAX_PAD_SIZE];
  unsigned count;
  bool created; /* created by terminating_pads_merge */
};

/* All predecessors are invokes. */
static bool has_only_invoke_predecessors(LLVMBasicBlockRef block)
{
  LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
  for (; use; use = LLVMGetNextUse(use))
    if (!edit_is_instruction(LLVMGetUser(use)) || LLVMGetInstructionOpcode(LLVMGetUser(use)) != LLVMInvoke)
      return false; /* a blockaddress */
  return LLVMGetFirstUse(LLVMBasicBlockAsValue(block)) != NULL;
}

static bool may_be_in_mergeable_pad(LLVMValueRef inst, unsigned at)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMLandingPad: return at == 0;
  case LLVMExtractValue:
  case LLVMUnreachable: return at > 0;
  case LLVMCall:
    return at > 0 && LLVMIsAFunction(LLVMGetCalledValue(inst)) && !LLVMGetIntrinsicID(LLVMGetCalledValue(inst));
  default: return false;
  }
}

/* In unreachable blocks a value may be used outside of its block or before its definition. */
static bool is_used_only_later_in_block(LLVMValueRef inst)
{
  for (LLVMUseRef use = LLVMGetFirstUse(inst); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef at = LLVMGetNextInstruction(inst);
    while (at && at != LLVMGetUser(use))
      at = LLVMGetNextInstruction(at);
    if (!at)
      return false;
  }
  return true;
}

/* False: the block is not such a pad, or is still under construction. */
static bool read_terminating_pad(struct pad *pad, LLVMBasicBlockRef block)
{
  LLVMValueRef first = LLVMGetFirstInstruction(block), end = LLVMGetBasicBlockTerminator(block);
  *pad = (struct pad){.block = block};
  if (!end || LLVMGetInstructionOpcode(first) != LLVMLandingPad || LLVMGetInstructionOpcode(end) != LLVMUnreachable ||
      !has_only_invoke_predecessors(block))
    return false;
  for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i)) {
    if (pad->count == MAX_PAD_SIZE || !may_be_in_mergeable_pad(i, pad->count) || !is_used_only_later_in_block(i))
      return false;
    pad->insts[pad->count++] = i;
  }
  return LLVMGetInstructionOpcode(pad->insts[pad->count - 2]) == LLVMCall;
}

static bool are_identical_pads(struct coro_arena *arena, const struct pad *one, const struct pad *other)
{
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  struct coro_map counterparts;
  bool same = one->count == other->count;
  coro_map_init(&counterparts, arena);
  for (unsigned i = 0; same && i < one->count; i++)
    same = is_equivalent_instruction(&counterparts, one->insts[i], other->insts[i]) &&
           coro_map_put(&counterparts, coro_map_key(one->insts[i]), coro_map_key(other->insts[i]));
  coro_arena_rewind(arena, scratch);
  return same;
}

/* The copy has no debug records: those of one pad need not hold for the others' predecessors. */
static void recreate_pad_without_records(struct coro_arena *arena, struct pad *pad)
{
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(pad->insts[0]));
  struct coro_map copies;
  coro_map_init(&copies, arena);
  if (!coro_map_reserve(&copies, pad->count))
    return;
  struct pad created = {LLVMInsertBasicBlockInContext(context, pad->block, ""), .count = pad->count, .created = true};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, created.block);
  for (unsigned i = 0; i < pad->count; i++) {
    created.insts[i] = clone_instruction(builder, pad->insts[i], &copies);
    coro_map_put(&copies, coro_map_key(pad->insts[i]), coro_map_key(created.insts[i]));
    if (LLVMGetTypeKind(LLVMTypeOf(created.insts[i])) != LLVMVoidTypeKind)
      edit_move_value_name(arena, created.insts[i], pad->insts[i]);
  }
  edit_move_value_name(arena, LLVMBasicBlockAsValue(created.block), LLVMBasicBlockAsValue(pad->block));
  LLVMDisposeBuilder(builder);
  LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(pad->block), LLVMBasicBlockAsValue(created.block));
  LLVMDeleteBasicBlock(pad->block);
  *pad = created;
}

static void merge_pad_into_kept_pad(struct coro_arena *arena, struct pad *kept, const struct pad *other,
                                    LLVMMetadataRef no_line)
{
  if (!kept->created)
    recreate_pad_without_records(arena, kept);
  for (unsigned i = 0; i < kept->count && no_line; i++)
    if (LLVMInstructionGetDebugLoc(kept->insts[i]) != LLVMInstructionGetDebugLoc(other->insts[i]))
      LLVMInstructionSetDebugLoc(kept->insts[i], no_line);
  LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(other->block), LLVMBasicBlockAsValue(kept->block));
  LLVMDeleteBasicBlock(other->block);
}

/* The first pad with the same last callee, which is this pad if there was none. NULL: out of memory. */
static struct pad *find_or_add_pad_with_same_callee(struct coro_arena *arena, struct coro_map *pads,
                                                    const struct pad *pad)
{
  LLVMValueRef callee = LLVMGetCalledValue(pad->insts[pad->count - 2]);
  uint64_t key = coro_map_key(callee), found;
  if (coro_map_get(pads, key, &found))
    return (struct pad *)(uintptr_t)found;
  struct pad *first = CORO_NEW(arena, struct pad);
  if (!first || !coro_map_put(pads, key, coro_map_key(first)))
    return NULL;
  *first = *pad;
  return first;
}

/* True if identical pads exist; merges them if `merges`. */
static bool merge_or_find_identical_pads(struct coro_arena *arena, LLVMValueRef function, bool merges)
{
  struct coro_map pads;
  struct pad pad;
  bool any = false;
  LLVMMetadataRef scope = LLVMGetSubprogram(function), no_line = NULL;
  if (scope && merges)
    no_line = LLVMDIBuilderCreateDebugLocation(LLVMGetTypeContext(LLVMTypeOf(function)), 0, 0, scope, NULL);
  coro_map_init(&pads, arena);
  for (LLVMBasicBlockRef next, b = LLVMGetFirstBasicBlock(function); b && (merges || !any); b = next) {
    next = LLVMGetNextBasicBlock(b);
    if (!read_terminating_pad(&pad, b))
      continue;
    struct pad *first = find_or_add_pad_with_same_callee(arena, &pads, &pad);
    if (!first || first->block == b || !are_identical_pads(arena, first, &pad))
      continue;
    any = true;
    if (merges)
      merge_pad_into_kept_pad(arena, first, &pad, no_line);
  }
  return any;
}

bool terminating_pads_have_duplicates(struct coro_arena *arena, LLVMValueRef function)
{
  return merge_or_find_identical_pads(arena, function, false);
}

bool terminating_pads_merge(struct coro_arena *arena, LLVMValueRef function, bool *changed)
{
  if (merge_or_find_identical_pads(arena, function, true))
    *changed = true;
  return !coro_arena_failed(arena);
}
