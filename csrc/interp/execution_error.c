/* Ends an execution with one diagnostic about the current operation. */
#include "interp/execution_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/edit.h"
#include "ir/text.h"

static void add_execution_diagnostic(struct interp *in, const struct op *op, const char *rule, const char *message)
{
  coro_diag diag = {.status = in->status, .rule = rule, .message = message};
  LLVMValueRef inst = op && op->inst && LLVMIsAInstruction(op->inst) ? op->inst : NULL;
  LLVMBasicBlockRef block = inst ? LLVMGetInstructionParent(inst) : NULL;
  char *text = inst ? LLVMPrintValueToString(inst) : NULL;
  struct coro_arena *arena = block ? coro_arena_create() : NULL;
  if (block)
    diag.function = edit_value_name(LLVMGetBasicBlockParent(block));
  if (arena)
    diag.block = ir_text_label_of_block(arena, block);
  diag.instruction = text ? text + strspn(text, " ") : "";
  diag.hint = in->status == CORO_EUNSUPPORTED
                  ? "the interpreter does not support this; lower the module and run the result"
              : in->status == CORO_EUNDEFINED ? "fix the program: its behavior may differ between lowerings"
                                              : "";
  coro_diags_add(in->diags, &diag);
  coro_arena_free(arena);
  LLVMDisposeMessage(text);
}

void *interp_stop_with_error(struct interp *in, const struct op *op, coro_status status, const char *rule,
                             const char *format, ...)
{
  char message[256];
  va_list rest;
  if (in->status) /* only the first failure counts */
    return NULL;
  va_start(rest, format);
  vsnprintf(message, sizeof message, format, rest);
  va_end(rest);
  in->status = status;
  add_execution_diagnostic(in, op, rule, message);
  return NULL;
}

void *interp_stop_undefined_behavior(struct interp *in, const struct op *op, const char *rule, const char *message)
{
  return interp_stop_with_error(in, op, CORO_EUNDEFINED, rule, "%s", message);
}

void *interp_stop_out_of_memory(struct interp *in)
{
  return interp_stop_with_error(in, NULL, CORO_ENOMEM, "memory", "out of memory");
}

void interp_stop_unsupported(struct interp *in, struct activation *act, const struct op *op)
{
  (void)act;
  bool calls = op->opcode == LLVMCall || op->opcode == LLVMInvoke;
  LLVMValueRef callee = calls ? LLVMIsAFunction(LLVMGetCalledValue(op->inst)) : NULL;
  const char *name = callee ? edit_value_name(callee) : "";
  interp_stop_with_error(in, op, CORO_EUNSUPPORTED, "unsupported", "the interpreter does not support this %s%s",
                         *name ? "call of @" : "instruction, or a value of its type", name);
}

u128 interp_read_defined_operand(struct interp *in, const struct activation *act, const struct op *op, uint32_t k,
                                 const char *what)
{
  const struct cell *cell = operand_cells(act, op, k);
  if (cell->undef)
    interp_stop_with_error(in, op, CORO_EUNDEFINED, cell->poison ? "poison" : "undef",
                           "%s depends on a value that is %s", what, cell->poison ? "poison" : "undefined");
  return cell->bits;
}

uint64_t interp_read_size_operand_saturated(struct interp *in, const struct activation *act, const struct op *op,
                                            uint32_t k, const char *what)
{
  u128 size = interp_read_defined_operand(in, act, op, k, what);
  return size > UINT32_MAX ? UINT64_MAX : (uint64_t)size;
}
