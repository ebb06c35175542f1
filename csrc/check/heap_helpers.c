/* Compares helper functions with their expected code, instruction by instruction; see heap_helpers.h. */
#include "check/heap_helpers.h"

#include <string.h>

#include "check/call_rules.h"
#include "check/clone_attributes.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "transform/identical_instruction.h"

enum { HEAD, BLOCK }; /* parameters of f.drop; f.release has one, the list */

bool heap_helper_is_one_argument_call_of(LLVMValueRef call, const char *name)
{
  size_t length = 0;
  LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
  const char *called = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : NULL;
  return called && length == strlen(name) && !memcmp(called, name, length) && LLVMGetNumArgOperands(call) == 1 &&
         LLVMGetInstructionCallConv(call) == LLVMGetFunctionCallConv(callee);
}

/* A call of free without attributes that promise anything. */
static bool is_attributeless_free_of(LLVMValueRef call, LLVMValueRef block)
{
  return heap_helper_is_one_argument_call_of(call, "free") && LLVMGetOperand(call, FREED_MEMORY) == block &&
         LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(LLVMGetCalledValue(call)) &&
         !LLVMGetNumOperandBundles(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindNone &&
         !LLVMGetCallSiteAttributeCount(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex) &&
         !LLVMGetCallSiteAttributeCount(call, FREED_MEMORY + 1);
}

static bool is_plain_pointer_access(const struct check *c, LLVMValueRef access)
{
  return edit_alignment(access) <= ir_pointer_align(c->low->context, c->low->layout) && !LLVMGetVolatile(access) &&
         LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static bool is_link_load(const struct check *c, LLVMValueRef load, LLVMValueRef address)
{
  return LLVMIsALoadInst(load) && LLVMGetOperand(load, LOAD_ADDRESS) == address && is_plain_pointer_access(c, load) &&
         LLVMTypeOf(load) == LLVMTypeOf(address);
}

static bool is_link_store(const struct check *c, LLVMValueRef store, LLVMValueRef value, LLVMValueRef address)
{
  return LLVMIsAStoreInst(store) && LLVMGetOperand(store, STORE_VALUE) == value &&
         LLVMGetOperand(store, STORE_ADDRESS) == address && is_plain_pointer_access(c, store);
}

static bool is_jump_to(LLVMValueRef terminator, LLVMBasicBlockRef block)
{
  return flow_is_jump(terminator) && LLVMGetSuccessor(terminator, 0) == block;
}

/* A comparison for equality, and a branch on it. */
static bool is_icmp_eq_before_branch_on_it(LLVMValueRef compare, LLVMValueRef left, LLVMValueRef right,
                                           LLVMBasicBlockRef equal, LLVMBasicBlockRef other)
{
  LLVMValueRef branch = LLVMGetNextInstruction(compare);
  return LLVMIsAICmpInst(compare) && LLVMGetICmpPredicate(compare) == LLVMIntEQ && !LLVMGetICmpSameSign(compare) &&
         LLVMGetOperand(compare, COMPARE_LEFT) == left && LLVMGetOperand(compare, COMPARE_RIGHT) == right && branch &&
         LLVMIsABranchInst(branch) && LLVMIsConditional(branch) && LLVMGetCondition(branch) == compare &&
         LLVMGetSuccessor(branch, 0) == equal && LLVMGetSuccessor(branch, 1) == other;
}

/* A phi of `first` from the entry and `next` from the other block. */
static bool is_loop_phi(LLVMValueRef phi, LLVMBasicBlockRef entry, LLVMValueRef first, LLVMBasicBlockRef latch,
                        LLVMValueRef next)
{
  bool found = LLVMIsAPHINode(phi) && LLVMCountIncoming(phi) == 2;
  for (unsigned i = 0; i < 2 && found; i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    found = (from == entry && LLVMGetIncomingValue(phi, i) == first) ||
            (from == latch && LLVMGetIncomingValue(phi, i) == next);
  }
  return found && LLVMGetIncomingBlock(phi, 0) != LLVMGetIncomingBlock(phi, 1);
}

static bool has_metadata_besides_locations(LLVMValueRef function)
{
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
      if (has_metadata_besides_location(inst))
        return true;
  return false;
}

/* An internal function of this many blocks, without metadata. Its attributes promise nothing about its behavior. */
static bool is_local_function_without_promises(const struct check *c, LLVMValueRef function, unsigned blocks)
{
  bool fits = LLVMIsAFunction(function) && edit_has_local_linkage(function) &&
              LLVMCountBasicBlocks(function) == blocks && clone_attributes_permit_free(c, function) &&
              !has_metadata_besides_locations(function) &&
              !LLVMGetAttributeCountAtIndex(function, LLVMAttributeReturnIndex);
  for (unsigned p = 0; fits && p < LLVMCountParams(function); p++)
    fits = !LLVMGetAttributeCountAtIndex(function, p + 1);
  return fits;
}

/* A helper without a result whose parameters are this many pointers. */
static bool is_void_pointer_helper(const struct check *c, LLVMValueRef function, unsigned parameters, unsigned blocks)
{
  bool fits = is_local_function_without_promises(c, function, blocks) && LLVMCountParams(function) == parameters &&
              LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(function))) == LLVMVoidTypeKind;
  for (unsigned p = 0; p < parameters && fits; p++)
    fits = LLVMTypeOf(LLVMGetParam(function, p)) == LLVMPointerTypeInContext(c->low->context, 0);
  return fits;
}

/* Blocks in their order: entry, loop, and those that follow. */
enum { ENTRY, LOOP, THIRD, FOURTH, BLOCKS, WITHOUT = LOOP, WITH = THIRD };

bool heap_helper_frees_whole_list(const struct check *c, LLVMValueRef function)
{
  LLVMBasicBlockRef blocks[BLOCKS];
  if (!is_void_pointer_helper(c, function, 1, BLOCKS))
    return false;
  LLVMGetBasicBlocks(function, blocks);
  LLVMValueRef phi = LLVMGetFirstInstruction(blocks[LOOP]), next = LLVMGetFirstInstruction(blocks[THIRD]);
  LLVMValueRef call = LLVMGetNextInstruction(next), compare = LLVMGetNextInstruction(phi);
  LLVMValueRef end = LLVMGetFirstInstruction(blocks[FOURTH]), jump = call ? LLVMGetNextInstruction(call) : NULL;
  return is_jump_to(LLVMGetFirstInstruction(blocks[ENTRY]), blocks[LOOP]) &&
         is_loop_phi(phi, blocks[ENTRY], LLVMGetParam(function, 0), blocks[THIRD], next) && compare &&
         is_icmp_eq_before_branch_on_it(compare, phi, LLVMConstNull(LLVMTypeOf(phi)), blocks[FOURTH], blocks[THIRD]) &&
         is_link_load(c, next, phi) && is_attributeless_free_of(call, phi) && jump && is_jump_to(jump, blocks[LOOP]) &&
         LLVMIsAReturnInst(end);
}

bool heap_helper_frees_block_of_list(const struct check *c, LLVMValueRef function)
{
  LLVMBasicBlockRef blocks[BLOCKS];
  if (!is_void_pointer_helper(c, function, 2, THIRD + 1))
    return false;
  LLVMGetBasicBlocks(function, blocks);
  LLVMValueRef block = LLVMGetParam(function, BLOCK), phi = LLVMGetFirstInstruction(blocks[LOOP]);
  LLVMValueRef first = LLVMGetNextInstruction(phi), compare = first ? LLVMGetNextInstruction(first) : NULL;
  LLVMValueRef next = LLVMGetFirstInstruction(blocks[THIRD]), store = LLVMGetNextInstruction(next);
  LLVMValueRef call = store ? LLVMGetNextInstruction(store) : NULL, end = call ? LLVMGetNextInstruction(call) : NULL;
  return is_jump_to(LLVMGetFirstInstruction(blocks[ENTRY]), blocks[LOOP]) &&
         is_loop_phi(phi, blocks[ENTRY], LLVMGetParam(function, HEAD), blocks[LOOP], first) && compare &&
         is_link_load(c, first, phi) &&
         is_icmp_eq_before_branch_on_it(compare, first, block, blocks[THIRD], blocks[LOOP]) &&
         is_link_load(c, next, block) && is_link_store(c, store, next, phi) && is_attributeless_free_of(call, block) &&
         end && LLVMIsAReturnInst(end);
}

/* ---- Without an allocator ---- */

/* Whether the instruction after a call returns its result. */
static bool is_result_returned_next(LLVMValueRef call)
{
  LLVMValueRef ret = LLVMGetNextInstruction(call);
  bool none = LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind;
  return ret && LLVMIsAReturnInst(ret) && LLVMGetNumOperands(ret) == (none ? 0 : 1) &&
         (none || LLVMGetOperand(ret, RET_VALUE) == call);
}

/* A call of malloc with the size, which may be extended; or of free. */
static bool calls_malloc_or_free_and_returns(const struct check_walk *w, LLVMValueRef first, LLVMValueRef argument)
{
  LLVMValueRef passed = argument;
  if (LLVMIsAZExtInst(first) && LLVMGetOperand(first, CAST_SOURCE) == argument && !LLVMGetNNeg(first)) {
    passed = first;
    first = LLVMGetNextInstruction(first);
  }
  bool frees = LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind;
  return heap_helper_is_one_argument_call_of(first, frees ? "free" : "malloc") &&
         LLVMGetOperand(first, FREED_MEMORY) == passed && check_type_and_attributes_of_added_call(w, first) &&
         is_result_returned_next(first);
}

static bool passes_parameters_on_and_returns(const struct check_walk *w, LLVMValueRef function, LLVMValueRef call,
                                             LLVMValueRef callee)
{
  bool same = LLVMIsACallInst(call) && LLVMGetCalledValue(call) == callee &&
              LLVMGetNumArgOperands(call) == LLVMCountParams(function);
  for (unsigned p = 0; same && p < LLVMCountParams(function); p++)
    same = LLVMGetOperand(call, p) == LLVMGetParam(function, p);
  return same && check_type_and_attributes_of_added_call(w, call) && is_result_returned_next(call);
}

bool heap_helper_must_replace_null_allocator(const struct check *c, unsigned pointers)
{
  return pointers && check_is_dynamic(c) && edit_has_string_attribute(c->low->fn.function, "swiftcorocc");
}

bool heap_helper_replaces_null_allocator(const struct check_walk *w, LLVMValueRef function, LLVMValueRef callee,
                                         unsigned pointers)
{
  LLVMBasicBlockRef blocks[BLOCKS];
  if (!is_local_function_without_promises(w->c, function, THIRD + 1) ||
      LLVMGlobalGetValueType(function) != LLVMGlobalGetValueType(callee))
    return false;
  LLVMGetBasicBlocks(function, blocks);
  LLVMValueRef allocator = LLVMGetParam(function, pointers - 1), compare = LLVMGetFirstInstruction(blocks[ENTRY]);
  return is_icmp_eq_before_branch_on_it(compare, allocator, LLVMConstNull(LLVMTypeOf(allocator)), blocks[WITHOUT],
                                        blocks[WITH]) &&
         calls_malloc_or_free_and_returns(w, LLVMGetFirstInstruction(blocks[WITHOUT]),
                                          LLVMGetParam(function, pointers)) &&
         passes_parameters_on_and_returns(w, function, LLVMGetFirstInstruction(blocks[WITH]), callee);
}
