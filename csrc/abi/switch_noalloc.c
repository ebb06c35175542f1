/* The switched-resume ABI: f.noalloc, the ramp for callers that have room for the frame themselves.
   Needs: the clones. Leaves: a second ramp, with the frame's address as its last parameter. */
#include <string.h>

#include "abi/switch_parts.h"
#include "ir/edit.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

static bool is_safe_call(LLVMValueRef user, LLVMValueRef callee)
{
  return edit_is_call(user) && LLVMGetCalledValue(user) == callee && edit_call_has_attribute(user, "coro_elide_safe") &&
         edit_has_attribute(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)), on_function, "presplitcoroutine");
}

bool switch_wants_noalloc(const struct coro_lowering *low)
{
  LLVMValueRef function = low->fn.function;
  if (edit_has_attribute(function, on_function, "noinline"))
    return false;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
    if (is_safe_call(LLVMGetUser(use), function))
      return true;
  return false;
}

static void copy_attributes(const struct coro_lowering *low, LLVMValueRef to, LLVMAttributeIndex at)
{
  unsigned count = LLVMGetAttributeCountAtIndex(low->fn.function, at);
  LLVMAttributeRef *attributes = CORO_NEW_ARRAY(low->arena, LLVMAttributeRef, count);
  if (!attributes)
    return;
  LLVMGetAttributesAtIndex(low->fn.function, at, attributes);
  for (unsigned i = 0; i < count; i++)
    LLVMAddAttributeAtIndex(to, at, attributes[i]);
}

LLVMValueRef switch_declare_noalloc(const struct coro_lowering *low)
{
  LLVMValueRef function = low->fn.function;
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  unsigned count = LLVMCountParamTypes(type);
  LLVMTypeRef *types = CORO_NEW_ARRAY(low->arena, LLVMTypeRef, count + 1);
  char *name = coro_arena_printf(low->arena, "%s.noalloc", LLVMGetValueName2(function, &(size_t){0}));
  if (!types || !name)
    return NULL;
  LLVMGetParamTypes(type, types);
  types[count] = LLVMPointerTypeInContext(low->context, 0);
  LLVMTypeRef longer = LLVMFunctionType(LLVMGetReturnType(type), types, count + 1, LLVMIsFunctionVarArg(type));
  LLVMValueRef noalloc = LLVMAddFunction(low->module, name, longer);
  LLVMSetLinkage(noalloc, LLVMInternalLinkage);
  LLVMSetFunctionCallConv(noalloc, LLVMGetFunctionCallConv(function));
  copy_attributes(low, noalloc, on_function);
  for (unsigned i = 0; i <= count; i++)
    copy_attributes(low, noalloc, i);
  edit_remove_attribute(noalloc, on_function, "presplitcoroutine");
  switch_promise_frame(low, noalloc, count + 1);
  if (LLVMGetGC(function))
    LLVMSetGC(noalloc, LLVMGetGC(function));
  if (LLVMHasPersonalityFn(function))
    LLVMSetPersonalityFn(noalloc, LLVMGetPersonalityFn(function));
  return noalloc;
}

bool switch_make_noalloc(struct coro_lowering *low, const struct emit_hooks *hooks, LLVMValueRef noalloc)
{
  struct emit e;
  struct switch_data data = *(const struct switch_data *)hooks->data;
  struct emit_hooks own = {hooks->intrinsic, hooks->frame_ready, &data};
  data.caller = LLVMGetLastParam(noalloc);
  bool ok = emit_start(&e, low, &own, PART_RAMP, noalloc);
  if (ok) {
    e.entry = e.blocks[0];
    ok = emit_nodes(&e);
  }
  emit_finish(&e);
  return ok;
}
