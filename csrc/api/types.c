/* Public type functions, with cached layouts per module.
   Guarantees: caches live until the module is run, replaced or freed, or an edit changes its triple or layout. */
#include "api/types.h"

#include <stdlib.h>
#include <string.h>

#include "api/usage.h"
#include "ir/target.h"
#include "ir/type.h"

struct coro_types {
  struct ir_types types;
  LLVMTargetDataRef own; /* target's layout if the module has a triple but no layout; else NULL */
  const char *triple, *layout; /* the module's */
};

void types_cache_free(coro_module *module)
{
  struct coro_types *known = module->types;
  if (!known)
    return;
  if (known->own)
    LLVMDisposeTargetData(known->own);
  coro_arena_free(known->types.arena);
  free(known);
  module->types = NULL;
}

void types_cache_discard_if_layout_changed(coro_module *module)
{
  const struct coro_types *known = module->types;
  if (known && (strcmp(known->layout, LLVMGetDataLayoutStr(module->llvm)) != 0 ||
                strcmp(known->triple, LLVMGetTarget(module->llvm)) != 0))
    types_cache_free(module);
}

static const char *copy_text_to_arena(struct coro_arena *arena, const char *text)
{
  return coro_arena_strndup(arena, text, strlen(text));
}

/* NULL: out of memory. */
static struct ir_types *types_cache_get_or_create(coro_module *module)
{
  coro_module_mark_shared(module);
  if (module->types)
    return coro_arena_failed(module->types->types.arena) ? NULL : &module->types->types;
  struct coro_types *known = malloc(sizeof *known);
  struct coro_arena *arena = coro_arena_create();
  if (!known || !arena) {
    free(known);
    coro_arena_free(arena);
    return NULL;
  }
  known->triple = copy_text_to_arena(arena, LLVMGetTarget(module->llvm));
  known->layout = copy_text_to_arena(arena, LLVMGetDataLayoutStr(module->llvm));
  if (!known->triple || !known->layout) {
    free(known);
    coro_arena_free(arena);
    return NULL;
  }
  known->own = target_layout_if_module_has_none(module->llvm);
  LLVMTargetDataRef layout = known->own ? known->own : LLVMGetModuleDataLayout(module->llvm);
  ir_types_init(&known->types, arena, module->context, layout);
  module->types = known;
  return &known->types;
}

coro_status coro_type_create(coro_module *module, const coro_type_spec *wanted, LLVMTypeRef *type, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(type);
  if (!module || !wanted || !type || (wanted->count && !wanted->parts))
    return usage_missing("a module, a type description and an output pointer for the type are required", diags);
  struct ir_types *types = types_cache_get_or_create(module);
  return types ? ir_type_make(types, wanted, type, diags) : CORO_ENOMEM;
}

coro_status coro_type_parse(coro_module *module, const char *text, LLVMTypeRef *type, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(type);
  if (!module || !text || !type)
    return usage_missing("a module, a text and an output pointer for the type are required", diags);
  struct ir_types *types = types_cache_get_or_create(module);
  LLVMTypeRef found = NULL;
  coro_status status = types ? ir_type_parse(types, text, &found, diags) : CORO_ENOMEM;
  *type = status ? NULL : found;
  return status;
}

coro_status coro_type_print(coro_module *module, LLVMTypeRef type, char **text, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(text);
  if (!module || !type || !text)
    return usage_missing("a module, a type and an output pointer for its text are required", diags);
  struct ir_types *types = types_cache_get_or_create(module);
  return types ? ir_type_print(types, type, text, diags) : CORO_ENOMEM;
}

coro_status coro_type_layout(coro_module *module, LLVMTypeRef type, uint64_t *size, uint64_t *align)
{
  USAGE_CLEAR_OUTPUT(size);
  USAGE_CLEAR_OUTPUT(align);
  if (!module || !type || !size || !align)
    return CORO_EUSAGE;
  struct ir_types *types = types_cache_get_or_create(module);
  if (!types)
    return CORO_ENOMEM;
  if (!ir_type_size_and_alignment(types, type, size, align))
    *size = *align = 0;
  return coro_arena_failed(types->arena) ? CORO_ENOMEM : CORO_OK;
}

coro_status coro_type_offset(coro_module *module, LLVMTypeRef type, size_t index, uint64_t *offset)
{
  USAGE_CLEAR_OUTPUT(offset);
  uint64_t align = 0, size;
  if (!module || !type || !offset || LLVMGetTypeKind(type) != LLVMStructTypeKind ||
      index >= LLVMCountStructElementTypes(type))
    return CORO_EUSAGE;
  coro_status status = coro_type_layout(module, type, &size, &align);
  if (status || !align)
    return status ? status : CORO_EUSAGE;
  *offset = LLVMOffsetOfElement(module->types->types.sizes.layout, type, (unsigned)index);
  return CORO_OK;
}

const char *coro_type_kind(LLVMTypeRef type)
{
  return type ? ir_type_kind_name(type) : "";
}
