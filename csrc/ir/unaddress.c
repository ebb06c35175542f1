/* Addresses of blocks become numbers.
   Needs: a function that verifies. Leaves: one without blockaddress and indirectbr. */
#include "ir/unaddress.h"

static LLVMTypeRef number_type(LLVMValueRef function)
{
  return LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
}

static LLVMValueRef address_of(LLVMBasicBlockRef block)
{
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
    if (LLVMIsABlockAddress(LLVMGetUser(use)))
      return LLVMGetUser(use);
  return NULL;
}

/* Numbers begin at one: the address of a block is never null. */
static bool number_addresses(struct coro_map *numbers, LLVMValueRef function, uint64_t *next)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef address = address_of(b);
    if (!address)
      continue;
    LLVMValueRef number = LLVMConstInt(number_type(function), *next, false);
    if (!coro_map_put(numbers, coro_map_key(b), (*next)++))
      return false;
    LLVMReplaceAllUsesWith(address, LLVMConstIntToPtr(number, LLVMTypeOf(address)));
  }
  return true;
}

/* One case for each edge, so that the phis of its targets stay as they are; an edge to a block whose address nobody
   took, or a second one to the same block, gets a number that never comes. */
static bool replace_branch(struct coro_arena *arena, const struct coro_map *numbers, LLVMValueRef branch,
                           LLVMBasicBlockRef never, uint64_t *next)
{
  LLVMTypeRef type = number_type(LLVMGetBasicBlockParent(LLVMGetInstructionParent(branch)));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(type));
  unsigned count = LLVMGetNumSuccessors(branch);
  struct coro_map seen;
  bool ok = true;
  coro_map_init(&seen, arena);
  LLVMPositionBuilderBefore(builder, branch);
  LLVMValueRef chosen = LLVMBuildPtrToInt(builder, LLVMGetOperand(branch, 0), type, "");
  LLVMValueRef dispatch = LLVMBuildSwitch(builder, chosen, never, count);
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
    if (address_of(b) || LLVMIsAIndirectBrInst(LLVMGetBasicBlockTerminator(b)))
      return true;
  return false;
}

bool unaddress_function(struct coro_arena *arena, LLVMValueRef function, bool *changed)
{
  struct coro_map numbers;
  LLVMBasicBlockRef never = NULL;
  uint64_t next = 1;
  coro_map_init(&numbers, arena);
  if (!number_addresses(&numbers, function, &next))
    return false;
  *changed |= next > 1;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(b);
    if (!LLVMIsAIndirectBrInst(terminator))
      continue;
    never = never ? never : append_unreachable(function);
    *changed = true;
    if (!replace_branch(arena, &numbers, terminator, never, &next))
      return false;
  }
  return true;
}
