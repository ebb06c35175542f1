/* Lists a module's functions, and describes a single one.
   Requires: ir. Guarantees: results live in arenas of the module until it changes. */
#include <string.h>

#include "api/module.h"
#include "api/usage.h"
#include "base/map.h"
#include "ir/attribute_kind.h"
#include "ir/edit.h"
#include "ir/expanded_type.h"
#include "ir/unsplit_coroutine.h"

/* Marks the functions that call an llvm.coro.id*, through the uses of these declarations. */
static bool mark_functions_calling_coro_id(struct coro_map *marked, const struct intrin_table *table,
                                           LLVMModuleRef module)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    enum intrin kind = intrin_of_function(table, f);
    if (!intrin_is_id(kind))
      continue;
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (intrin_of_call(table, user) != kind)
        continue;
      LLVMValueRef caller = edit_function_of(user);
      if (!coro_map_put(marked, coro_map_key(caller), 1))
        return false;
    }
  }
  return true;
}

static const char *sret_type_text_or_empty(struct coro_arena *arena, LLVMValueRef function)
{
  unsigned sret = attribute_kind("sret");
  LLVMAttributeRef attribute = LLVMCountParams(function) ? LLVMGetEnumAttributeAtIndex(function, 1, sret) : NULL;
  return attribute ? ir_print_expanded_type(arena, LLVMGetTypeAttributeValue(attribute)) : "";
}

static bool describe_function(coro_function_info *info, struct coro_arena *arena, LLVMValueRef function)
{
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);
  char *type = LLVMPrintTypeToString(LLVMGlobalGetValueType(function));
  info->name = coro_arena_strndup(arena, name, length);
  info->type = coro_arena_strndup(arena, type, strlen(type));
  LLVMDisposeMessage(type);
  info->declaration = LLVMIsDeclaration(function);
  info->intrinsic = LLVMGetIntrinsicID(function) != 0;
  info->presplit = info->coroutine = edit_is_presplit_definition(function);
  info->local = edit_has_local_linkage(function);
  info->sret = sret_type_text_or_empty(arena, function);
  return info->name && info->type && info->sret;
}

/* Recognizes a coroutine by the intrinsics that it calls. */
static void describe_coroutine_by_its_intrinsics(coro_function_info *info, const struct intrin_table *table,
                                                 LLVMValueRef function)
{
  if (info->presplit)
    return;
  intrin_set called = intrins_called_by(table, function);
  info->presplit = are_calls_of_non_switch_coroutine(called);
  info->coroutine = has_coroutine_id(called);
}

static bool list_function_infos(coro_module *module, struct coro_arena *arena)
{
  struct coro_map marked;
  struct intrin_table table;
  coro_map_init(&marked, arena);
  intrin_table_init(&table);
  size_t count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f))
    count++;
  coro_function_info *infos = CORO_NEW_ARRAY(arena, coro_function_info, count);
  if (!infos || !mark_functions_calling_coro_id(&marked, &table, module->llvm))
    return false;
  coro_function_info *info = infos;
  for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f), info++) {
    if (!describe_function(info, arena, f))
      return false;
    if (coro_map_has(&marked, coro_map_key(f)))
      describe_coroutine_by_its_intrinsics(info, &table, f);
  }
  module->functions = infos;
  module->function_count = count;
  return true;
}

coro_status coro_module_functions(coro_module *module, const coro_function_info **out, size_t *count)
{
  USAGE_CLEAR_OUTPUT(out);
  USAGE_CLEAR_OUTPUT(count);
  if (!module || !out || !count)
    return CORO_EUSAGE;
  if (!module->infos) {
    struct coro_arena *arena = coro_arena_create();
    if (!arena || !list_function_infos(module, arena)) {
      coro_arena_free(arena);
      return CORO_ENOMEM;
    }
    module->infos = arena;
  }
  *out = module->functions;
  *count = module->function_count;
  return CORO_OK;
}

coro_status coro_module_function(coro_module *module, LLVMValueRef function, const coro_function_info **out)
{
  USAGE_CLEAR_OUTPUT(out);
  if (!module || !out || !function || !LLVMIsAFunction(function) || LLVMGetGlobalParent(function) != module->llvm)
    return CORO_EUSAGE;
  coro_arena_free(module->info);
  module->info = coro_arena_create();
  coro_function_info *info = module->info ? CORO_NEW(module->info, coro_function_info) : NULL;
  if (!info || !describe_function(info, module->info, function))
    return CORO_ENOMEM;
  struct intrin_table table;
  intrin_table_init(&table);
  if (module_calls_coroutine_id(module->llvm))
    describe_coroutine_by_its_intrinsics(info, &table, function);
  *out = info;
  return CORO_OK;
}
