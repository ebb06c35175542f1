/* Changes Swift's parameter attributes to forms that LLVM's unoptimized code generator handles well. `swifterror` is
   removed: FastISel copies its value before a landing pad's label, where the unwinder skips it. `swiftasync` becomes
   `swiftself`, which has a register too: after a swiftasync parameter, FastISel falls back for the rest of the module.
   Requires: all code of the engine is treated alike. Guarantees: equivalent behavior; no swifterror values. */
#include "ir/edit.h"
#include "ir/operand.h"
#include "jit/jit_internal.h"

/* Index of the last marked parameter or argument; 0: none. */
static unsigned index_of_marked_parameter_or_0(LLVMValueRef function_or_call, const char *name)
{
  unsigned place =
      LLVMIsAFunction(function_or_call) ? LLVMCountParams(function_or_call) : LLVMGetNumArgOperands(function_or_call);
  while (place && !edit_has_attribute(function_or_call, place, name))
    place--;
  return place;
}

/* There is at most one of each. swiftasync stays if the module uses llvm.swift.async.context.addr. */
static void lower_swift_attributes_of_parameters(LLVMValueRef function_or_call, bool uses_context_address)
{
  unsigned error = index_of_marked_parameter_or_0(function_or_call, "swifterror");
  if (error)
    edit_remove_attribute(function_or_call, error, "swifterror");
  unsigned context = index_of_marked_parameter_or_0(function_or_call, "swiftasync");
  if (uses_context_address || !context || index_of_marked_parameter_or_0(function_or_call, "swiftself"))
    return;
  edit_remove_attribute(function_or_call, context, "swiftasync");
  edit_add_attribute(function_or_call, context, "swiftself");
}

/* LLVM-C cannot query `swifterror` on an alloca. The verifier requires that such an alloca allocates one pointer. */
static bool may_be_swifterror_alloca(LLVMValueRef variable)
{
  uint64_t count;
  return LLVMIsAAllocaInst(variable) && edit_is_pointer(LLVMGetAllocatedType(variable)) &&
         edit_read_integer_constant(LLVMGetOperand(variable, ALLOCA_COUNT), &count) && count == 1;
}

/* Replaces an alloca by one without the flag. */
static LLVMValueRef replace_swifterror_alloca(LLVMBuilderRef builder, LLVMValueRef variable)
{
  LLVMPositionBuilderBefore(builder, variable);
  LLVMValueRef plain = LLVMBuildAlloca(builder, LLVMGetAllocatedType(variable), "");
  edit_set_alignment(plain, edit_alignment(variable));
  edit_replace_and_erase(variable, plain);
  return plain;
}

static void lower_swift_attributes_in_block(LLVMBuilderRef builder, LLVMBasicBlockRef block, bool uses_context_address)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    if (edit_is_call(i))
      lower_swift_attributes_of_parameters(i, uses_context_address);
    if (may_be_swifterror_alloca(i))
      i = replace_swifterror_alloca(builder, i);
  }
}

void jit_lower_swift_attributes(LLVMModuleRef module)
{
  bool uses_context_address = LLVMGetNamedFunction(module, "llvm.swift.async.context.addr");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    lower_swift_attributes_of_parameters(f, uses_context_address);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      lower_swift_attributes_in_block(builder, b, uses_context_address);
  }
  LLVMDisposeBuilder(builder);
}
