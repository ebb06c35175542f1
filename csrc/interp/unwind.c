/* Exceptions by landing pads, and as much of C++'s run time as they need: the types are compared by address, and by
   the base that the type's information names where there is one.
   Needs: activations. Leaves: control at the landing pad, or an end where nobody catches. */
#include <string.h>

#include "interp/coroutine.h"
#include "interp/object.h"

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

/* A number for a type; 0 is that of no clause. */
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
  const struct block *block = object_at(&in->memory, address);
  LLVMValueRef value = block && block->start == address ? block->origin.value : NULL;
  return value && LLVMIsAGlobalVariable(value) ? value : NULL;
}

/* The type information of a class with one base: table, name, base. 0 where there is none. */
static uint64_t base_of(struct interp *in, uint64_t type)
{
  LLVMValueRef variable = variable_at(in, type), value = variable ? LLVMGetInitializer(variable) : NULL;
  if (!value || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMStructTypeKind ||
      LLVMCountStructElementTypes(LLVMTypeOf(value)) != 3)
    return 0;
  LLVMValueRef base = LLVMGetAggregateElement(value, 2);
  return base && LLVMIsAGlobalVariable(base) ? global_address(in, base) : 0;
}

static bool catches(struct interp *in, uint64_t wanted)
{
  uint64_t type = in->thrown.type;
  if (!wanted)
    return true;
  for (int depth = 0; type && depth < 64; depth++, type = base_of(in, type))
    if (type == wanted)
      return true;
  return false;
}

/* Whether the pad takes the exception; then its selector is chosen. */
static bool takes(struct interp *in, const struct activation *act, const struct op *pad)
{
  const struct clauses *clauses = pad->more;
  for (uint32_t i = 0; i < clauses->count; i++) {
    uint64_t wanted = (uint64_t)operand(act, pad, i)->bits;
    if (catches(in, wanted)) {
      in->thrown.selector = type_id(in, wanted);
      return true;
    }
  }
  in->thrown.selector = 0;
  return clauses->cleanup;
}

/* The landing pad of the invoke; NULL where its unwind destination is of another kind. */
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
      interp_undefined(in, op, "uncaught-exception", "nobody catches the exception");
      return;
    }
    const struct op *at = &act->function->ops[act->pc - 1];
    if (at->flags & OP_INVOKE) {
      const struct op *pad = pad_of(act, at);
      const struct call *call = at->more;
      if (!pad) {
        interp_unsupported(in, act, at);
        return;
      }
      if (takes(in, act, pad)) {
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

/* 0: not known. */
static uint64_t exception_type(const struct interp *in, uint64_t object)
{
  for (const struct exception *e = in->exceptions; e; e = e->next)
    if (e->object == object)
      return e->type;
  return 0;
}

void run_resume(struct interp *in, struct activation *act, const struct op *op)
{
  if (act->as_ramp && !act->caught) { /* the ramp would hand on what ended the coroutine long ago */
    coroutine_end(in, op, act->coroutine);
    control_return(in, op, NULL, NULL);
    return;
  }
  u128 object = interp_known(in, act, op, 0, "an exception");
  if (in->status)
    return;
  in->thrown.type = in->thrown.object == object ? in->thrown.type : exception_type(in, (uint64_t)object);
  in->thrown.object = (uint64_t)object;
  control_pop(in, op);
  unwind(in, op);
}

/* ---- C++'s run time: in->exceptions are those that were thrown and are not gone yet, the latest caught first ---- */

static void run_allocate_exception(struct interp *in, struct activation *act, const struct op *op)
{
  u128 size = interp_known(in, act, op, 0, "the size of an exception");
  struct exception *exception = in->status ? NULL : CORO_NEW(in->arena, struct exception);
  if (!exception) {
    interp_no_memory(in);
    return;
  }
  struct origin origin = {.kind = OBJECT_OTHER, .value = op->inst};
  exception->object = memory_new(in, &exception->blocks, size > UINT32_MAX ? UINT64_MAX : (uint64_t)size, 16, origin);
  exception->next = in->exceptions;
  in->exceptions = exception;
  *result(act, op) = cell_of(exception->object);
  call_finished(in, act, op);
}

static struct exception **find(struct interp *in, uint64_t object)
{
  struct exception **at = &in->exceptions;
  while (*at && (*at)->object != object)
    at = &(*at)->next;
  return at;
}

static void forget(struct interp *in, const struct op *op, struct exception **at)
{
  struct exception *exception = *at;
  *at = exception->next;
  memory_release(in, op, &exception->blocks);
}

static void run_free_exception(struct interp *in, struct activation *act, const struct op *op)
{
  struct exception **at = find(in, (uint64_t)interp_known(in, act, op, 0, "an exception"));
  if (*at)
    forget(in, op, at);
  call_finished(in, act, op);
}

static void run_throw(struct interp *in, struct activation *act, const struct op *op)
{
  u128 object = interp_known(in, act, op, 0, "an exception"), type = interp_known(in, act, op, 1, "an exception");
  u128 destroy = interp_known(in, act, op, 2, "an exception");
  struct exception *exception = in->status ? NULL : *find(in, (uint64_t)object);
  if (in->status)
    return;
  if (exception) {
    exception->type = (uint64_t)type;
    exception->destroy = (uint64_t)destroy;
  }
  in->thrown = (struct thrown){(uint64_t)object, (uint64_t)type, 0};
  unwind(in, op);
}

/* Of any language: the object says nothing that is understood here. */
static void run_raise(struct interp *in, struct activation *act, const struct op *op)
{
  u128 object = interp_known(in, act, op, 0, "an exception");
  if (in->status)
    return;
  in->thrown = (struct thrown){(uint64_t)object, 0, 0};
  unwind(in, op);
}

static void run_begin_catch(struct interp *in, struct activation *act, const struct op *op)
{
  u128 object = interp_known(in, act, op, 0, "an exception");
  struct exception **at = find(in, (uint64_t)object), *exception = *at;
  if (exception) { /* the one caught last comes first */
    exception->caught++;
    *at = exception->next;
    exception->next = in->exceptions;
    in->exceptions = exception;
  }
  *result(act, op) = cell_of(object);
  call_finished(in, act, op);
}

static void run_get_exception(struct interp *in, struct activation *act, const struct op *op)
{
  *result(act, op) = cell_of(interp_known(in, act, op, 0, "an exception"));
  call_finished(in, act, op);
}

static struct exception **caught_last(struct interp *in)
{
  struct exception **at = &in->exceptions;
  while (*at && !(*at)->caught)
    at = &(*at)->next;
  return at;
}

/* The object's destructor runs before its memory is gone, which here is at the end of all. */
static void run_end_catch(struct interp *in, struct activation *act, const struct op *op)
{
  struct exception **at = caught_last(in), *exception = *at;
  bool over = exception && --exception->caught == 0;
  if (over && exception->rethrown) { /* it is on its way to another handler */
    exception->rethrown = false;
  } else if (over) {
    *at = exception->next;
    exception->next = in->gone;
    in->gone = exception;
    if (exception->destroy) {
      call_with_handle(in, op, exception->destroy, exception->object, RETURN_NOTHING);
      return;
    }
  }
  call_finished(in, act, op);
}

static void run_rethrow(struct interp *in, struct activation *act, const struct op *op)
{
  (void)act;
  struct exception *exception = *caught_last(in);
  if (!exception) {
    interp_undefined(in, op, "rethrow", "no exception is there to be thrown again");
    return;
  }
  exception->rethrown = true;
  in->thrown = (struct thrown){exception->object, exception->type, 0};
  unwind(in, op);
}

static void run_terminate(struct interp *in, struct activation *act, const struct op *op)
{
  (void)act;
  interp_undefined(in, op, "terminate", "the program terminates on account of an exception");
}

/* Whether it takes pointers or integers as the text says (p, i), and gives a pointer or (v) nothing. */
static bool is_of(LLVMTypeRef type, const char *text)
{
  LLVMTypeRef params[3];
  unsigned count = LLVMCountParamTypes(type);
  LLVMTypeKind result = LLVMGetTypeKind(LLVMGetReturnType(type));
  if (count != strlen(text) - 1 || (*text == 'p' && result != LLVMPointerTypeKind))
    return false;
  LLVMGetParamTypes(type, params);
  for (unsigned k = 0; k < count; k++)
    if (LLVMGetTypeKind(params[k]) != (text[k + 1] == 'p' ? LLVMPointerTypeKind : LLVMIntegerTypeKind))
      return false;
  return true;
}

op_handler *runtime_named(const char *name, LLVMTypeRef type)
{
  static const struct {
    const char *name;
    const char *type;
    op_handler *run;
  } table[] = {
      {"__cxa_allocate_exception", "pi", run_allocate_exception},
      {"__cxa_free_exception", "vp", run_free_exception},
      {"__cxa_throw", "vppp", run_throw},
      {"_Unwind_RaiseException", "vp", run_raise},
      {"__cxa_begin_catch", "pp", run_begin_catch},
      {"__cxa_get_exception_ptr", "pp", run_get_exception},
      {"__cxa_end_catch", "v", run_end_catch},
      {"__cxa_rethrow", "v", run_rethrow},
      {"_ZSt9terminatev", "v", run_terminate},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].name, name) && is_of(type, table[i].type))
      return table[i].run;
  return NULL;
}

void run_typeid_for(struct interp *in, struct activation *act, const struct op *op)
{
  *result(act, op) = cell_of(type_id(in, (uint64_t)operand(act, op, 0)->bits));
}

void exceptions_free(struct interp *in)
{
  while (in->exceptions)
    forget(in, NULL, &in->exceptions);
  while (in->gone)
    forget(in, NULL, &in->gone);
}
