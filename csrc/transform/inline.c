/* Inlines one call: copies the callee's numbered body into the caller and remaps operands. Linear in the size of the
   callee. */
#include "transform/inline.h"

#include <string.h>

#include "base/vec.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/number.h"
#include "ir/operand.h"
#include "llvm-c/DebugInfo.h"
#include "transform/tailcall.h"

struct inliner {
  const struct inline_call *call;
  LLVMTypeRef stack_type; /* pointer type of the stack address space */
  LLVMValueRef stack; /* llvm.stacksave before a copy that moves the stack pointer; else NULL */
  LLVMContextRef context;
  LLVMValueRef caller;
  struct ir_fn fn; /* the callee */
  LLVMBasicBlockRef *blocks;
  LLVMValueRef *values;
  uint32_t *returns; /* instruction numbers */
  uint32_t return_count;
};

/* ---- Legality ---- */

static bool has_definitive_body(LLVMValueRef function)
{
  switch (LLVMGetLinkage(function)) {
  case LLVMWeakAnyLinkage:
  case LLVMLinkOnceAnyLinkage:
  case LLVMExternalWeakLinkage:
  case LLVMCommonLinkage: return false;
  default: return !LLVMIsDeclaration(function);
  }
}

/* Parameters that must be passed by a real call: memory copies, swifterror. */
static bool requires_memory_parameter_or_swifterror(LLVMValueRef function)
{
  static const char *const names[] = {"byval", "inalloca", "preallocated", "swifterror", "byref"};
  unsigned count = LLVMCountParams(function);
  for (unsigned p = 1; p <= count; p++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (edit_has_attribute(function, p, names[i]))
        return true;
  return false;
}

static bool has_compatible_gc_and_personality(LLVMValueRef caller, LLVMValueRef callee)
{
  const char *gc = LLVMGetGC(callee), *own = LLVMGetGC(caller);
  if (gc && (!own || strcmp(gc, own)))
    return false;
  return !LLVMHasPersonalityFn(callee) ||
         (LLVMHasPersonalityFn(caller) && LLVMGetPersonalityFn(caller) == LLVMGetPersonalityFn(callee));
}

static bool is_call_of_named_function(LLVMValueRef inst, const char *name)
{
  LLVMValueRef callee = edit_is_call(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
  return callee && strcmp(LLVMGetValueName2(callee, &(size_t){0}), name) == 0;
}

/* The instruction refers to its own function or cannot be copied. */
static bool is_uncopyable(LLVMValueRef inst)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  return opcode == LLVMIndirectBr || opcode == LLVMCallBr || is_call_of_named_function(inst, "llvm.localescape") ||
         (edit_is_call(inst) && edit_returns_twice(inst));
}

static bool is_unsplit_coroutine_intrinsic(const struct intrin_table *table, LLVMValueRef inst)
{
  enum intrin intrin = intrin_of(table, inst);
  return intrin_is_coro(intrin) && intrin != INTRIN_SUBFN_ADDR;
}

bool inline_can_copy_body(LLVMValueRef function)
{
  static const char *const names[] = {"naked", "returns_twice"};
  if (!has_definitive_body(function))
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (edit_has_attribute(function, (unsigned)LLVMAttributeFunctionIndex, names[i]))
      return false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (is_uncopyable(i))
        return false;
  return true;
}

/* Whether it calls a coroutine intrinsic that must stay in its function. */
static bool has_unsplit_coroutine_intrinsics(const struct intrin_table *table, LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (is_unsplit_coroutine_intrinsic(table, i))
        return true;
  return false;
}

bool inline_is_possible(const struct intrin_table *table, LLVMValueRef caller, LLVMValueRef callee)
{
  return LLVMGetValueKind(callee) == LLVMFunctionValueKind && callee != caller &&
         !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(callee)) && !requires_memory_parameter_or_swifterror(callee) &&
         has_compatible_gc_and_personality(caller, callee) && !edit_is_presplit(callee) &&
         inline_can_copy_body(callee) && !has_unsplit_coroutine_intrinsics(table, callee);
}

/* ---- Copying ---- */

static void copy_value_name(struct coro_arena *arena, LLVMValueRef source, LLVMValueRef copy)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(source, &length);
  const char *own = length ? coro_arena_printf(arena, "%s.i", name) : NULL;
  if (own)
    LLVMSetValueName2(copy, own, strlen(own));
}

static bool make_inlined_blocks(struct inliner *in, struct coro_arena *arena)
{
  in->blocks[0] = LLVMGetInsertBlock(in->call->builder);
  for (uint32_t b = 1; b < in->fn.block_count; b++) {
    const char *name = coro_arena_printf(arena, "%s.i", LLVMGetBasicBlockName(in->fn.blocks[b]));
    if (!name)
      return false;
    in->blocks[b] = LLVMAppendBasicBlockInContext(in->context, in->caller, name);
  }
  return true;
}

/* An alloca of fixed size in the entry block. */
static bool is_entry_alloca(const struct inliner *in, uint32_t inst)
{
  return in->fn.opcode[inst] == LLVMAlloca && in->fn.inst_block[inst] == 0 &&
         LLVMIsAConstantInt(LLVMGetOperand(in->fn.insts[inst], ALLOCA_COUNT));
}

static void insert_copied_instruction(struct inliner *in, uint32_t inst, LLVMValueRef copy)
{
  LLVMBuilderRef builder = in->call->builder;
  LLVMBasicBlockRef entry = in->call->entry ? in->call->entry : LLVMGetEntryBasicBlock(in->caller);
  LLVMValueRef first = LLVMGetFirstInstruction(entry);
  if (first && is_entry_alloca(in, inst))
    LLVMPositionBuilderBefore(builder, first);
  LLVMSetCurrentDebugLocation2(builder, NULL);
  LLVMInsertIntoBuilder(builder, copy);
  LLVMPositionBuilderAtEnd(builder, in->blocks[in->fn.inst_block[inst]]);
}

static void copy_instruction(struct inliner *in, struct coro_arena *arena, uint32_t inst)
{
  LLVMValueRef source = in->fn.insts[inst], copy;
  if (in->fn.opcode[inst] == LLVMRet && !in->call->tail) {
    in->returns[in->return_count++] = inst;
    return;
  }
  if (in->fn.opcode[inst] == LLVMPHI) {
    copy = LLVMBuildPhi(in->call->builder, LLVMTypeOf(source), "");
  } else {
    copy = LLVMInstructionClone(source);
    insert_copied_instruction(in, inst, copy);
  }
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(source);
  LLVMInstructionSetDebugLoc(copy, in->call->locate ? in->call->locate(in->call->user, at) : NULL);
  copy_value_name(arena, source, copy);
  clone_drop_alias_scopes(copy);
  in->values[ir_value_of_inst(&in->fn, inst)] = copy;
  if (in->call->copied)
    in->call->copied(in->call->record, source, copy);
}

static void fill_inlined_phi(struct inliner *in, uint32_t inst, LLVMValueRef copy)
{
  const uint32_t *operands = in->fn.operands + in->fn.operand_start[inst];
  uint32_t count = ir_phi_count(&in->fn, inst);
  for (uint32_t k = 0; k < count; k++) {
    if (operands[count + k] == IR_NONE)
      continue;
    LLVMValueRef value = operands[k] == IR_NONE ? LLVMGetIncomingValue(in->fn.insts[inst], k) : in->values[operands[k]];
    LLVMAddIncoming(copy, &value, &in->blocks[operands[count + k] & ~IR_BLOCK], 1);
  }
}

static void remap_operands_of_copy(struct inliner *in, uint32_t inst, LLVMValueRef copy)
{
  const uint32_t *operands = in->fn.operands + in->fn.operand_start[inst];
  uint32_t count = in->fn.operand_start[inst + 1] - in->fn.operand_start[inst];
  for (uint32_t k = 0; k < count; k++)
    if (operands[k] != IR_NONE)
      LLVMSetOperand(copy, k,
                     operands[k] & IR_BLOCK ? LLVMBasicBlockAsValue(in->blocks[operands[k] & ~IR_BLOCK])
                                            : in->values[operands[k]]);
}

/* A tail call in the callee stays one only if the caller returns right after it, too. */
static void adjust_tail_call(struct inliner *in, LLVMValueRef copy)
{
  LLVMTailCallKind kind = LLVMGetTailCallKind(copy);
  if (kind == LLVMTailCallKindMustTail && in->call->tail)
    LLVMSetTailCallKind(copy, tailcall_strongest_kind(copy));
  else if (kind != LLVMTailCallKindNoTail && !in->call->tail)
    LLVMSetTailCallKind(copy, LLVMTailCallKindNone);
}

static void remap_operands_of_all_copies(struct inliner *in)
{
  for (uint32_t i = 0; i < in->fn.inst_count; i++) {
    LLVMValueRef copy = in->values[ir_value_of_inst(&in->fn, i)];
    if (!copy)
      continue;
    if (in->fn.opcode[i] == LLVMPHI)
      fill_inlined_phi(in, i, copy);
    else
      remap_operands_of_copy(in, i, copy);
    if (in->fn.opcode[i] == LLVMCall)
      adjust_tail_call(in, copy);
  }
}

static LLVMValueRef returned_value_in_caller(const struct inliner *in, uint32_t inst)
{
  LLVMValueRef source = in->fn.insts[inst];
  if (!LLVMGetNumOperands(source))
    return NULL;
  uint32_t id = in->fn.operands[in->fn.operand_start[inst]];
  return id == IR_NONE ? LLVMGetOperand(source, RET_VALUE) : in->values[id];
}

/* ---- Dynamic allocas: the inlined body releases their memory as the call did ---- */

static LLVMValueRef build_stack_intrinsic_call(struct inliner *in, const char *name, LLVMValueRef *argument)
{
  LLVMModuleRef module = LLVMGetGlobalParent(in->caller);
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMTypeRef pointer = LLVMPointerTypeInContext(in->context, LLVMGetPointerAddressSpace(in->stack_type));
  LLVMValueRef callee = LLVMGetIntrinsicDeclaration(module, id, &pointer, 1);
  return LLVMBuildCall2(in->call->builder, LLVMGlobalGetValueType(callee), callee, argument, argument ? 1 : 0, "");
}

static void save_and_restore_stack_pointer(struct inliner *in)
{
  for (uint32_t i = 0; i < in->fn.inst_count && !in->stack; i++)
    if (in->fn.opcode[i] == LLVMAlloca && !is_entry_alloca(in, i)) {
      in->stack_type = LLVMTypeOf(in->fn.insts[i]);
      in->stack = build_stack_intrinsic_call(in, "llvm.stacksave", NULL);
    }
}

/* Merges several returns, or none, in a new block. */
static LLVMValueRef merge_returns(struct inliner *in)
{
  LLVMBuilderRef builder = in->call->builder;
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(in->call->callee));
  if (in->return_count == 1) {
    LLVMPositionBuilderAtEnd(builder, in->blocks[in->fn.inst_block[in->returns[0]]]);
    return returned_value_in_caller(in, in->returns[0]);
  }
  LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(in->context, in->caller, "inlined");
  LLVMPositionBuilderAtEnd(builder, block);
  bool some = in->return_count && LLVMGetTypeKind(type) != LLVMVoidTypeKind;
  LLVMValueRef result = some ? LLVMBuildPhi(builder, type, "") : NULL;
  for (uint32_t r = 0; r < in->return_count; r++) {
    LLVMBasicBlockRef from = in->blocks[in->fn.inst_block[in->returns[r]]];
    LLVMValueRef value = returned_value_in_caller(in, in->returns[r]);
    LLVMPositionBuilderAtEnd(builder, from);
    LLVMBuildBr(builder, block);
    if (result)
      LLVMAddIncoming(result, &value, &from, 1);
  }
  LLVMPositionBuilderAtEnd(builder, block);
  return result;
}

bool inline_body_at_call(struct coro_arena *arena, const struct inline_call *call, LLVMValueRef *result)
{
  LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInsertBlock(call->builder));
  struct inliner in = {.call = call, .caller = caller, .context = LLVMGetModuleContext(LLVMGetGlobalParent(caller))};
  *result = NULL;
  if (!ir_number(&in.fn, arena, call->callee))
    return false;
  in.blocks = CORO_NEW_ARRAY(arena, LLVMBasicBlockRef, in.fn.block_count);
  in.values = CORO_NEW_ARRAY(arena, LLVMValueRef, ir_value_count(&in.fn));
  in.returns = CORO_NEW_ARRAY(arena, uint32_t, in.fn.block_count);
  if (coro_arena_failed(arena) || !make_inlined_blocks(&in, arena))
    return false;
  for (uint32_t a = 0; a < in.fn.arg_count; a++)
    in.values[a] = call->arguments[a];
  if (!call->tail)
    save_and_restore_stack_pointer(&in);
  for (uint32_t i = 0; i < in.fn.inst_count; i++) {
    LLVMPositionBuilderAtEnd(call->builder, in.blocks[in.fn.inst_block[i]]);
    copy_instruction(&in, arena, i);
  }
  remap_operands_of_all_copies(&in);
  if (!call->tail)
    *result = merge_returns(&in);
  if (in.stack)
    build_stack_intrinsic_call(&in, "llvm.stackrestore", &in.stack);
  return !coro_arena_failed(arena);
}
