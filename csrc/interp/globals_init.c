/* Initializes globals, and the frame of the no-op coroutine, before the program runs.
   Requires: constant.c, memory.c. */
#include "interp/globals_init.h"

#include <string.h>

#include "interp/constant.h"
#include "interp/execution_error.h"
#include "interp/global_address.h"
#include "interp/memory.h"

static bool is_special(LLVMValueRef variable) /* llvm.used and similar lists for the linker */
{
  const char *section = LLVMGetSection(variable);
  return LLVMGetLinkage(variable) == LLVMAppendingLinkage || (section && !strcmp(section, "llvm.metadata"));
}

static bool initialize_global(struct interp *in, LLVMValueRef variable)
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
    return !in->status; /* unsupported type: its contents stay undefined */
  memory_fill(in, NULL, address, cell_of(0), type->size);
  memory_store(in, NULL, address, type, cells);
  return !in->status;
}

static bool initialize_globals(struct interp *in)
{
  for (LLVMValueRef v = LLVMGetFirstGlobal(in->module); v; v = LLVMGetNextGlobal(v))
    if (!initialize_global(in, v))
      return false;
  return true;
}

static bool make_noop(struct interp *in)
{
  struct code *code = CORO_NEW(in->arena, struct code);
  const struct layout *pointer = layout_of_pointer(in);
  uint64_t at = object_add(in, &in->statics, 16, 16, (struct origin){.kind = OBJECT_OTHER});
  struct cell cell = cell_of((uintptr_t)code);
  if (!code || !pointer || !at || !coro_map_put(&in->codes, (uintptr_t)code, (uintptr_t)code)) {
    interp_no_memory(in);
    return false;
  }
  code->kind = CODE_NOOP;
  memory_store(in, NULL, at, pointer, &cell);
  memory_store(in, NULL, at + 8, pointer, &cell);
  in->noop = at;
  return true;
}

bool load_program(struct interp *in)
{
  return make_noop(in) && initialize_globals(in);
}
