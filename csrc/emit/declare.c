/* Declarations of clones, with the properties of the presplit function. LLVM-C cannot read the partition of a
   global, so it is lost. */
#include "emit/declare.h"

#include <string.h>

#include "ir/attribute_kind.h"
#include "ir/edit.h"

/* Attributes that only hold for the ramp: about its parameters, result and address, and its behavior up to its
   return. A clone takes the frame, returns nothing, accesses the frame, and returns at the next suspend. */
static const char *const only_of_ramp[] = {"allockind", "allocsize",         "jumptable",   "memory",
                                           "noreturn",  "presplitcoroutine", "speculatable"};
static const char *const strings_only_of_ramp[] = {"alloc-family", "alloc-variant-zeroed"};

static bool is_attribute_in_list(LLVMAttributeRef attribute, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (LLVMIsStringAttribute(attribute)) {
      unsigned length;
      const char *kind = LLVMGetStringAttributeKind(attribute, &length);
      if (length == strlen(names[i]) && !memcmp(kind, names[i], length))
        return true;
    } else if (LLVMGetEnumAttributeKind(attribute) == attribute_kind(names[i]))
      return true;
  return false;
}

bool declare_attribute_holds_for_clone(LLVMAttributeRef attribute)
{
  return LLVMIsStringAttribute(attribute)
             ? !is_attribute_in_list(attribute, strings_only_of_ramp,
                                     sizeof strings_only_of_ramp / sizeof *strings_only_of_ramp)
             : !is_attribute_in_list(attribute, only_of_ramp, sizeof only_of_ramp / sizeof *only_of_ramp);
}

bool declare_attribute_holds_for_helper(LLVMAttributeRef attribute)
{
  static const char *const of_behavior[] = {"nocallback", "nofree", "nosync", "nounwind", "willreturn"};
  bool restricts_behavior = !LLVMIsStringAttribute(attribute) &&
                            is_attribute_in_list(attribute, of_behavior, sizeof of_behavior / sizeof *of_behavior);
  return declare_attribute_holds_for_clone(attribute) && !restricts_behavior;
}

/* Whether an attribute of the continuation prototype holds for continuations. */
static bool attribute_holds_for_continuation(LLVMAttributeRef attribute)
{
  static const char *const memory[] = {"memory"};
  bool is_memory = !LLVMIsStringAttribute(attribute) && is_attribute_in_list(attribute, memory, 1);
  return is_memory || declare_attribute_holds_for_clone(attribute);
}

bool declare_attribute_holds_for_buffer(LLVMAttributeRef attribute)
{
  static const char *const of_memory[] = {"captures", "dead_on_return", "initializes", "noalias",
                                          "readnone", "readonly",       "returned",    "writeonly"};
  return LLVMIsStringAttribute(attribute) ||
         !is_attribute_in_list(attribute, of_memory, sizeof of_memory / sizeof *of_memory);
}

/* Groups of mutually exclusive attributes. */
static const char *const alternatives[][6] = {
    {"alwaysinline", "noinline"},
    {"alwaysinline", "optnone"},
    {"minsize", "optdebug", "optnone"},
    {"optsize", "optdebug", "optnone"},
    {"sanitize_realtime", "sanitize_realtime_blocking"},
    {"aarch64_pstate_sm_compatible", "aarch64_pstate_sm_enabled"},
    {"aarch64_in_za", "aarch64_inout_za", "aarch64_new_za", "aarch64_out_za", "aarch64_preserves_za",
     "aarch64_za_state_agnostic"},
    {"aarch64_in_zt0", "aarch64_inout_zt0", "aarch64_new_zt0", "aarch64_out_zt0", "aarch64_preserves_zt0",
     "aarch64_za_state_agnostic"},
};

static bool has_named_attribute(LLVMValueRef function, const char *name)
{
  const LLVMAttributeIndex at = LLVMAttributeFunctionIndex;
  unsigned length = (unsigned)strlen(name), kind = attribute_kind(name);
  return kind ? LLVMGetEnumAttributeAtIndex(function, at, kind)
              : LLVMGetStringAttributeAtIndex(function, at, name, length);
}

static void remove_attribute_by_name(LLVMValueRef function, const char *name)
{
  const LLVMAttributeIndex at = LLVMAttributeFunctionIndex;
  unsigned length = (unsigned)strlen(name), kind = attribute_kind(name);
  if (kind)
    LLVMRemoveEnumAttributeAtIndex(function, at, kind);
  else
    LLVMRemoveStringAttributeAtIndex(function, at, name, length);
}

/* Removes attributes of `function` that are incompatible with attributes of `other`, before those are added. */
static void drop_attributes_incompatible_with(LLVMValueRef function, LLVMValueRef other)
{
  enum { MOST = sizeof *alternatives / sizeof **alternatives };
  if (!LLVMGetAttributeCountAtIndex(other, LLVMAttributeFunctionIndex))
    return;
  for (size_t group = 0; group < sizeof alternatives / sizeof *alternatives; group++)
    for (size_t o = 0; o < MOST && alternatives[group][o]; o++)
      for (size_t i = 0; has_named_attribute(other, alternatives[group][o]) && i < MOST && alternatives[group][i]; i++)
        if (i != o)
          remove_attribute_by_name(function, alternatives[group][i]);
}

bool declare_is_presplitcoroutine(LLVMAttributeRef attribute)
{
  static const char *const presplit[] = {"presplitcoroutine"};
  return !LLVMIsStringAttribute(attribute) && is_attribute_in_list(attribute, presplit, 1);
}

/* Copies metadata, except the subprogram, which belongs to one function, and !func_sanitize, which describes the
   ramp's type. */
static void copy_metadata_except_of_ramp(LLVMValueRef from, LLVMValueRef to)
{
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(from));
  unsigned debug = LLVMGetMDKindIDInContext(context, "dbg", strlen("dbg"));
  unsigned type = LLVMGetMDKindIDInContext(context, "func_sanitize", strlen("func_sanitize"));
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(from, &count);
  for (unsigned i = 0; i < count; i++) {
    unsigned kind = LLVMValueMetadataEntriesGetKind(entries, i);
    if (kind != debug && kind != type)
      LLVMGlobalAddMetadata(to, kind, LLVMValueMetadataEntriesGetMetadata(entries, i));
  }
  LLVMDisposeValueMetadataEntries(entries);
}

/* Copies what code generation depends on. The comdat is not copied: a clone has no external references, so it is
   dropped with the ramp. */
static void copy_codegen_properties_as_internal(LLVMValueRef from, LLVMValueRef to)
{
  LLVMSetLinkage(to, LLVMInternalLinkage);
  edit_copy_codegen_properties(from, to);
  if (LLVMHasPersonalityFn(from))
    LLVMSetPersonalityFn(to, LLVMGetPersonalityFn(from));
  copy_metadata_except_of_ramp(from, to);
}

void declare_add_enum_attribute(LLVMValueRef function, LLVMAttributeIndex at, const char *name, uint64_t value)
{
  unsigned kind = attribute_kind(name);
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  LLVMAddAttributeAtIndex(function, at, LLVMCreateEnumAttribute(context, kind, value));
}

void declare_drop_captures_attributes(LLVMValueRef ramp)
{
  for (unsigned i = 1; i <= LLVMCountParams(ramp); i++)
    if (!edit_has_attribute(ramp, i, "byval"))
      edit_remove_attribute(ramp, i, "captures");
}

bool declare_can_append_frame_parameter(LLVMValueRef function)
{
  unsigned last = LLVMCountParams(function); /* index of the last parameter, from 1; inalloca must stay the last one */
  return !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) &&
         (!last ||
          (!edit_has_attribute(function, last, "inalloca") && !edit_has_attribute(function, last, "preallocated")));
}

LLVMTypeRef declare_noalloc_type(struct coro_arena *arena, LLVMValueRef function)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  unsigned count = LLVMCountParamTypes(type);
  LLVMTypeRef *types = CORO_NEW_ARRAY(arena, LLVMTypeRef, count + 1);
  if (!types)
    return NULL;
  LLVMGetParamTypes(type, types);
  types[count] = LLVMPointerTypeInContext(LLVMGetTypeContext(type), 0);
  return LLVMFunctionType(LLVMGetReturnType(type), types, count + 1, LLVMIsFunctionVarArg(type));
}

const char *exported_noalloc_name(struct coro_arena *arena, LLVMValueRef function, uint64_t size, uint64_t align)
{
  return coro_arena_printf(arena, "%s.noalloc.v1.%llu.%llu", edit_value_name(function), (unsigned long long)size,
                           (unsigned long long)align);
}

const char *exported_name_with_summary(struct coro_arena *arena, const char *published, const char *summary)
{
  char *name = published ? coro_arena_printf(arena, "%s.h%s", published, summary) : NULL;
  for (char *at = name ? name + strlen(published) : NULL; at && *at; at++)
    *at = *at == ',' ? '.' : *at;
  return name;
}

void declare_exported_noalloc_alias(LLVMValueRef function, LLVMValueRef noalloc, const char *name)
{
  unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(noalloc));
  LLVMValueRef alias =
      LLVMAddAlias2(LLVMGetGlobalParent(function), LLVMGlobalGetValueType(noalloc), space, noalloc, name);
  LLVMSetVisibility(alias, LLVMGetVisibility(function));
}

void declare_mark_dereferenceable_pointer(LLVMValueRef function, LLVMAttributeIndex parameter, uint64_t align,
                                          uint64_t size)
{
  declare_add_enum_attribute(function, parameter, "noundef", 0);
  declare_add_enum_attribute(function, parameter, "nonnull", 0);
  declare_add_enum_attribute(function, parameter, "align", align);
  if (size)
    declare_add_enum_attribute(function, parameter, "dereferenceable", size);
}

LLVMValueRef declare_function_like(struct coro_arena *arena, LLVMModuleRef module, LLVMValueRef function,
                                   const char *suffix, LLVMTypeRef type)
{
  const char *name = edit_value_name(function);
  char *full = coro_arena_printf(arena, "%s.%s", name, suffix);
  LLVMValueRef made = LLVMAddFunction(module, full ? full : "", type);
  copy_codegen_properties_as_internal(function, made);
  return made;
}

LLVMValueRef declare_function(const struct coro_lowering *low, const char *suffix, LLVMTypeRef type)
{
  return declare_function_like(low->arena, low->module, low->fn.function, suffix, type);
}

LLVMValueRef declare_clone_of_prototype(const struct coro_lowering *low, const char *suffix, LLVMValueRef prototype,
                                        bool (*holds)(LLVMAttributeRef))
{
  const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;
  LLVMValueRef clone = declare_function(low, suffix, LLVMGlobalGetValueType(prototype));
  LLVMSetFunctionCallConv(clone, LLVMGetFunctionCallConv(prototype));
  edit_copy_attributes(low->arena, low->fn.function, clone, on_function, declare_attribute_holds_for_clone);
  drop_attributes_incompatible_with(clone, prototype);
  edit_copy_attributes(low->arena, prototype, clone, on_function, attribute_holds_for_continuation);
  for (unsigned at = 0; at <= LLVMCountParams(clone); at++)
    edit_copy_attributes(low->arena, prototype, clone, at, at == 1 ? holds : NULL);
  return clone;
}
