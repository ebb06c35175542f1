/* Copies linkage, attributes, metadata and other properties between a function or variable of the home module and its
   counterpart in the work module; see work_declaration.h. */
#include "cgscc/work_declaration.h"

#include <string.h>

#include "ir/edit.h"
#include "llvm-c/Comdat.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

LLVMModuleRef create_module_with_target_of(LLVMModuleRef home)
{
  size_t count;
  LLVMModuleRef work = LLVMModuleCreateWithNameInContext("", LLVMGetModuleContext(home));
  LLVMModuleFlagEntry *flags = LLVMCopyModuleFlagsMetadata(home, &count);
  LLVMSetTarget(work, LLVMGetTarget(home));
  LLVMSetDataLayout(work, LLVMGetDataLayoutStr(home));
  for (unsigned i = 0; i < count; i++) {
    size_t length;
    const char *key = LLVMModuleFlagEntriesGetKey(flags, i, &length);
    LLVMAddModuleFlag(work, LLVMModuleFlagEntriesGetFlagBehavior(flags, i), key, length,
                      LLVMModuleFlagEntriesGetMetadata(flags, i));
  }
  LLVMDisposeModuleFlagsMetadata(flags);
  return work;
}

static bool have_same_attributes(struct edit_attributes a, struct edit_attributes b)
{
  return a.count == b.count && (!a.count || !memcmp(a.items, b.items, a.count * sizeof *a.items));
}

static void remove_attribute_at(LLVMValueRef function, unsigned at, LLVMAttributeRef attribute)
{
  unsigned length;
  if (LLVMIsStringAttribute(attribute)) {
    const char *kind = LLVMGetStringAttributeKind(attribute, &length);
    LLVMRemoveStringAttributeAtIndex(function, at, kind, length);
  } else {
    LLVMRemoveEnumAttributeAtIndex(function, at, LLVMGetEnumAttributeKind(attribute));
  }
}

static void replace_all_attributes(struct work_module *w, LLVMValueRef from, LLVMValueRef to, unsigned at)
{
  struct edit_attributes wanted = edit_list_attributes(w->arena, from, at),
                         had = edit_list_attributes(w->arena, to, at);
  if (have_same_attributes(wanted, had))
    return;
  for (unsigned i = 0; i < had.count; i++)
    remove_attribute_at(to, at, had.items[i]);
  edit_copy_attributes(w->arena, from, to, at, NULL);
}

void copy_convention_and_attributes(struct work_module *w, LLVMValueRef from, LLVMValueRef to)
{
  if (!LLVMIsAFunction(from) || !LLVMIsAFunction(to))
    return;
  LLVMSetFunctionCallConv(to, LLVMGetFunctionCallConv(from));
  replace_all_attributes(w, from, to, on_function);
  for (unsigned at = LLVMAttributeReturnIndex; at <= LLVMCountParams(to); at++)
    replace_all_attributes(w, from, to, at);
}

static LLVMValueRef declare_in_work_module(struct work_module *w, LLVMValueRef global)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  size_t length;
  const char *name = LLVMGetValueName2(global, &length);
  if (!length)
    name = coro_arena_printf(w->arena, "pycoro.nameless.%u", w->counterparts.count);
  if (!name)
    return NULL;
  if (LLVMGetTypeKind(type) != LLVMFunctionTypeKind) /* alias of a variable */
    return LLVMAddGlobalInAddressSpace(w->work, type, name, LLVMGetPointerAddressSpace(LLVMTypeOf(global)));
  LLVMValueRef made = LLVMAddFunction(w->work, name, type);
  copy_convention_and_attributes(w, global, made);
  return made;
}

LLVMValueRef find_or_declare_counterpart(struct work_module *w, LLVMValueRef global)
{
  uint64_t known;
  size_t length;
  if (coro_map_get(&w->made, coro_map_key(global), &known))
    return (LLVMValueRef)(uintptr_t)known;
  LLVMValueRef made = declare_in_work_module(w, global);
  const char *name = made ? LLVMGetValueName2(made, &length) : NULL;
  struct counterpart c = {global, name ? coro_arena_strndup(w->arena, name, length) : NULL};
  if (c.name && coro_map_put(&w->made, coro_map_key(global), coro_map_key(made)) &&
      coro_vec_push(w->arena, &w->counterparts, c))
    return made;
  w->failed = true;
  return NULL;
}

/* Copies metadata by LLVMGlobalAddMetadata: some kinds occur several times, and LLVMGlobalSetMetadata would keep only
   the last. */
static void copy_global_metadata(LLVMValueRef from, LLVMValueRef to)
{
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(from, &count);
  LLVMGlobalClearMetadata(to);
  for (unsigned i = 0; i < count; i++)
    LLVMGlobalAddMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i),
                          LLVMValueMetadataEntriesGetMetadata(entries, i));
  LLVMDisposeValueMetadataEntries(entries);
}

void declaration_copy_definition_properties(struct work_module *w, LLVMValueRef from, LLVMValueRef to)
{
  LLVMSetLinkage(to, LLVMGetLinkage(from));
  LLVMSetUnnamedAddress(to, LLVMGetUnnamedAddress(from));
  LLVMSetGC(to, LLVMGetGC(from));
  copy_global_metadata(from, to);
  LLVMValueRef personality = LLVMHasPersonalityFn(from) ? LLVMGetPersonalityFn(from) : NULL;
  LLVMValueRef made = LLVMIsAFunction(personality) ? find_or_declare_counterpart(w, personality) : personality;
  if (made)
    LLVMSetPersonalityFn(to, made);
}

/* Copies changed properties back. The inliner may set a personality but never removes one; it is redirected with the
   other references. */
void declaration_copy_changes_back(struct work_module *w, LLVMValueRef from, LLVMValueRef to)
{
  copy_convention_and_attributes(w, from, to);
  copy_global_metadata(from, to);
  if (LLVMHasPersonalityFn(from) && !LLVMHasPersonalityFn(to))
    LLVMSetPersonalityFn(to, LLVMGetPersonalityFn(from));
}

LLVMValueRef create_home_function_named_as(struct work_module *w, LLVMValueRef replaced, LLVMValueRef made)
{
  size_t length;
  const char *name = LLVMGetValueName2(replaced, &length);
  char *name_copy = coro_arena_strndup(w->arena, name, length);
  LLVMSetValueName2(replaced, "", 0);
  LLVMValueRef function = LLVMAddFunction(w->home, name_copy ? name_copy : "", LLVMGlobalGetValueType(made));
  declaration_copy_definition_properties(w, replaced, function);
  LLVMSetVisibility(function, LLVMGetVisibility(replaced));
  if (LLVMGetComdat(replaced))
    LLVMSetComdat(function, LLVMGetComdat(replaced));
  edit_copy_codegen_properties(replaced, function);
  w->failed |= !name_copy;
  return function;
}

bool declaration_is_comdat_key(LLVMValueRef function)
{
  LLVMModuleRef module = LLVMGetGlobalParent(function);
  return LLVMGetComdat(function) == LLVMGetOrInsertComdat(module, edit_value_name(function));
}
