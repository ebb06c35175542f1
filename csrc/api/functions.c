/* The list of a module's functions.
   Needs: ir. Leaves: infos in an arena of the module, until it changes. */
#include <string.h>

#include "api/module.h"
#include "api/usage.h"
#include "base/map.h"
#include "ir/edit.h"
#include "ir/intrin.h"
#include "ir/spell.h"

/* Marks the functions that call an llvm.coro.id*, by the uses of its few declarations. */
static bool mark_coroutines(struct coro_map *marked, LLVMModuleRef module)
{
  struct intrin_table table;
  intrin_table_init(&table);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    enum intrin kind = intrin_of_function(&table, f);
    if (kind != INTRIN_ID && kind != INTRIN_ID_RETCON && kind != INTRIN_ID_RETCON_ONCE && kind != INTRIN_ID_ASYNC)
      continue;
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (intrin_of(&table, user) != kind)
        continue;
      LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
      if (!coro_map_put(marked, coro_map_key(caller), 1))
        return false;
    }
  }
  return true;
}

static const char *sret_of(struct coro_arena *arena, LLVMValueRef function)
{
  unsigned sret = LLVMGetEnumAttributeKindForName("sret", strlen("sret"));
  LLVMAttributeRef attribute = LLVMCountParams(function) ? LLVMGetEnumAttributeAtIndex(function, 1, sret) : NULL;
  return attribute ? ir_spell(arena, LLVMGetTypeAttributeValue(attribute)) : "";
}

static bool describe(coro_function_info *info, struct coro_arena *arena, LLVMValueRef function,
                     const struct coro_map *marked)
{
  size_t length;
  uint64_t mark;
  const char *name = LLVMGetValueName2(function, &length);
  char *type = LLVMPrintTypeToString(LLVMGlobalGetValueType(function));
  info->name = coro_arena_strndup(arena, name, length);
  info->type = coro_arena_strndup(arena, type, strlen(type));
  LLVMDisposeMessage(type);
  info->declaration = LLVMIsDeclaration(function);
  info->intrinsic = LLVMGetIntrinsicID(function) != 0;
  info->presplit = edit_is_presplit(function);
  info->coroutine = info->presplit || coro_map_get(marked, coro_map_key(function), &mark);
  info->local = edit_is_local(function);
  info->sret = sret_of(arena, function);
  return info->name && info->type && info->sret;
}

static bool list(coro_module *module, struct coro_arena *arena)
{
  struct coro_map marked;
  coro_map_init(&marked, arena);
  size_t count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f))
    count++;
  coro_function_info *infos = CORO_NEW_ARRAY(arena, coro_function_info, count);
  if (!infos || !mark_coroutines(&marked, module->llvm))
    return false;
  coro_function_info *info = infos;
  for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f; f = LLVMGetNextFunction(f))
    if (!describe(info++, arena, f, &marked))
      return false;
  module->functions = infos;
  module->function_count = count;
  return true;
}

coro_status coro_module_functions(coro_module *module, const coro_function_info **out, size_t *count)
{
  USAGE_NOTHING_YET(out);
  USAGE_NOTHING_YET(count);
  if (!module || !out || !count)
    return CORO_EUSAGE;
  if (!module->infos) {
    struct coro_arena *arena = coro_arena_create();
    if (!arena || !list(module, arena)) {
      coro_arena_free(arena);
      return CORO_ENOMEM;
    }
    module->infos = arena;
  }
  *out = module->functions;
  *count = module->function_count;
  return CORO_OK;
}
