/* Replaces references from moved bodies to functions of their home module: see work_module.h. */
#ifndef CORO_PIPELINE_WORK_CONSTANTS_H
#define CORO_PIPELINE_WORK_CONSTANTS_H

#include "pipeline/work_module.h"

/* Makes the operands of a moved body refer to functions of the work module alone. What a variable's initializer refers to
   is hidden until work_return_all. Memory that runs out is remembered in w->failed. */
void work_redirect(struct work_module *w, LLVMValueRef function);
/* Makes all references to functions and variables of the work module refer to those at home, of which it creates the ones
   that LLVM's passes have added; restores initializers. */
void work_return_all(struct work_module *w);

#endif
