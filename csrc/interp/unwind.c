/* Unwinds to landing pads. Exception types are compared by address, also along single-inheritance type information. */
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
    d->op->run = interp_stop_unsupported;
  return true;
}

/* Selector value of a type; 0 means no clause. */
static u128 selector_of_typeinfo(struct interp *in, uint64_t type)
{
  uint64_t id;
  if (coro_map_get(&in->typeids, type + 1, &id))
    return id;
  if (!coro_map_put(&in->typeids, type + 1, ++in->typeid_count))
    interp_stop_out_of_memory(in);
  return in->typeid_count;
}

static LLVMValueRef global_variable_at_address(struct interp *in, uint64_t address)
{
  const struct block *block = object_containing_or_ending_at(&in->memory, address);
  LLVMValueRef value = block && block->start == address ? block->origin.value : NULL;
  return value && LLVMIsAGlobalVariable(value) ? value : NULL;
}

/* Base in the type information of a class with one base (vtable, name, base); 0: none. */
static uint64_t base_class_typeinfo(struct interp *in, uint64_t type)
{
  LLVMValueRef variable = global_variable_at_address(in, type), value = variable ? LLVMGetInitializer(variable) : NULL;
  if (!value || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMStructTypeKind ||
      LLVMCountStructElementTypes(LLVMTypeOf(value)) != 3)
    return 0;
  LLVMValueRef base = LLVMGetAggregateElement(value, 2);
  return base && LLVMIsAGlobalVariable(base) ? global_address_or_allocate(in, base) : 0;
}

static bool is_thrown_type_caught_by(struct interp *in, uint64_t wanted)
{
  uint64_t type = in->thrown.type;
  if (!wanted)
    return true;
  for (int depth = 0; type && depth < 64; depth++, type = base_class_typeinfo(in, type))
    if (type == wanted)
      return true;
  return false;
}

/* True if the pad catches the exception or is a cleanup; sets the selector. */
static bool select_clause_or_cleanup_of_pad(struct interp *in, const struct activation *act, const struct op *pad)
{
  const struct clauses *clauses = pad->more;
  for (uint32_t i = 0; i < clauses->count; i++) {
    uint64_t wanted = (uint64_t)operand_cells(act, pad, i)->bits;
    if (is_thrown_type_caught_by(in, wanted)) {
      in->thrown.selector = selector_of_typeinfo(in, wanted);
      return true;
    }
  }
  in->thrown.selector = 0;
  return clauses->cleanup;
}

/* The landing pad of an invoke; NULL: unsupported. */
static const struct op *landing_pad_of_invoke_or_null(const struct activation *act, const struct op *invoke)
{
  const struct call *call = invoke->more;
  const struct op *op = act->function->ops + act->function->fn.block_start[call->unwind];
  while (op->opcode == LLVMPHI)
    op++;
  return op->opcode == LLVMLandingPad && op->run != interp_stop_unsupported ? op : NULL;
}

void unwind_to_landing_pad(struct interp *in, const struct op *op)
{
  while (!in->status) {
    struct activation *act = in->top;
    if (act == in->base) {
      interp_stop_undefined_behavior(in, op, "uncaught-exception", "the exception is not caught");
      return;
    }
    const struct op *at = control_current_instruction(act);
    if (at->flags & OP_INVOKE) {
      const struct op *pad = landing_pad_of_invoke_or_null(act, at);
      const struct call *call = at->more;
      if (!pad) {
        interp_stop_unsupported(in, act, at);
        return;
      }
      if (select_clause_or_cleanup_of_pad(in, act, pad)) {
        control_jump_to_block(in, act, at, call->unwind);
        return;
      }
    }
    control_pop_activation(in, op);
  }
}

void run_landing_pad(struct interp *in, struct activation *act, const struct op *op)
{
  struct cell *out = result_cells(act, op);
  act->caught = true;
  if (op->type->count != 2) {
    interp_stop_unsupported(in, act, op);
    return;
  }
  out[0] = cell_of(in->thrown.object);
  out[1] = cell_of(in->thrown.selector);
}

/* 0: unknown. */
static uint64_t typeinfo_of_exception(const struct interp *in, uint64_t object)
{
  for (const struct exception *e = in->exceptions; e; e = e->next)
    if (e->object == object)
      return e->type;
  return 0;
}

/* If the activation destroys a coroutine that an exception has ended, on the ramp's path, it ends here, without
   rethrowing that exception. */
void run_resume_unwinding(struct interp *in, struct activation *act, const struct op *op)
{
  if (act->as_ramp && !act->caught) {
    coroutine_mark_ended_and_unregister(in, act->coroutine);
    control_return_from_activation(in, op, NULL, NULL);
    return;
  }
  u128 object = interp_read_defined_operand(in, act, op, 0, "an exception");
  if (in->status)
    return;
  in->thrown.type = in->thrown.object == object ? in->thrown.type : typeinfo_of_exception(in, (uint64_t)object);
  in->thrown.object = (uint64_t)object;
  control_pop_activation(in, op);
  unwind_to_landing_pad(in, op);
}

HANDLER(run_typeid_for, store_integer, selector_of_typeinfo(in, (uint64_t)operand_cells(act, op, 0)->bits))
