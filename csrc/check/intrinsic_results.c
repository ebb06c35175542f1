/* Checks the constants and values that replace llvm.coro.* calls. */
#include "check/intrinsic_results.h"

#include "check/async_rules.h"
#include "check/claim_list.h"
#include "check/continuation.h"
#include "check/dispatch.h"
#include "check/heap_list.h"
#include "check/heap_state.h"
#include "check/own_clone.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/operand.h"

static bool has_coro_alloc(const struct check *c)
{
  return coro_shape_has_intrinsic(&c->low->shape, &c->low->fn, INTRIN_ALLOC);
}

/* f.noalloc. Its frame is in its caller. */
static bool is_noalloc_ramp(const struct check *c, const struct check_clone *k)
{
  return k->from->clone_kind == CLONE_RAMP && k->from->function != c->low->fn.function;
}

/* A coroutine that never suspends has its frame in an alloca of the ramp. */
static bool has_frame_on_stack(const struct check_clone *k)
{
  LLVMValueRef frame = k->from->frame ? edit_strip_casts_and_zero_geps(k->from->frame) : NULL;
  uint32_t inst = frame ? ir_inst(&k->fn, frame) : IR_NONE;
  return k->from->clone_kind == CLONE_RAMP && inst != IR_NONE && k->fn.opcode[inst] == LLVMAlloca &&
         k->entries[inst].kind == WITNESS_NONE;
}

/* The frame is freed unless its memory is the caller's. */
static bool is_result_of_coro_free(const struct check *c, const struct check_clone *k, LLVMValueRef carrier)
{
  if (c->hooks & hook_bit(HOOK_free))
    return LLVMIsNull(carrier); /* abi.free has freed it */
  bool never =
      k->from->clone_kind == CLONE_CLEANUP || is_noalloc_ramp(c, k) || has_frame_on_stack(k) || !k->from->frame;
  if (never)
    return LLVMIsNull(carrier);
  bool may_be_elided = has_coro_alloc(c) && (k->from->clone_kind == CLONE_RESUME || k->from->clone_kind == CLONE_RAMP);
  return !may_be_elided && carrier == k->from->frame;
}

bool check_is_constant_suspend_result(struct check *c, const struct check_clone *k, LLVMValueRef carrier, int result)
{
  if (LLVMIsAConstantInt(carrier) && LLVMConstIntGetSExtValue(carrier) == result)
    return true;
  return check_refute(c, k, NULL, "the result of a suspend is %d here, but '%s' is used", result,
                      value_text_for_message(c, carrier));
}

bool is_result_of_intrinsic_without_code(struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                         uint32_t presplit)
{
  if (presplit != IR_NONE && is_value_of_abi_passed_call(c, k, carrier, presplit))
    return true;
  switch (presplit == IR_NONE ? INTRIN_NONE : (enum intrin)c->low->shape.intrin[presplit]) {
  case INTRIN_IS_IN_RAMP: return carrier == LLVMConstInt(LLVMTypeOf(carrier), k->from->clone_kind == CLONE_RAMP, false);
  case INTRIN_ALLOC:
    return (is_noalloc_ramp(c, k) || !c->low->shape.suspend_count || c->hooks & hook_bit(HOOK_alloc)) &&
           carrier == edit_bool_constant(c->low->context, false);
  case INTRIN_FREE: return is_result_of_coro_free(c, k, carrier);
  case INTRIN_SUSPEND: return LLVMIsAConstantInt(carrier) && LLVMConstIntGetSExtValue(carrier) == -1;
  default: return false;
  }
}

/* In f.resume: null if the destroy slot holds f.cleanup, which means that the memory is the caller's. */
bool check_is_memory_to_free_in_resume(struct check *c, struct check_clone *k, LLVMValueRef select)
{
  LLVMValueRef elided = LLVMIsASelectInst(select) ? LLVMGetOperand(select, SELECT_CONDITION) : NULL;
  uint64_t offset, destroy;
  bool fits = elided && LLVMIsAICmpInst(elided) && LLVMGetICmpPredicate(elided) == LLVMIntEQ &&
              !LLVMGetICmpSameSign(elided) && c->low->clone_count >= 3 &&
              LLVMGetOperand(elided, COMPARE_RIGHT) == c->low->clones[2] &&
              LLVMIsALoadInst(LLVMGetOperand(elided, COMPARE_LEFT)) &&
              check_is_frame_address(k, LLVMGetOperand(LLVMGetOperand(elided, COMPARE_LEFT), LOAD_ADDRESS), &offset) &&
              find_offset_of_header_field(c, CORO_FIELD_DESTROY, &destroy) && offset == destroy;
  return (fits && LLVMIsNull(LLVMGetOperand(select, SELECT_TRUE)) &&
          LLVMGetOperand(select, SELECT_FALSE) == k->from->frame) ||
         check_refute(c, k, select, "it is not the memory to free");
}

/* -1 where the clone has suspended, 0 or 1 where it was resumed or destroyed. */
static bool check_is_suspend_result(struct check *c, struct check_clone *k, uint32_t inst, uint32_t presplit)
{
  LLVMValueRef phi = k->fn.insts[inst];
  uint32_t count = k->fn.opcode[inst] == LLVMPHI ? ir_phi_count(&k->fn, inst) : 0,
           suspend = check_suspend_of(c, presplit);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t from = ir_operand(&k->fn, inst, count + i);
    if (from == IR_NONE || k->out[from & ~IR_BLOCK].where == WHERE_LEFT)
      continue;
    from &= ~IR_BLOCK;
    if (k->out[from].suspend != suspend)
      return check_refute(c, k, phi, "control does not come from the suspend");
    if (!check_is_constant_suspend_result(c, k, LLVMGetIncomingValue(phi, i), k->out[from].result))
      return false;
  }
  return count > 0 || check_refute(c, k, phi, "it is not the result of the suspend");
}

/* llvm.coro.promise of another coroutine: a constant distance. */
static bool check_is_promise_address(struct check *c, struct check_clone *k, uint32_t inst, uint32_t presplit)
{
  LLVMValueRef address = k->fn.insts[inst], source = c->low->fn.insts[presplit];
  uint64_t header = 2 * ir_pointer_size(c->low->context, c->low->layout);
  uint64_t align = LLVMConstIntGetZExtValue(LLVMGetOperand(source, PROMISE_ALIGN));
  int64_t offset = (int64_t)((header + (align ? align - 1 : 0)) & ~((align ? align : 1) - 1));
  if (LLVMConstIntGetZExtValue(LLVMGetOperand(source, PROMISE_FROM)))
    offset = -offset;
  LLVMValueRef index = k->fn.opcode[inst] == LLVMGetElementPtr ? LLVMGetOperand(address, FIRST_INDEX) : NULL;
  if (!index || !LLVMIsAConstantInt(index) || LLVMConstIntGetSExtValue(index) != offset ||
      LLVMGetGEPSourceElementType(address) != LLVMInt8TypeInContext(c->low->context))
    return check_refute(c, k, address, "it is not the distance between handle and promise");
  return claim_presplit_operand(c, k, inst, LLVMGetOperand(address, ADDRESS_BASE), presplit, PROMISE_HANDLE) ||
         check_refute(c, k, address, "it is another handle");
}

bool check_is_intrinsic_result(struct check *c, struct check_clone *k, uint32_t inst, uint32_t presplit)
{
  switch (c->low->shape.intrin[presplit]) {
  case INTRIN_SUSPEND: return check_is_suspend_result(c, k, inst, presplit);
  case INTRIN_FREE: return check_is_memory_to_free_in_resume(c, k, k->fn.insts[inst]);
  case INTRIN_PROMISE: return check_is_promise_address(c, k, inst, presplit);
  case INTRIN_AWAIT_BOOL: return true; /* the walk has compared the call */
  case INTRIN_SUSPEND_RETCON:
    return continuation_is_suspend_result(c, k, k->fn.insts[inst], check_suspend_of(c, presplit)) ||
           check_refute(c, k, k->fn.insts[inst], "it is not what the clone was passed");
  case INTRIN_SUSPEND_ASYNC:
    return async_rules_is_suspend_result(c, k, k->fn.insts[inst], check_suspend_of(c, presplit)) ||
           check_refute(c, k, k->fn.insts[inst], "it is not what the clone was passed");
  case INTRIN_ALLOCA_ALLOC:
    return k->fn.opcode[inst] == LLVMCall || check_unsupported(c, "the memory of llvm.coro.alloca.alloc");
  case INTRIN_NONE:
    if (heap_state_has_list(c) && c->low->fn.opcode[presplit] == LLVMAlloca)
      return heap_list_check_address(c, k, inst, presplit);
    return check_unsupported(c, "the result of '%s'",
                             presplit_value_text_for_message(c, ir_value_of_inst(&c->low->fn, presplit)));
  case INTRIN_BEGIN: return true; /* check_frame_of_clone has compared it */
  default: return check_unsupported(c, "the result of '%s'", intrin_name((enum intrin)c->low->shape.intrin[presplit]));
  }
}
