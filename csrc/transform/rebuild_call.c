/* Replaces a call or invoke by another one. LLVM-C can neither add an argument to a call nor change its opcode, so this
   builds the call again and copies its properties. */
#include "transform/rebuild_call.h"

#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "llvm_metadata.h"

static void copy_metadata(LLVMValueRef from, LLVMValueRef to, bool copies_profile)
{
  size_t count;
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(from));
  LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &count);
  for (unsigned i = 0; i < count; i++) {
    unsigned kind = LLVMValueMetadataEntriesGetKind(entries, i);
    if (kind != METADATA_PROF || copies_profile)
      LLVMSetMetadata(to, kind, LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entries, i)));
  }
  LLVMDisposeValueMetadataEntries(entries);
}

LLVMValueRef rebuild_call(struct coro_arena *arena, LLVMValueRef call, const struct call_changes *changes)
{
  unsigned count = LLVMGetNumArgOperands(call), bundles = LLVMGetNumOperandBundles(call);
  LLVMValueRef *arguments = CORO_NEW_ARRAY(arena, LLVMValueRef, count + 1);
  LLVMOperandBundleRef *bundle = CORO_NEW_ARRAY(arena, LLVMOperandBundleRef, bundles + 1);
  if (!arguments || !bundle)
    return NULL;
  for (unsigned i = 0; i < count; i++)
    arguments[i] = LLVMGetOperand(call, i);
  if (changes->last_argument)
    arguments[count++] = changes->last_argument;
  for (unsigned i = 0; i < bundles; i++)
    bundle[i] = LLVMGetOperandBundleAtIndex(call, i);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
  edit_position_builder_with_location(builder, call);
  LLVMValueRef callee = changes->callee ? changes->callee : LLVMGetCalledValue(call), made;
  LLVMTypeRef type = changes->callee ? LLVMGlobalGetValueType(callee) : LLVMGetCalledFunctionType(call);
  LLVMBasicBlockRef normal = LLVMGetInstructionOpcode(call) == LLVMInvoke ? LLVMGetNormalDest(call) : NULL;
  if (normal && !changes->never_unwinds)
    made = LLVMBuildInvokeWithOperandBundles(builder, type, callee, arguments, count, normal, LLVMGetUnwindDest(call),
                                             bundle, bundles, "");
  else
    made = LLVMBuildCallWithOperandBundles(builder, type, callee, arguments, count, bundle, bundles, "");
  if (normal && changes->never_unwinds)
    LLVMBuildBr(builder, normal);
  for (unsigned i = 0; i < bundles; i++)
    LLVMDisposeOperandBundle(bundle[i]);
  LLVMDisposeBuilder(builder);
  edit_call_copy_attributes(arena, call, made, changes->dropped);
  LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(call));
  LLVMInstructionSetDebugLoc(made, LLVMInstructionGetDebugLoc(call));
  copy_metadata(call, made, !changes->never_unwinds);
  edit_move_value_name(arena, made, call);
  edit_replace_and_erase(call, made);
  return coro_arena_failed(arena) ? NULL : made;
}
