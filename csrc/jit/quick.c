/* Modules made cheap to compile: the code generator costs several times what it takes to spare it work.
   Needs: a module that verifies and is ours to change.
   Leaves: the same behaviour, and everything that can be looked up. */
#include "ir/edit.h"
#include "jit/room.h"
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

/* Drops what cannot run. A switch becomes branches: the fast instruction selector knows no switches. */
static void drop_what_cannot_run(LLVMModuleRef module)
{
  keep_all(module);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, "globaldce,function(simplifycfg,lower-switch)", NULL, options);
  if (error)
    LLVMConsumeError(error); /* it compiles as it is, too */
  LLVMDisposePassBuilderOptions(options);
}

/* A store of a constant of less than a byte, as of a coroutine's index, becomes one of the byte that it writes: the
   fast instruction selector knows no odd widths, and leaves all that stands above such a store to the slow one. */
static void widen_store(LLVMValueRef store)
{
  LLVMValueRef value = LLVMGetOperand(store, 0);
  LLVMTypeRef type = LLVMIsAConstantInt(value) ? LLVMTypeOf(value) : NULL;
  if (!type || LLVMGetIntTypeWidth(type) >= 8 || LLVMGetOrdering(store) != LLVMAtomicOrderingNotAtomic)
    return;
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
  LLVMSetOperand(store, 0, LLVMConstInt(byte, LLVMConstIntGetZExtValue(value), false));
}

static bool is_bool(LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1 && !LLVMIsAConstant(value);
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

void jit_make_cheap(LLVMModuleRef copy)
{
  drop_what_cannot_run(copy);
  jit_forget_errors(copy);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(copy));
  for (LLVMValueRef f = LLVMGetFirstFunction(copy); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        make_cheap(builder, i);
  LLVMDisposeBuilder(builder);
}
