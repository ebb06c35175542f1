/* Checks code of the returned-continuation ABIs; see continuation.h. */
#include "check/continuation.h"

#include "check/aggregate.h"
#include "check/allocator_call.h"
#include "check/begin.h"
#include "check/claim_list.h"
#include "check/inlined_body.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "lowering/abi.h"
#include "transform/swifterror.h"

bool continuation_is_buffer(const struct check *c, const struct check_clone *k, LLVMValueRef carrier, uint32_t value)
{
  return k->from->clone_kind != CLONE_RAMP &&
         value == ir_operand(&c->low->fn, c->low->shape.id, check_retcon_index(c, RETCON_BUFFER)) &&
         carrier == LLVMGetParam(k->from->function, 0);
}

/* The ramp's buffer is an argument or a constant; other values are not supported. */
static bool is_ramp_buffer(const struct check *c, const struct check_clone *k, LLVMValueRef address)
{
  uint32_t value = ir_operand(&c->low->fn, c->low->shape.id, check_retcon_index(c, RETCON_BUFFER));
  return value == IR_NONE ? address == check_retcon_operand(c, RETCON_BUFFER)
                          : value < c->low->fn.arg_count && address == LLVMGetParam(k->from->function, value);
}

static bool is_allocator_call_for_frame(const struct check *c, const struct check_clone *k, LLVMValueRef frame)
{
  uint32_t inst = ir_inst(&k->fn, frame);
  return inst != IR_NONE && k->fn.opcode[inst] == LLVMCall && k->entries[inst].kind == WITNESS_LOWERED &&
         k->entries[inst].of == c->low->shape.begin &&
         LLVMGetCalledValue(frame) == check_retcon_operand(c, RETCON_ALLOCATOR);
}

/* Whether an access to the buffer has at most its alignment, and is neither volatile nor atomic. */
static bool is_plain_access_to_buffer(const struct check *c, LLVMValueRef access)
{
  uint64_t align = LLVMConstIntGetZExtValue(check_id_operand(c, RETCON_ALIGN));
  return edit_alignment(access) <= align && !LLVMGetVolatile(access) &&
         LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

bool continuation_check_frame(struct check *c, const struct check_clone *k)
{
  LLVMValueRef frame = k->from->frame, buffer = LLVMGetParam(k->from->function, 0);
  bool ramp = k->from->clone_kind == CLONE_RAMP, inside = begin_frame_is_in_buffer(c);
  if (!inside && check_is_dynamic(c))
    return check_refute(c, k, NULL,
                        "the coroutine function pointer states fewer bytes than the frame has, or the frame "
                        "is more aligned than the id says");
  if (ramp && !inside && c->hooks & hook_bit(HOOK_alloc))
    return true; /* the walk compares it where it is stored in the buffer */
  if (ramp)
    return (inside ? is_ramp_buffer(c, k, frame) : is_allocator_call_for_frame(c, k, frame)) ||
           check_unsupported(c, "the memory of a frame in a computed buffer");
  bool loaded =
      LLVMIsALoadInst(frame) && LLVMGetOperand(frame, LOAD_ADDRESS) == buffer && is_plain_access_to_buffer(c, frame);
  return (inside ? frame == buffer : loaded) || check_refute(c, k, NULL, "the frame is not found by the buffer");
}

/* ---- Calls ---- */

static bool match_frame_allocation(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  LLVMValueRef call = w->k->fn.insts[inst], size;
  unsigned index;
  if (!allocator_call_is_of_id_operand(w, call, w->c->low->shape.id, RETCON_ALLOCATOR) || call != w->k->from->frame)
    return check_refute(w->c, w->k, call, "it does not allocate the frame");
  if (!allocator_call_check(w, inst, w->c->low->shape.id, RETCON_ALLOCATOR, &index))
    return false;
  size = LLVMGetOperand(call, index);
  if (!LLVMIsAConstantInt(size) || LLVMConstIntGetZExtValue(size) != w->c->low->frame.size)
    return check_refute(w->c, w->k, call, "it does not allocate the frame");
  execute_and_skip_inst(w, presplit);
  return true;
}

bool continuation_accepts_store_of_frame(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef store = w->k->fn.insts[inst];
  if (!w->c->low->abi->end_frees_frame || begin_frame_is_in_buffer(w->c) ||
      LLVMGetOperand(store, STORE_VALUE) != w->k->from->frame ||
      !is_ramp_buffer(w->c, w->k, LLVMGetOperand(store, STORE_ADDRESS)) || !is_plain_access_to_buffer(w->c, store))
    return false;
  if (w->c->hooks & hook_bit(HOOK_alloc) && !inlined_body_is_result(w->c, w->k, w->k->alloc_body, w->k->from->frame))
    return check_refute(w->c, w->k, store, "the frame is not the memory of abi.alloc");
  w->c->frame_stored = true;
  return true;
}

static bool match_frame_deallocation(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  LLVMValueRef call = w->k->fn.insts[inst];
  unsigned index;
  if (!allocator_call_is_of_id_operand(w, call, w->c->low->shape.id, RETCON_DEALLOCATOR) ||
      w->state.freed == presplit || begin_frame_is_in_buffer(w->c))
    return check_refute(w->c, w->k, call, "it does not free the frame once");
  if (!allocator_call_check(w, inst, w->c->low->shape.id, RETCON_DEALLOCATOR, &index))
    return false;
  if (LLVMGetOperand(call, index) != w->k->from->frame)
    return check_refute(w->c, w->k, call, "it does not free the frame once");
  w->state.freed = presplit;
  return true;
}

bool continuation_check_call(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  switch (w->c->low->shape.intrin[presplit]) {
  case INTRIN_BEGIN: return match_frame_allocation(w, inst, presplit);
  case INTRIN_END: return match_frame_deallocation(w, inst, presplit);
  default:
    return check_unsupported(w->c, "the code for '%s'", intrin_name((enum intrin)w->c->low->shape.intrin[presplit]));
  }
}

/* ---- Returns ---- */

/* Element `index` of the returned value. */
static LLVMValueRef returned_element_or_null(const struct check_walk *w, LLVMValueRef ret, unsigned index)
{
  LLVMValueRef value = LLVMGetNumOperands(ret) ? LLVMGetOperand(ret, RET_VALUE) : NULL;
  if (!value || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMStructTypeKind)
    return index || !value ? NULL : aggregate_strip_added_casts(w->k, value);
  return aggregate_element_or_null(w->k, value, index);
}

/* Claims that element `index` of the returned value holds an operand of a presplit call. */
static bool claim_returned_element(struct check_walk *w, uint32_t inst, unsigned index, uint32_t call, unsigned operand)
{
  LLVMValueRef carrier = returned_element_or_null(w, w->k->fn.insts[inst], index);
  return (carrier && claim_presplit_operand(w->c, w->k, inst, carrier, call, operand)) ||
         check_refute(w->c, w->k, w->k->fn.insts[inst], "element %u is not operand %u of '%s'", index, operand,
                      presplit_value_text_for_message(w->c, ir_value_of_inst(&w->c->low->fn, call)));
}

static bool check_return_at_suspend(struct check_walk *w, uint32_t inst, uint32_t suspend)
{
  unsigned count = LLVMGetNumArgOperands(w->c->low->fn.insts[suspend]);
  uint32_t s = check_suspend_of(w->c, suspend);
  if (returned_element_or_null(w, w->k->fn.insts[inst], 0) != w->c->low->clones[s])
    return check_refute(w->c, w->k, w->k->fn.insts[inst], "the returned continuation is not that of '%s'",
                        presplit_value_text_for_message(w->c, ir_value_of_inst(&w->c->low->fn, suspend)));
  for (unsigned i = 0; i < count; i++)
    if (!claim_returned_element(w, inst, i + 1, suspend, i))
      return false;
  record_exit_at_inst(w, suspend, s);
  return true;
}

static bool check_return_at_end(struct check_walk *w, uint32_t inst, uint32_t end)
{
  const struct ir_fn *fn = &w->c->low->fn;
  LLVMValueRef ret = w->k->fn.insts[inst];
  bool once = w->c->low->shape.intrin[w->c->low->shape.id] != INTRIN_ID_RETCON;
  if (!begin_frame_is_freed_or_need_not_be(w->c, w->k, w->block, w->position, w->state.freed, end))
    return check_refute(w->c, w->k, ret, "the frame is not freed");
  if (!once || w->k->from->clone_kind == CLONE_RAMP) {
    LLVMValueRef next = returned_element_or_null(w, ret, 0);
    return (next && LLVMIsNull(next)) || check_refute(w->c, w->k, ret, "the returned continuation is not null");
  }
  uint32_t results = ir_operand_inst(fn, end, END_TOKEN);
  unsigned count = results == IR_NONE ? 0 : LLVMGetNumArgOperands(fn->insts[results]);
  for (unsigned i = 0; i < count; i++)
    if (!claim_returned_element(w, inst, i, results, i))
      return false;
  return true;
}

bool continuation_check_return(struct check_walk *w, uint32_t inst, uint32_t next)
{
  if (w->c->low->shape.intrin[next] == INTRIN_SUSPEND_RETCON)
    return check_return_at_suspend(w, inst, next);
  if (w->c->low->shape.intrin[next] == INTRIN_END && !coro_is_unwind_end(&w->c->low->fn, next))
    return check_return_at_end(w, inst, next);
  return check_refute(w->c, w->k, w->k->fn.insts[inst], "the clone returns, but '%s' must be executed first",
                      presplit_value_text_for_message(w->c, ir_value_of_inst(&w->c->low->fn, next)));
}

/* ---- Results of suspends ---- */

static bool is_parameter_after_buffer(const struct check_clone *k, LLVMValueRef value, unsigned index)
{
  LLVMValueRef function = k->from->function;
  LLVMValueRef parameter = index + 1 < LLVMCountParams(function) ? LLVMGetParam(function, index + 1) : NULL;
  return value && parameter && (parameter == ir_swifterror_param(function) ? LLVMIsPoison(value) : value == parameter);
}

bool continuation_is_suspend_result(const struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                    uint32_t suspend)
{
  LLVMTypeRef type = LLVMTypeOf(c->low->fn.insts[c->low->shape.suspends[suspend].inst]);
  if (k->from->landing == IR_NONE || c->low->cfg.nodes[k->from->landing].suspend != suspend ||
      LLVMTypeOf(carrier) != type)
    return false;
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
    return is_parameter_after_buffer(k, carrier, 0);
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
    if (!is_parameter_after_buffer(k, aggregate_element_or_null(k, carrier, i), i))
      return false;
  return true;
}
