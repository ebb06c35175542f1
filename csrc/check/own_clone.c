/* Clones that a custom ABI adds to those in the frame's slots.
   Requires: numbered clones. */
#include "check/own_clone.h"

#include <string.h>

#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "lowering/abi.h"
#include "transform/identical_instruction.h"

enum { SLOT_CLONES = 3 }; /* in the frame's slots; others follow */

LLVMValueRef find_function_resuming_suspend(const struct check *c, uint32_t suspend)
{
  if (c->low->abi->suspend_returns)
    return edit_cast_to_default_pointer(c->low->clones[suspend]);
  uint32_t clone = SLOT_CLONES;
  if (c->low->abi->clone_per_suspend)
    clone = suspend == IR_NONE ? 0 : clone + suspend;
  return c->low->clones[clone < c->low->clone_count ? clone : 0];
}

bool clone_has_prototype_of_abi_clone(const struct check *c, const struct check_clone *k)
{
  return c->witness->clone_prototype && k->from->clone_kind == CLONE_RESUME && !c->low->abi->suspend_returns &&
         k->from->function != c->low->clones[0];
}

bool is_clone_of_suspend_in_resume_slot(const struct check *c)
{
  return c->low->abi->clone_per_suspend && !c->witness->clone_prototype;
}

uint32_t suspend_of_own_clone_or_none(const struct check *c, LLVMValueRef function)
{
  for (uint32_t s = 0; SLOT_CLONES + s < c->low->clone_count && c->low->abi->clone_per_suspend; s++)
    if (c->low->clones[SLOT_CLONES + s] == function)
      return s;
  return IR_NONE;
}

LLVMTypeRef result_type_of_own_clone_or_null(const struct check *c, const struct check_clone *k)
{
  LLVMTypeRef type =
      clone_has_prototype_of_abi_clone(c, k) ? LLVMGetReturnType(LLVMGlobalGetValueType(k->from->function)) : NULL;
  return type && LLVMGetTypeKind(type) != LLVMVoidTypeKind ? type : NULL;
}

/* ---- Parameters ---- */

bool is_abi_passed_marker(const struct check *c, uint32_t presplit, unsigned *parameter)
{
  static const char prefix[] = "abi.passed.";
  LLVMValueRef call = c->low->fn.insts[presplit];
  LLVMValueRef callee = LLVMIsACallInst(call) && c->witness->clone_prototype ? LLVMGetCalledValue(call) : NULL;
  const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &(size_t){0}) : "";
  if (strncmp(name, prefix, sizeof prefix - 1) || !LLVMIsDeclaration(callee))
    return false;
  *parameter = 0;
  for (name += sizeof prefix - 1; *name >= '0' && *name <= '9' && *parameter < UINT16_MAX; name++)
    *parameter = 10 * *parameter + (unsigned)(*name - '0');
  return !*name;
}

bool is_value_of_abi_passed_call(const struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                 uint32_t presplit)
{
  unsigned parameter;
  if (!is_abi_passed_marker(c, presplit, &parameter))
    return false;
  if (k->from->clone_kind != CLONE_RESUME)
    return LLVMIsNull(carrier);
  return parameter < LLVMCountParams(k->from->function) && carrier == LLVMGetParam(k->from->function, parameter);
}

/* ---- The frame's resume slot ---- */

struct adapter {
  const struct check *c;
  struct coro_map counterparts; /* value of abi.resume -> the adapter's */
  CORO_VEC(LLVMBasicBlockRef) blocks; /* of abi.resume, each with a counterpart */
};

static bool is_void_return(LLVMValueRef inst)
{
  return inst && LLVMIsAReturnInst(inst) && !LLVMGetNumOperands(inst);
}

/* The next instruction that does something, along unconditional branches that abi.resume does not have. */
static LLVMValueRef skip_jumps(LLVMValueRef inst)
{
  for (unsigned steps = 0; inst && steps < 4 && LLVMIsABranchInst(inst) && !LLVMIsConditional(inst); steps++)
    inst = LLVMGetFirstInstruction(LLVMGetSuccessor(inst, 0));
  return inst;
}

static bool record_value_pair_unless_other_known(struct adapter *a, LLVMValueRef one, LLVMValueRef other)
{
  uint64_t known = 0;
  if (coro_map_get(&a->counterparts, coro_map_key(one), &known))
    return known == coro_map_key(other);
  return coro_map_put(&a->counterparts, coro_map_key(one), coro_map_key(other));
}

static bool pair_and_queue_block_unless_other_known(struct adapter *a, LLVMBasicBlockRef one, LLVMBasicBlockRef other)
{
  bool fresh = !coro_map_has(&a->counterparts, coro_map_key(LLVMBasicBlockAsValue(one)));
  return record_value_pair_unless_other_known(a, LLVMBasicBlockAsValue(one), LLVMBasicBlockAsValue(other)) &&
         (!fresh || coro_vec_push(a->c->arena, &a->blocks, one));
}

/* Whether the adapter's code from `other` on is that of a block of abi.resume. */
static bool has_code_of_abi_resume(struct adapter *a, LLVMBasicBlockRef block, LLVMValueRef other)
{
  for (LLVMValueRef one = LLVMGetFirstInstruction(block); one; one = LLVMGetNextInstruction(one)) {
    if (LLVMIsAReturnInst(one))
      return is_void_return(skip_jumps(other));
    if (!other || LLVMIsAPHINode(one) || !is_copy_but_for_operands_and_loop_metadata(one, other) ||
        !have_equivalent_nonblock_operands(&a->counterparts, one, other) ||
        !record_value_pair_unless_other_known(a, one, other))
      return false;
    for (unsigned i = 0; LLVMIsATerminatorInst(one) && i < LLVMGetNumSuccessors(one); i++)
      if (!pair_and_queue_block_unless_other_known(a, LLVMGetSuccessor(one, i), LLVMGetSuccessor(other, i)))
        return false;
    other = LLVMGetNextInstruction(other);
  }
  return true;
}

/* The header's address, which is computed first. */
static bool is_header_address(const struct check *c, LLVMValueRef inst, LLVMValueRef frame)
{
  uint64_t offset = 0;
  for (uint32_t f = 0; f < c->low->frame.field_count; f++)
    if (c->low->frame.fields[f].kind == CORO_FIELD_HEADER)
      offset = c->low->frame.fields[f].offset;
  return LLVMIsAGetElementPtrInst(inst) && LLVMGetOperand(inst, ADDRESS_BASE) == frame &&
         LLVMGetGEPSourceElementType(inst) == LLVMInt8TypeInContext(c->low->context) &&
         LLVMIsAConstantInt(LLVMGetOperand(inst, FIRST_INDEX)) &&
         LLVMConstIntGetZExtValue(LLVMGetOperand(inst, FIRST_INDEX)) == offset;
}

/* Whether the adapter consists of the code of abi.resume, or of its call. */
static bool is_code_or_call_of_abi_resume(struct check *c, LLVMValueRef adapter, LLVMValueRef hook)
{
  struct adapter a = {.c = c};
  LLVMValueRef frame = LLVMGetParam(adapter, 0), first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(adapter));
  LLVMValueRef arguments[3] = {frame, LLVMConstNull(LLVMTypeOf(frame)), find_function_resuming_suspend(c, IR_NONE)};
  if (is_header_address(c, first, frame)) {
    arguments[1] = first;
    first = LLVMGetNextInstruction(first);
  }
  coro_map_init(&a.counterparts, c->arena);
  for (unsigned i = 0; i < LLVMCountParams(hook); i++)
    if (i >= 3 || !record_value_pair_unless_other_known(&a, LLVMGetParam(hook, i), arguments[i]))
      return false;
  if (LLVMIsACallInst(first) && LLVMGetCalledValue(first) == hook) {
    bool same = is_void_return(LLVMGetNextInstruction(first)) &&
                LLVMGetInstructionCallConv(first) == LLVMGetFunctionCallConv(hook);
    for (unsigned i = 0; same && i < LLVMCountParams(hook); i++)
      same = LLVMGetOperand(first, i) == arguments[i];
    return same;
  }
  if (!has_code_of_abi_resume(&a, LLVMGetEntryBasicBlock(hook), first))
    return false;
  for (uint32_t b = 0; b < a.blocks.count; b++) {
    uint64_t other = 0;
    coro_map_get(&a.counterparts, coro_map_key(LLVMBasicBlockAsValue(a.blocks.items[b])), &other);
    LLVMBasicBlockRef block = LLVMValueAsBasicBlock((LLVMValueRef)(uintptr_t)other);
    if (!has_code_of_abi_resume(&a, a.blocks.items[b], LLVMGetFirstInstruction(block)))
      return false;
  }
  return true;
}

/* Whether the adapter calls the clone: directly with zeros, or the one in the slot. */
static bool calls_clone_of_suspend(const struct check *c, LLVMValueRef adapter)
{
  LLVMValueRef frame = LLVMGetParam(adapter, 0), own = find_function_resuming_suspend(c, IR_NONE);
  LLVMValueRef call = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(adapter));
  unsigned convention = LLVMGetFunctionCallConv(own);
  if (is_clone_of_suspend_in_resume_slot(c)) {
    bool loads = LLVMIsALoadInst(call) && edit_is_simple_load(call) && LLVMGetOperand(call, LOAD_ADDRESS) == frame;
    own = call;
    call = loads ? LLVMGetNextInstruction(call) : NULL;
    convention = LLVMFastCallConv;
  }
  bool same = call && LLVMIsACallInst(call) && LLVMGetCalledValue(call) == own &&
              LLVMGetInstructionCallConv(call) == convention && is_void_return(LLVMGetNextInstruction(call));
  for (unsigned i = 0; same && i < LLVMGetNumArgOperands(call); i++)
    same = i ? LLVMIsNull(LLVMGetOperand(call, i)) : LLVMGetOperand(call, i) == frame;
  return same;
}

bool check_adapter_in_resume_slot(struct check *c)
{
  LLVMValueRef hook = c->witness->hooks[HOOK_resume];
  if (c->low->abi->suspend_returns || c->low->clone_count <= SLOT_CLONES)
    return true;
  LLVMValueRef adapter = c->low->clones[0];
  return (hook ? is_code_or_call_of_abi_resume(c, adapter, hook) : calls_clone_of_suspend(c, adapter)) ||
         check_unsupported(c, "the code of %s in the frame's resume slot", LLVMGetValueName2(adapter, &(size_t){0}));
}
