/* Addresses of the module's variables and functions.
   Needs: object.c, code.c. Leaves: each variable, one that nobody defines as well, at an address of its own. */
#include "interp/global.h"

static uint64_t place(struct interp *in, LLVMValueRef variable)
{
  const struct layout *type = layout_of(in, LLVMGlobalGetValueType(variable));
  uint64_t size = type ? type->size : 0, align = LLVMGetAlignment(variable);
  struct origin origin = {.kind = OBJECT_GLOBAL, .value = variable};
  if (type && type->align > align)
    align = type->align;
  uint64_t address = type ? object_add(in, &in->statics, size ? size : 1, align, origin) : 0;
  return address && coro_map_put(&in->globals, (uintptr_t)variable, address) ? address : 0;
}

uint64_t global_address(struct interp *in, LLVMValueRef global)
{
  uint64_t address;
  if (LLVMIsAGlobalVariable(global))
    return coro_map_get(&in->globals, (uintptr_t)global, &address) ? address : place(in, global);
  struct function *function = LLVMIsAFunction(global) ? function_of(in, global) : NULL;
  return (uintptr_t)(function ? &function->code : NULL);
}
