/* Last pads: landing pads from which control goes nowhere.
   Needs: a function that verifies. Leaves: one that verifies; those that do the same are one. */
#include "ir/last_pads.h"

#include "base/map.h"
#include "ir/alike.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"

enum { LONGEST = 8 }; /* instructions of a pad */

/* A block of its own: a landing pad, what is taken out of the exception, calls, and nothing behind them. */
struct pad {
  LLVMBasicBlockRef block;
  LLVMValueRef insts[LONGEST];
  unsigned count;
  bool made; /* by last_pads_join */
};

/* By invokes alone. */
static bool has_ways_in(LLVMBasicBlockRef block)
{
  LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
  for (; use; use = LLVMGetNextUse(use))
    if (!edit_is_instruction(LLVMGetUser(use)) || LLVMGetInstructionOpcode(LLVMGetUser(use)) != LLVMInvoke)
      return false; /* somebody names its address */
  return LLVMGetFirstUse(LLVMBasicBlockAsValue(block)) != NULL;
}

static bool may_be_in_pad(LLVMValueRef inst, unsigned at)
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

/* In blocks that nothing leads to, what is made in a pad may be used without it, and before it is made. */
static bool is_used_behind(LLVMValueRef inst)
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

/* False: the block is none, as where it has no end yet, since somebody is still building it. */
static bool read_pad(struct pad *pad, LLVMBasicBlockRef block)
{
  LLVMValueRef first = LLVMGetFirstInstruction(block), end = LLVMGetBasicBlockTerminator(block);
  *pad = (struct pad){.block = block};
  if (!end || LLVMGetInstructionOpcode(first) != LLVMLandingPad || LLVMGetInstructionOpcode(end) != LLVMUnreachable ||
      !has_ways_in(block))
    return false;
  for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i)) {
    if (pad->count == LONGEST || !may_be_in_pad(i, pad->count) || !is_used_behind(i))
      return false;
    pad->insts[pad->count++] = i;
  }
  return LLVMGetInstructionOpcode(pad->insts[pad->count - 2]) == LLVMCall;
}

static unsigned find(const struct pad *pad, LLVMValueRef value)
{
  unsigned k = 0;
  while (k < pad->count && pad->insts[k] != value)
    k++;
  return k;
}

/* Either the same wherever control comes from, or made at one place of both. */
static bool is_operand_alike(const struct pad *one, LLVMValueRef of_one, const struct pad *other, LLVMValueRef of_other)
{
  if (of_one == of_other)
    return LLVMIsConstant(of_one);
  unsigned at = find(one, of_one);
  return at < one->count && at == find(other, of_other);
}

static bool is_inst_alike(LLVMValueRef one, LLVMValueRef other)
{
  if (LLVMGetInstructionOpcode(one) != LLVMGetInstructionOpcode(other) || LLVMTypeOf(one) != LLVMTypeOf(other))
    return false;
  switch (LLVMGetInstructionOpcode(one)) {
  case LLVMLandingPad: return LLVMIsCleanup(one) == LLVMIsCleanup(other);
  case LLVMExtractValue:
    return LLVMGetNumIndices(one) == 1 && LLVMGetNumIndices(other) == 1 &&
           *LLVMGetIndices(one) == *LLVMGetIndices(other);
  case LLVMUnreachable: return true;
  default: return alike(one, other);
  }
}

static bool is_alike(const struct pad *one, const struct pad *other)
{
  if (one->count != other->count)
    return false;
  for (unsigned i = 0; i < one->count; i++) {
    unsigned operands = (unsigned)LLVMGetNumOperands(one->insts[i]);
    if ((unsigned)LLVMGetNumOperands(other->insts[i]) != operands || !is_inst_alike(one->insts[i], other->insts[i]))
      return false;
    for (unsigned k = 0; k < operands; k++)
      if (!is_operand_alike(one, LLVMGetOperand(one->insts[i], k), other, LLVMGetOperand(other->insts[i], k)))
        return false;
  }
  return true;
}

/* A copy has no debug records: what they say of the ways to one pad does not hold on those to the others. */
static void make_anew(struct coro_arena *arena, struct pad *pad)
{
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(pad->insts[0]));
  struct pad made = {LLVMInsertBasicBlockInContext(context, pad->block, ""), .count = pad->count, .made = true};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, made.block);
  for (unsigned i = 0; i < pad->count; i++) {
    made.insts[i] = LLVMInstructionClone(pad->insts[i]);
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(made.insts[i]); k++) {
      unsigned at = find(pad, LLVMGetOperand(made.insts[i], k));
      if (at < i)
        LLVMSetOperand(made.insts[i], k, made.insts[at]);
    }
    LLVMInsertIntoBuilder(builder, made.insts[i]);
    if (LLVMGetTypeKind(LLVMTypeOf(made.insts[i])) != LLVMVoidTypeKind)
      edit_take_name(arena, made.insts[i], pad->insts[i]);
  }
  edit_take_name(arena, LLVMBasicBlockAsValue(made.block), LLVMBasicBlockAsValue(pad->block));
  LLVMDisposeBuilder(builder);
  LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(pad->block), LLVMBasicBlockAsValue(made.block));
  LLVMDeleteBasicBlock(pad->block);
  *pad = made;
}

static void join(struct coro_arena *arena, struct pad *kept, const struct pad *other, LLVMMetadataRef no_line)
{
  if (!kept->made)
    make_anew(arena, kept);
  for (unsigned i = 0; i < kept->count && no_line; i++)
    if (LLVMInstructionGetDebugLoc(kept->insts[i]) != LLVMInstructionGetDebugLoc(other->insts[i]))
      LLVMInstructionSetDebugLoc(kept->insts[i], no_line);
  LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(other->block), LLVMBasicBlockAsValue(kept->block));
  LLVMDeleteBasicBlock(other->block);
}

/* The first of those that call the same function last. NULL: memory ran out. */
static struct pad *first_like(struct coro_arena *arena, struct coro_map *pads, const struct pad *pad)
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

/* Whether some do the same; where `joins`, they are one then. */
static bool find_alike(struct coro_arena *arena, LLVMValueRef function, bool joins)
{
  struct coro_map pads;
  struct pad pad;
  bool any = false;
  LLVMMetadataRef scope = LLVMGetSubprogram(function), no_line = NULL;
  if (scope && joins)
    no_line = LLVMDIBuilderCreateDebugLocation(LLVMGetTypeContext(LLVMTypeOf(function)), 0, 0, scope, NULL);
  coro_map_init(&pads, arena);
  for (LLVMBasicBlockRef next, b = LLVMGetFirstBasicBlock(function); b && (joins || !any); b = next) {
    next = LLVMGetNextBasicBlock(b);
    if (!read_pad(&pad, b))
      continue;
    struct pad *first = first_like(arena, &pads, &pad);
    if (!first || first->block == b || !is_alike(first, &pad))
      continue;
    any = true;
    if (joins)
      join(arena, first, &pad, no_line);
  }
  return any;
}

bool last_pads_alike(struct coro_arena *arena, LLVMValueRef function)
{
  return find_alike(arena, function, false);
}

bool last_pads_join(struct coro_arena *arena, LLVMValueRef function, bool *changed)
{
  if (find_alike(arena, function, true))
    *changed = true;
  return !coro_arena_failed(arena);
}
