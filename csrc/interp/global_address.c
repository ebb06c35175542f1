/* Assigns addresses to globals and functions. */
#include "interp/global_address.h"

static uint64_t allocate_memory_of_global(struct interp *in, LLVMValueRef variable)
{
  const struct layout *type = layout_of_llvm_type(in, LLVMGlobalGetValueType(variable));
  uint64_t size = type ? type->size : 0, align = LLVMGetAlignment(variable);
  struct origin origin = {.kind = OBJECT_GLOBAL, .value = variable};
  if (type && type->align > align)
    align = type->align;
  uint64_t address = type ? object_allocate_in_list(in, &in->statics, size ? size : 1, align, origin) : 0;
  return address && coro_map_put(&in->globals, (uintptr_t)variable, address) ? address : 0;
}

uint64_t global_address_or_allocate(struct interp *in, LLVMValueRef global)
{
  uint64_t address;
  if (LLVMIsAGlobalVariable(global))
    return coro_map_get(&in->globals, (uintptr_t)global, &address) ? address : allocate_memory_of_global(in, global);
  struct function *function = LLVMIsAFunction(global) ? function_get_or_create(in, global) : NULL;
  return (uintptr_t)(function ? &function->code : NULL);
}
