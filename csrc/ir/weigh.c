/* Weigh: how likely each way out of a block is, where whoever makes the branch knows.
   Needs: LLVM-C. Leaves: a branch that goes where it went. */
#include "ir/weigh.h"

#include <string.h>

void weigh_ways(struct coro_arena *arena, LLVMValueRef terminator, const uint32_t *likely)
{
  static const char name[] = "branch_weights", kind[] = "prof";
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(terminator));
  LLVMTypeRef word = LLVMInt32TypeInContext(context);
  unsigned count = LLVMGetNumSuccessors(terminator);
  LLVMMetadataRef *node = CORO_NEW_ARRAY(arena, LLVMMetadataRef, (size_t)count + 1);
  if (!node)
    return;
  node[0] = LLVMMDStringInContext2(context, name, strlen(name));
  for (unsigned way = 0; way < count; way++)
    node[way + 1] = LLVMValueAsMetadata(LLVMConstInt(word, likely[way], false));
  LLVMSetMetadata(terminator, LLVMGetMDKindIDInContext(context, kind, strlen(kind)),
                  LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, node, (size_t)count + 1)));
}
