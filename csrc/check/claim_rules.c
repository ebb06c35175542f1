/* Proof rules for the carrier of one claim; see claim_rules.h. */
#include "check/claim_rules.h"

#include "check/alloca_memory.h"
#include "check/async_rules.h"
#include "check/begin.h"
#include "check/chosen_address.h"
#include "check/continuation.h"
#include "check/heap_list.h"
#include "check/intrinsic_results.h"
#include "check/memory_address.h"
#include "check/swifterror.h"
#include "check/verdict.h"
#include "ir/operand.h"
#include "lowering/abi.h"
#include "transform/identical_instruction.h"

static uint32_t instruction_of_claimed_value(const struct check *c, uint32_t claim)
{
  return ir_inst_of_value(&c->low->fn, c->claims.items[claim].fact.value);
}

/* ---- Definitions ---- */

static bool check_reload(struct check *c, uint32_t claim, uint32_t inst, struct check_fact *bytes)
{
  const struct check_claim *of = &c->claims.items[claim];
  const struct check_clone *k = c->clones[of->clone];
  LLVMValueRef load = k->fn.insts[inst];
  uint64_t offset;
  if (k->fn.opcode[inst] != LLVMLoad || !check_accesses_frame(k, inst, &offset))
    return claims_refute(c, claim, "the reload does not load from the frame");
  if (heap_list_is_head_offset(c, offset))
    return claims_refute(c, claim, "the reload loads the head of the list of heap blocks, which functions change");
  LLVMTypeRef type = LLVMTypeOf(ir_value(&c->low->fn, of->fact.value));
  if (LLVMTypeOf(load) != type && LLVMGetTypeKind(type) != LLVMTokenTypeKind) /* of memory: its address is spilled */
    return check_unsupported(c, "a reload of another type");
  *bytes = (struct check_fact){NULL, number_frame_slot_or_none(c, offset, LLVMTypeOf(load)), of->fact.value};
  return bytes->slot != IR_NONE || check_unsupported(c, "a spilled value of scalable type");
}

/* Whether the ramp executes the instruction once, right after llvm.coro.begin. */
static bool is_executed_once_in_block_after_begin(const struct check *c, const struct check_clone *k, uint32_t inst)
{
  struct check_event begin;
  uint32_t at = 2 * check_position(k, inst) + 1;
  return k->from->clone_kind == CLONE_RAMP && check_find_only_event(k, c->low->shape.begin, &begin) &&
         begin.block == k->fn.inst_block[inst] && at > begin.at && !begin_may_follow(c, k, begin.block, at);
}

/* A freeze of poison may choose another value in each execution. Whether only one execution of the freeze has uses: in
   the block of llvm.coro.begin. */
static bool freeze_has_at_most_one_used_execution(const struct check *c, uint32_t freeze)
{
  uint32_t value = ir_value_of_inst(&c->low->fn, freeze);
  for (uint32_t n = 0; n < c->clone_count; n++) {
    const struct check_clone *k = c->clones[n];
    uint32_t count = 0;
    for (uint32_t i = 0; i < k->fn.inst_count; i++) {
      bool again = k->entries[i].kind == WITNESS_REMATERIALIZED && k->entries[i].of == value;
      bool copy = k->entries[i].kind == WITNESS_COPY && k->entries[i].of == freeze;
      if ((again && (count++ || !is_executed_once_in_block_after_begin(c, k, i))) ||
          (copy && LLVMGetFirstUse(k->fn.insts[i])))
        return false;
    }
  }
  return true;
}

static bool is_rematerializable_without_effect(const struct check *c, LLVMValueRef inst, LLVMValueRef source)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem: return LLVMIsAConstant(LLVMGetOperand(inst, DIVISOR)) && !LLVMIsNull(LLVMGetOperand(inst, DIVISOR));
  case LLVMFreeze: /* an alloca is never poison */
    return LLVMIsAAllocaInst(LLVMGetOperand(source, FROZEN)) ||
           freeze_has_at_most_one_used_execution(c, ir_inst(&c->low->fn, source));
  case LLVMCall: return intrin_of_call(c->low->table, source) == INTRIN_ID;
  case LLVMPHI:
  case LLVMAlloca:
  case LLVMLoad:
  case LLVMStore:
  case LLVMFence:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case LLVMVAArg:
  case LLVMLandingPad:
  case LLVMCatchPad:
  case LLVMCleanupPad: return false;
  default: return !LLVMIsATerminatorInst(inst);
  }
}

/* A value that is computed once more is the current one: an operand cannot change after the last computation of the
   value on a path to its use, because the presplit function has SSA form. */
static bool check_rematerialization(struct check *c, uint32_t claim, uint32_t inst, uint32_t block, uint32_t at)
{
  struct check_claim of = c->claims.items[claim];
  const struct check_clone *k = c->clones[of.clone];
  const struct ir_fn *fn = &c->low->fn;
  uint32_t source = ir_inst_of_value(fn, of.fact.value);
  LLVMValueRef copy = k->fn.insts[inst];
  if (source == IR_NONE || !is_copy_but_for_operands_and_loop_metadata(fn->insts[source], copy))
    return claims_refute(c, claim,
                         coro_arena_printf(c->arena, "'%s' does not compute it", value_text_for_message(c, copy)));
  if (LLVMIsALoadInst(copy))
    return claims_refute(c, claim, "it is loaded once more, although the memory may have been written since");
  if (!is_rematerializable_without_effect(c, copy, fn->insts[source]))
    return check_unsupported(c, LLVMIsAFreezeInst(copy) ? "a freeze that may choose several values"
                                                        : "the rematerialization of an instruction with an effect");
  for (uint32_t i = 0; i < fn->operand_start[source + 1] - fn->operand_start[source]; i++) {
    uint32_t operand = ir_operand(fn, source, i);
    if (operand == IR_NONE && LLVMGetOperand(copy, i) != LLVMGetOperand(fn->insts[source], i))
      return claims_refute(c, claim, "it is rematerialized with another operand");
    if (operand != IR_NONE)
      claims_add_premise(c, claim, block, at, &(struct check_fact){LLVMGetOperand(copy, i), 0, operand});
  }
  return true;
}

static bool check_merge_phi(struct check *c, uint32_t claim, uint32_t inst)
{
  struct check_claim of = c->claims.items[claim];
  struct check_clone *k = c->clones[of.clone];
  uint32_t count = k->fn.opcode[inst] == LLVMPHI ? ir_phi_count(&k->fn, inst) : 0;
  if (!count || (LLVMCanValueUseFastMathFlags(k->fn.insts[inst]) && LLVMGetFastMathFlags(k->fn.insts[inst])))
    return claims_refute(c, claim, "its carrier is no phi without flags");
  for (uint32_t i = 0; i < count; i++) {
    uint32_t from = ir_operand(&k->fn, inst, count + i);
    struct check_fact fact = {LLVMGetIncomingValue(k->fn.insts[inst], i), 0, of.fact.value};
    if (from != IR_NONE && k->out[from & ~IR_BLOCK].where != WHERE_LEFT)
      claims_add_premise_at_block_end(c, claim, from & ~IR_BLOCK, &fact);
  }
  return true;
}

/* The only value of a phi; IR_NONE: there are several. */
static uint32_t only_value_of_phi_or_none(const struct ir_fn *fn, uint32_t inst)
{
  uint32_t count = inst != IR_NONE && fn->opcode[inst] == LLVMPHI ? ir_phi_count(fn, inst) : 0, only = IR_NONE;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t value = ir_operand(fn, inst, i);
    if (value == IR_NONE || (i && value != only))
      return IR_NONE;
    only = value;
  }
  return only;
}

static bool check_copied_carrier(struct check *c, uint32_t claim, uint32_t inst, uint32_t presplit)
{
  struct check_claim of = c->claims.items[claim];
  const struct check_clone *k = c->clones[of.clone];
  uint32_t only = only_value_of_phi_or_none(&c->low->fn, instruction_of_claimed_value(c, claim));
  if (instruction_of_claimed_value(c, claim) == presplit)
    return true;
  if (only == IR_NONE)
    return claims_refute(c, claim,
                         coro_arena_printf(c->arena, "'%s' is used", value_text_for_message(c, k->fn.insts[inst])));
  claims_add_premise(c, claim, k->fn.inst_block[inst], 2 * check_position(k, inst) + 2,
                     &(struct check_fact){of.fact.carrier, 0, only});
  return true;
}

bool carrier_prove_at_definition(struct check *c, uint32_t claim, uint32_t inst)
{
  struct check_claim of = c->claims.items[claim];
  struct check_clone *k = c->clones[of.clone];
  uint32_t block = k->fn.inst_block[inst], at = 2 * check_position(k, inst);
  struct check_fact bytes;
  if (!claims_visit_place_first_time(c, k, &of.fact, CLAIMS_AT_DEFINITION))
    return true;
  switch (k->entries[inst].kind) {
  case WITNESS_COPY: return check_copied_carrier(c, claim, inst, k->entries[inst].of);
  case WITNESS_LOWERED:
    if (k->entries[inst].of != instruction_of_claimed_value(c, claim))
      return check_copied_carrier(c, claim, inst, k->entries[inst].of);
    return check_is_intrinsic_result(c, k, inst, k->entries[inst].of);
  case WITNESS_RELOAD:
    if (!check_reload(c, claim, inst, &bytes))
      return false;
    claims_add_premise(c, claim, block, at, &bytes);
    return true;
  case WITNESS_REMATERIALIZED: return check_rematerialization(c, claim, inst, block, at);
  case WITNESS_MERGE: return check_merge_phi(c, claim, inst);
  default:
    if (chosen_address_is_moved_phi(c, claim))
      return chosen_address_prove(c, claim);
    return claims_refute(c, claim,
                         coro_arena_printf(c->arena, "'%s' is used", value_text_for_message(c, k->fn.insts[inst])));
  }
}

/* ---- Values without code ---- */

bool carrier_prove_at_event(struct check *c, uint32_t claim)
{
  struct check_claim of = c->claims.items[claim];
  const struct check_clone *k = c->clones[of.clone];
  if (is_stack_alloca_of_get_and_record_use(c, k, of.fact.carrier, instruction_of_claimed_value(c, claim)))
    return true;
  if (is_result_of_intrinsic_without_code(c, k, of.fact.carrier, instruction_of_claimed_value(c, claim)))
    return true;
  return claims_refute(c, claim,
                       coro_arena_printf(c->arena, "'%s' is used, which is not what it was last computed to be",
                                         value_text_for_message(c, of.fact.carrier)));
}

bool carrier_prove_before_landing(struct check *c, uint32_t claim, uint32_t suspend)
{
  struct check_claim of = c->claims.items[claim];
  struct check_clone *k = c->clones[of.clone];
  uint32_t inst = ir_inst(&k->fn, of.fact.carrier);
  struct check_fact bytes;
  if (!claims_visit_place_first_time(c, k, &of.fact, CLAIMS_AT_LANDING | of.block))
    return true;
  if (instruction_of_claimed_value(c, claim) == c->low->shape.suspends[suspend].inst)
    return c->low->shape.abi == CORO_ABI_ASYNC
               ? async_rules_is_suspend_result(c, k, of.fact.carrier, suspend) ||
                     claims_refute(c, claim, "the result of the suspend is not what the clone was passed")
           : c->low->abi->end_frees_frame
               ? continuation_is_suspend_result(c, k, of.fact.carrier, suspend) ||
                     claims_refute(c, claim, "the result of the suspend is not what the clone was passed")
               : check_is_constant_suspend_result(c, k, of.fact.carrier, k->from->clone_kind == CLONE_RESUME ? 0 : 1);
  if (inst != IR_NONE && k->entries[inst].kind == WITNESS_REMATERIALIZED)
    return check_rematerialization(c, claim, inst, of.block, 0);
  if (inst == IR_NONE || k->entries[inst].kind != WITNESS_RELOAD)
    return claims_refute(c, claim,
                         coro_arena_printf(c->arena, "'%s' is used", value_text_for_message(c, of.fact.carrier)));
  if (!check_reload(c, claim, inst, &bytes))
    return false;
  claims_move_through_suspend(c, claim, &bytes, suspend);
  return true;
}

/* ---- Values that are equal everywhere ---- */

static bool is_constant_number(LLVMValueRef carrier, uint64_t number)
{
  return LLVMIsAConstantInt(carrier) && LLVMConstIntGetZExtValue(carrier) == number;
}

bool carrier_prove_equal_everywhere(struct check *c, uint32_t claim)
{
  const struct check_fact *fact = &c->claims.items[claim].fact;
  const struct check_clone *k = c->clones[c->claims.items[claim].clone];
  const struct coro_frame *frame = &c->low->frame;
  uint32_t inst = ir_inst_of_value(&c->low->fn, fact->value);
  uint64_t offset;
  if (is_swifterror_value(c, fact->value))
    return swifterror_is_cell_of_value(c, k, fact->carrier, fact->value);
  if (inst == IR_NONE)
    return c->low->shape.byval[fact->value]
               ? memory_address_prove_claim(c, &c->claims.items[claim])
               : (k->from->clone_kind == CLONE_RAMP && fact->carrier == LLVMGetParam(k->from->function, fact->value)) ||
                     (c->low->shape.abi == CORO_ABI_ASYNC &&
                      async_rules_is_context(c, k, fact->carrier, fact->value)) ||
                     (c->low->abi->end_frees_frame && continuation_is_buffer(c, k, fact->carrier, fact->value));
  switch (c->low->shape.intrin[inst]) {
  case INTRIN_ALLOCA_GET: return derive_alloca_get_claim_from_block(c, claim);
  case INTRIN_BEGIN:
  case INTRIN_FRAME: return fact->carrier == k->from->frame;
  case INTRIN_SIZE: return is_constant_number(fact->carrier, frame->size);
  case INTRIN_ALIGN: return is_constant_number(fact->carrier, frame->align);
  case INTRIN_ASYNC_RESUME: return async_rules_is_function_of_async_resume(c, fact->carrier, inst);
  case INTRIN_PROMISE:
    return coro_is_own_promise(&c->low->fn, &c->low->shape, inst) && frame->promise_field != IR_NONE &&
           check_is_frame_address(k, fact->carrier, &offset) && offset == frame->fields[frame->promise_field].offset;
  default: return c->low->fn.opcode[inst] == LLVMAlloca && memory_address_prove_claim(c, &c->claims.items[claim]);
  }
}
