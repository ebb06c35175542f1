/* The part of the C++ exception runtime (__cxa_*) that programs need. in->exceptions lists exceptions in flight or
   being handled, the last caught first. */
#include "interp/cxx_exception.h"

#include <string.h>

#include "interp/code_entry.h"
#include "interp/control.h"
#include "interp/execution_error.h"
#include "interp/handlers.h"
#include "interp/unwind.h"

static void run_allocate_exception(struct interp *in, struct activation *act, const struct op *op)
{
  uint64_t size = interp_read_size_operand_saturated(in, act, op, 0, "the size of an exception");
  struct exception *exception = in->status ? NULL : CORO_NEW(in->arena, struct exception);
  if (!exception) {
    interp_stop_out_of_memory(in);
    return;
  }
  struct origin origin = {.kind = OBJECT_OTHER, .value = op->inst};
  exception->object = object_allocate_in_list(in, &exception->blocks, size, 16, origin);
  exception->next = in->exceptions;
  in->exceptions = exception;
  *result_cells(act, op) = cell_of(exception->object);
  branch_to_normal_destination_if_invoke(in, act, op);
}

static struct exception **find_exception(struct interp *in, uint64_t object)
{
  struct exception **at = &in->exceptions;
  while (*at && (*at)->object != object)
    at = &(*at)->next;
  return at;
}

static void unlink_exception_and_free_memory(struct interp *in, const struct op *op, struct exception **at)
{
  struct exception *exception = *at;
  *at = exception->next;
  object_end_lifetimes_of_list(in, op, &exception->blocks);
}

static void run_free_exception(struct interp *in, struct activation *act, const struct op *op)
{
  struct exception **at = find_exception(in, (uint64_t)interp_read_defined_operand(in, act, op, 0, "an exception"));
  if (*at)
    unlink_exception_and_free_memory(in, op, at);
  branch_to_normal_destination_if_invoke(in, act, op);
}

static void run_throw(struct interp *in, struct activation *act, const struct op *op)
{
  u128 object = interp_read_defined_operand(in, act, op, 0, "an exception"),
       type = interp_read_defined_operand(in, act, op, 1, "an exception");
  u128 destroy = interp_read_defined_operand(in, act, op, 2, "an exception");
  struct exception *exception = in->status ? NULL : *find_exception(in, (uint64_t)object);
  if (in->status)
    return;
  if (exception) {
    exception->type = (uint64_t)type;
    exception->destroy = (uint64_t)destroy;
  }
  in->thrown = (struct thrown){(uint64_t)object, (uint64_t)type, 0};
  unwind_to_landing_pad(in, op);
}

/* A foreign exception has no type information here. */
static void run_raise_exception(struct interp *in, struct activation *act, const struct op *op)
{
  u128 object = interp_read_defined_operand(in, act, op, 0, "an exception");
  const struct exception *exception = in->status ? NULL : *find_exception(in, (uint64_t)object);
  if (in->status)
    return;
  in->thrown = (struct thrown){(uint64_t)object, exception ? exception->type : 0, 0};
  unwind_to_landing_pad(in, op);
}

static void run_begin_catch(struct interp *in, struct activation *act, const struct op *op)
{
  u128 object = interp_read_defined_operand(in, act, op, 0, "an exception");
  struct exception **at = find_exception(in, (uint64_t)object), *exception = *at;
  if (exception) { /* moves it to the front */
    exception->caught++;
    *at = exception->next;
    exception->next = in->exceptions;
    in->exceptions = exception;
  }
  *result_cells(act, op) = cell_of(object);
  branch_to_normal_destination_if_invoke(in, act, op);
}

static void run_cxa_get_exception_ptr(struct interp *in, struct activation *act, const struct op *op)
{
  *result_cells(act, op) = cell_of(interp_read_defined_operand(in, act, op, 0, "an exception"));
  branch_to_normal_destination_if_invoke(in, act, op);
}

static struct exception **last_caught(struct interp *in)
{
  struct exception **at = &in->exceptions;
  while (*at && !(*at)->caught)
    at = &(*at)->next;
  return at;
}

/* Ends the innermost handler of __cxa_begin_catch. The last handler of an exception runs the destructor of its object,
   whose memory is freed with the interpreter. */
static void run_end_catch(struct interp *in, struct activation *act, const struct op *op)
{
  struct exception **at = last_caught(in), *exception = *at;
  bool is_handled = exception && --exception->caught == 0;
  if (is_handled && exception->rethrown) { /* rethrown to another handler */
    exception->rethrown = false;
  } else if (is_handled) {
    *at = exception->next;
    exception->next = in->gone;
    in->gone = exception;
    if (exception->destroy) {
      enter_code_with_handle(in, op, exception->destroy, exception->object, false);
      return;
    }
  }
  branch_to_normal_destination_if_invoke(in, act, op);
}

static void run_rethrow(struct interp *in, struct activation *act, const struct op *op)
{
  (void)act;
  struct exception *exception = *last_caught(in);
  if (!exception) {
    interp_stop_undefined_behavior(in, op, "rethrow", "there is no current exception to rethrow");
    return;
  }
  exception->rethrown = true;
  in->thrown = (struct thrown){exception->object, exception->type, 0};
  unwind_to_landing_pad(in, op);
}

static void run_terminate(struct interp *in, struct activation *act, const struct op *op)
{
  (void)act;
  interp_stop_undefined_behavior(in, op, "terminate", "the program calls std::terminate");
}

/* Checks parameter kinds (p pointer, i integer) and the result (p, or v for any). */
static bool has_runtime_function_signature(LLVMTypeRef type, const char *text)
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

op_handler *cxx_runtime_handler_or_null(const char *name, LLVMTypeRef type)
{
  static const struct {
    const char *name;
    const char *type;
    op_handler *run;
  } table[] = {
      {"__cxa_allocate_exception", "pi", run_allocate_exception},
      {"__cxa_free_exception", "vp", run_free_exception},
      {"__cxa_throw", "vppp", run_throw},
      {"_Unwind_RaiseException", "vp", run_raise_exception},
      {"_Unwind_Resume_or_Rethrow", "vp", run_raise_exception},
      {"__cxa_begin_catch", "pp", run_begin_catch},
      {"__cxa_get_exception_ptr", "pp", run_cxa_get_exception_ptr},
      {"__cxa_end_catch", "v", run_end_catch},
      {"__cxa_rethrow", "v", run_rethrow},
      {"_ZSt9terminatev", "v", run_terminate},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].name, name) && has_runtime_function_signature(type, table[i].type))
      return table[i].run;
  return NULL;
}

void exceptions_free(struct interp *in)
{
  while (in->exceptions)
    unlink_exception_and_free_memory(in, NULL, &in->exceptions);
  while (in->gone)
    unlink_exception_and_free_memory(in, NULL, &in->gone);
}
