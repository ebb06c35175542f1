/* Calls: of functions of the module, of what the host defines, through pointers.
   Needs: activations. Leaves: an invoke that goes on at its normal or its unwind destination. */
#include <string.h>

#include "interp/room.h"

static uint32_t block_id(const struct decoding *d, LLVMBasicBlockRef block)
{
  return ir_id(&d->function->fn, LLVMBasicBlockAsValue(block)) & ~IR_BLOCK;
}

static op_handler *special_of(const struct decoding *d, LLVMValueRef callee, LLVMTypeRef type)
{
  size_t length;
  enum intrin intrin = intrin_of_function(&d->in->intrinsics, callee);
  if (intrin_is_coro(intrin))
    return coroutine_intrinsic(intrin);
  unsigned id = LLVMGetIntrinsicID(callee);
  if (id)
    return intrinsic_named(LLVMIntrinsicGetName(id, &length));
  return LLVMIsDeclaration(callee) ? runtime_named(LLVMGetValueName2(callee, &length), type) : NULL;
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
    call->normal = block_id(d, LLVMGetNormalDest(inst));
    call->unwind = block_id(d, LLVMGetUnwindDest(inst));
  } else if (LLVMGetTailCallKind(inst) == LLVMTailCallKindMustTail) {
    d->op->flags |= OP_MUSTTAIL;
  }
  if (LLVMIsAInlineAsm(callee))
    d->op->run = interp_unsupported;
  if (call->callee) {
    call->special = special_of(d, call->callee, call->type);
    if (!call->special && LLVMGetIntrinsicID(call->callee))
      d->op->run = interp_unsupported;
  }
  coroutine_decode(d, call);
  return true;
}

void call_finished(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  if (op->flags & OP_INVOKE)
    control_jump(in, act, op, call->normal);
}

enum { MOST = 64, MOST_CELLS = 1024 }; /* arguments of a call, and scalars that they are made of */

/* ---- What the host defines ---- */

static bool describe(const struct layout *type, coro_value *value)
{
  if (!type || type->unsupported || type->count != 1 || type->leaves[0].kind == LEAF_TOKEN)
    return false;
  value->kind = (coro_value_kind)type->leaves[0].kind;
  value->bits = type->leaves[0].bits;
  value->defined = true;
  return true;
}

static bool to_host(struct interp *in, const struct activation *act, const struct op *op, uint32_t k, coro_value *value)
{
  if (!describe(op->operands[k].type, value)) {
    interp_fail(in, op, CORO_EUNSUPPORTED, "host-argument", "argument %u is none that can be passed to the host",
                k + 1);
    return false;
  }
  u128 bits = interp_known(in, act, op, k, "what the outside sees");
  value->words[0] = (uint64_t)bits;
  value->words[1] = (uint64_t)(bits >> 64);
  return !in->status;
}

static void from_host(struct activation *act, const struct op *op, const coro_value *value)
{
  u128 bits = (u128)value->words[1] << 64 | value->words[0];
  *result(act, op) = cell_of(bits & cell_mask(value->bits));
}

/* False: nobody defines what is called, and the execution has ended. */
static bool is_defined(struct interp *in, const struct op *op, const coro_external *external, int answer)
{
  if (answer != CORO_EXTERNAL_UNKNOWN)
    return true;
  if (*external->name)
    interp_fail(in, op, CORO_EUNSUPPORTED, "no-definition", "@%s is defined nowhere", external->name);
  else
    interp_undefined(in, op, "no-function", "the address that is called is that of no function");
  return false;
}

bool call_ask(struct interp *in, const struct op *op, coro_external *external)
{
  int answer = heap_ask(in, op, external);
  if (in->status || !is_defined(in, op, external, answer))
    return false;
  if (answer) {
    interp_fail(in, op, CORO_ECALLBACK, "callback", "the host failed in @%s", external->name);
    return false;
  }
  if (!external->thrown)
    return true;
  in->thrown = (struct thrown){(uintptr_t)external->exception, (uintptr_t)external->exception_type, 0};
  unwind(in, op);
  return false;
}

static void ask_external(struct interp *in, struct activation *act, const struct op *op, const char *name,
                         uint64_t address, LLVMTypeRef type, uint32_t first, uint32_t count, bool store_result)
{
  coro_value args[MOST];
  coro_external external = {.name = name ? name : "", .args = args};
  external.address = name ? NULL : (void *)(uintptr_t)address;
  const struct layout *returned = layout_of(in, LLVMGetReturnType(type));
  external.arg_count = count;
  if (count > MOST || !returned || (returned->count && !describe(returned, &external.result))) {
    interp_fail(in, op, CORO_EUNSUPPORTED, "host-call", "@%s cannot be called in the host: %s", external.name,
                count > MOST ? "it takes too many arguments" : "its result is no scalar");
    return;
  }
  for (uint32_t k = 0; k < count; k++)
    if (!to_host(in, act, op, first + k, &args[k]))
      return;
  char *text = LLVMPrintTypeToString(type);
  external.type = text;
  bool answered = call_ask(in, op, &external);
  LLVMDisposeMessage(text);
  if (!answered)
    return;
  if (store_result && op->type && returned->count)
    from_host(act, op, &external.result);
  call_finished(in, act, op);
}

/* ---- Functions of the module ---- */

static bool pass(struct interp *in, const struct op *op, struct activation *act, uint32_t a, const struct cell *from)
{
  struct function *function = act->function;
  struct cell *to = act->cells + function->slots[a];
  memcpy(to, from, function->types[a]->count * sizeof *to);
  const struct layout *byval = function->byval[a];
  if (!byval)
    return true;
  struct block **list = act->coroutine ? &act->coroutine->blocks : &act->blocks;
  uint32_t align = function->byval_align[a] > byval->align ? function->byval_align[a] : byval->align;
  struct origin origin = {.kind = OBJECT_VARIABLE, .value = LLVMGetParam(function->llvm, a)};
  uint64_t copy = memory_new(in, list, byval->size, align, origin);
  if (from->undef)
    interp_undefined(in, op, "undef", "the address of what is passed by value is undefined");
  if (!copy || in->status)
    return false;
  memory_copy(in, op, copy, (uint64_t)from->bits, byval->size);
  *to = cell_of(copy);
  return !in->status;
}

struct activation *call_function(struct interp *in, const struct op *op, struct function *function,
                                 const struct cell *args, const struct layout *const *types, uint32_t count)
{
  struct activation *act = control_push(in, op, function, PART_PLAIN);
  if (!act || (function->coroutine && !coroutine_enter(in, act)))
    return NULL;
  bool variadic = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function->llvm));
  if (count < function->fn.arg_count || (count > function->fn.arg_count && !variadic)) {
    interp_undefined(in, op, "wrong-type", "the function takes another number of arguments");
    return NULL;
  }
  for (uint32_t a = 0; a < function->fn.arg_count; a++) {
    if (function->types[a]->unsupported || types[a]->count != function->types[a]->count)
      interp_undefined(in, op, "wrong-type", "the function takes arguments of other types");
    else
      pass(in, op, act, a, args);
    if (in->status)
      return NULL;
    args += types[a]->count;
  }
  return act;
}

struct gathered {
  const struct layout *types[MOST];
  struct cell cells[MOST_CELLS];
  uint32_t count; /* of the cells */
};

/* The operands of a call are scattered, and may be the cells of what a tail call ends. */
static bool gather(struct interp *in, const struct activation *act, const struct op *op, uint32_t first, uint32_t count,
                   struct gathered *out)
{
  out->count = 0;
  for (uint32_t k = 0; k < count; k++) {
    const struct layout *type = op->operands[first + k].type;
    if (k >= MOST || !type || type->count > MOST_CELLS - out->count) {
      interp_fail(in, op, CORO_EUNSUPPORTED, "many-arguments", "a call passes more than %d arguments or %d scalars",
                  MOST, MOST_CELLS);
      return false;
    }
    out->types[k] = type;
    memcpy(out->cells + out->count, operand(act, op, first + k), type->count * sizeof *out->cells);
    out->count += type->count;
  }
  return true;
}

/* The host's answer becomes the result of what ends with the call. */
static void tail_external(struct interp *in, struct activation *act, const struct op *op, const char *name,
                          uint64_t address, LLVMTypeRef type, uint32_t first, uint32_t count)
{
  if (LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind) {
    interp_unsupported(in, act, op);
    return;
  }
  ask_external(in, act, op, name, address, type, first, count, false);
  if (!in->status && in->top == act)
    control_return(in, op, NULL, NULL);
}

void call_operands(struct interp *in, struct activation *act, const struct op *op, uint64_t address, LLVMTypeRef type,
                   uint32_t first, uint32_t count, bool tail)
{
  const struct code *code = code_at(in, address);
  bool defined = code && !(code->kind == CODE_FUNCTION && LLVMIsDeclaration(code->function->llvm));
  struct gathered args;
  if (!defined && tail && !(op->flags & OP_MUSTTAIL)) {
    tail_external(in, act, op, code ? code->function->name : NULL, address, type, first, count);
    return;
  }
  if (!defined) {
    ask_external(in, act, op, code ? code->function->name : NULL, address, type, first, count, true);
    return;
  }
  if (!gather(in, act, op, first, count, &args))
    return;
  enum on_return then = tail ? act->on_return : RETURN_VALUE;
  if (tail)
    control_pop(in, op);
  struct activation *next = NULL;
  if (in->status)
    return;
  if (code->kind == CODE_FUNCTION)
    next = call_function(in, op, code->function, args.cells, args.types, count);
  else if (code->kind == CODE_CONTINUATION)
    next = continuation_enter(in, op, code, args.cells, args.count);
  else if (args.count == 1 && !args.cells->undef)
    call_with_handle(in, op, address, (uint64_t)args.cells->bits, tail ? then : RETURN_NOTHING);
  else
    interp_undefined(in, op, "wrong-type", "a part of a coroutine takes its handle");
  if (next)
    next->on_return = then;
}

void run_call(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  if (call->special) {
    call->special(in, act, op);
    return;
  }
  uint64_t address = (uint64_t)interp_known(in, act, op, op->count - 1, "a call");
  if (!in->status)
    call_operands(in, act, op, address, call->type, 0, call->arg_count, op->flags & OP_MUSTTAIL);
}
