/* Initializes globals, and the frame of the no-op coroutine, before the program runs. */
#include "interp/globals_init.h"

#include <string.h>

#include "interp/constant.h"
#include "interp/execution_error.h"
#include "interp/global_address.h"
#include "interp/memory.h"

static bool is_linker_list(LLVMValueRef variable) /* llvm.used and similar lists for the linker */
{
  const char *section = LLVMGetSection(variable);
  return LLVMGetLinkage(variable) == LLVMAppendingLinkage || (section && !strcmp(section, "llvm.metadata"));
}

static bool initialize_global(struct interp *in, LLVMValueRef variable)
{
  LLVMValueRef value = LLVMGetInitializer(variable);
  uint64_t address = value && !is_linker_list(variable) ? global_address_or_allocate(in, variable) : 0;
  if (!address)
    return !in->status;
  const struct layout *type = layout_of_llvm_type(in, LLVMTypeOf(value));
  const struct cell *cells = type && !LLVMIsNull(value) ? constant_value_cells_or_null(in, value) : NULL;
  if (type && (cells || LLVMIsNull(value))) /* otherwise an unsupported type: its contents stay undefined */
    memory_fill_bytes_checked(in, NULL, address, cell_of(0), type->size);
  if (cells)
    memory_store_value_checked(in, NULL, address, type, cells);
  return !in->status;
}

static bool initialize_globals(struct interp *in)
{
  for (LLVMValueRef v = LLVMGetFirstGlobal(in->module); v; v = LLVMGetNextGlobal(v))
    if (!initialize_global(in, v))
      return false;
  return true;
}

static bool make_noop_coroutine(struct interp *in)
{
  struct code *code = CORO_NEW(in->arena, struct code);
  const struct layout *pointer = layout_of_pointer(in);
  uint64_t at = object_allocate_in_list(in, &in->statics, 16, 16, (struct origin){.kind = OBJECT_OTHER});
  struct cell cell = cell_of((uintptr_t)code);
  if (!code || !pointer || !at || !coro_map_put(&in->codes, (uintptr_t)code, (uintptr_t)code)) {
    interp_stop_out_of_memory(in);
    return false;
  }
  code->kind = CODE_NOOP;
  memory_store_value_checked(in, NULL, at, pointer, &cell);
  memory_store_value_checked(in, NULL, at + 8, pointer, &cell);
  in->noop = at;
  return true;
}

bool initialize_globals_and_noop_coroutine(struct interp *in)
{
  return make_noop_coroutine(in) && initialize_globals(in);
}
