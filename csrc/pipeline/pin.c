/* What LLVM's passes must not move over a suspend, and would.
   Needs: LLVM-C. Leaves: an attribute of a declaration, for as long as they run. */
#include "pipeline/pin.h"

#include <string.h>

#include "ir/edit.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;
static const char pinned[] = "convergent";

/* From `function` on the first declaration of the intrinsic, of which each address space has its own; NULL: none. */
static LLVMValueRef next_address(LLVMValueRef function)
{
  static const char name[] = "llvm.threadlocal.address";
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  while (function && LLVMGetIntrinsicID(function) != id)
    function = LLVMGetNextFunction(function);
  return function;
}

static bool has_coroutine(LLVMModuleRef module)
{
  LLVMValueRef function = LLVMGetFirstFunction(module);
  while (function && !edit_is_presplit(function))
    function = LLVMGetNextFunction(function);
  return function;
}

bool pin_threads(LLVMModuleRef module)
{
  LLVMValueRef first = next_address(LLVMGetFirstFunction(module));
  if (!first || !has_coroutine(module))
    return false;
  for (LLVMValueRef f = first; f; f = next_address(LLVMGetNextFunction(f)))
    edit_add_attribute(f, on_function, pinned);
  return true;
}

void unpin_threads(LLVMModuleRef module)
{
  for (LLVMValueRef f = next_address(LLVMGetFirstFunction(module)); f; f = next_address(LLVMGetNextFunction(f)))
    edit_remove_attribute(f, on_function, pinned);
}
