/* Memory for a null allocator of the dynamic returned-continuation ABI. A caller with Swift's calling convention
   swiftcorocc passes null to get the memory on its own stack: the callee returns without popping it. LLVM 22 has no
   such return, so the memory comes from malloc. The attribute "swiftcorocc" marks functions that had the convention.
   Requires: emission in progress.
   Guarantees: functions f.allocate and f.deallocate, created when first used. */
#include "abi/null_allocator.h"

#include "emit/declare.h"
#include "ir/edit.h"

enum { MAX_PARAMETERS = 4 };

static LLVMBasicBlockRef add_block(const struct emit *e, LLVMValueRef function, const char *name)
{
  return LLVMAppendBasicBlockInContext(e->low->context, function, name);
}

/* Calls the library's function with one argument, and returns what it returns. */
static void return_library_call(const struct emit *e, LLVMBuilderRef builder, const char *name, LLVMTypeRef result,
                                LLVMValueRef argument)
{
  LLVMTypeRef parameter = LLVMTypeOf(argument), type = LLVMFunctionType(result, &parameter, 1, false);
  LLVMValueRef function = edit_library_function(e->low->module, name, type);
  LLVMValueRef call = LLVMBuildCall2(builder, type, function, &argument, 1, "");
  if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, call);
}

/* if (allocator) return callee(...); else return malloc(size), or free(memory). */
static void fill(const struct emit *e, LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef callee,
                 unsigned pointers)
{
  LLVMBasicBlockRef entry = add_block(e, function, "entry"), none = add_block(e, function, "no.allocator"),
                    given = add_block(e, function, "given");
  LLVMValueRef arguments[MAX_PARAMETERS], what = LLVMGetParam(function, pointers);
  LLVMTypeRef word = LLVMIntPtrTypeInContext(e->low->context, e->low->layout);
  bool allocates = LLVMGetTypeKind(LLVMTypeOf(what)) == LLVMIntegerTypeKind;
  LLVMGetParams(function, arguments);
  LLVMPositionBuilderAtEnd(builder, entry);
  LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, arguments[pointers - 1], ""), none, given);
  LLVMPositionBuilderAtEnd(builder, none);
  return_library_call(e, builder, allocates ? "malloc" : "free", LLVMGetReturnType(LLVMGlobalGetValueType(function)),
                      allocates ? LLVMBuildIntCast2(builder, what, word, false, "") : what);
  LLVMPositionBuilderAtEnd(builder, given);
  LLVMValueRef result = edit_build_call(builder, callee, arguments, LLVMCountParams(function), "");
  if (allocates)
    LLVMBuildRet(builder, result);
  else
    LLVMBuildRetVoid(builder);
}

LLVMValueRef with_null_allocator(struct emit *e, unsigned index, unsigned pointers)
{
  const struct coro_lowering *low = e->low;
  LLVMValueRef callee = LLVMGetOperand(low->fn.insts[low->shape.id], index);
  if (!pointers || !edit_has_string_attribute(low->fn.function, "swiftcorocc"))
    return callee;
  LLVMValueRef *made = &low->scratch->allocators[index - DYNAMIC_ALLOCATOR];
  if (*made)
    return *made;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(low->context);
  bool frees = (index - DYNAMIC_ALLOCATOR) % 2;
  *made = declare_function(low, frees ? "deallocate" : "allocate", LLVMGlobalGetValueType(callee));
  edit_copy_attributes(low->arena, low->fn.function, *made, (unsigned)LLVMAttributeFunctionIndex,
                       declare_holds_for_helper);
  fill(e, builder, *made, callee, pointers);
  LLVMDisposeBuilder(builder);
  return *made;
}
