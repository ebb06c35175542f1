/* Exceptional exits, found by opcodes, attributes and landing pads of single instructions; and inspections of f.resume:
   of its exits, and of the uses of its frame's address that may capture it. */
#include "handles/exceptional_exits.h"

#include <string.h>

#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "ir/pointer_use.h"
#include "transform/prune.h"

enum { MAX_INSTRUCTIONS = 1000 }; /* limit of inspected instructions of a clone, independent of its callees' size */

static bool may_instruction_throw(LLVMValueRef call)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  return !edit_call_or_callee_has_function_attribute(call, "nounwind") &&
         (!LLVMIsAInlineAsm(callee) || LLVMGetInlineAsmCanUnwind(callee));
}

/* An exception that leaves the program's main ends the program. A recursive main does not count. */
static bool is_norecurse_main(LLVMValueRef function)
{
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);
  return length == 4 && memcmp(name, "main", 4) == 0 && LLVMGetLinkage(function) == LLVMExternalLinkage &&
         edit_has_function_attribute(function, "norecurse");
}

void exceptional_exits_init(struct exceptional_exits *exits, struct pass_run *run, LLVMValueRef function)
{
  exits->no_exception = edit_has_function_attribute(function, "nounwind") || is_norecurse_main(function);
  exits->nonlocal = run->nonlocal;
  coro_map_init(&exits->blocks, run->arena);
}

static bool pad_receives_all_exceptions(LLVMValueRef pad)
{
  if (!LLVMIsALandingPadInst(pad) || LLVMIsCleanup(pad))
    return true; /* other pads have an unwind edge, or explicitly none */
  for (unsigned i = 0; i < LLVMGetNumClauses(pad); i++) {
    LLVMValueRef clause = LLVMGetClause(pad, i);
    bool filter = LLVMGetTypeKind(LLVMTypeOf(clause)) == LLVMArrayTypeKind;
    if (filter ? !LLVMGetArrayLength2(LLVMTypeOf(clause)) : LLVMIsNull(clause))
      return true;
  }
  return false;
}

static LLVMValueRef first_pad_of_unwind_dest(LLVMValueRef invoke)
{
  return edit_first_after_phis(LLVMGetUnwindDest(invoke));
}

bool may_exit_exceptionally(struct exceptional_exits *exits, LLVMValueRef instruction)
{
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMCall:
    return (!exits->no_exception && may_instruction_throw(instruction)) ||
           may_exit_nonlocally(exits->nonlocal, instruction);
  case LLVMInvoke:
    return (!exits->no_exception && may_instruction_throw(instruction) &&
            !pad_receives_all_exceptions(first_pad_of_unwind_dest(instruction))) ||
           may_exit_nonlocally(exits->nonlocal, instruction);
  case LLVMCatchSwitch: return !exits->no_exception && !LLVMGetUnwindDest(instruction);
  default: return false;
  }
}

bool block_may_exit_exceptionally(struct exceptional_exits *exits, LLVMBasicBlockRef block)
{
  uint64_t key = (uint64_t)(uintptr_t)block, found = 0;
  if (coro_map_get(&exits->blocks, key, &found))
    return found;
  for (LLVMValueRef at = LLVMGetFirstInstruction(block); at && !found; at = LLVMGetNextInstruction(at))
    found = may_exit_exceptionally(exits, at);
  (void)coro_map_put(&exits->blocks, key, found); /* the arena records the failure */
  return found;
}

/* Whether the instruction propagates an exception to the caller without an edge. A landing pad without cleanup
   passes exceptions that it does not catch. */
static bool may_pass_exception_to_caller(LLVMValueRef at)
{
  switch (LLVMGetInstructionOpcode(at)) {
  case LLVMCall: return may_instruction_throw(at);
  case LLVMInvoke: return may_instruction_throw(at) && !pad_receives_all_exceptions(first_pad_of_unwind_dest(at));
  case LLVMResume: return true;
  case LLVMCleanupRet:
  case LLVMCatchSwitch: return !LLVMGetUnwindDest(at);
  default: return false;
  }
}

bool resume_never_exits_exceptionally(struct exceptional_exits *exits, const struct clones *clones)
{
  LLVMValueRef clone = clones->address[CLONE_SLOT_RESUME];
  uint32_t inspected = 0;
  if (clones->imported)
    return clones->no_exceptional_exit;
  if (!edit_has_exact_definition(clone))
    return LLVMIsAFunction(clone) && edit_has_function_attribute(clone, "nounwind");
  if (function_may_exit_nonlocally(exits->nonlocal, clone))
    return false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(clone); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (++inspected > MAX_INSTRUCTIONS || may_pass_exception_to_caller(at))
        return false;
  return true;
}

/* ---- Captures of the frame ---- */

enum use { USE_HARMLESS, USE_SAME_POINTER, USE_ESCAPE };

/* For instance a check of the address's alignment. */
static bool is_only_compared_or_masked_once(LLVMValueRef integer, bool already_masked)
{
  for (LLVMUseRef use = LLVMGetFirstUse(integer); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    enum pointer_use kind = pointer_use_of(user, integer);
    bool masks = LLVMGetInstructionOpcode(user) == LLVMAnd && !already_masked;
    if (kind != POINTER_USE_COMPARE && kind != POINTER_USE_HINT &&
        !(masks && is_only_compared_or_masked_once(user, true)))
      return false;
  }
  return true;
}

static enum use classify_capture_by_user(struct pass_run *run, LLVMValueRef pointer, LLVMValueRef user)
{
  switch (pointer_use_of(user, pointer)) {
  case POINTER_USE_LOAD:
  case POINTER_USE_COMPARE:
  case POINTER_USE_STORE:
  case POINTER_USE_HINT: return USE_HARMLESS;
  case POINTER_USE_ADDRESS: return USE_SAME_POINTER;
  case POINTER_USE_TO_INTEGER: return is_only_compared_or_masked_once(user, false) ? USE_HARMLESS : USE_ESCAPE;
  case POINTER_USE_CALL: {
    enum intrin intrin = intrin_of_call(run->intrin, user);
    return intrin == INTRIN_SUBFN_ADDR || intrin == INTRIN_FREE || intrin == INTRIN_SAVE || intrin_is_lifetime(intrin)
               ? USE_HARMLESS
               : USE_ESCAPE;
  }
  default: return USE_ESCAPE;
  }
}

/* The uses that may capture the pointer: stores of it, returns, phis and selects, call arguments, and conversions to
   integers. An integer that is only compared, possibly after one mask, captures nothing. False: out of memory. */
static bool find_capturing_uses(struct pass_run *run, LLVMValueRef pointer, pass_values *uses)
{
  pass_values same = {0};
  bool fine = coro_vec_push(run->arena, &same, pointer);
  for (uint32_t i = 0; i < same.count && fine; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(same.items[i]); use && fine; use = LLVMGetNextUse(use)) {
      enum use kind = classify_capture_by_user(run, same.items[i], LLVMGetUser(use));
      if (kind == USE_ESCAPE)
        fine = coro_vec_push(run->arena, uses, LLVMGetUser(use));
      else if (kind == USE_SAME_POINTER)
        fine = coro_vec_push(run->arena, &same, LLVMGetUser(use));
    }
  return fine;
}

/* Whether the callee may capture a pointer argument. Calls that were not inlined, for instance on cold paths, are
   inspected. */
static bool check_may_capture_any_argument(struct trace *t, LLVMValueRef call, bool *escapes)
{
  unsigned count = LLVMGetNumArgOperands(call);
  *escapes = LLVMGetNumOperandBundles(call);
  for (unsigned i = 0; i < count && !*escapes; i++) {
    LLVMValueRef argument = LLVMGetOperand(call, i);
    bool pointer = edit_is_pointer(LLVMTypeOf(argument)) && !LLVMIsConstant(argument);
    struct callee_effect effect;
    if (!pointer || edit_is_nocapture(call, i))
      continue;
    if (!t->query(t, LLVMGetCalledValue(call), i, ARGUMENT_FRAME_ADDRESS, 0, &effect))
      return false;
    *escapes = effect.escapes;
  }
  return true;
}

/* `select(destroy slot == f.cleanup, null, frame)`: null for a frame in the caller. */
static bool selects_null_for_frame_in_caller(LLVMValueRef use, LLVMValueRef cleanup)
{
  if (LLVMGetInstructionOpcode(use) != LLVMSelect || !LLVMIsAConstantPointerNull(LLVMGetOperand(use, SELECT_TRUE)))
    return false;
  LLVMValueRef condition = LLVMGetOperand(use, SELECT_CONDITION);
  return LLVMIsAICmpInst(condition) && LLVMGetICmpPredicate(condition) == LLVMIntEQ &&
         LLVMGetOperand(condition, COMPARE_RIGHT) == cleanup;
}

/* Whether the edge may be taken if the frame is in the caller: the destroy slot then holds f.cleanup. */
static bool may_take_edge_if_frame_in_caller(const void *cleanup, LLVMValueRef terminator, unsigned successor)
{
  LLVMValueRef condition = flow_branch_condition(terminator);
  if (!condition || !LLVMIsAICmpInst(condition) || LLVMGetOperand(condition, COMPARE_RIGHT) != cleanup)
    return true;
  LLVMValueRef slot = LLVMGetOperand(condition, COMPARE_LEFT), clone = edit_function_of(condition);
  if (!LLVMIsALoadInst(slot) ||
      edit_strip_geps(LLVMGetOperand(slot, LOAD_ADDRESS)) != LLVMGetParam(clone, CLONE_PARAMETER_FRAME))
    return true;
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
  return !(predicate == LLVMIntEQ && successor == 1) && !(predicate == LLVMIntNE && successor == 0);
}

static bool check_use_may_capture(struct trace *t, LLVMValueRef use, LLVMValueRef cleanup, bool *escapes)
{
  *escapes = !edit_is_call(use) && !selects_null_for_frame_in_caller(use, cleanup);
  return !edit_is_call(use) || check_may_capture_any_argument(t, use, escapes);
}

bool check_resume_keeps_frame_private(struct trace *t, const struct clones *clones, bool *private_frame)
{
  LLVMValueRef clone = clones->address[CLONE_SLOT_RESUME], cleanup = clones->address[CLONE_SLOT_CLEANUP];
  pass_values uses = {0};
  struct coro_map reached;
  *private_frame = clones->imported && clones->keeps_frame_private;
  if (clones->imported || !edit_has_exact_definition(clone) || !LLVMCountParams(clone))
    return true;
  coro_map_init(&reached, t->run->arena);
  if (!find_capturing_uses(t->run, LLVMGetParam(clone, 0), &uses) ||
      !prune_find_reachable(t->run->arena, clone, may_take_edge_if_frame_in_caller, cleanup, &reached))
    return false;
  bool escapes = false;
  for (uint32_t i = 0; i < uses.count && !escapes; i++)
    if (coro_map_has(&reached, coro_map_key(LLVMGetInstructionParent(uses.items[i]))) &&
        !check_use_may_capture(t, uses.items[i], cleanup, &escapes))
      return false;
  *private_frame = !escapes;
  return true;
}
