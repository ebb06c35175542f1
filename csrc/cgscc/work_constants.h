/* Redirects references from moved bodies to functions of their home module. A direct operand is replaced in place.
   Constants are shared by all users, so a function within a constant expression is replaced in the whole home module
   while the work module exists; this costs the uses of that function. Variables whose initializer refers to functions,
   such as vtables, temporarily refer to declarations in the work module. See work_module.h. */
#pragma once

#include "cgscc/work_module.h"

/* Makes the operands of a moved body refer to functions of the work module only. References in variables'
   initializers are hidden until work_redirect_references_to_home. w->failed records memory exhaustion. */
void redirect_operands_to_counterparts(struct work_module *w, LLVMValueRef function);
/* Makes all references to the work module refer to the home module, creating functions and variables that LLVM's
   passes have added, and restores initializers. */
void work_redirect_references_to_home(struct work_module *w);
