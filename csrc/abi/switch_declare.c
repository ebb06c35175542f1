/* Declares the clones of a switched-resume coroutine.
   Requires: the frame of a coroutine. */
#include "abi/hook_module.h"
#include "abi/switch_internal.h"
#include "emit/declare.h"
#include "ir/edit.h"
#include "llvm-c/Comdat.h"
#include "lowering/abi.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

static bool may_copy_attribute_to_noalloc(LLVMAttributeRef attribute)
{
  return !declare_is_presplitcoroutine(attribute);
}

LLVMTypeRef switch_clone_type(LLVMContextRef context)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  return LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, false);
}

LLVMValueRef switch_declare_fastcc_clone(const struct coro_lowering *low, const char *suffix)
{
  LLVMValueRef clone = declare_function(low, suffix, switch_clone_type(low->context));
  LLVMSetFunctionCallConv(clone, LLVMFastCallConv);
  edit_copy_attributes(low->arena, low->fn.function, clone, on_function, declare_attribute_holds_for_clone);
  declare_mark_dereferenceable_pointer(clone, 1, low->frame.align, low->frame.size);
  return clone;
}

bool switch_has_custom_clones(const struct coro_lowering *low)
{
  return low->abi->clone_per_suspend || (low->abi->hook_module && low->abi->hook_module->clone_prototype);
}

LLVMValueRef switch_declare_custom_clone(const struct coro_lowering *low, uint32_t suspend)
{
  const struct hook_module *t = low->abi->hook_module;
  LLVMValueRef prototype = hook_module_linked_clone_prototype_or_null(low);
  const char *suffix = prototype ? t->suffix : "resume";
  if (t && t->clone_prototype && !prototype)
    return NULL; /* out of memory */
  if (suspend != IR_NONE)
    suffix = coro_arena_printf(low->arena, "%s.%u", suffix, (unsigned)suspend);
  if (!suffix || !prototype)
    return suffix ? switch_declare_fastcc_clone(low, suffix) : NULL;
  LLVMValueRef clone = declare_clone_of_prototype(low, suffix, prototype, NULL);
  declare_mark_dereferenceable_pointer(clone, 1, low->frame.align, low->frame.size);
  if (suspend == IR_NONE) { /* visible to callers, which use its name */
    LLVMSetLinkage(clone, LLVMGetLinkage(low->fn.function));
    LLVMSetVisibility(clone, LLVMGetVisibility(low->fn.function));
  }
  return clone;
}

static bool is_elide_safe_call_in_presplit_function(LLVMValueRef user, LLVMValueRef callee)
{
  return edit_is_call_of(user, callee) && edit_has_function_attribute(user, "coro_elide_safe") &&
         edit_is_presplit_definition(edit_function_of(user));
}

/* Whether f.noalloc is exported: the coroutine is externally visible, defined in this module only, and its destroy
   slot depends on how the frame was allocated. */
static bool should_export_noalloc(const struct coro_lowering *low)
{
  LLVMValueRef function = low->fn.function;
  return edit_has_string_attribute(function, DECLARE_PUBLISH) && LLVMGetLinkage(function) == LLVMExternalLinkage &&
         !LLVMGetComdat(function) && declare_can_append_frame_parameter(function) && !low->abi->hook_module &&
         switch_uses_coro_alloc(low) && low->frame.align <= DECLARE_MOST_ALIGN;
}

/* Exports f.noalloc under a name that contains the frame's size and alignment. This module keeps using its private
   name, which no other definition can replace. */
static bool export_noalloc_under_frame_size_name(const struct coro_lowering *low, LLVMValueRef noalloc)
{
  LLVMValueRef function = low->fn.function;
  const char *name = exported_noalloc_name(low->arena, function, low->frame.size, low->frame.align);
  if (name)
    declare_exported_noalloc_alias(function, noalloc, name);
  return name != NULL;
}

bool switch_needs_noalloc(const struct coro_lowering *low)
{
  LLVMValueRef function = low->fn.function;
  if (should_export_noalloc(low))
    return true;
  if (edit_has_function_attribute(function, "noinline") || !switch_uses_coro_alloc(low) ||
      !declare_can_append_frame_parameter(function))
    return false; /* without coro.alloc it would always allocate, and free the caller's memory */
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
    if (is_elide_safe_call_in_presplit_function(LLVMGetUser(use), function))
      return true;
  return false;
}

LLVMValueRef switch_declare_noalloc(const struct coro_lowering *low)
{
  LLVMValueRef function = low->fn.function;
  unsigned count = LLVMCountParams(function);
  LLVMTypeRef type = declare_noalloc_type(low->arena, function);
  if (!type)
    return NULL;
  LLVMValueRef noalloc = declare_function(low, "noalloc", type);
  LLVMSetFunctionCallConv(noalloc, LLVMGetFunctionCallConv(function));
  LLVMSetUnnamedAddress(noalloc, LLVMGetUnnamedAddress(function));
  edit_copy_attributes(low->arena, function, noalloc, on_function, may_copy_attribute_to_noalloc);
  for (unsigned i = 0; i <= count; i++)
    edit_copy_attributes(low->arena, function, noalloc, i, NULL);
  declare_mark_dereferenceable_pointer(noalloc, count + 1, low->frame.align, low->frame.size);
  return should_export_noalloc(low) && !export_noalloc_under_frame_size_name(low, noalloc) ? NULL : noalloc;
}
