/* Lowers blockaddress and indirectbr to integers and a switch, as LLVM's IndirectBrExpand pass.
   Requires: a function that verifies. Guarantees: it has no blockaddress and no indirectbr. */
#include "ir/unaddress.h"

static LLVMTypeRef number_type(LLVMValueRef function)
{
  return LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
}

static LLVMValueRef blockaddress_of(LLVMBasicBlockRef block)
{
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
    if (LLVMIsABlockAddress(LLVMGetUser(use)))
      return LLVMGetUser(use);
  return NULL;
}

/* Numbers start at one: a block address is never null. */
static bool number_addresses(struct coro_map *numbers, LLVMValueRef function, uint64_t *next)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef address = blockaddress_of(b);
    if (!address)
      continue;
    LLVMValueRef number = LLVMConstInt(number_type(function), *next, false);
    if (!coro_map_put(numbers, coro_map_key(b), (*next)++))
      return false;
    LLVMReplaceAllUsesWith(address, LLVMConstIntToPtr(number, LLVMTypeOf(address)));
  }
  return true;
}

/* Adds one case per edge so that the phis of its targets stay valid. Duplicate edges, and edges to blocks without a
   blockaddress, get numbers that never occur. */
static bool replace_branch(struct coro_arena *arena, const struct coro_map *numbers, LLVMValueRef branch,
                           LLVMBasicBlockRef unreachable_block, uint64_t *next)
{
  LLVMTypeRef type = number_type(LLVMGetBasicBlockParent(LLVMGetInstructionParent(branch)));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(type));
  unsigned count = LLVMGetNumSuccessors(branch);
  struct coro_map seen;
  bool ok = true;
  coro_map_init(&seen, arena);
  LLVMPositionBuilderBefore(builder, branch);
  LLVMValueRef chosen = LLVMBuildPtrToInt(builder, LLVMGetOperand(branch, 0), type, "");
  LLVMValueRef dispatch = LLVMBuildSwitch(builder, chosen, unreachable_block, count);
  for (unsigned i = 0; i < count && ok; i++) {
    LLVMBasicBlockRef target = LLVMGetSuccessor(branch, i);
    uint64_t number = 0, before = 0;
    if (!coro_map_get(numbers, coro_map_key(target), &number) || coro_map_get(&seen, coro_map_key(target), &before))
      number = (*next)++;
    ok = coro_map_put(&seen, coro_map_key(target), 1);
    LLVMAddCase(dispatch, LLVMConstInt(type, number, false), target);
  }
  LLVMInstructionEraseFromParent(branch);
  LLVMDisposeBuilder(builder);
  return ok;
}

static LLVMBasicBlockRef append_unreachable(LLVMValueRef function)
{
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(context, function, "unreachable");
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMBuildUnreachable(builder);
  LLVMDisposeBuilder(builder);
  return block;
}

bool unaddress_would(LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    if (blockaddress_of(b) || LLVMIsAIndirectBrInst(LLVMGetBasicBlockTerminator(b)))
      return true;
  return false;
}

bool unaddress_function(struct coro_arena *arena, LLVMValueRef function, bool *changed)
{
  struct coro_map numbers;
  LLVMBasicBlockRef unreachable_block = NULL;
  uint64_t next = 1;
  coro_map_init(&numbers, arena);
  if (!number_addresses(&numbers, function, &next))
    return false;
  *changed |= next > 1;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(b);
    if (!LLVMIsAIndirectBrInst(terminator))
      continue;
    unreachable_block = unreachable_block ? unreachable_block : append_unreachable(function);
    *changed = true;
    if (!replace_branch(arena, &numbers, terminator, unreachable_block, &next))
      return false;
  }
  return true;
}
