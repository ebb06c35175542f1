/* Executes operations in a loop; implements jumps with phis, calls and returns. Activations are a linked list on the
   heap, so that deep recursion cannot overflow the interpreter's stack. */
#include "interp/control.h"

#include <stdlib.h>
#include <string.h>

#include "interp/cell_memory.h"
#include "interp/constant.h"
#include "interp/coroutine.h"
#include "interp/decode.h"
#include "interp/execution_error.h"
#include "interp/floating_point.h"
#include "interp/handlers.h"
#include "ir/flow.h"

enum { POLL_INTERVAL = 4096 }; /* operations between two polls */

static bool stop_unless_within_execution_limits(struct interp *in, const struct op *op)
{
  if (in->steps > in->limit)
    interp_stop_with_error(in, op, CORO_ELIMIT, "step-limit", "the program exceeded the limit of %llu steps",
                           (unsigned long long)in->options.steps);
  else if (in->options.interrupted && in->options.interrupted(in->options.user))
    interp_stop_with_error(in, op, CORO_ECALLBACK, "interrupted", "the execution was interrupted");
  in->poll = in->limit - in->steps < POLL_INTERVAL ? in->limit : in->steps + POLL_INTERVAL;
  return !in->status;
}

void control_interpret_until_innermost(struct interp *in, const struct activation *base)
{
  while (in->top != base && !in->status) {
    struct activation *act = in->top;
    const struct op *op = &act->function->ops[act->pc++];
    if (in->steps++ < in->poll || stop_unless_within_execution_limits(in, op))
      op->run(in, act, op);
  }
  while (in->top != base)
    control_pop_activation(in, NULL);
}

struct activation *control_push_activation(struct interp *in, const struct op *op, struct function *function,
                                           enum function_role role, const struct cell *values)
{
  if (!function_decode_once(in, function))
    return NULL;
  if (in->depth >= in->options.depth)
    return interp_stop_with_error(in, op, CORO_ELIMIT, "depth-limit", "calls nest deeper than %u", in->options.depth);
  struct activation *act = activation_create(in, function, values ? values : function->initial);
  if (!act)
    return NULL;
  act->parent = in->top;
  act->role = role;
  act->on_return = return_value_to_caller;
  in->top = act;
  in->depth++;
  return act;
}

void control_pop_activation(struct interp *in, const struct op *op)
{
  struct activation *act = in->top;
  in->top = act->parent;
  in->depth--;
  object_end_lifetimes_of_list(in, op, &act->blocks);
  if (act->coroutine)
    coroutine_release_from_ending_activation(in, op, act);
  activation_return_to_free_list(in, act);
}

const struct op *control_current_instruction(const struct activation *act)
{
  return &act->function->ops[act->pc - 1];
}

/* ---- Jumps ---- */

static const struct cell *incoming_phi_value(const struct activation *act, const struct op *phi, uint32_t inst)
{
  const struct ir_fn *fn = &act->function->fn;
  const uint32_t *blocks = fn->operands + fn->operand_start[inst] + phi->count;
  for (uint32_t k = 0; k < phi->count; k++)
    if (blocks[k] == (IR_BLOCK | act->block))
      return operand_cells(act, phi, k);
  return NULL;
}

/* All phis of a block are evaluated in parallel. */
void control_jump_to_block(struct interp *in, struct activation *act, const struct op *op, uint32_t block)
{
  const struct ir_fn *fn = &act->function->fn;
  const struct op *ops = act->function->ops;
  uint32_t first = fn->block_start[block], end = first, count = 0;
  for (; ops[end].opcode == LLVMPHI; end++) {
    if (ops[end].run == interp_stop_unsupported)
      interp_stop_unsupported(in, act, &ops[end]);
    else
      count += ops[end].type->count;
  }
  if (end == first) {
    act->block = block;
    act->pc = end;
    return;
  }
  struct cell *cells = cells_allocate_scratch(in, count + 1), *at = cells;
  for (uint32_t i = first; i < end && cells && !in->status; i++) {
    const struct cell *from = incoming_phi_value(act, &ops[i], i);
    if (!from)
      interp_stop_with_error(in, op, CORO_EBUG, "phi", "a phi has no value for its predecessor block");
    else
      cells_move(at, from, ops[i].type->count);
    at += ops[i].type->count;
  }
  if (in->status)
    return;
  at = cells;
  for (uint32_t i = first; i < end; i++) {
    cells_move(result_cells(act, &ops[i]), at, ops[i].type->count);
    real_apply_fast_math_flags(act, &ops[i]);
    at += ops[i].type->count;
  }
  act->block = block;
  act->pc = end;
}

void branch_to_normal_destination_if_invoke(struct interp *in, struct activation *act, const struct op *op)
{
  const struct call *call = op->more;
  if (op->flags & OP_INVOKE)
    control_jump_to_block(in, act, op, call->normal);
}

struct branch {
  uint32_t count;
  u128 *values; /* case values of a switch; the first block is its default */
  uint32_t *blocks;
};

bool decode_branch(struct decoding *d)
{
  LLVMValueRef inst = d->op->inst;
  struct branch *branch = CORO_NEW(d->in->arena, struct branch);
  d->op->more = branch;
  if (!branch)
    return false;
  branch->count = LLVMGetNumSuccessors(inst);
  branch->blocks = CORO_NEW_ARRAY(d->in->arena, uint32_t, branch->count + 1);
  branch->values = CORO_NEW_ARRAY(d->in->arena, u128, branch->count + 1);
  if (!branch->blocks || !branch->values)
    return false;
  for (uint32_t i = 0; i < branch->count; i++) {
    branch->blocks[i] = flow_successor(&d->function->fn, inst, i);
    if (d->op->opcode == LLVMSwitch && i) {
      const struct cell *value = constant_value_cells_or_null(d->in, LLVMGetSwitchCaseValue(inst, i));
      if (!value)
        return false;
      branch->values[i] = value->bits;
    }
  }
  return true;
}

void run_br(struct interp *in, struct activation *act, const struct op *op)
{
  const struct branch *branch = op->more;
  u128 condition = branch->count > 1 ? interp_read_defined_operand(in, act, op, 0, "a branch") : 1;
  if (!in->status)
    control_jump_to_block(in, act, op, branch->blocks[condition ? 0 : 1]);
}

void run_switch(struct interp *in, struct activation *act, const struct op *op)
{
  const struct branch *branch = op->more;
  u128 value = interp_read_defined_operand(in, act, op, 0, "a switch");
  uint32_t to = 0;
  for (uint32_t i = 1; i < branch->count && !to; i++)
    to = branch->values[i] == value ? i : 0;
  if (!in->status)
    control_jump_to_block(in, act, op, branch->blocks[to]);
}

void run_indirect_br(struct interp *in, struct activation *act, const struct op *op)
{
  const struct branch *branch = op->more;
  const struct code *code = code_at_address(in, (uint64_t)interp_read_defined_operand(in, act, op, 0, "a jump"));
  if (in->status)
    return;
  for (uint32_t i = 0; code && code->kind == CODE_BLOCK && i < branch->count; i++)
    if (LLVMGetSuccessor(op->inst, i) == code->key) {
      control_jump_to_block(in, act, op, branch->blocks[i]);
      return;
    }
  interp_stop_undefined_behavior(in, op, "indirect-jump", "the address is not a block in the indirectbr's list");
}

void run_unreachable(struct interp *in, struct activation *act, const struct op *op)
{
  (void)act;
  interp_stop_undefined_behavior(in, op, "unreachable", "unreachable was reached");
}

void run_phi(struct interp *in, struct activation *act, const struct op *op)
{
  (void)act;
  interp_stop_with_error(in, op, CORO_EBUG, "phi", "a phi was executed outside of a jump");
}

/* ---- Returns ---- */

static bool store_results_of_entry_call(struct interp *in, const struct layout *type, const struct cell *cells)
{
  size_t size = ((type ? type->count : 0) + 1) * sizeof *cells;
  struct cell *kept = realloc(in->results, size);
  if (!kept)
    return false;
  in->results = kept;
  in->results_type = type;
  if (type)
    memcpy(kept, cells, type->count * sizeof *cells);
  return true;
}

static void pop_and_continue_caller(struct interp *in, const struct op *op)
{
  struct activation *caller = in->top->parent;
  control_pop_activation(in, op);
  if (!in->status)
    branch_to_normal_destination_if_invoke(in, caller, control_current_instruction(caller));
}

void return_value_to_caller(struct interp *in, const struct op *op, const struct layout *type, const struct cell *cells)
{
  struct activation *caller = in->top->parent;
  const struct op *call = control_current_instruction(caller);
  if (call->type && (!type || type->count != call->type->count))
    interp_stop_undefined_behavior(in, op, "wrong-type", "the function returns another type than its caller expects");
  else if (call->type) {
    cells_move(result_cells(caller, call), cells, type->count);
    real_apply_fast_math_flags(caller, call);
  }
  pop_and_continue_caller(in, op);
}

void return_without_value(struct interp *in, const struct op *op, const struct layout *type, const struct cell *cells)
{
  (void)type, (void)cells;
  pop_and_continue_caller(in, op);
}

void return_value_to_host(struct interp *in, const struct op *op, const struct layout *type, const struct cell *cells)
{
  if (!store_results_of_entry_call(in, type, cells))
    interp_stop_out_of_memory(in);
  control_pop_activation(in, op);
}

void control_return_from_activation(struct interp *in, const struct op *op, const struct layout *type,
                                    const struct cell *cells)
{
  in->top->on_return(in, op, type, cells);
}

void run_ret(struct interp *in, struct activation *act, const struct op *op)
{
  bool value = op->count != 0;
  control_return_from_activation(in, op, value ? op->operands[0].type : NULL, value ? operand_cells(act, op, 0) : NULL);
}
