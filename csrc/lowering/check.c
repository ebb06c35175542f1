/* The checks of intrinsics, control flow and values; check_frame.c has those of the frame. */
#include "lowering/check.h"

#include "ir/edit.h"
#include "lowering/abi.h"
#include "lowering/captured_before_begin.h"
#include "transform/tailcall.h"

coro_status coro_reject(const struct coro_lowering *low, const char *rule, uint32_t inst, const char *message,
                        const char *hint)
{
  struct ir_text text;
  coro_diag diag = {.status = CORO_EREJECTED, .severity = CORO_ERROR, .rule = rule, .message = message, .hint = hint};
  if (!ir_text_split_printed_function(&text, low->arena, &low->fn, NULL))
    return CORO_ENOMEM;
  diag.function = edit_value_name(low->fn.function);
  diag.block = inst == IR_NONE ? "" : text.block[ir_block_of(&low->fn, inst)];
  diag.instruction = inst == IR_NONE ? "" : text.inst[inst];
  return coro_diags_add(low->diags, &diag);
}

coro_status coro_check_callable_by_generated_code(const struct coro_lowering *low, const char *rule, uint32_t inst,
                                                  LLVMValueRef called, const char *callee_description)
{
  static const char what[] = "%s has a parameter that a generated call cannot pass, or a calling convention that "
                             "permits no calls";
  if (edit_permits_generated_calls(called))
    return CORO_OK;
  return coro_reject(low, rule, inst, coro_arena_printf(low->arena, what, callee_description),
                     "remove inalloca, preallocated or swifterror from its parameters; use a calling convention other "
                     "than a kernel's");
}

static bool is_constant_integer_operand(const struct coro_lowering *low, uint32_t inst, unsigned operand)
{
  return LLVMIsAConstantInt(LLVMGetOperand(low->fn.insts[inst], operand)) != NULL;
}

/* Checks that there is one id. Ids of coroutines that were already lowered and then inlined do not count. */
static coro_status check_only_one_id(const struct coro_lowering *low)
{
  uint32_t second = IR_NONE;
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (intrin_is_id((enum intrin)low->shape.intrin[i]) && i != low->shape.id)
      second = i;
  if (second == IR_NONE)
    return CORO_OK;
  const char *message = coro_arena_printf(low->arena, "%s is the second id of this coroutine, which may have only one",
                                          intrin_name((enum intrin)low->shape.intrin[second]));
  return message ? coro_reject(low, "one-id", second, message,
                               "remove it; lower a coroutine before it is inlined into another")
                 : CORO_ENOMEM;
}

static coro_status check_one_begin_that_uses_id(const struct coro_lowering *low)
{
  uint32_t second = IR_NONE;
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if ((low->shape.intrin[i] == INTRIN_BEGIN || low->shape.intrin[i] == INTRIN_BEGIN_CUSTOM_ABI) &&
        i != low->shape.begin)
      second = i;
  if (low->shape.id == IR_NONE)
    return coro_reject(low, "coro-id", low->shape.begin, "a presplit coroutine has no llvm.coro.id",
                       "call llvm.coro.id at the start of the coroutine, or remove the attribute presplitcoroutine");
  if (low->shape.begin == IR_NONE)
    return coro_reject(low, "one-begin", low->shape.id, "the coroutine has no llvm.coro.begin for its llvm.coro.id",
                       "call llvm.coro.begin once, before the first suspend");
  if (second != IR_NONE)
    return coro_reject(low, "one-begin", second, "coroutine should have exactly one defining llvm.coro.begin",
                       "use a single llvm.coro.begin, and branch to it from all paths");
  uint32_t token = ir_operand(&low->fn, low->shape.begin, BEGIN_ID);
  if (token != ir_value_of_inst(&low->fn, low->shape.id))
    return coro_reject(low, "begin-names-id", low->shape.begin, "llvm.coro.begin does not use this coroutine's id",
                       "pass the token of llvm.coro.id as the first argument");
  return CORO_OK;
}

static coro_status check_save_of_suspend_is_unshared(const struct coro_lowering *low,
                                                     const struct coro_suspend *suspend, uint32_t k)
{
  if (suspend->save == IR_NONE)
    return CORO_OK;
  if (low->shape.intrin[suspend->save] != INTRIN_SAVE)
    return coro_reject(low, "suspend-names-save", suspend->inst,
                       "the token of a suspend is not the result of an llvm.coro.save",
                       "pass `token none` or the result of llvm.coro.save");
  if (low->shape.suspend_of[suspend->save] != k)
    return coro_reject(low, "one-suspend-a-save", suspend->save, "two suspends share one llvm.coro.save",
                       "give each suspend its own llvm.coro.save");
  return CORO_OK;
}

static coro_status check_suspend_final_flags_and_saves(const struct coro_lowering *low)
{
  for (uint32_t k = 0; k < low->shape.suspend_count; k++) {
    const struct coro_suspend *suspend = &low->shape.suspends[k];
    if (low->shape.intrin[suspend->inst] != INTRIN_SUSPEND)
      continue;
    if (!is_constant_integer_operand(low, suspend->inst, SUSPEND_FINAL))
      return coro_reject(low, "final-is-constant", suspend->inst, "whether a suspend is final must be a constant",
                         "pass i1 true or i1 false");
    coro_status status = check_save_of_suspend_is_unshared(low, suspend, k);
    if (status != CORO_OK)
      return status;
  }
  return CORO_OK;
}

static coro_status check_operands_of_end(const struct coro_lowering *low, uint32_t end)
{
  if (!is_constant_integer_operand(low, end, END_UNWINDS))
    return coro_reject(low, "unwind-is-constant", end,
                       "whether an llvm.coro.end is on the unwind path must be a constant", "pass i1 true or i1 false");
  if (LLVMGetNumOperandBundles(low->fn.insts[end]) && coro_is_unwind_end(&low->fn, end) &&
      cleanuppad_of_end_or_none(&low->fn, end) == IR_NONE)
    return coro_reject(low, "unwind-end-in-cleanuppad", end,
                       "the operand bundle of an unwind llvm.coro.end does not name a cleanuppad",
                       "place it in a cleanuppad, and name the pad in a funclet bundle");
  return CORO_OK;
}

/* Whether a use of the token of llvm.coro.alloca.alloc is other than llvm.coro.alloca.get or free. The token does
   not exist after lowering; only the memory does. */
static bool is_invalid_use_of_alloca_token(const struct coro_shape *shape, uint32_t token, uint32_t user)
{
  return shape->intrin[token] == INTRIN_ALLOCA_ALLOC && shape->intrin[user] != INTRIN_ALLOCA_GET &&
         shape->intrin[user] != INTRIN_ALLOCA_FREE;
}

/* Checks that tokens of this coroutine's intrinsics are only used by these intrinsics, as no other instruction can
   use them. */
static coro_status check_tokens_are_used_by_intrinsics(const struct coro_lowering *low)
{
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    for (uint32_t o = low->fn.operand_start[i]; o < low->fn.operand_start[i + 1]; o++) {
      uint32_t operand = low->fn.operands[o];
      uint32_t from = operand == IR_NONE || operand & IR_BLOCK ? IR_NONE : ir_inst_of_value(&low->fn, operand);
      if (from != IR_NONE && is_invalid_use_of_alloca_token(&low->shape, from, i))
        return coro_reject(low, "token-use", i,
                           "the token of an llvm.coro.alloca.alloc is passed to an instruction other than "
                           "llvm.coro.alloca.get and llvm.coro.alloca.free",
                           "pass it to llvm.coro.alloca.get or llvm.coro.alloca.free");
      if (from == IR_NONE || low->shape.intrin[from] == INTRIN_NONE || low->shape.intrin[i] != INTRIN_NONE ||
          LLVMGetTypeKind(LLVMTypeOf(low->fn.insts[from])) != LLVMTokenTypeKind)
        continue;
      return coro_reject(low, "token-use", i,
                         "a token of the coroutine is passed to a call that is not a coroutine intrinsic",
                         "check the spelling of the function's name");
    }
  return CORO_OK;
}

static coro_status check_function_is_not_naked(const struct coro_lowering *low)
{
  if (edit_has_function_attribute(low->fn.function, "naked"))
    return coro_reject(low, "naked", IR_NONE,
                       "a naked function has no parameters and no stack, which the clones of a coroutine need",
                       "remove the attribute, and call a naked function from the coroutine instead");
  return CORO_OK;
}

coro_status coro_run_checks_until_rejection(const struct coro_lowering *low,
                                            coro_legality_check *const *null_terminated_checks)
{
  coro_status status = CORO_OK;
  for (; *null_terminated_checks && status == CORO_OK; null_terminated_checks++)
    status = (*null_terminated_checks)(low);
  return status;
}

coro_status coro_run_check_shape_stage(struct coro_lowering *low)
{
  static coro_legality_check *const checks[] = {
      check_function_is_not_naked,         check_one_begin_that_uses_id,        check_only_one_id,
      check_tokens_are_used_by_intrinsics, check_suspend_final_flags_and_saves, NULL};
  coro_status status = coro_run_checks_until_rejection(low, checks);
  for (uint32_t e = 0; e < low->shape.ends.count && status == CORO_OK; e++)
    status = check_operands_of_end(low, low->shape.ends.items[e]);
  return status;
}

/* Whether a call needs the function's own variable arguments (va_start, or a musttail call that forwards them).
   After a suspend the function that received them has returned. */
static bool needs_variable_arguments(const struct coro_lowering *low, LLVMValueRef call)
{
  LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));
  return (callee && LLVMGetIntrinsicID(callee) == low->table->llvm_id[INTRIN_VA_START]) ||
         (tailcall_is_musttail(call) && LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call)));
}

/* Checks a call in a clone. Clones have other signatures than the coroutine. */
static coro_status check_call_in_clone(const struct coro_lowering *low, uint32_t call)
{
  if (needs_variable_arguments(low, low->fn.insts[call]))
    return coro_reject(low, "variable-arguments", call, "variable arguments are used after a suspend",
                       "call llvm.va_start before the first suspend, and store the va_arg results there");
  if (tailcall_is_musttail(low->fn.insts[call]) && low->abi->ends_clone && !low->abi->ends_clone(low, call))
    return coro_reject(low, "musttail-in-clone", call,
                       "after a suspend a musttail call would end a clone, which has another function type or "
                       "calling convention than the callee",
                       "use `tail call`: its result is not returned to the code that resumes the coroutine");
  return CORO_OK;
}

static coro_status check_calls_in_clones(const struct coro_lowering *low)
{
  coro_status status = CORO_OK;
  for (uint32_t i = 0; i < low->fn.inst_count && status == CORO_OK; i++)
    if (low->fn.opcode[i] == LLVMCall && low->cfg.nodes[cfg_node_of(&low->cfg, i)].clone_kinds & CLONE_ALL_BUT_RAMP)
      status = check_call_in_clone(low, i);
  return status;
}

coro_status coro_run_check_flow_stage(struct coro_lowering *low)
{
  if (low->cfg.pads.nested != IR_NONE)
    return coro_reject(low, "unwind-end-outermost", low->cfg.pads.nested,
                       "llvm.coro.end is in a nested pad, and another edge also unwinds out of the enclosing pad",
                       "unwind to a pad that is not nested, and call llvm.coro.end there");
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    if (!low->cfg.nodes[cfg_node_of(&low->cfg, i)].clone_kinds)
      continue; /* no path leads to it */
    if ((coro_is_suspend(&low->shape, i) || low->shape.intrin[i] == INTRIN_SAVE) &&
        !(cfg_inst_dominates(&low->cfg, low->shape.begin, i) && low->shape.begin != i))
      return coro_reject(low, "begin-dominates", i, "a suspend can be reached without llvm.coro.begin",
                         "call llvm.coro.begin on every path to it");
    if (low->shape.intrin[i] == INTRIN_FRAME && LLVMGetFirstUse(low->fn.insts[i]) &&
        !cfg_inst_dominates(&low->cfg, low->shape.begin, i))
      return coro_reject(low, "begin-dominates", i, "llvm.coro.frame can be reached without llvm.coro.begin",
                         "call llvm.coro.begin on every path to it: what it returns is the frame");
  }
  if (low->cfg.nodes[cfg_node_of(&low->cfg, low->shape.begin)].clone_kinds & CLONE_ALL_BUT_RAMP)
    return coro_reject(low, "begin-once", low->shape.begin, "llvm.coro.begin is reached again after a suspend",
                       "move the loop's header after llvm.coro.begin");
  coro_status status = low->abi->check_flow ? low->abi->check_flow(low) : CORO_OK;
  return status == CORO_OK ? check_calls_in_clones(low) : status;
}

static coro_status check_spilled_value(const struct coro_lowering *low, uint32_t value)
{
  LLVMTypeRef type = LLVMTypeOf(ir_value(&low->fn, value));
  uint32_t inst = ir_inst_of_value(&low->fn, value), at = inst == IR_NONE ? low->remat.use[value] : inst;
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMTokenTypeKind && low->shape.intrin[inst] == INTRIN_ALLOCA_ALLOC)
    return CORO_OK; /* the memory is spilled, not the token */
  if (kind == LLVMTokenTypeKind)
    return coro_reject(low, "token-across-suspend", low->remat.use[value],
                       "a token's definition is separated from its use by a suspend",
                       "define the token again after the suspend");
  if (!ir_has_fixed_size(low->sizes, type))
    return coro_reject(low, "sized-spill", at, "a value of unknown size is live across a suspend",
                       "recompute it after the suspend, or use a type of fixed size");
  if (inst != IR_NONE && !cfg_inst_dominates(&low->cfg, inst, low->shape.begin) &&
      !cfg_inst_dominates(&low->cfg, low->shape.begin, inst))
    return coro_reject(low, "begin-dominates-values", inst,
                       "a value live across a suspend can be computed on a path without llvm.coro.begin",
                       "call llvm.coro.begin on every path to it");
  return CORO_OK;
}

static coro_status reject_stack_only_alloca_across_suspend(const struct coro_lowering *low, uint32_t alloca,
                                                           const char *why)
{
  const char *message = coro_arena_printf(
      low->arena, "this alloca must be on the stack because %s, but its uses are on both sides of a suspend", why);
  return message ? coro_reject(low, "on-stack-across-suspend", alloca, message,
                               "suspend before the alloca or after its last use; use another alloca for data that is "
                               "needed after the suspend")
                 : CORO_ENOMEM;
}

static coro_status check_alloca_placement(const struct coro_lowering *low, const struct coro_alloca *alloca)
{
  uint32_t inst = ir_inst_of_value(&low->fn, alloca->value);
  if ((alloca->in_frame || alloca->heap) && !alloca->is_sized)
    return coro_reject(low, "static-alloca", inst, "an alloca of a type of unknown size is live across a suspend",
                       "use a type of fixed size, or allocate it on the heap");
  if (alloca->stack_only_reason && alloca->used_in_other_epoch)
    return reject_stack_only_alloca_across_suspend(low, inst, alloca->stack_only_reason);
  if (!alloca->heap)
    return CORO_OK;
  if (!cfg_inst_dominates(&low->cfg, low->shape.begin, inst) &&
      (low->cfg.returns || coro_begin_join_of(&low->allocas, cfg_node_of(&low->cfg, inst)) != IR_NONE))
    return coro_reject(low, "static-alloca", inst,
                       "an alloca of unknown size, or one that needs distinct memory per iteration, is live across a "
                       "suspend, but llvm.coro.begin does not dominate it",
                       "place the alloca after llvm.coro.begin, or make it static and outside of the loop");
  if (alloca->size >= IR_MAX_BYTES)
    return coro_reject(low, "static-alloca", inst, "an alloca that is live across a suspend is larger than any memory",
                       "use a smaller type");
  if (LLVMGetPointerAddressSpace(LLVMTypeOf(low->fn.insts[inst])))
    return coro_reject(low, "static-alloca", inst,
                       "an alloca of unknown size, or one that needs distinct memory per iteration, is live across a "
                       "suspend and goes to the heap, and its address is of another address space",
                       "make it static and outside of the loop, or use address space 0");
  if (!low->cfg.returns && !coro_destroy_clone_frees_frame(low))
    return coro_reject(
        low, "static-alloca", inst,
        "an alloca of unknown size, or one that needs distinct memory per iteration, is live across a "
        "suspend, and no llvm.coro.free tells when it ends",
        "free the frame with llvm.coro.free, or make the alloca static and outside of the loop, or end its "
        "lifetime before the next iteration");
  return CORO_OK;
}

/* Whether the memory is freed after the frame. The frame holds the list of heap blocks, so that they must be freed
   first. */
static bool is_heap_block_freed_after_frame(const struct coro_lowering *low, uint32_t alloc, uint32_t alloca_free)
{
  if (!low->alloca_intrinsics.list || !coro_bits_get(&low->alloca_intrinsics.outlives, alloc))
    return false;
  for (LLVMUseRef use = LLVMGetFirstUse(low->fn.insts[low->shape.id]); use; use = LLVMGetNextUse(use)) {
    uint32_t inst = ir_inst(&low->fn, LLVMGetUser(use));
    if (inst != IR_NONE && low->shape.intrin[inst] == INTRIN_FREE && cfg_inst_dominates(&low->cfg, inst, alloca_free))
      return true;
  }
  return false;
}

static coro_status check_alloca_intrinsic_operands(const struct coro_lowering *low, uint32_t inst)
{
  uint64_t align = 0;
  uint32_t alloc;
  switch (low->shape.intrin[inst]) {
  case INTRIN_ALLOCA_GET:
  case INTRIN_ALLOCA_FREE:
    alloc = ir_operand_inst(&low->fn, inst, ALLOCA_TOKEN);
    if (alloc == IR_NONE || low->shape.intrin[alloc] != INTRIN_ALLOCA_ALLOC)
      return coro_reject(low, "alloca-token", inst, "the token is not the result of an llvm.coro.alloca.alloc",
                         "pass the result of llvm.coro.alloca.alloc");
    if (low->shape.intrin[inst] == INTRIN_ALLOCA_FREE && is_heap_block_freed_after_frame(low, alloc, inst))
      return coro_reject(low, "alloca-freed-late", inst,
                         "memory is freed after llvm.coro.free has freed it with the frame",
                         "free it before the frame, or leave it to llvm.coro.free");
    return CORO_OK;
  case INTRIN_ALLOCA_ALLOC:
    if (!edit_read_integer_constant(LLVMGetOperand(low->fn.insts[inst], ALLOCA_ALLOC_ALIGN), &align) ||
        align & (align - 1))
      return coro_reject(low, "alloca-align", inst, "the alignment must be a constant power of two",
                         "pass the alignment in bytes as a constant");
    if (low->alloca_intrinsics.list && coro_bits_get(&low->alloca_intrinsics.outlives, inst) &&
        !cfg_inst_dominates(&low->cfg, low->shape.begin, inst))
      return coro_reject(low, "alloca-before-begin", inst,
                         "memory that is live across a suspend is allocated before llvm.coro.begin",
                         "allocate it after llvm.coro.begin, or free it before the suspend");
    return CORO_OK;
  default: return CORO_OK;
  }
}

/* Checks the promise's alignment. Callers compute the promise's address from a handle with the alignment operand of
   llvm.coro.promise, which is an i32. */
static coro_status check_promise_alloca_and_alignment(const struct coro_lowering *low)
{
  if (!low->shape.promise)
    return CORO_OK;
  if (!LLVMIsAAllocaInst(low->shape.promise))
    return coro_reject(low, "promise-is-alloca", low->shape.id, "the promise is not an alloca of this function",
                       "pass the alloca of the promise to llvm.coro.id, or null");
  if (edit_alignment(low->shape.promise) > EDIT_MAX_ALIGN)
    return coro_reject(low, "promise-align-fits", low->shape.id,
                       "the promise has a larger alignment than llvm.coro.promise can express",
                       "align it to at most 2147483648 bytes");
  return CORO_OK;
}

coro_status coro_run_check_values_stage(struct coro_lowering *low)
{
  coro_status promise = check_promise_alloca_and_alignment(low);
  if (promise != CORO_OK)
    return promise;
  for (uint32_t value = 0; value < ir_value_count(&low->fn); value++) {
    coro_status status = coro_bits_get(&low->remat.spilled, value) ? check_spilled_value(low, value) : CORO_OK;
    if (status != CORO_OK)
      return status;
  }
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    coro_status status = check_alloca_intrinsic_operands(low, i);
    if (status != CORO_OK)
      return status;
  }
  for (uint32_t a = 0; a < low->allocas.count; a++) {
    coro_status status = check_alloca_placement(low, &low->allocas.items[a]);
    if (status != CORO_OK)
      return status;
  }
  if (low->allocas.unrematerializable != IR_NONE)
    return coro_reject(low, "alias-before-begin", low->allocas.unrematerializable,
                       "the address of an alloca that moves to the frame is an element of a vector or an aggregate "
                       "that is selected or frozen before llvm.coro.begin",
                       "select or freeze the pointer itself, or do it after llvm.coro.begin");
  return CORO_OK;
}

coro_status coro_check_intrinsics_absent(const struct coro_lowering *low, const enum intrin *intrins, size_t count,
                                         const char *rule, const char *message, const char *hint)
{
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    for (size_t k = 0; k < count; k++)
      if (low->shape.intrin[i] == intrins[k])
        return coro_reject(low, rule, i, message, hint);
  return CORO_OK;
}
