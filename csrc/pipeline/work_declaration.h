/* Functions of a work module that stand for functions of the home module: see work_module.h. */
#ifndef CORO_PIPELINE_WORK_DECLARATION_H
#define CORO_PIPELINE_WORK_DECLARATION_H

#include "pipeline/work_module.h"

/* An empty module with the target, data layout and flags of another. */
LLVMModuleRef work_like(LLVMModuleRef home);
/* The function that stands for a function, alias or ifunc, declared on the first request. NULL: memory ran out. */
LLVMValueRef work_counterpart(struct work_module *w, LLVMValueRef global);
/* Gives a declaration what a definition has and LLVM's passes read: linkage, personality, collector, metadata. */
void declaration_as_definition(struct work_module *w, LLVMValueRef from, LLVMValueRef to);
/* Calling convention and attributes. */
void declaration_copy(struct work_module *w, LLVMValueRef from, LLVMValueRef to);
/* What LLVM's passes may have changed of `from`, which stands for `to`. */
void declaration_take_changes(struct work_module *w, LLVMValueRef from, LLVMValueRef to);
/* A function at home with the name of `replaced` and the type of `made`. */
LLVMValueRef declaration_replace(struct work_module *w, LLVMValueRef replaced, LLVMValueRef made);
/* The function's comdat has the name of the function. */
bool declaration_is_comdat_key(LLVMValueRef function);

#endif
