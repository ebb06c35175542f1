/* Contexts of modules, with the metadata kinds of pycoro. */
#include "ir/context.h"

unsigned ir_elided_metadata_kind_id(LLVMContextRef context)
{
  static const char name[] = "coro.elided";
  return LLVMGetMDKindIDInContext(context, name, sizeof name - 1);
}

LLVMContextRef ir_create_context(void)
{
  LLVMContextRef context = LLVMContextCreate();
  ir_elided_metadata_kind_id(context);
  return context;
}
