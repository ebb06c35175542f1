/* Inlines one call: copies the callee's body into the caller and remaps operands. Linear in the size of the callee. */
#include "transform/inline.h"

#include <string.h>

#include "base/vec.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "ir/unsplit_coroutine.h"
#include "llvm-c/DebugInfo.h"
#include "transform/tailcall.h"

struct inliner {
  const struct inline_call *call;
  LLVMTypeRef stack_type; /* pointer type of the stack address space */
  LLVMValueRef stack; /* llvm.stacksave before a copy that moves the stack pointer; else NULL */
  LLVMContextRef context;
  LLVMValueRef caller;
  struct clone clone;
  CORO_VEC(LLVMValueRef) returns; /* return instructions of the callee */
};

/* ---- Legality ---- */

/* Parameters that must be passed by a real call: memory copies, swifterror. */
static bool has_memory_or_swifterror_parameter(LLVMValueRef function)
{
  static const char *const names[] = {"byval", "inalloca", "preallocated", "swifterror", "byref"};
  return edit_has_parameter_with_attribute(function, names, sizeof names / sizeof *names);
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
  return callee && strcmp(edit_value_name(callee), name) == 0;
}

/* The instruction refers to its own function or cannot be copied. */
static bool is_uncopyable(LLVMValueRef inst)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  return opcode == LLVMIndirectBr || opcode == LLVMCallBr || is_call_of_named_function(inst, "llvm.localescape") ||
         (edit_is_call(inst) && edit_call_or_callee_has_function_attribute(inst, "returns_twice"));
}

bool inline_can_copy_body(LLVMValueRef function)
{
  static const char *const names[] = {"naked", "returns_twice"};
  if (LLVMIsDeclaration(function) || edit_is_interposable(function))
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (edit_has_function_attribute(function, names[i]))
      return false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (is_uncopyable(i))
        return false;
  return true;
}

/* Whether it calls a coroutine intrinsic that must stay in its function. */
static bool calls_coro_intrinsic_but_subfn_addr(const struct intrin_table *table, LLVMValueRef function)
{
  return intrins_called_by(table, function) & ~(UINT64_C(1) << INTRIN_SUBFN_ADDR);
}

bool inline_is_possible(const struct intrin_table *table, LLVMValueRef caller, LLVMValueRef callee)
{
  return LLVMGetValueKind(callee) == LLVMFunctionValueKind && callee != caller &&
         !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(callee)) && !has_memory_or_swifterror_parameter(callee) &&
         has_compatible_gc_and_personality(caller, callee) && !edit_is_presplit_definition(callee) &&
         inline_can_copy_body(callee) && !calls_coro_intrinsic_but_subfn_addr(table, callee);
}

/* ---- Copying ---- */

static bool make_inlined_blocks(struct inliner *in, struct coro_arena *arena)
{
  LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(in->call->callee);
  bool fine = clone_record_block_copy(&in->clone, block, LLVMGetInsertBlock(in->call->builder));
  while ((block = LLVMGetNextBasicBlock(block)) && fine) {
    const char *name = coro_arena_concatenate(arena, LLVMGetBasicBlockName(block), ".i");
    fine = name &&
           clone_record_block_copy(&in->clone, block, LLVMAppendBasicBlockInContext(in->context, in->caller, name));
  }
  return fine;
}

/* An alloca of fixed size in the entry block. */
static bool is_entry_alloca(const struct inliner *in, LLVMValueRef inst)
{
  return LLVMIsAAllocaInst(inst) && LLVMGetInstructionParent(inst) == LLVMGetEntryBasicBlock(in->call->callee) &&
         LLVMIsAConstantInt(LLVMGetOperand(inst, ALLOCA_COUNT));
}

static bool copy_callee_instruction(struct inliner *in, LLVMValueRef source)
{
  LLVMBuilderRef builder = in->call->builder;
  LLVMBasicBlockRef entry = in->call->entry ? in->call->entry : LLVMGetEntryBasicBlock(in->caller);
  LLVMValueRef first = LLVMGetFirstInstruction(entry);
  if (LLVMIsAReturnInst(source) && !in->call->tail)
    return coro_vec_push(in->clone.arena, &in->returns, source);
  if (first && is_entry_alloca(in, source))
    LLVMPositionBuilderBefore(builder, first);
  LLVMValueRef copy = clone_insert_copy(&in->clone, builder, source, ".i");
  if (!copy)
    return false;
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(source);
  LLVMInstructionSetDebugLoc(copy, in->call->locate ? in->call->locate(in->call->user, at) : NULL);
  LLVMPositionBuilderAtEnd(builder, clone_of_block(&in->clone, LLVMGetInstructionParent(source)));
  if (in->call->copied)
    in->call->copied(in->call->record, source, copy);
  return true;
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

static bool copy_callee_body(struct inliner *in)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(in->call->callee); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMPositionBuilderAtEnd(in->call->builder, clone_of_block(&in->clone, b));
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (!copy_callee_instruction(in, i))
        return false;
  }
  clone_replace_operands_by_copies(&in->clone);
  for (uint32_t i = 0; i < in->clone.sources.count; i++)
    if (LLVMIsACallInst(in->clone.sources.items[i]))
      adjust_tail_call(in, clone_copy_or_itself(&in->clone, in->clone.sources.items[i]));
  return true;
}

static LLVMValueRef returned_value_in_caller_or_null(const struct inliner *in, LLVMValueRef source)
{
  return LLVMGetNumOperands(source) ? clone_copy_or_itself(&in->clone, LLVMGetOperand(source, RET_VALUE)) : NULL;
}

static LLVMBasicBlockRef returning_block(const struct inliner *in, LLVMValueRef source)
{
  return clone_of_block(&in->clone, LLVMGetInstructionParent(source));
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

static void save_stack_for_dynamic_allocas(struct inliner *in)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(in->call->callee); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !in->stack; i = LLVMGetNextInstruction(i))
      if (LLVMIsAAllocaInst(i) && !is_entry_alloca(in, i)) {
        in->stack_type = LLVMTypeOf(i);
        in->stack = build_stack_intrinsic_call(in, "llvm.stacksave", NULL);
      }
}

/* Merges several returns, or none, in a new block. */
static LLVMValueRef merge_returns_and_return_result(struct inliner *in)
{
  LLVMBuilderRef builder = in->call->builder;
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(in->call->callee));
  if (in->returns.count == 1) {
    LLVMPositionBuilderAtEnd(builder, returning_block(in, in->returns.items[0]));
    return returned_value_in_caller_or_null(in, in->returns.items[0]);
  }
  LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(in->context, in->caller, "inlined");
  LLVMPositionBuilderAtEnd(builder, block);
  bool some = in->returns.count && LLVMGetTypeKind(type) != LLVMVoidTypeKind;
  LLVMValueRef result = some ? LLVMBuildPhi(builder, type, "") : NULL;
  for (uint32_t r = 0; r < in->returns.count; r++) {
    LLVMBasicBlockRef from = returning_block(in, in->returns.items[r]);
    LLVMValueRef value = returned_value_in_caller_or_null(in, in->returns.items[r]);
    LLVMPositionBuilderAtEnd(builder, from);
    LLVMBuildBr(builder, block);
    if (result)
      LLVMAddIncoming(result, &value, &from, 1);
  }
  LLVMPositionBuilderAtEnd(builder, block);
  return result;
}

bool inline_body_at_builder_position(struct coro_arena *arena, const struct inline_call *call, LLVMValueRef *result)
{
  LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInsertBlock(call->builder));
  struct inliner in = {.call = call, .caller = caller, .context = LLVMGetModuleContext(LLVMGetGlobalParent(caller))};
  *result = NULL;
  clone_init(&in.clone, arena);
  if (!make_inlined_blocks(&in, arena))
    return false;
  unsigned count = LLVMCountParams(call->callee);
  for (unsigned a = 0; a < count; a++)
    if (!clone_record_copy(&in.clone, LLVMGetParam(call->callee, a), call->arguments[a]))
      return false;
  if (!call->tail)
    save_stack_for_dynamic_allocas(&in);
  if (!copy_callee_body(&in))
    return false;
  if (!call->tail)
    *result = merge_returns_and_return_result(&in);
  if (in.stack)
    build_stack_intrinsic_call(&in, "llvm.stackrestore", &in.stack);
  return !coro_arena_failed(arena);
}
