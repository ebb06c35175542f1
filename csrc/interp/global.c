/* The module's variables in memory, and the addresses of its functions.
   Needs: memory.c, constant.c. Leaves: a variable that nobody defines at an address of its own, without content. */
#include <string.h>

#include "interp/room.h"

static uint64_t place(struct interp *in, LLVMValueRef variable)
{
  const struct layout *type = layout_of(in, LLVMGlobalGetValueType(variable));
  uint64_t size = type ? type->size : 0, align = LLVMGetAlignment(variable);
  struct origin origin = {.kind = OBJECT_GLOBAL, .value = variable};
  if (type && type->align > align)
    align = type->align;
  uint64_t address = type ? memory_new(in, &in->statics, size ? size : 1, align, origin) : 0;
  return address && coro_map_put(&in->globals, (uintptr_t)variable, address) ? address : 0;
}

uint64_t global_address(struct interp *in, LLVMValueRef global)
{
  for (int depth = 0; LLVMIsAGlobalAlias(global) && depth < 64; depth++)
    global = LLVMAliasGetAliasee(global);
  if (LLVMIsAFunction(global)) {
    struct function *function = function_of(in, global);
    return (uintptr_t)(function ? &function->code : NULL);
  }
  uint64_t address;
  if (LLVMIsAGlobalVariable(global))
    return coro_map_get(&in->globals, (uintptr_t)global, &address) ? address : place(in, global);
  const struct cell *cells = LLVMIsAGlobalAlias(global) || !LLVMIsConstant(global) ? NULL : constant_cells(in, global);
  return cells ? (uint64_t)cells->bits : 0; /* an alias of a part of something */
}

static bool is_special(LLVMValueRef variable) /* llvm.used and its like are lists for the linker */
{
  const char *section = LLVMGetSection(variable);
  return LLVMGetLinkage(variable) == LLVMAppendingLinkage || (section && !strcmp(section, "llvm.metadata"));
}

static bool fill(struct interp *in, LLVMValueRef variable)
{
  LLVMValueRef value = LLVMGetInitializer(variable);
  uint64_t address = value && !is_special(variable) ? global_address(in, variable) : 0;
  if (!address)
    return !in->status;
  const struct layout *type = layout_of(in, LLVMTypeOf(value));
  const struct cell *cells = type && !LLVMIsNull(value) ? constant_cells(in, value) : NULL;
  if (type && LLVMIsNull(value))
    memory_fill(in, NULL, address, cell_of(0), type->size);
  if (!cells)
    return !in->status; /* of a type without values here: reading it is reading what is undefined */
  memory_fill(in, NULL, address, cell_of(0), type->size);
  memory_store(in, NULL, address, type, cells);
  return !in->status;
}

bool globals_load(struct interp *in)
{
  for (LLVMValueRef v = LLVMGetFirstGlobal(in->module); v; v = LLVMGetNextGlobal(v))
    if (!fill(in, v))
      return false;
  return true;
}
