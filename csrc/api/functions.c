/* Lists a module's functions, and describes a single one.
   Requires: ir. Guarantees: results live in arenas of the module until it changes. */
#include <string.h>

#include "api/module.h"
#include "api/usage.h"
#include "base/map.h"
#include "ir/edit.h"
#include "ir/expanded_type.h"
#include "ir/intrin.h"

static const enum intrin ids[] = {
#define CORO_ID(name, kind) INTRIN_##name,
#include "llvm_coroutine_intrinsics.def"
};

/* Marks the functions that call an llvm.coro.id*, through the uses of these declarations. */
static bool mark_functions_calling_coro_id(struct coro_map *marked, LLVMModuleRef module)
{
  struct intrin_table table;
  intrin_table_init(&table);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    enum intrin kind = intrin_of_function(&table, f);
    if (!intrin_is_id(kind))
      continue;
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (intrin_of(&table, user) != kind)
        continue;
      LLVMValueRef caller = edit_function_of(user);
      if (!coro_map_put(marked, coro_map_key(caller), 1))
        return false;
    }
  }
  return true;
}

/* The same for one function, by a scan of its body. */
static bool calls_coro_id(LLVMModuleRef module, LLVMValueRef function)
{
  struct intrin_table table;
  bool declared = false;
  for (size_t i = 0; i < sizeof ids / sizeof *ids && !declared; i++)
    declared = LLVMGetNamedFunction(module, intrin_name(ids[i]));
  if (!declared)
    return false;
  intrin_table_init(&table);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef inst = LLVMGetFirstInstruction(b); inst; inst = LLVMGetNextInstruction(inst))
      if (intrin_is_id(intrin_of(&table, inst)))
        return true;
  return false;
}

static const char *sret_type_text(struct coro_arena *arena, LLVMValueRef function)
{
  unsigned sret = LLVMGetEnumAttributeKindForName("sret", strlen("sret"));
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
  info->presplit = edit_is_presplit(function);
  info->coroutine = info->presplit;
  info->local = edit_has_local_linkage(function);
  info->sret = sret_type_text(arena, function);
  return info->name && info->type && info->sret;
}

static bool list_functions(coro_module *module, struct coro_arena *arena)
{
  struct coro_map marked;
  coro_map_init(&marked, arena);
  size_t count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f))
    count++;
  coro_function_info *infos = CORO_NEW_ARRAY(arena, coro_function_info, count);
  if (!infos || !mark_functions_calling_coro_id(&marked, module->llvm))
    return false;
  coro_function_info *info = infos;
  for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f), info++) {
    if (!describe_function(info, arena, f))
      return false;
    info->coroutine |= coro_map_has(&marked, coro_map_key(f));
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
    if (!arena || !list_functions(module, arena)) {
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
  info->coroutine |= calls_coro_id(module->llvm, function);
  *out = info;
  return CORO_OK;
}
