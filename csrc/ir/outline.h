/* What a module looks like from outside.
   Needs: edit. Leaves: the module as it was. */
#ifndef CORO_IR_OUTLINE_H
#define CORO_IR_OUTLINE_H

#include "llvm-c/Core.h"

/* IR with the module's target, the variables that it does not define, and the headers of its functions, but for
   intrinsics: calling conventions, types, attributes of parameters and results. A function that the module defines
   has a body that is one `unreachable`. To be disposed of with LLVMDisposeMessage; NULL where memory ran out. */
char *ir_outline(LLVMModuleRef module);

#endif
