/* Registers the native target with LLVM.
   Needs: nothing. Leaves: code of this machine can be generated. */
#include "llvm-c/Target.h"

/* LLVM's registry of targets is a plain list. The loader runs this before any thread can reach the library, so there
   is neither a race nor a flag to keep; it fills some tables and costs microseconds. */
__attribute__((constructor)) static void register_native_target(void)
{
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  LLVMInitializeNativeAsmParser();
}
