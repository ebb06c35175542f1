/* Checks code of the async ABI; see async_rules.h. */
#include "check/async_rules.h"

#include "base/align.h"
#include "check/aggregate.h"
#include "check/call_rules.h"
#include "check/inlined_body.h"
#include "check/verdict.h"
#include "ir/async_pointer.h"
#include "ir/attribute_kind.h"
#include "ir/edit.h"

enum { PROJECTED }; /* the argument of a context projection */

static LLVMValueRef operand_of_presplit_inst(const struct check *c, uint32_t inst, unsigned operand)
{
  return LLVMGetOperand(c->low->fn.insts[inst], operand);
}

static uint64_t async_id_number(const struct check *c, unsigned operand)
{
  return LLVMConstIntGetZExtValue(operand_of_presplit_inst(c, c->low->shape.id, operand));
}

/* The function that an operand names. */
static LLVMValueRef function_named_by_operand(const struct check *c, uint32_t inst, unsigned operand)
{
  return edit_strip_casts_and_zero_geps(operand_of_presplit_inst(c, inst, operand));
}

/* ---- The context ---- */

static uint64_t context_align(const struct check *c)
{
  uint64_t align = async_id_number(c, ASYNC_ID_ALIGN);
  return align ? align : 1;
}

/* The frame follows the context's header. */
static uint64_t frame_offset_in_context(const struct check *c)
{
  return coro_align_to(async_id_number(c, ASYNC_ID_SIZE), c->low->frame.align);
}

static bool check_context_size(struct check *c)
{
  LLVMValueRef pointer = async_pointer(operand_of_presplit_inst(c, c->low->shape.id, ASYNC_ID_POINTER));
  LLVMValueRef size = pointer ? async_pointer_size(pointer) : NULL;
  uint64_t needed = coro_align_to(frame_offset_in_context(c) + c->low->frame.size, context_align(c));
  if (c->low->frame.align > context_align(c))
    return check_refute(c, c->clones[0], NULL, "the frame is more aligned than contexts are");
  return (size && LLVMIsAConstantInt(size) && LLVMConstIntGetZExtValue(size) >= needed) ||
         check_refute(c, c->clones[0], NULL, "the async function pointer states fewer than the context's %llu bytes",
                      (unsigned long long)needed);
}

bool async_rules_check_size_and_map_resumes(struct check *c)
{
  for (uint32_t s = 0; s < c->low->shape.suspend_count; s++) {
    uint32_t inst = c->low->shape.suspends[s].inst;
    uint32_t resume =
        ir_inst(&c->low->fn, edit_strip_casts_and_zero_geps(operand_of_presplit_inst(c, inst, ASYNC_SUSPEND_RESUME)));
    if (resume == IR_NONE || coro_map_has(&c->async_resumes, (uint64_t)resume + 1))
      return check_unsupported(c, "suspends that share an llvm.coro.async.resume");
    (void)coro_map_put(&c->async_resumes, (uint64_t)resume + 1, (uint64_t)s + 1);
  }
  return check_context_size(c);
}

static uint32_t suspend_number_at_landing_of_clone(const struct check *c, const struct check_clone *k)
{
  return c->low->cfg.nodes[k->from->landing].suspend;
}

/* Zero-based parameters of a continuation. */
static unsigned context_parameter_index_of_suspend(const struct check *c, uint32_t suspend)
{
  uint64_t indices = LLVMConstIntGetZExtValue(
      operand_of_presplit_inst(c, c->low->shape.suspends[suspend].inst, ASYNC_SUSPEND_INDICES));
  return (unsigned)(indices & 0xff);
}

static unsigned self_parameter_index_or_zero(const struct check *c, uint32_t suspend) /* 0: none */
{
  uint64_t indices = LLVMConstIntGetZExtValue(
      operand_of_presplit_inst(c, c->low->shape.suspends[suspend].inst, ASYNC_SUSPEND_INDICES));
  return (unsigned)(indices >> 8);
}

static LLVMValueRef projection_of(const struct check *c, uint32_t suspend)
{
  return function_named_by_operand(c, c->low->shape.suspends[suspend].inst, ASYNC_SUSPEND_PROJECTION);
}

/* The clone's body of the projection; NULL: it is called, or there is none. */
static struct check_body *projection_body_or_null(const struct check *c, const struct check_clone *k)
{
  LLVMValueRef projection = projection_of(c, suspend_number_at_landing_of_clone(c, k));
  for (uint32_t b = k->first_body; b < c->witness->bodies.count; b++) {
    if (c->bodies[b].from->function != k->from->function)
      break;
    if (c->bodies[b].from->callee == projection && !c->bodies[b].from->tail)
      return &c->bodies[b];
  }
  return NULL;
}

/* The first phi or call in the code before the landing. */
static LLVMValueRef find_inst_before_landing_or_null(const struct check_clone *k, unsigned char opcode)
{
  for (uint32_t b = 0; b < k->fn.block_count; b++)
    for (uint32_t i = k->fn.block_start[b]; i < k->fn.block_start[b + 1]; i++)
      if (k->fn.opcode[i] == opcode && k->entries[i].kind != WITNESS_INLINED && k->node[b] == IR_NONE)
        return k->fn.insts[i];
  return NULL;
}

static LLVMValueRef set_projection_argument_and_find_context_or_null(const struct check *c, const struct check_clone *k)
{
  struct check_body *body = projection_body_or_null(c, k);
  uint32_t returns = 0;
  if (!body)
    return find_inst_before_landing_or_null(k, LLVMCall);
  struct check_argument *argument = CORO_NEW(c->arena, struct check_argument);
  if (!argument)
    return NULL;
  argument->kind = ARGUMENT_VALUE;
  argument->value =
      LLVMGetParam(k->from->function, context_parameter_index_of_suspend(c, suspend_number_at_landing_of_clone(c, k)));
  body->arguments = argument;
  LLVMValueRef only = inlined_body_only_returned_value_or_null(k, body, &returns);
  return returns == 1 ? only : find_inst_before_landing_or_null(k, LLVMPHI);
}

bool async_rules_check_frame_and_set_context(struct check *c, struct check_clone *k)
{
  LLVMValueRef frame = k->from->frame;
  uint64_t offset = 0;
  k->context = k->from->clone_kind == CLONE_RAMP
                   ? LLVMGetParam(k->from->function, (unsigned)async_id_number(c, ASYNC_ID_ARGUMENT))
                   : set_projection_argument_and_find_context_or_null(c, k);
  if (!k->context)
    return check_unsupported(c, "a context projection that does not return");
  return !frame ||
         (check_is_constant_offset_from(k, k->context, frame, &offset) && offset == frame_offset_in_context(c)) ||
         check_refute(c, k, NULL, "the frame is not %llu bytes after the context",
                      (unsigned long long)frame_offset_in_context(c));
}

bool async_rules_check_context_is_projected(struct check *c, const struct check_clone *k)
{
  const struct check_body *body = k->from->clone_kind == CLONE_RAMP ? NULL : projection_body_or_null(c, k);
  uint32_t returns = 0;
  if (body)
    (void)inlined_body_only_returned_value_or_null(k, body, &returns);
  return !body || returns == 1 || inlined_body_is_merged_result(k, body, k->context) ||
         check_refute(c, k, NULL, "its context is not the result of the projection");
}

bool check_projection_was_executed(struct check *c, const struct check_clone *k, const struct check_state *state)
{
  const struct check_body *body = projection_body_or_null(c, k);
  return state->projected || (body && inlined_body_is_empty(body)) ||
         check_refute(c, k, NULL, "it does not execute the projection of its context");
}

/* ---- Declarations ---- */

static bool has_only_attribute_or_none_if_null(LLVMValueRef function, unsigned parameter, const char *name)
{
  LLVMAttributeRef only = NULL;
  unsigned count = LLVMGetAttributeCountAtIndex(function, parameter + 1);
  if (count != (name ? 1u : 0u))
    return false;
  if (name)
    LLVMGetAttributesAtIndex(function, parameter + 1, &only);
  return !name || LLVMGetEnumAttributeKind(only) == attribute_kind(name);
}

bool async_rules_check_parameters_and_convention(struct check *c, const struct check_clone *k)
{
  uint32_t suspend = suspend_number_at_landing_of_clone(c, k);
  LLVMValueRef function = k->from->function, ramp = c->low->fn.function;
  LLVMTypeRef result = LLVMTypeOf(c->low->fn.insts[c->low->shape.suspends[suspend].inst]);
  unsigned count = LLVMCountParams(function), context = context_parameter_index_of_suspend(c, suspend),
           self = self_parameter_index_or_zero(c, suspend);
  bool swift = edit_has_attribute(ramp, (unsigned)async_id_number(c, ASYNC_ID_ARGUMENT) + 1, "swiftasync");
  bool same = LLVMGetTypeKind(result) == LLVMStructTypeKind && LLVMCountStructElementTypes(result) == count &&
              LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(function))) == LLVMVoidTypeKind;
  for (unsigned p = 0; p < count && same; p++)
    same = LLVMTypeOf(LLVMGetParam(function, p)) == LLVMStructGetTypeAtIndex(result, p) &&
           has_only_attribute_or_none_if_null(function, p,
                                              !swift              ? NULL
                                              : p == context      ? "swiftasync"
                                              : self && p == self ? "swiftself"
                                                                  : NULL);
  if (!same)
    return check_refute(c, k, NULL, "its parameters are not the results of the suspend");
  return LLVMGetFunctionCallConv(function) == LLVMGetFunctionCallConv(ramp) ||
         check_refute(c, k, NULL, "its calling convention is not that of the coroutine");
}

/* ---- Calls ---- */

static bool check_only_projection_call(struct check_walk *w, uint32_t inst)
{
  uint32_t suspend = suspend_number_at_landing_of_clone(w->c, w->k);
  LLVMValueRef call = w->k->fn.insts[inst], callee = projection_of(w->c, suspend);
  LLVMValueRef argument = LLVMGetParam(w->k->from->function, context_parameter_index_of_suspend(w->c, suspend));
  if (w->state.projected || call != w->k->context || LLVMGetCalledValue(call) != callee ||
      LLVMGetOperand(call, PROJECTED) != argument)
    return check_refute(w->c, w->k, call, "it is not the only call of the context's projection");
  w->state.projected = true;
  return check_type_and_attributes_of_added_call(w, call);
}

/* What a suspend or end hands control to: operand `callee`, with the operands from `first` on. */
struct handing_over {
  unsigned callee, first;
};

static bool hands_control_over(const struct check *c, uint32_t inst, struct handing_over *to)
{
  bool suspend = c->low->shape.intrin[inst] == INTRIN_SUSPEND_ASYNC;
  *to = suspend ? (struct handing_over){ASYNC_SUSPEND_CALLEE, ASYNC_SUSPEND_FIRST}
                : (struct handing_over){ASYNC_END_CALLEE, ASYNC_END_FIRST};
  return suspend || (c->low->shape.intrin[inst] == INTRIN_END_ASYNC && !coro_is_unwind_end(&c->low->fn, inst) &&
                     LLVMGetNumArgOperands(c->low->fn.insts[inst]) > ASYNC_END_CALLEE);
}

/* Moves to the presplit suspend or end, where the clone is left. */
static bool move_past_inst_and_end_clone(struct check_walk *w, uint32_t presplit)
{
  if (!move_hook_and_heap_state_past_inst(w, presplit))
    return false;
  if (w->c->low->shape.intrin[presplit] == INTRIN_SUSPEND_ASYNC)
    record_exit_at_inst(w, presplit, check_suspend_of(w->c, presplit));
  w->state = check_state_at(WHERE_ENDED);
  return true;
}

bool async_rules_check_call(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  LLVMValueRef call = w->k->fn.insts[inst];
  struct handing_over to;
  if (w->state.where == WHERE_DISPATCH)
    return check_only_projection_call(w, inst);
  if (!skip_to_presplit_inst(w, presplit))
    return false;
  if (!hands_control_over(w->c, presplit, &to))
    return check_unsupported(w->c, "the code for '%s'", intrin_name((enum intrin)w->c->low->shape.intrin[presplit]));
  LLVMValueRef callee = function_named_by_operand(w->c, presplit, to.callee);
  if (LLVMGetCalledValue(call) != callee || !LLVMIsACallInst(call))
    return check_refute(w->c, w->k, call, "it does not call the function of '%s'",
                        presplit_value_text_for_message(w->c, ir_value_of_inst(&w->c->low->fn, presplit)));
  for (unsigned p = 0; p < LLVMGetNumArgOperands(call); p++)
    if (!inlined_body_match_argument(w->c, w->k, inst, LLVMGetOperand(call, p),
                                     &(struct check_argument){.inst = presplit, .operand = to.first + p}))
      return check_refute(w->c, w->k, call, "argument %u is not that of '%s'", p,
                          presplit_value_text_for_message(w->c, ir_value_of_inst(&w->c->low->fn, presplit)));
  return check_strongest_tail_call_and_attributes(w, call, callee) && move_past_inst_and_end_clone(w, presplit);
}

/* The arguments of the function that a presplit instruction hands control to. */
static struct check_argument *arguments_of_handover(struct check *c, uint32_t presplit, unsigned first, unsigned count)
{
  struct check_argument *arguments = CORO_NEW_ARRAY(c->arena, struct check_argument, count + 1);
  for (unsigned p = 0; p < count && arguments; p++)
    arguments[p] = (struct check_argument){.inst = presplit, .operand = first + p};
  return arguments;
}

bool async_rules_enter_body(struct check_walk *w, uint32_t inst, uint32_t number)
{
  struct check_body *body = &w->c->bodies[number];
  struct handing_over to;
  if (w->state.where == WHERE_DISPATCH) {
    bool projection = body == projection_body_or_null(w->c, w->k) && !w->state.projected;
    w->state.projected = true;
    return projection ? inlined_body_enter_once(w, inst, number, body->arguments)
                      : check_refute(w->c, w->k, w->k->fn.insts[inst], "it is code before the landing");
  }
  uint32_t presplit = body->from->inst;
  if (!body->from->tail || !skip_to_presplit_inst(w, presplit))
    return check_refute(w->c, w->k, w->k->fn.insts[inst], "no presplit instruction calls '%s' here",
                        LLVMGetValueName2(body->from->callee, &(size_t){0}));
  if (!hands_control_over(w->c, presplit, &to) ||
      function_named_by_operand(w->c, presplit, to.callee) != body->from->callee)
    return check_refute(w->c, w->k, w->k->fn.insts[inst], "it is not the function of '%s'",
                        presplit_value_text_for_message(w->c, ir_value_of_inst(&w->c->low->fn, presplit)));
  const struct check_argument *arguments = arguments_of_handover(w->c, presplit, to.first, body->fn->arg_count);
  return arguments && move_past_inst_and_end_clone(w, presplit) && inlined_body_enter_once(w, inst, number, arguments);
}

bool async_rules_check_return(struct check_walk *w, uint32_t inst, uint32_t next)
{
  struct handing_over to;
  enum intrin intrin = (enum intrin)w->c->low->shape.intrin[next];
  bool end = (intrin == INTRIN_END || intrin == INTRIN_END_ASYNC) && !coro_is_unwind_end(&w->c->low->fn, next);
  bool ret = w->c->low->fn.opcode[next] == LLVMRet; /* after a musttail call, without an end */
  return ret || (end && !hands_control_over(w->c, next, &to)) ||
         check_refute(w->c, w->k, w->k->fn.insts[inst], "the clone returns, but '%s' must be executed first",
                      presplit_value_text_for_message(w->c, ir_value_of_inst(&w->c->low->fn, next)));
}

/* ---- Values ---- */

bool async_rules_is_context(const struct check *c, const struct check_clone *k, LLVMValueRef carrier, uint32_t value)
{
  return value == async_id_number(c, ASYNC_ID_ARGUMENT) && carrier == k->context;
}

bool async_rules_is_function_of_async_resume(const struct check *c, LLVMValueRef carrier, uint32_t inst)
{
  uint64_t suspend = 0;
  coro_map_get(&c->async_resumes, (uint64_t)inst + 1, &suspend);
  return suspend && edit_strip_casts_and_zero_geps(carrier) == c->low->clones[suspend - 1];
}

bool async_rules_is_suspend_result(const struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                   uint32_t suspend)
{
  LLVMTypeRef type = LLVMTypeOf(c->low->fn.insts[c->low->shape.suspends[suspend].inst]);
  if (k->from->landing == IR_NONE || suspend_number_at_landing_of_clone(c, k) != suspend || LLVMTypeOf(carrier) != type)
    return false;
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
    if (aggregate_element_or_null(k, carrier, i) != LLVMGetParam(k->from->function, i))
      return false;
  return true;
}
