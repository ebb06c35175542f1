/* Transformations that reduce code generation time, for engines with the `quick` option: removing work costs less than
   generating code for it.
   Requires: a module that verifies and may be changed. Guarantees: equivalent behavior; symbols that can be looked
   up remain. */
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "jit/jit_internal.h"
#include "llvm-c/DebugInfo.h"
#include "llvm-c/Transforms/PassBuilder.h"

/* Prevents discarding of unreferenced linkonce definitions, which clients may look up. */
static void make_undiscardable(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);
  if (linkage == LLVMLinkOnceAnyLinkage)
    LLVMSetLinkage(global, LLVMWeakAnyLinkage);
  else if (linkage == LLVMLinkOnceODRLinkage)
    LLVMSetLinkage(global, LLVMWeakODRLinkage);
}

static void make_all_undiscardable(LLVMModuleRef module)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    make_undiscardable(f);
  for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
    make_undiscardable(v);
  for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a; a = LLVMGetNextGlobalAlias(a))
    make_undiscardable(a);
}

static unsigned width_of(LLVMTypeRef type) /* in bits; 0: not an integer */
{
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

/* Zero-extends a value narrower than a byte; a load becomes a load of the byte, whose upper bits are zero. */
static LLVMValueRef zero_extend_or_load_byte(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef byte)
{
  if (!edit_is_simple_load(value))
    return LLVMBuildZExt(builder, value, byte, "");
  LLVMPositionBuilderBefore(builder, value);
  LLVMValueRef load = LLVMBuildLoad2(builder, byte, LLVMGetOperand(value, LOAD_ADDRESS), "");
  edit_set_alignment(load, edit_alignment(value));
  return load;
}

/* Widens a switch on less than a byte, such as a suspend index, to a byte. */
static void widen_switch_to_byte(LLVMBuilderRef builder, LLVMValueRef terminator)
{
  LLVMValueRef narrow = flow_switch_operand(terminator);
  unsigned width = width_of(LLVMTypeOf(narrow));
  if (width == 1 || width >= 8 || LLVMIsAConstant(narrow))
    return;
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(narrow)));
  LLVMPositionBuilderBefore(builder, terminator);
  flow_set_switch_operand(terminator, zero_extend_or_load_byte(builder, narrow, byte));
  for (unsigned successor = 1; successor < LLVMGetNumSuccessors(terminator); successor++) {
    uint64_t value = LLVMConstIntGetZExtValue(LLVMGetSwitchCaseValue(terminator, successor));
    LLVMSetSwitchCaseValue(terminator, successor, LLVMConstInt(byte, value, false));
  }
}

/* Widens a store of a constant narrower than a byte, such as a suspend index. FastISel does not support odd widths
   and hands all instructions before such a store to SelectionDAG. */
static void widen_constant_store_to_byte(LLVMValueRef store)
{
  LLVMValueRef value = LLVMGetOperand(store, STORE_VALUE);
  LLVMTypeRef type = LLVMIsAConstantInt(value) ? LLVMTypeOf(value) : NULL;
  if (!type || LLVMGetIntTypeWidth(type) >= 8 || LLVMGetOrdering(store) != LLVMAtomicOrderingNotAtomic)
    return;
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
  LLVMSetOperand(store, STORE_VALUE, LLVMConstInt(byte, LLVMConstIntGetZExtValue(value), false));
}

static bool is_nonconstant_i1(LLVMValueRef value)
{
  return width_of(LLVMTypeOf(value)) == 1 && !LLVMIsAConstant(value);
}

/* FastISel supports an i1 argument only if it is a byte truncated right before the call. */
static void truncate_bool_arguments_before_call(LLVMBuilderRef builder, LLVMValueRef call)
{
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    LLVMValueRef argument = LLVMGetOperand(call, a);
    if (!is_nonconstant_i1(argument))
      continue;
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef wide = LLVMBuildZExt(builder, argument, byte, "");
    LLVMSetOperand(call, a, LLVMBuildTrunc(builder, wide, LLVMTypeOf(argument), ""));
  }
}

static void simplify_store_or_call(LLVMBuilderRef builder, LLVMValueRef instruction)
{
  if (LLVMIsAStoreInst(instruction))
    widen_constant_store_to_byte(instruction);
  if (edit_is_call(instruction) && !LLVMIsAIntrinsicInst(instruction))
    truncate_bool_arguments_before_call(builder, instruction);
}

static void widen_if_switch(LLVMBuilderRef builder, LLVMValueRef instruction)
{
  if (LLVMIsASwitchInst(instruction))
    widen_switch_to_byte(builder, instruction);
}

static void for_each_instruction(LLVMModuleRef module, void (*change)(LLVMBuilderRef, LLVMValueRef))
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        change(builder, i);
  LLVMDisposeBuilder(builder);
}

/* Removes unreachable and constant code. Lowers switches to branches, which FastISel supports. */
static void remove_dead_code_and_switches(LLVMModuleRef module)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  const char *passes = "function(instsimplify,simplifycfg),globaldce,function(lower-switch)";
  LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);
  if (error)
    LLVMConsumeError(error); /* still compiles */
  LLVMDisposePassBuilderOptions(options);
}

/* Strips debug info: with a debug record of a constant right after a landing pad, LLVM places the record before the
   pad's label, and the fast register allocator its reloads too, which the unwinder then skips. */
void jit_simplify_for_fast_isel(LLVMModuleRef copy)
{
  LLVMStripModuleDebugInfo(copy);
  make_all_undiscardable(copy);
  jit_lower_swift_attributes(copy);
  for_each_instruction(copy, widen_if_switch);
  remove_dead_code_and_switches(copy);
  for_each_instruction(copy, simplify_store_or_call); /* last, because simplification would undo it */
}
