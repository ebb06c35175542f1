/* Maps functions and code addresses to their descriptions. */
#include "interp/code.h"

#include "interp/execution_error.h"
#include "ir/edit.h"

static bool register_code_address(struct interp *in, struct code *code, enum code_kind kind, struct function *function)
{
  code->kind = kind;
  code->function = function;
  return coro_map_put(&in->codes, (uintptr_t)code, (uintptr_t)code);
}

struct function *function_get_or_create(struct interp *in, LLVMValueRef llvm)
{
  uint64_t found;
  if (coro_map_get(&in->functions, (uintptr_t)llvm, &found))
    return (struct function *)(uintptr_t)found;
  struct function *function = CORO_NEW(in->arena, struct function);
  if (function && coro_map_put(&in->functions, (uintptr_t)llvm, (uintptr_t)function) &&
      register_code_address(in, &function->code, CODE_FUNCTION, function) &&
      register_code_address(in, &function->resume, CODE_RESUME, function) &&
      register_code_address(in, &function->destroy, CODE_DESTROY, function)) {
    function->llvm = llvm;
    function->declared = LLVMIsDeclaration(llvm);
    function->variadic = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(llvm));
    function->name = edit_value_name(llvm);
    return function;
  }
  return interp_stop_out_of_memory(in);
}

struct code *code_at_address(const struct interp *in, uint64_t address)
{
  uint64_t found;
  return address && coro_map_get(&in->codes, address, &found) ? (struct code *)(uintptr_t)found : NULL;
}

struct code *code_get_or_create(struct interp *in, const void *key, enum code_kind kind, struct function *function,
                                uint32_t at)
{
  uint64_t found;
  if (coro_map_get(&in->codes, (uintptr_t)key, &found)) /* code and data addresses are disjoint */
    return (struct code *)(uintptr_t)found;
  struct code *code = CORO_NEW(in->arena, struct code);
  if (code && register_code_address(in, code, kind, function) &&
      coro_map_put(&in->codes, (uintptr_t)key, (uintptr_t)code)) {
    code->key = key;
    code->at = at;
    return code;
  }
  return interp_stop_out_of_memory(in);
}
