/* Modules made cheap to compile: the code generator costs several times what it takes to spare it work.
   Needs: a module that verifies and is ours to change.
   Leaves: the same behaviour, and everything that can be looked up. */
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "jit/inside.h"
#include "llvm-c/DebugInfo.h"
#include "llvm-c/Transforms/PassBuilder.h"

/* A definition that may be left out where nobody refers to it must not be: somebody may look it up. */
static void keep(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);
  if (linkage == LLVMLinkOnceAnyLinkage)
    LLVMSetLinkage(global, LLVMWeakAnyLinkage);
  else if (linkage == LLVMLinkOnceODRLinkage)
    LLVMSetLinkage(global, LLVMWeakODRLinkage);
}

static void keep_all(LLVMModuleRef module)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    keep(f);
  for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
    keep(v);
  for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a; a = LLVMGetNextGlobalAlias(a))
    keep(a);
}

static unsigned width_of(LLVMTypeRef type) /* bits; 0: no integer */
{
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

/* A value of less than a byte, with zeros above; what is read is a byte as it was stored, which has them there. */
static LLVMValueRef widen(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef byte)
{
  if (!edit_is_plain_load(value))
    return LLVMBuildZExt(builder, value, byte, "");
  LLVMPositionBuilderBefore(builder, value);
  LLVMValueRef load = LLVMBuildLoad2(builder, byte, LLVMGetOperand(value, LOAD_ADDRESS), "");
  edit_set_alignment(load, edit_alignment(value));
  return load;
}

/* A switch of less than a byte, as of a coroutine's index, becomes one of a byte. */
static void widen_switch(LLVMBuilderRef builder, LLVMValueRef terminator)
{
  LLVMValueRef narrow = flow_switched(terminator);
  unsigned width = width_of(LLVMTypeOf(narrow));
  if (width == 1 || width >= 8 || LLVMIsAConstant(narrow))
    return;
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(narrow)));
  LLVMPositionBuilderBefore(builder, terminator);
  flow_set_switched(terminator, widen(builder, narrow, byte));
  for (unsigned way = 1; way < LLVMGetNumSuccessors(terminator); way++) {
    uint64_t value = LLVMConstIntGetZExtValue(LLVMGetSwitchCaseValue(terminator, way));
    LLVMSetSwitchCaseValue(terminator, way, LLVMConstInt(byte, value, false));
  }
}

/* A store of a constant of less than a byte, as of a coroutine's index, becomes one of the byte that it writes: the
   fast instruction selector knows no odd widths, and leaves all that stands above such a store to the slow one. */
static void widen_store(LLVMValueRef store)
{
  LLVMValueRef value = LLVMGetOperand(store, STORE_VALUE);
  LLVMTypeRef type = LLVMIsAConstantInt(value) ? LLVMTypeOf(value) : NULL;
  if (!type || LLVMGetIntTypeWidth(type) >= 8 || LLVMGetOrdering(store) != LLVMAtomicOrderingNotAtomic)
    return;
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
  LLVMSetOperand(store, STORE_VALUE, LLVMConstInt(byte, LLVMConstIntGetZExtValue(value), false));
}

static bool is_bool(LLVMValueRef value)
{
  return width_of(LLVMTypeOf(value)) == 1 && !LLVMIsAConstant(value);
}

/* The fast instruction selector passes an i1 where it is a byte cut short right before the call. */
static void pass_bools_as_bytes(LLVMBuilderRef builder, LLVMValueRef call)
{
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    LLVMValueRef argument = LLVMGetOperand(call, a);
    if (!is_bool(argument))
      continue;
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef wide = LLVMBuildZExt(builder, argument, byte, "");
    LLVMSetOperand(call, a, LLVMBuildTrunc(builder, wide, LLVMTypeOf(argument), ""));
  }
}

static void make_cheap(LLVMBuilderRef builder, LLVMValueRef instruction)
{
  if (LLVMIsAStoreInst(instruction))
    widen_store(instruction);
  if (edit_is_call(instruction) && !LLVMIsAIntrinsicInst(instruction))
    pass_bools_as_bytes(builder, instruction);
}

static void make_switch_cheap(LLVMBuilderRef builder, LLVMValueRef instruction)
{
  if (LLVMIsASwitchInst(instruction))
    widen_switch(builder, instruction);
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

/* Drops what cannot run, and what is known without running it. A switch becomes branches: the fast instruction selector
   knows no switches. */
static void simplify(LLVMModuleRef module)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  const char *passes = "function(instsimplify,simplifycfg),globaldce,function(lower-switch)";
  LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);
  if (error)
    LLVMConsumeError(error); /* it compiles as it is, too */
  LLVMDisposePassBuilderOptions(options);
}

/* Where a debug record of a constant is the first thing behind a landing pad, LLVM puts it in front of the pad's label,
   and its fast register allocator what it reloads there: an exception jumps over the reloads. */
void jit_make_cheap(LLVMModuleRef copy)
{
  LLVMStripModuleDebugInfo(copy);
  keep_all(copy);
  jit_pass_swift_otherwise(copy);
  for_each_instruction(copy, make_switch_cheap);
  simplify(copy);
  for_each_instruction(copy, make_cheap); /* last: to simplify would undo it */
}
