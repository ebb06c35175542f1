/* Modules made cheap to compile: the code generator costs several times what it takes to spare it work.
   Needs: a module that verifies and is ours to change.
   Leaves: the same behaviour, and everything that can be looked up. */
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

static void drop_what_cannot_run(LLVMModuleRef module)
{
  keep_all(module);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, "globaldce,function(simplifycfg)", NULL, options);
  if (error)
    LLVMConsumeError(error); /* it compiles as it is, too */
  LLVMDisposePassBuilderOptions(options);
}

/* A store of a constant of less than a byte, as of a coroutine's index, becomes one of the byte that it writes: the
   fast instruction selector knows no odd widths, and leaves all that stands above such a store to the slow one. */
static void widen(LLVMValueRef instruction)
{
  LLVMValueRef value = LLVMGetInstructionOpcode(instruction) == LLVMStore ? LLVMGetOperand(instruction, 0) : NULL;
  LLVMTypeRef type = value && LLVMIsAConstantInt(value) ? LLVMTypeOf(value) : NULL;
  if (!type || LLVMGetIntTypeWidth(type) >= 8 || LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic)
    return;
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
  LLVMSetOperand(instruction, 0, LLVMConstInt(byte, LLVMConstIntGetZExtValue(value), false));
}

void jit_make_cheap(LLVMModuleRef copy)
{
  drop_what_cannot_run(copy);
  for (LLVMValueRef f = LLVMGetFirstFunction(copy); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        widen(i);
}
