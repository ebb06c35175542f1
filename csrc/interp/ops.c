/* Maps opcodes and intrinsic names to handlers. */
#include "interp/ops.h"

#include <string.h>

#include "interp/coroutine_analysis.h"
#include "interp/execution_error.h"
#include "interp/handlers.h"

/* NULL: unsupported. */
static op_handler *handler_for_intrinsic_name_or_null(const char *name)
{
  static const struct {
    const char *name;
    op_handler *run;
  } table[] = {
#define INTRINSIC(text, handler) {text, handler},
#include "interp/intrinsics.def"
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].name, name))
      return table[i].run;
  return NULL;
}

static op_handler *handler_for_coroutine_intrinsic_or_stop(enum intrin intrin)
{
  static op_handler *const table[INTRIN_COUNT] = {
#define CORO_OP(name, handler) [name] = handler,
#include "interp/coroutines.def"
  };
  return table[intrin] ? table[intrin] : interp_stop_unsupported;
}

static op_handler *special_handler_for_callee_or_null(const struct decoding *d, LLVMValueRef callee, LLVMTypeRef type)
{
  size_t length;
  enum intrin intrin = intrin_of_function(&d->in->intrinsics, callee);
  if (intrin_is_coro(intrin))
    return handler_for_coroutine_intrinsic_or_stop(intrin);
  unsigned id = LLVMGetIntrinsicID(callee);
  if (id)
    return handler_for_intrinsic_name_or_null(LLVMIntrinsicGetName(id, &length));
  const char *name = LLVMGetValueName2(callee, &length);
  if (!LLVMIsDeclaration(callee))
    return NULL;
  return strncmp(name, "llvm.", 5) ? cxx_runtime_handler_or_null(name, type)
                                   : handler_for_intrinsic_name_or_null(name); /* of a later LLVM */
}

bool decode_call(struct decoding *d)
{
  LLVMValueRef inst = d->op->inst, callee = LLVMGetCalledValue(inst);
  struct call *call = CORO_NEW(d->in->arena, struct call);
  d->op->more = call;
  if (!call)
    return false;
  decode_flags(d);
  call->type = LLVMGetCalledFunctionType(inst);
  call->arg_count = LLVMGetNumArgOperands(inst);
  call->callee = LLVMIsAFunction(callee);
  if (d->op->opcode == LLVMInvoke) {
    d->op->flags |= OP_INVOKE;
    call->normal = ir_block_id(&d->function->fn, LLVMGetNormalDest(inst));
    call->unwind = ir_block_id(&d->function->fn, LLVMGetUnwindDest(inst));
  } else if (LLVMGetTailCallKind(inst) == LLVMTailCallKindMustTail && !(d->op->flags & (OP_NNAN | OP_NINF))) {
    d->op->flags |= OP_MUSTTAIL; /* flags apply to the result, so that the activation must not end before the call */
  }
  if (LLVMIsAInlineAsm(callee))
    d->op->run = interp_stop_unsupported;
  if (call->callee) {
    struct function *function = function_get_or_create(d->in, call->callee);
    if (!function)
      return false;
    call->code = &function->code;
    call->special = special_handler_for_callee_or_null(d, call->callee, call->type);
    if (!call->special && LLVMGetIntrinsicID(call->callee))
      d->op->run = interp_stop_unsupported;
  }
  decode_coroutine_intrinsic(d, call);
  return true;
}

const struct opcode opcodes[OPCODE_COUNT] = {
#define OP(opcode, handler, decoder) [opcode] = {handler, decoder},
#include "interp/ops.def"
};
