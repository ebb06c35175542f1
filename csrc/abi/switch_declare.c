/* The switched-resume ABI: the functions a coroutine is split into, before they have bodies.
   Needs: a coroutine with its frame decided. Leaves: declarations that carry what the coroutine's own function carries,
   as far as it holds for them too. LLVM-C cannot read the partition of a global; that one is lost. */
#include <string.h>

#include "abi/switch_parts.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

/* What these say is true of the ramp: of its parameters and its result, of its address, of what it does until it returns.
   A clone takes the frame and gives nothing, reads and writes the frame, and returns at the next suspend. */
static const char *const only_of_ramp[] = {"allockind", "allocsize",         "jumptable",   "memory",
                                           "noreturn",  "presplitcoroutine", "speculatable"};
static const char *const strings_only_of_ramp[] = {"alloc-family", "alloc-variant-zeroed"};
static const char *const not_of_noalloc[] = {"presplitcoroutine"};

static bool is_one_of(LLVMAttributeRef attribute, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (LLVMIsStringAttribute(attribute)) {
      unsigned length;
      const char *kind = LLVMGetStringAttributeKind(attribute, &length);
      if (length == strlen(names[i]) && !memcmp(kind, names[i], length))
        return true;
    } else if (LLVMIsEnumAttribute(attribute) &&
               LLVMGetEnumAttributeKind(attribute) == LLVMGetEnumAttributeKindForName(names[i], strlen(names[i])))
      return true;
  return false;
}

static bool holds_for_clone(LLVMAttributeRef attribute)
{
  return LLVMIsStringAttribute(attribute)
             ? !is_one_of(attribute, strings_only_of_ramp, sizeof strings_only_of_ramp / sizeof *strings_only_of_ramp)
             : !is_one_of(attribute, only_of_ramp, sizeof only_of_ramp / sizeof *only_of_ramp);
}

static bool holds_for_noalloc(LLVMAttributeRef attribute)
{
  return LLVMIsStringAttribute(attribute) || !is_one_of(attribute, not_of_noalloc, 1);
}

static void copy_attributes(const struct coro_lowering *low, LLVMValueRef to, LLVMAttributeIndex at,
                            bool (*holds)(LLVMAttributeRef))
{
  unsigned count = LLVMGetAttributeCountAtIndex(low->fn.function, at);
  LLVMAttributeRef *attributes = CORO_NEW_ARRAY(low->arena, LLVMAttributeRef, count);
  if (!attributes)
    return; /* the arena remembers that it failed */
  LLVMGetAttributesAtIndex(low->fn.function, at, attributes);
  for (unsigned i = 0; i < count; i++)
    if (holds(attributes[i]))
      LLVMAddAttributeAtIndex(to, at, attributes[i]);
}

/* A subprogram belongs to one function. What the function sanitizer compares with is a type, which clones have not. */
static void copy_metadata(LLVMValueRef from, LLVMValueRef to)
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

/* Where the code goes and how it is run. The comdat is not among it: nothing outside names a clone, so that it goes
   when the ramp goes. */
static void copy_surroundings(LLVMValueRef from, LLVMValueRef to)
{
  LLVMSetLinkage(to, LLVMInternalLinkage);
  const char *section = LLVMGetSection(from);
  if (section && *section)
    LLVMSetSection(to, section);
  LLVMSetAlignment(to, LLVMGetAlignment(from));
  if (LLVMGetGC(from))
    LLVMSetGC(to, LLVMGetGC(from));
  if (LLVMHasPersonalityFn(from))
    LLVMSetPersonalityFn(to, LLVMGetPersonalityFn(from));
  if (LLVMHasPrefixData(from))
    LLVMSetPrefixData(to, LLVMGetPrefixData(from));
  if (LLVMHasPrologueData(from))
    LLVMSetPrologueData(to, LLVMGetPrologueData(from));
  copy_metadata(from, to);
}

static void add_attribute(const struct coro_lowering *low, LLVMValueRef f, LLVMAttributeIndex at, const char *name,
                          uint64_t value)
{
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(low->context, kind, value));
}

/* What is promised of a pointer to the frame: its alignment and size. */
static void promise_frame(const struct coro_lowering *low, LLVMValueRef function, LLVMAttributeIndex parameter)
{
  add_attribute(low, function, parameter, "noundef", 0);
  add_attribute(low, function, parameter, "nonnull", 0);
  add_attribute(low, function, parameter, "align", low->frame.align);
  add_attribute(low, function, parameter, "dereferenceable", low->frame.size);
}

static LLVMValueRef add_function(const struct coro_lowering *low, const char *suffix, LLVMTypeRef type)
{
  const char *name = LLVMGetValueName2(low->fn.function, &(size_t){0});
  char *full = coro_arena_printf(low->arena, "%s.%s", name, suffix);
  LLVMValueRef function = LLVMAddFunction(low->module, full ? full : "", type);
  copy_surroundings(low->fn.function, function);
  return function;
}

LLVMValueRef switch_declare_clone(const struct coro_lowering *low, const char *suffix)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(low->context, 0);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(low->context), &pointer, 1, false);
  LLVMValueRef clone = add_function(low, suffix, type);
  LLVMSetFunctionCallConv(clone, LLVMFastCallConv);
  copy_attributes(low, clone, on_function, holds_for_clone);
  promise_frame(low, clone, 1);
  return clone;
}

LLVMValueRef switch_declare_noalloc(const struct coro_lowering *low)
{
  LLVMValueRef function = low->fn.function;
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  unsigned count = LLVMCountParamTypes(type);
  LLVMTypeRef *types = CORO_NEW_ARRAY(low->arena, LLVMTypeRef, count + 1);
  if (!types)
    return NULL;
  LLVMGetParamTypes(type, types);
  types[count] = LLVMPointerTypeInContext(low->context, 0);
  LLVMTypeRef longer = LLVMFunctionType(LLVMGetReturnType(type), types, count + 1, LLVMIsFunctionVarArg(type));
  LLVMValueRef noalloc = add_function(low, "noalloc", longer);
  LLVMSetFunctionCallConv(noalloc, LLVMGetFunctionCallConv(function));
  LLVMSetUnnamedAddress(noalloc, LLVMGetUnnamedAddress(function));
  copy_attributes(low, noalloc, on_function, holds_for_noalloc);
  for (unsigned i = 0; i <= count; i++)
    copy_attributes(low, noalloc, i, holds_for_noalloc);
  promise_frame(low, noalloc, count + 1);
  return noalloc;
}
