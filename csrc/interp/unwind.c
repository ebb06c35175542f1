/* Unwinding to landing pads. Exception types are compared by address, also along single-inheritance type
   information. */
#include "interp/unwind.h"

#include "interp/control.h"
#include "interp/coroutine.h"
#include "interp/execution_error.h"
#include "interp/global_address.h"
#include "interp/handlers.h"

struct clauses {
  uint32_t count;
  bool cleanup, filters;
};

bool decode_landing_pad(struct decoding *d)
{
  struct clauses *clauses = CORO_NEW(d->in->arena, struct clauses);
  d->op->more = clauses;
  if (!clauses)
    return false;
  clauses->count = LLVMGetNumClauses(d->op->inst);
  clauses->cleanup = LLVMIsCleanup(d->op->inst);
  for (uint32_t i = 0; i < clauses->count; i++)
    clauses->filters |= LLVMGetTypeKind(LLVMTypeOf(LLVMGetClause(d->op->inst, i))) == LLVMArrayTypeKind;
  if (clauses->filters)
    d->op->run = interp_unsupported;
  return true;
}

/* Selector value of a type; 0 means no clause. */
static u128 type_id(struct interp *in, uint64_t type)
{
  uint64_t id;
  if (coro_map_get(&in->typeids, type + 1, &id))
    return id;
  if (!coro_map_put(&in->typeids, type + 1, ++in->typeid_count))
    interp_no_memory(in);
  return in->typeid_count;
}

static LLVMValueRef variable_at(struct interp *in, uint64_t address)
{
  const struct block *block = object_find(&in->memory, address);
  LLVMValueRef value = block && block->start == address ? block->origin.value : NULL;
  return value && LLVMIsAGlobalVariable(value) ? value : NULL;
}

/* Base in the type information of a class with one base (vtable, name, base); 0: none. */
static uint64_t base_class_of(struct interp *in, uint64_t type)
{
  LLVMValueRef variable = variable_at(in, type), value = variable ? LLVMGetInitializer(variable) : NULL;
  if (!value || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMStructTypeKind ||
      LLVMCountStructElementTypes(LLVMTypeOf(value)) != 3)
    return 0;
  LLVMValueRef base = LLVMGetAggregateElement(value, 2);
  return base && LLVMIsAGlobalVariable(base) ? global_address(in, base) : 0;
}

static bool typeinfo_matches(struct interp *in, uint64_t wanted)
{
  uint64_t type = in->thrown.type;
  if (!wanted)
    return true;
  for (int depth = 0; type && depth < 64; depth++, type = base_class_of(in, type))
    if (type == wanted)
      return true;
  return false;
}

/* True if the pad catches the exception or is a cleanup; sets the selector. */
static bool pad_catches_exception(struct interp *in, const struct activation *act, const struct op *pad)
{
  const struct clauses *clauses = pad->more;
  for (uint32_t i = 0; i < clauses->count; i++) {
    uint64_t wanted = (uint64_t)operand(act, pad, i)->bits;
    if (typeinfo_matches(in, wanted)) {
      in->thrown.selector = type_id(in, wanted);
      return true;
    }
  }
  in->thrown.selector = 0;
  return clauses->cleanup;
}

/* The landing pad of an invoke; NULL: unsupported. */
static const struct op *pad_of(const struct activation *act, const struct op *invoke)
{
  const struct call *call = invoke->more;
  const struct op *op = act->function->ops + act->function->fn.block_start[call->unwind];
  while (op->opcode == LLVMPHI)
    op++;
  return op->opcode == LLVMLandingPad && op->run != interp_unsupported ? op : NULL;
}

void unwind(struct interp *in, const struct op *op)
{
  while (!in->status) {
    struct activation *act = in->top;
    if (act == in->base) {
      interp_undefined(in, op, "uncaught-exception", "the exception is not caught");
      return;
    }
    const struct op *at = control_at(act);
    if (at->flags & OP_INVOKE) {
      const struct op *pad = pad_of(act, at);
      const struct call *call = at->more;
      if (!pad) {
        interp_unsupported(in, act, at);
        return;
      }
      if (pad_catches_exception(in, act, pad)) {
        control_jump(in, act, at, call->unwind);
        return;
      }
    }
    control_pop(in, op);
  }
}

void run_landing_pad(struct interp *in, struct activation *act, const struct op *op)
{
  struct cell *out = result(act, op);
  act->caught = true;
  if (op->type->count != 2) {
    interp_unsupported(in, act, op);
    return;
  }
  out[0] = cell_of(in->thrown.object);
  out[1] = cell_of(in->thrown.selector);
}

/* 0: unknown. */
static uint64_t exception_type(const struct interp *in, uint64_t object)
{
  for (const struct exception *e = in->exceptions; e; e = e->next)
    if (e->object == object)
      return e->type;
  return 0;
}

void run_resume(struct interp *in, struct activation *act, const struct op *op)
{
  if (act->as_ramp && !act->caught) { /* the exception that ended the coroutine must not be rethrown */
    coroutine_end(in, act->coroutine);
    control_return(in, op, NULL, NULL);
    return;
  }
  u128 object = interp_require_defined(in, act, op, 0, "an exception");
  if (in->status)
    return;
  in->thrown.type = in->thrown.object == object ? in->thrown.type : exception_type(in, (uint64_t)object);
  in->thrown.object = (uint64_t)object;
  control_pop(in, op);
  unwind(in, op);
}

void run_typeid_for(struct interp *in, struct activation *act, const struct op *op)
{
  *result(act, op) = cell_of(type_id(in, (uint64_t)operand(act, op, 0)->bits));
}
