/* A coroutine is recognized by the intrinsics that it calls. */
#include "ir/unsplit_coroutine.h"

#include "ir/edit.h"

_Static_assert(INTRIN_COUNT <= 64, "an intrin_set has a bit for each coroutine intrinsic");

#define SET_OF(name) (UINT64_C(1) << INTRIN_##name)

static const intrin_set ids = 0
#define CORO_ID(name, kind) | SET_OF(name)
#include "llvm_coroutine_intrinsics.def"
    ;

static bool has_any_of(intrin_set called, intrin_set of)
{
  return (called & of) != 0;
}

bool has_coroutine_id(intrin_set called)
{
  return has_any_of(called, ids);
}

bool has_retcon_id(intrin_set called)
{
  return has_any_of(called, ids & ~(SET_OF(ID) | SET_OF(ID_ASYNC)));
}

bool are_calls_of_non_switch_coroutine(intrin_set called)
{
  return has_any_of(called, SET_OF(ID_ASYNC)) ||
         (has_retcon_id(called) && has_any_of(called, SET_OF(SUSPEND_RETCON) | SET_OF(END)));
}

intrin_set intrins_called_by(const struct intrin_table *table, LLVMValueRef function)
{
  intrin_set called = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at)) {
      enum intrin intrin = intrin_of_call(table, at);
      called |= intrin_is_coro(intrin) ? UINT64_C(1) << intrin : 0;
    }
  return called;
}

static bool module_calls_one_of(LLVMModuleRef module, intrin_set of)
{
  for (enum intrin intrin = INTRIN_NONE; intrin < INTRIN_COUNT; intrin++) {
    LLVMValueRef callee = of >> intrin & 1 ? LLVMGetNamedFunction(module, intrin_name(intrin)) : NULL;
    if (callee && LLVMGetFirstUse(callee))
      return true;
  }
  return false;
}

bool module_calls_coroutine_id(LLVMModuleRef module)
{
  return module_calls_one_of(module, ids);
}

bool is_unsplit_coroutine(const struct intrin_table *table, LLVMValueRef function)
{
  return edit_is_presplit_definition(function) ||
         (module_calls_one_of(LLVMGetGlobalParent(function), ids & ~SET_OF(ID)) &&
          are_calls_of_non_switch_coroutine(intrins_called_by(table, function)));
}
