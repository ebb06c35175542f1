/* Prints the interface of a module as IR: headers of its functions and external variables, without code.
   Requires: edit.
   Guarantees: the module does not change. */
#pragma once

#include "llvm-c/Core.h"

/* Returns IR with the target, external variables and function headers (calling convention, types, parameter and
   result attributes) of the module, without intrinsics. A defined function has a body of one `unreachable`. Dispose
   of it with LLVMDisposeMessage; NULL: out of memory. */
char *ir_module_interface(LLVMModuleRef module);
