/* Sets branch weights. */
#include "transform/branch_weights.h"

#include <string.h>

void set_branch_weights(struct coro_arena *arena, LLVMValueRef terminator, const uint32_t *weights)
{
  static const char name[] = "branch_weights", kind[] = "prof";
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(terminator));
  LLVMTypeRef word = LLVMInt32TypeInContext(context);
  unsigned count = LLVMGetNumSuccessors(terminator);
  LLVMMetadataRef *node = CORO_NEW_ARRAY(arena, LLVMMetadataRef, (size_t)count + 1);
  if (!node)
    return;
  node[0] = LLVMMDStringInContext2(context, name, strlen(name));
  for (unsigned successor = 0; successor < count; successor++)
    node[successor + 1] = LLVMValueAsMetadata(LLVMConstInt(word, weights[successor], false));
  LLVMSetMetadata(terminator, LLVMGetMDKindIDInContext(context, kind, strlen(kind)),
                  LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, node, (size_t)count + 1)));
}
