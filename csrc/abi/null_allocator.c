/* Creates the functions that allocate memory if the caller of a dynamic returned-continuation coroutine passes null
   as the allocator. A caller with Swift's calling convention swiftcorocc passes null to get the memory on its own
   stack: the callee returns without popping it. LLVM has no such return, so the memory comes from malloc. The attribute
   "swiftcorocc" marks functions that had the convention. */
#include "abi/null_allocator.h"

#include "emit/declare.h"
#include "ir/edit.h"

enum { MAX_PARAMETERS = 4 };

static LLVMBasicBlockRef append_helper_block(const struct emit *e, LLVMValueRef function, const char *name)
{
  return LLVMAppendBasicBlockInContext(e->low->context, function, name);
}

/* Calls the library's function with one argument, and returns what it returns. */
static void build_library_call_and_return(const struct emit *e, LLVMBuilderRef builder, const char *name,
                                          LLVMTypeRef result, LLVMValueRef argument)
{
  LLVMTypeRef parameter = LLVMTypeOf(argument), type = LLVMFunctionType(result, &parameter, 1, false);
  LLVMValueRef function = edit_declare_library_function(e->low->module, name, type);
  LLVMValueRef call = LLVMBuildCall2(builder, type, function, &argument, 1, "");
  if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, call);
}

/* Builds the body `if (allocator) return callee(...); else return malloc(size)`, or free(memory). */
static void build_body_with_malloc_if_no_allocator(const struct emit *e, LLVMBuilderRef builder, LLVMValueRef function,
                                                   LLVMValueRef callee, unsigned pointers)
{
  LLVMBasicBlockRef entry = append_helper_block(e, function, "entry"),
                    no_allocator = append_helper_block(e, function, "no.allocator"),
                    has_allocator = append_helper_block(e, function, "given");
  LLVMValueRef arguments[MAX_PARAMETERS], last_argument = LLVMGetParam(function, pointers);
  LLVMTypeRef word = LLVMIntPtrTypeInContext(e->low->context, e->low->layout);
  bool allocates = LLVMGetTypeKind(LLVMTypeOf(last_argument)) == LLVMIntegerTypeKind;
  LLVMGetParams(function, arguments);
  LLVMPositionBuilderAtEnd(builder, entry);
  LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, arguments[pointers - 1], ""), no_allocator, has_allocator);
  LLVMPositionBuilderAtEnd(builder, no_allocator);
  build_library_call_and_return(e, builder, allocates ? "malloc" : "free",
                                LLVMGetReturnType(LLVMGlobalGetValueType(function)),
                                allocates ? LLVMBuildIntCast2(builder, last_argument, word, false, "") : last_argument);
  LLVMPositionBuilderAtEnd(builder, has_allocator);
  LLVMValueRef result = edit_build_call(builder, callee, arguments, LLVMCountParams(function), "");
  if (allocates)
    LLVMBuildRet(builder, result);
  else
    LLVMBuildRetVoid(builder);
}

LLVMValueRef allocation_function_accepting_null_allocator(struct emit *e, unsigned index, unsigned pointers)
{
  const struct coro_lowering *low = e->low;
  LLVMValueRef callee = LLVMGetOperand(low->fn.insts[low->shape.id], index);
  if (!pointers || !edit_has_string_attribute(low->fn.function, "swiftcorocc"))
    return callee;
  LLVMValueRef *helper = &low->scratch->allocators[index - DYNAMIC_ALLOCATOR];
  if (*helper)
    return *helper;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(low->context);
  bool frees = (index - DYNAMIC_ALLOCATOR) % 2;
  *helper = declare_function(low, frees ? "deallocate" : "allocate", LLVMGlobalGetValueType(callee));
  edit_copy_attributes(low->arena, low->fn.function, *helper, (unsigned)LLVMAttributeFunctionIndex,
                       declare_attribute_holds_for_helper);
  build_body_with_malloc_if_no_allocator(e, builder, *helper, callee, pointers);
  LLVMDisposeBuilder(builder);
  return *helper;
}
