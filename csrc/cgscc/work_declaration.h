/* Declares functions in a work module for the functions that its bodies refer to, and copies properties between the
   two; see work_module.h. */
#pragma once

#include "cgscc/work_module.h"

/* Creates an empty module with the target, data layout and flags of another. */
LLVMModuleRef create_module_with_target_of(LLVMModuleRef home);
/* The counterpart of a function, alias or ifunc, declared on first use. NULL: out of memory. */
LLVMValueRef find_or_declare_counterpart(struct work_module *w, LLVMValueRef global);
/* Gives a declaration the properties of a definition that LLVM's passes read: linkage, personality, garbage
   collector, metadata. */
void declaration_copy_definition_properties(struct work_module *w, LLVMValueRef from, LLVMValueRef to);
/* Copies calling convention and attributes. */
void copy_convention_and_attributes(struct work_module *w, LLVMValueRef from, LLVMValueRef to);
/* Copies the properties that LLVM's passes may have changed: from `from`, the counterpart in the work module, to
   `to`, the original. */
void declaration_copy_changes_back(struct work_module *w, LLVMValueRef from, LLVMValueRef to);
/* Creates a home function with the name of `replaced` and the type of `made`. */
LLVMValueRef create_home_function_named_as(struct work_module *w, LLVMValueRef replaced, LLVMValueRef made);
/* Whether the function's comdat has the function's name. */
bool declaration_is_comdat_key(LLVMValueRef function);
