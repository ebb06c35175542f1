/* Coroutines whose suspends return: to whom called them, with the function that goes on and what is yielded (retcon),
   or by a call of another function that is told where to go on (async). They are known by the caller's buffer, or by
   their context; their frame is elsewhere, and the buffer is left alone.
   Needs: coroutine.c. Leaves: a coroutine that has ended forgotten. */
#include <string.h>

#include "interp/coroutine.h"

uint64_t continuation_place(struct interp *in, const struct activation *act, const struct op *op)
{
  const struct function *function = act->function;
  struct cell cell;
  if (function->abi == INTRIN_ID_ASYNC) {
    LLVMValueRef which = LLVMGetOperand(function->id, ASYNC_ID_ARGUMENT);
    uint64_t argument = LLVMIsAConstantInt(which) ? LLVMConstIntGetZExtValue(which) : UINT64_MAX;
    cell = argument < function->fn.arg_count ? act->cells[function->slots[argument]] : cell_poison(64);
  } else {
    uint32_t id = function->id ? ir_id(&function->fn, function->id) : IR_NONE;
    const struct op *call = id == IR_NONE ? NULL : &function->ops[ir_inst_of_value(&function->fn, id)];
    cell = call ? *operand(act, call, RETCON_BUFFER) : cell_poison(64);
  }
  if (cell.undef || !cell.bits)
    interp_undefined(in, op, "no-handle", "the place that the coroutine is known by is undefined or null");
  return (uint64_t)cell.bits;
}

LLVMValueRef continuation_user(const struct interp *in, const struct ir_fn *fn, LLVMValueRef address)
{
  for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use))
    if (intrin_of(&in->intrinsics, LLVMGetUser(use)) == INTRIN_SUSPEND_ASYNC &&
        LLVMGetOperand(LLVMGetUser(use), ASYNC_SUSPEND_RESUME) == address &&
        ir_id(fn, LLVMGetUser(use)) != IR_NONE) /* can be reached */
      return LLVMGetUser(use);
  return NULL;
}

static struct code *code_behind(struct interp *in, struct function *function, uint32_t suspend)
{
  return code_for(in, &function->ops[suspend], CODE_CONTINUATION, function, suspend);
}

/* ---- Going on ---- */

/* The context that the projection makes of one of the arguments: a small function, run to its end here. */
static uint64_t projected(struct interp *in, const struct op *op, const struct op *suspend, const struct cell *args)
{
  const struct layout *pointer = layout_of(in, LLVMPointerTypeInContext(in->context, 0));
  const struct cell *which = suspend->operands[ASYNC_SUSPEND_INDICES].constant;
  LLVMTypeRef type = suspend->type ? suspend->type->type : NULL;
  uint32_t index = which ? (uint32_t)(which->bits & 0xff) : 0, at = 0;
  bool known = which && !which->undef && type && LLVMGetTypeKind(type) == LLVMStructTypeKind;
  for (uint32_t i = 0; known && i < index && i < LLVMCountStructElementTypes(type); i++)
    at += layout_of(in, LLVMStructGetTypeAtIndex(type, i))->count;
  const struct cell *projection = suspend->operands[ASYNC_SUSPEND_PROJECTION].constant;
  const struct code *code = projection ? code_at(in, (uint64_t)projection->bits) : NULL;
  if (!pointer || !known || at >= suspend->type->count || !code || code->kind != CODE_FUNCTION ||
      LLVMIsDeclaration(code->function->llvm)) {
    interp_undefined(in, op, "projection", "no function makes the context of the continuation's arguments");
    return 0;
  }
  const struct activation *outer = in->base;
  in->base = in->top;
  struct activation *act = call_function(in, op, code->function, args + at, &pointer, 1);
  if (act)
    act->on_return = RETURN_HOST;
  control_run(in, in->base);
  in->base = outer;
  if (in->status)
    return 0;
  return in->results_type && !in->results->undef ? (uint64_t)in->results->bits : 0;
}

static uint32_t error_argument(LLVMValueRef function)
{
  unsigned kind = LLVMGetEnumAttributeKindForName("swifterror", strlen("swifterror")),
           count = LLVMCountParams(function);
  for (unsigned i = 0; i < count; i++)
    if (LLVMGetEnumAttributeAtIndex(function, i + 1, kind))
      return i;
  return IR_NONE;
}

/* The swifterror that a continuation is passed takes the place of the coroutine's own. */
static void take_error(struct interp *in, struct activation *act, const struct cell *args, uint32_t count)
{
  struct function *function = act->function;
  LLVMValueRef prototype = LLVMGetOperand(function->id, RETCON_PROTOTYPE);
  uint32_t own = error_argument(function->llvm),
           passed = LLVMIsAFunction(prototype) ? error_argument(prototype) : IR_NONE;
  uint32_t at = 0;
  if (own == IR_NONE || passed == IR_NONE)
    return;
  for (uint32_t i = 0; i < passed; i++)
    at += layout_of(in, LLVMTypeOf(LLVMGetParam(prototype, i)))->count;
  if (at < count)
    act->cells[function->slots[own]] = args[at];
}

struct activation *continuation_enter(struct interp *in, const struct op *op, const struct code *code,
                                      const struct cell *args, uint32_t count)
{
  struct function *function = code->function;
  const struct op *suspend = &function->ops[code->at];
  bool async = function->abi == INTRIN_ID_ASYNC;
  uint32_t skipped = async ? 0 : 1, wanted = skipped + (suspend->type ? suspend->type->count : 0);
  if (count != wanted) {
    interp_undefined(in, op, "wrong-type", "the continuation takes another number of arguments");
    return NULL;
  }
  uint64_t place = async ? projected(in, op, suspend, args) : args->undef ? 0 : (uint64_t)args->bits;
  struct coroutine *coroutine = in->status ? NULL : coroutine_at(in, place);
  if (!coroutine || coroutine->function != function || !coroutine->resumable || coroutine->saved_at != code->at) {
    interp_undefined(in, op, "not-suspended", "no coroutine of this place is suspended where the continuation goes on");
    return NULL;
  }
  struct activation *act = control_push(in, op, function, PART_RESUME);
  if (!act)
    return NULL;
  act->coroutine = coroutine;
  coroutine->refs++;
  coroutine->resumable = false;
  memcpy(act->cells, coroutine->saved, function->cell_count * sizeof *act->cells);
  act->pc = code->at + 1;
  act->block = function->fn.inst_block[code->at];
  if (!async)
    take_error(in, act, args, count);
  for (uint32_t i = 0; i < count - skipped; i++) {
    struct cell *to = result(act, suspend) + i;
    u128 mask = cell_mask(suspend->type->leaves[i].bits);
    *to = args[skipped + i];
    to->undef &= mask;
    to->bits &= mask & ~to->undef;
  }
  return act;
}

/* ---- Returned continuations ---- */

/* NULL: what should be the prototype is no function. */
static LLVMTypeRef returned_type(const struct activation *act)
{
  const struct function *function = act->function;
  LLVMValueRef from = function->llvm;
  if (act->part != PART_RAMP && function->abi == INTRIN_ID_RETCON_ONCE)
    from = LLVMGetOperand(function->id, RETCON_PROTOTYPE);
  return LLVMIsAFunction(from) ? LLVMGetReturnType(LLVMGlobalGetValueType(from)) : NULL;
}

/* The continuation's address, then the operands of the operation that has them, as far as the type goes. */
static void give_back(struct interp *in, struct activation *act, const struct op *op, const void *code,
                      const struct op *values, uint32_t count)
{
  LLVMTypeRef type = returned_type(act);
  const struct layout *layout = type ? layout_of(in, type) : NULL;
  struct cell *cells = layout && !layout->unsupported ? control_scratch(in, layout->count + 1) : NULL;
  bool continues = act->part == PART_RAMP || act->function->abi == INTRIN_ID_RETCON;
  uint32_t at = 0;
  if (!cells) {
    interp_undefined(in, op, "prototype", "no function says of what type the continuation's results are");
    return;
  }
  for (uint32_t i = 0; i < layout->count; i++)
    cells[i] = cell_poison(layout->leaves[i].bits);
  if (continues && layout->count)
    cells[at++] = cell_of((uintptr_t)code);
  for (uint32_t k = 0; k < count; k++) {
    const struct layout *part = values->operands[k].type;
    if (!part || part->count > layout->count - at) {
      interp_undefined(in, op, "wrong-type", "what is given back is not of the type that the coroutine returns");
      return;
    }
    memcpy(cells + at, operand(act, values, k), part->count * sizeof *cells);
    at += part->count;
  }
  control_return(in, op, LLVMGetTypeKind(type) == LLVMVoidTypeKind ? NULL : layout, cells);
}

static bool suspend(struct interp *in, struct activation *act, const struct op *op)
{
  if (!coroutine_begun(in, act, op) || !coroutine_keep(in, act, (uint32_t)(op - act->function->ops)))
    return false;
  act->suspended = true;
  return true;
}

void run_suspend_retcon(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  if (!suspend(in, act, op))
    return;
  const struct code *code = code_behind(in, act->function, (uint32_t)(op - act->function->ops));
  if (code)
    give_back(in, act, op, code, op, call->arg_count);
}

void continuation_end(struct interp *in, struct activation *act, const struct op *op, bool unwinds)
{
  const struct call *call = op->more;
  struct function *function = act->function;
  if (!coroutine_begun(in, act, op))
    return;
  coroutine_end(in, op, act->coroutine);
  act->suspended = true; /* nothing is left to end when the activation does */
  if (unwinds)
    return;
  if (function->abi == INTRIN_ID_ASYNC) {
    control_return(in, op, NULL, NULL);
    return;
  }
  const struct op *results = call->token == IR_NONE ? NULL : &function->ops[call->token];
  const struct call *given = results ? results->more : NULL;
  give_back(in, act, op, NULL, results, given ? given->arg_count : 0);
}

/* ---- Async ---- */

void run_async_resume(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  const struct code *code = call->token == IR_NONE ? NULL : code_behind(in, act->function, call->token);
  *result(act, op) = cell_of((uintptr_t)code);
}

/* The type of a call of the operands from `first` on, which gives nothing back. */
static LLVMTypeRef type_of_call(const struct op *op, uint32_t first, uint32_t count)
{
  LLVMTypeRef types[64];
  for (uint32_t k = 0; k < count && k < 64; k++)
    types[k] = LLVMTypeOf(LLVMGetOperand(op->inst, first + k));
  return LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetTypeContext(LLVMTypeOf(op->inst))), types,
                          count < 64 ? count : 64, false);
}

/* Calls operand `callee` with what follows it, and ends the activation. */
static void end_by_call(struct interp *in, struct activation *act, const struct op *op, uint32_t callee)
{
  const struct call *call = op->more;
  uint64_t address = (uint64_t)interp_known(in, act, op, callee, "a call");
  uint32_t first = callee + 1, count = call->arg_count > callee ? call->arg_count - first : 0;
  if (call->arg_count <= callee) {
    interp_undefined(in, op, "no-function", "no function is named that goes on");
    return;
  }
  if (!in->status)
    call_operands(in, act, op, address, type_of_call(op, first, count), first, count, true);
}

void run_suspend_async(struct interp *in, struct activation *act, const struct op *op)
{
  if (suspend(in, act, op))
    end_by_call(in, act, op, ASYNC_SUSPEND_CALLEE);
}

void run_end_async(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  bool unwinds = operand(act, op, END_UNWINDS)->bits;
  if (unwinds || call->arg_count <= ASYNC_END_CALLEE) {
    continuation_end(in, act, op, unwinds);
    return;
  }
  if (!coroutine_begun(in, act, op))
    return;
  coroutine_end(in, op, act->coroutine);
  act->suspended = true;
  end_by_call(in, act, op, ASYNC_END_CALLEE);
}

/* ---- The rest ---- */

void run_nothing(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in, (void)act, (void)op;
}

void run_first(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  *result(act, op) = *operand(act, op, 0);
}

/* The token is the address. */
void run_alloca_alloc(struct interp *in, struct activation *act, const struct op *op)
{
  u128 size = interp_known(in, act, op, ALLOCA_ALLOC_SIZE, "the size of a variable");
  uint64_t align = (uint64_t)operand(act, op, ALLOCA_ALLOC_ALIGN)->bits;
  struct block **list = act->coroutine ? &act->coroutine->blocks : &act->blocks;
  struct origin origin = {.kind = OBJECT_VARIABLE, .value = op->inst};
  if (!in->status)
    *result(act, op) = cell_of(memory_new(in, list, size > UINT32_MAX ? UINT64_MAX : (uint64_t)size, align, origin));
}

void run_alloca_free(struct interp *in, struct activation *act, const struct op *op)
{
  if (!memory_drop(in, op, (uint64_t)operand(act, op, ALLOCA_TOKEN)->bits))
    interp_undefined(in, op, "freed-twice", "the variable was given back before");
}
