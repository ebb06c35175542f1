/* Selects the rule for each instruction that the lowering added to a clone, by opcode and by its entry in the witness;
   see added_code.h. */
#include "check/added_code.h"

#include <string.h>

#include "check/alloca_memory.h"
#include "check/async_rules.h"
#include "check/begin.h"
#include "check/call_rules.h"
#include "check/claim_list.h"
#include "check/clone_result.h"
#include "check/continuation.h"
#include "check/copy_in.h"
#include "check/end_pad.h"
#include "check/frame_access.h"
#include "check/frame_overlap.h"
#include "check/frame_rules.h"
#include "check/header.h"
#include "check/heap_list.h"
#include "check/heap_state.h"
#include "check/hook_choice.h"
#include "check/hook_rules.h"
#include "check/swifterror.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "lowering/abi.h"
#include "transform/tailcall.h"

enum { RESUMED_HANDLE, DRIVER_PLACE }; /* arguments of a resume function, of f.transfer and of f.driver */

/* ---- Memory ---- */

static bool is_alloca_added_by_lowering(const struct check_walk *w, LLVMValueRef address)
{
  uint32_t inst = ir_inst(&w->k->fn, address);
  return inst != IR_NONE && w->k->fn.opcode[inst] == LLVMAlloca && w->k->entries[inst].kind == WITNESS_NONE;
}

/* An access to an alloca of the lowering, which is large and aligned enough. */
static bool check_access_fits_lowering_alloca(const struct check_walk *w, uint32_t inst, LLVMValueRef alloca)
{
  LLVMValueRef access = check_walk_inst(w, inst);
  LLVMTypeRef type = check_single_alloca_type(alloca);
  uint64_t size = 0, own = 0;
  bool fits = type && check_find_access_size(w->c, w->k, inst, &size) && ir_size_of(w->c->low->sizes, type, &own) &&
              size <= own && edit_alignment(access) <= edit_alignment(alloca) && !LLVMGetVolatile(access) &&
              LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
  return fits ||
         check_refute(w->c, w->k, access, "it is volatile or atomic, or its alloca is not large or aligned enough");
}

/* A returned-continuation coroutine frees its frame before an end. An async coroutine has handed its context over. */
static bool is_frame_freed_or_handed_over(const struct check_walk *w)
{
  return (w->c->low->abi->end_frees_frame && w->state.freed != IR_NONE) || w->state.where == WHERE_ENDED;
}

static bool added_code_check_load(struct check_walk *w, uint32_t inst)
{
  uint64_t offset;
  if (!edit_is_simple_load(check_walk_inst(w, inst)))
    return check_refute(w->c, w->k, check_walk_inst(w, inst),
                        "a volatile or atomic load that no presplit instruction has");
  LLVMValueRef address = LLVMGetOperand(check_walk_inst(w, inst), LOAD_ADDRESS);
  if (!check_accesses_frame(w->k, inst, &offset))
    return LLVMIsAAllocaInst(address)                      ? check_access_fits_lowering_alloca(w, inst, address)
           : check_walk_inst(w, inst) == w->k->from->frame ? true
           : copy_in_is_byval_argument_address(w, address) ? true
           : swifterror_is_address_of_cell(w->c, w->k, address) ||
                   heap_list_is_phi_of_head_addresses(w->c, w->k, address)
               ? swifterror_is_aligned_pointer_load(w->c, check_walk_inst(w, inst)) ||
                     check_refute(w->c, w->k, check_walk_inst(w, inst), "it is no plain load of a pointer")
               : check_unsupported(w->c, "a load by the lowering outside of the frame");
  if (is_frame_freed_or_handed_over(w))
    return check_refute(w->c, w->k, check_walk_inst(w, inst), "it accesses the frame, which has been freed");
  (void)coro_vec_push(w->c->arena, &w->k->accesses, ((struct check_access){inst, w->header.suspended}));
  return frame_rules_check_access(w->c, w->k, inst, offset);
}

static bool added_code_check_store(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef address = LLVMGetOperand(check_walk_inst(w, inst), STORE_ADDRESS);
  uint64_t offset;
  bool cell = LLVMIsAAllocaInst(address) && swifterror_is_address_of_cell(w->c, w->k, address);
  if (clone_result_is_store(w, inst))
    return check_access_fits_lowering_alloca(w, inst, address) && clone_result_check_store(w, inst);
  if (is_alloca_added_by_lowering(w, address) || cell)
    return check_access_fits_lowering_alloca(w, inst, address) &&
           (!hook_choice_is_suspended_mark(w, address) || hook_choice_check_store_of_suspended_mark(w, inst));
  if (w->state.where == WHERE_DISPATCH)
    return check_refute(w->c, w->k, check_walk_inst(w, inst), "a store before the landing");
  struct witness_entry entry = w->k->entries[inst];
  uint32_t spilled = entry.kind == WITNESS_SPILL ? ir_inst_of_value(&w->c->low->fn, entry.of) : IR_NONE;
  if (spilled != IR_NONE)
    skip_droppable_insts_until_past_inst(w, spilled);
  if (w->k->from->clone_kind == CLONE_RAMP && continuation_accepts_store_of_frame(w, inst))
    return true;
  if (is_frame_freed_or_handed_over(w))
    return check_refute(w->c, w->k, check_walk_inst(w, inst), "it accesses the frame, which has been freed");
  if (check_accesses_frame(w->k, inst, &offset))
    return frame_rules_check_access(w->c, w->k, inst, offset) &&
           (hook_rules_accepts_header_store(w, inst, offset) ||
            (w->c->errors.count && is_store_of_swifterror_to_frame(w, inst)) ||
            copy_in_accepts_store(w, inst, offset) || heap_list_is_init_or_insertion_store(w, inst) ||
            frame_rules_check_store(w->c, w->k, inst, offset)) &&
           header_check_store_and_record_access(w, inst, offset);
  return heap_list_is_init_or_insertion_store(w, inst) ||
         check_refute(w->c, w->k, check_walk_inst(w, inst), "a store that no presplit instruction has");
}

/* ---- Calls ---- */

/* llvm.coro.await.suspend.*: a call of the wrapper with the awaiter and the handle. */
static bool match_await_wrapper_call(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  LLVMValueRef call = check_walk_inst(w, inst), source = w->c->low->fn.insts[presplit];
  if (LLVMGetNumArgOperands(call) != 2)
    return check_refute(w->c, w->k, call, "the wrapper has two arguments");
  if (!check_call_has_only_source_properties(w, call, source,
                                             convention_of_callee_else_source_else_c(LLVMGetCalledValue(call), source)))
    return false;
  for (unsigned i = 0; i < 3; i++) {
    LLVMValueRef carrier = i == AWAIT_FUNCTION ? LLVMGetCalledValue(call) : LLVMGetOperand(call, i);
    if (!claim_presplit_operand(w->c, w->k, inst, carrier, presplit, i))
      return check_refute(w->c, w->k, call, "argument %u is not that of the await", i);
  }
  execute_and_skip_inst(w, presplit);
  return true;
}

static bool is_local_function_with_suffix(LLVMValueRef function, const char *suffix)
{
  size_t length, wanted = strlen(suffix);
  const char *name = LLVMIsAFunction(function) ? LLVMGetValueName2(function, &length) : NULL;
  if (!name || !edit_has_local_linkage(function))
    return false;
  while (length && name[length - 1] >= '0' && name[length - 1] <= '9') /* the name may have been taken */
    length--;
  length -= length && name[length - 1] == '.' && wanted && suffix[wanted - 1] != '.';
  return length >= wanted && !memcmp(name + length - wanted, suffix, wanted);
}

/* The call at the start of a clone that finds the loop of transfers that has called it. */
static bool is_call_of_transfer_driver(const struct check_walk *w, LLVMValueRef value)
{
  return LLVMIsACallInst(value) && is_local_function_with_suffix(LLVMGetCalledValue(value), ".driver") &&
         LLVMGetOperand(value, RESUMED_HANDLE) == w->k->from->frame;
}

/* Resumes the coroutine that the wrapper returned: by a call of its resume function, or by f.transfer. */
static bool match_symmetric_transfer_call(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef call = check_walk_inst(w, inst), callee = LLVMGetCalledValue(call), next = NULL;
  struct check_event wrapper;
  if (!check_find_only_event_to_recheck(w->k, w->c->arena, w->state.transfer, &wrapper))
    return check_unsupported(w->c, "a symmetric transfer that a clone executes at two places");
  if (wrapper.at % 2)
    next = check_walk_inst(w, check_inst_at(w->k, wrapper.block, wrapper.at));
  bool direct = is_call_of_intrinsic(w, callee, INTRIN_SUBFN_ADDR) && LLVMGetOperand(callee, SUBFN_HANDLE) == next &&
                LLVMIsNull(LLVMGetOperand(callee, SUBFN_INDEX));
  if (!next || LLVMGetOperand(call, RESUMED_HANDLE) != next ||
      (!direct && !is_local_function_with_suffix(callee, ".transfer")))
    return check_refute(w->c, w->k, call, "it does not resume the coroutine that the await returned");
  if (direct && w->k->from->clone_kind != CLONE_RAMP && LLVMGetTailCallKind(call) != tailcall_strongest_kind(call))
    return check_refute(w->c, w->k, call, "it is not the strongest tail call possible");
  if (!check_call_has_only_source_properties(
          w, call, NULL, direct ? (unsigned)LLVMFastCallConv : convention_of_callee_else_source_else_c(callee, NULL)))
    return false;
  if (LLVMGetNumArgOperands(call) > DRIVER_PLACE && !is_call_of_transfer_driver(w, LLVMGetOperand(call, DRIVER_PLACE)))
    return check_refute(w->c, w->k, call, "it is not given the place of the driver");
  uint16_t hooks = w->state.hooks;
  w->state.transfer = IR_NONE;
  w->state.hooks = 0;
  if (w->k->from->clone_kind == CLONE_RAMP)
    return direct || check_refute(w->c, w->k, call, "the ramp must return to its caller");
  if (!skip_past_suspend_after_transfer(w, hooks))
    return false;
  w->state = check_state_at(WHERE_ENDED);
  return true;
}

/* The address of memory from the allocator, of llvm.coro.alloca.get, is aligned: the claims compare the operands. */
static bool match_mask_of_allocator_memory(struct check_walk *w, uint32_t inst, uint32_t presplit_get)
{
  if (!frame_overlap_is_constant_ptrmask(check_walk_inst(w, inst)))
    return check_unsupported(w->c, "the memory of llvm.coro.alloca.alloc");
  if (!check_call_has_only_source_properties(w, check_walk_inst(w, inst), NULL, LLVMCCallConv))
    return false;
  execute_and_skip_inst(w, presplit_get);
  return true;
}

/* An address in memory on the heap is aligned: the claims compare the operands. */
static bool is_mask_of_heap_address(const struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  return heap_state_has_list(w->c) && w->c->low->fn.opcode[presplit] == LLVMAlloca &&
         frame_overlap_is_constant_ptrmask(check_walk_inst(w, inst));
}

static bool match_lowered_call(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  unsigned char intrin = w->c->low->shape.intrin[presplit];
  if (heap_list_is_release_call(w, inst))
    return heap_list_check_release_call(w, inst, presplit);
  if (is_mask_of_heap_address(w, inst, presplit))
    return check_call_has_only_source_properties(w, check_walk_inst(w, inst), NULL, LLVMCCallConv);
  if (w->c->low->shape.abi == CORO_ABI_ASYNC)
    return async_rules_check_call(w, inst, presplit);
  if (intrin == INTRIN_AWAIT_HANDLE && w->state.transfer == presplit)
    return match_symmetric_transfer_call(w, inst);
  if (!skip_to_presplit_inst(w, presplit))
    return false;
  if (intrin == INTRIN_ALLOCA_ALLOC)
    return check_alloca_alloc_from_allocator(w, inst, presplit);
  if (intrin == INTRIN_ALLOCA_FREE)
    return check_alloca_free(w, inst, presplit);
  if (intrin == INTRIN_ALLOCA_GET)
    return match_mask_of_allocator_memory(w, inst, presplit);
  if (w->c->low->fn.opcode[presplit] == LLVMAlloca)
    return heap_list_check_malloc_call(w, inst, presplit);
  if (w->c->low->abi->end_frees_frame)
    return continuation_check_call(w, inst, presplit);
  switch (intrin) {
  case INTRIN_AWAIT_VOID:
  case INTRIN_AWAIT_BOOL: return match_await_wrapper_call(w, inst, presplit);
  case INTRIN_AWAIT_HANDLE:
    if (!match_await_wrapper_call(w, inst, presplit))
      return false;
    w->state.transfer = presplit;
    return true;
  default: return check_unsupported(w->c, "the code for '%s'", intrin_name((enum intrin)intrin));
  }
}

static bool added_code_check_call(struct check_walk *w, uint32_t inst)
{
  struct witness_entry entry = w->k->entries[inst];
  LLVMValueRef call = check_walk_inst(w, inst), callee = LLVMGetCalledValue(call);
  if (entry.kind == WITNESS_LOWERED)
    return match_lowered_call(w, inst, entry.of);
  if (entry.kind == WITNESS_REMATERIALIZED && is_call_of_intrinsic(w, call, INTRIN_ID)) {
    LLVMValueRef source = ir_value(&w->c->low->fn, entry.of); /* of a token that no phi can merge */
    return check_call_has_only_source_properties(w, call, source, LLVMGetInstructionCallConv(source));
  }
  if (entry.kind == WITNESS_CALLED)
    return hook_rules_check_call(w, inst, entry.of);
  if (entry.kind == WITNESS_NONE && hook_choice_check_alloc_or_free_call(w, inst))
    return true;
  if (entry.kind == WITNESS_NONE &&
      (is_call_of_intrinsic(w, call, INTRIN_SUBFN_ADDR) || is_call_of_intrinsic(w, call, INTRIN_STACKSAVE)))
    return check_call_has_only_source_properties(w, call, NULL, LLVMCCallConv);
  if (entry.kind == WITNESS_NONE && frame_overlap_is_constant_ptrmask(call))
    return check_call_has_only_source_properties(w, call, NULL, LLVMCCallConv);
  if (entry.kind == WITNESS_NONE && is_call_of_intrinsic(w, call, INTRIN_STACKRESTORE))
    return check_call_has_only_source_properties(w, call, NULL, LLVMCCallConv) &&
           check_stackrestore_frees_alloca_or_body(w, inst);
  if (entry.kind == WITNESS_NONE && w->state.where == WHERE_DISPATCH && is_call_of_transfer_driver(w, call))
    return check_call_has_only_source_properties(w, call, NULL, convention_of_callee_else_source_else_c(callee, NULL));
  if (entry.kind == WITNESS_NONE && frame_access_is_memcpy_of_ramp(w->k, inst))
    return copy_in_check_memcpy(w, inst);
  return check_unsupported(w->c, "a call of @%s by the lowering", LLVMGetValueName2(callee, &(size_t){0}));
}

/* ---- Terminators ---- */

bool added_code_check_return(struct check_walk *w, uint32_t inst)
{
  const struct ir_fn *fn = &w->c->low->fn;
  bool ended = w->state.where == WHERE_ENDED;
  uint32_t next = ended ? IR_NONE : skip_droppable_and_jumps_return_next_or_none(w);
  w->state.where = WHERE_LEFT;
  if (ended)
    return true;
  if (next == IR_NONE)
    return check_refute(w->c, w->k, check_walk_inst(w, inst), "the clone returns before its landing");
  if (!move_hook_and_heap_state_past_inst(w, next))
    return false;
  if (w->c->low->shape.abi == CORO_ABI_ASYNC)
    return async_rules_check_return(w, inst, next);
  if (w->c->low->abi->end_frees_frame)
    return continuation_check_return(w, inst, next);
  if (w->k->from->clone_kind != CLONE_RAMP && w->c->low->shape.intrin[next] == INTRIN_END &&
      !coro_is_unwind_end(fn, next))
    return true;
  if (w->k->from->clone_kind != CLONE_RAMP && fn->opcode[next] == LLVMRet && w->c->low->shape.abi == CORO_ABI_SWITCH)
    return true; /* without an llvm.coro.end before it; the value is that of the ramp */
  return check_refute(w->c, w->k, check_walk_inst(w, inst), "the clone returns, but '%s' must be executed first",
                      presplit_value_text_for_message(w->c, ir_value_of_inst(fn, next)));
}

/* An llvm.coro.end in a pad ends the clone. */
static bool added_code_check_cleanup_return(struct check_walk *w, uint32_t inst)
{
  const struct ir_fn *fn = &w->c->low->fn;
  uint32_t next = skip_droppable_insts_return_next_or_none(w);
  LLVMValueRef end = next == IR_NONE ? NULL : fn->insts[next];
  if (!end || (w->c->low->shape.intrin[next] != INTRIN_END && w->c->low->shape.intrin[next] != INTRIN_END_ASYNC) ||
      (w->k->from->clone_kind == CLONE_RAMP && !w->c->low->abi->suspend_returns) || LLVMGetNumOperandBundles(end) != 1)
    return check_unsupported(w->c, "an exit of a pad by the lowering");
  uint32_t pad = ir_operand(fn, next, LLVMGetNumArgOperands(end));
  if (pad == IR_NONE || !end_pad_leads_to_caller(w, inst))
    return check_unsupported(w->c, "an exit of a pad by the lowering");
  if (!move_hook_and_heap_state_past_inst(w, next))
    return false;
  claim_carrier_before_inst(w->c, w->k, inst, LLVMGetOperand(check_walk_inst(w, inst), LEFT_PAD), pad);
  if (w->c->low->abi->end_frees_frame &&
      !begin_frame_is_freed_or_need_not_be(w->c, w->k, w->block, w->position, w->state.freed, next))
    return check_refute(w->c, w->k, check_walk_inst(w, inst), "the frame is not freed");
  record_end_by_exception_unless_before_suspend(w, next);
  w->state.where = WHERE_LEFT;
  return true;
}

static bool added_code_check_terminator(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef terminator = check_walk_inst(w, inst);
  bool dispatches = w->state.where == WHERE_DISPATCH && w->c->low->shape.abi == CORO_ABI_SWITCH;
  if (flow_is_jump(terminator))
    return true;
  if (dispatches && flow_is_branch(terminator))
    return hook_rules_check_dispatch_branch(w, inst);
  if (w->k->fn.opcode[inst] == LLVMRet)
    return added_code_check_return(w, inst);
  if (w->k->fn.opcode[inst] == LLVMUnreachable && dispatches) {
    w->state.where = WHERE_LEFT;
    return true;
  }
  if (w->k->fn.opcode[inst] == LLVMCleanupRet)
    return added_code_check_cleanup_return(w, inst);
  struct witness_entry entry = w->k->entries[inst];
  if (w->k->fn.opcode[inst] == LLVMInvoke && entry.kind == WITNESS_LOWERED && w->state.where != WHERE_DISPATCH) {
    if (!match_lowered_call(w, inst, entry.of))
      return false;
    w->state.where = WHERE_BRANCH;
    w->state.inst = entry.of;
    return true;
  }
  if (w->k->fn.opcode[inst] == LLVMInvoke)
    return check_unsupported(w->c, "an invoke by the lowering");
  if (flow_branch_condition(terminator) && w->c->hooks)
    return hook_choice_check_branch(w, inst);
  return w->k->fn.opcode[inst] == LLVMUnreachable
             ? check_refute(w->c, w->k, terminator, "control may reach it")
             : check_unsupported(w->c, "'%s' by the lowering", value_text_for_message(w->c, terminator));
}

bool added_code_enter_body(struct check_walk *w, uint32_t inst, uint32_t body)
{
  if (hook_rules_is_hook(w->c, body))
    return hook_rules_enter_body(w, inst, body);
  if (w->c->low->shape.abi == CORO_ABI_ASYNC)
    return async_rules_enter_body(w, inst, body);
  return check_refute(w->c, w->k, check_walk_inst(w, inst), "it is a copy of '%s', which is not called here",
                      LLVMGetValueName2(w->c->bodies[body].from->callee, &(size_t){0}));
}

/* Checks the last of the instructions that compute the result of a lowered intrinsic, and executes the intrinsic. */
static bool check_intrinsic_result_and_execute(struct check_walk *w, uint32_t inst)
{
  uint32_t presplit = w->k->entries[inst].of;
  if (LLVMGetTypeKind(LLVMTypeOf(check_walk_inst(w, inst))) == LLVMVoidTypeKind)
    return check_refute(w->c, w->k, check_walk_inst(w, inst), "it computes no result");
  unsigned char intrin = w->c->low->shape.intrin[presplit];
  if (intrin == INTRIN_ALLOCA_ALLOC)
    return check_alloca_alloc_on_stack(w, inst, presplit);
  if (intrin == INTRIN_ALLOCA_GET && !heap_state_has_list(w->c))
    return check_unsupported(w->c, "the memory of llvm.coro.alloca.alloc");
  if (intrin != INTRIN_FREE && intrin != INTRIN_PROMISE && intrin != INTRIN_ALLOCA_GET)
    return true;
  if (!skip_to_presplit_inst(w, presplit))
    return false;
  execute_and_skip_inst(w, presplit);
  if (intrin == INTRIN_FREE)
    w->header.suspended = (struct check_suspended_at){SUSPENDED_YES, IR_NONE};
  return true;
}

/* Code of the lowering must not divide by zero, and not by -1. */
static bool check_division_is_safe(const struct check_walk *w, uint32_t inst)
{
  LLVMOpcode opcode = (LLVMOpcode)w->k->fn.opcode[inst];
  if (opcode != LLVMUDiv && opcode != LLVMSDiv && opcode != LLVMURem && opcode != LLVMSRem)
    return true;
  LLVMValueRef by = LLVMGetOperand(check_walk_inst(w, inst), DIVISOR);
  return (LLVMIsAConstantInt(by) && LLVMConstIntGetSExtValue(by) != 0 && LLVMConstIntGetSExtValue(by) != -1) ||
         check_unsupported(w->c, "a division by the lowering");
}

bool added_code_check_instruction(struct check_walk *w, uint32_t inst)
{
  if (LLVMIsATerminatorInst(check_walk_inst(w, inst)))
    return added_code_check_terminator(w, inst);
  if (w->k->entries[inst].kind == WITNESS_LOWERED && w->k->fn.opcode[inst] != LLVMCall &&
      !check_intrinsic_result_and_execute(w, inst))
    return false;
  switch (w->k->fn.opcode[inst]) {
  case LLVMLoad: return added_code_check_load(w, inst);
  case LLVMStore: return added_code_check_store(w, inst);
  case LLVMCall: return added_code_check_call(w, inst);
  case LLVMFence:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case LLVMVAArg:
  case LLVMCatchPad:
  case LLVMCleanupPad:
  case LLVMLandingPad:
    return check_refute(w->c, w->k, check_walk_inst(w, inst), "no presplit instruction has this effect");
  default: return check_division_is_safe(w, inst);
  }
}
