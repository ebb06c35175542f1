/* The JIT: compiles lowered modules in this process through ORC, looks functions up, works on switch-ABI handles.
   Needs: ir. Leaves: code that lives as long as its struct jit; nothing printed, whatever LLVM has to say. */
#ifndef CORO_JIT_JIT_H
#define CORO_JIT_JIT_H

#include "llvm-c/LLJIT.h"
#include "llvm-c/Types.h"
#include "pycoro.h"

struct jit;

coro_status jit_create(struct jit **out, bool quick, coro_diags *diags); /* quick: see pycoro.h */
void jit_free(struct jit *jit); /* runs the destructors of modules whose constructors ran; NULL is fine */
coro_status jit_define(struct jit *jit, const char *name, void *address, coro_diags *diags);
/* What code generation makes up and nothing in the process defines is looked for in a library; as dlopen gives it. */
void jit_add_library(struct jit *jit, void *library);
/* Has a coroutine of the module that is added next tell whether it runs; *can: see pycoro.h. */
coro_status jit_ask_running(struct jit *jit, LLVMModuleRef module, const char *coroutine, uint64_t offset,
                            uint32_t size, bool *can);
/* Compiles the module in a child process, and takes what was made. Whatever the error, the engine is as it was. */
coro_status jit_add_guarded(struct jit *jit, LLVMModuleRef module, coro_diags *diags);
/* Compiles a copy of the module in this process, which LLVM may end. */
coro_status jit_add(struct jit *jit, LLVMModuleRef module, coro_diags *diags);
/* Likewise, of the module itself, which is disposed of with its context, whatever comes of it. */
coro_status jit_take(struct jit *jit, LLVMModuleRef module, coro_diags *diags);
/* Runs the constructors of all modules whose have not run. To be called before code of the engine is. */
void jit_run_constructors(struct jit *jit);
void jit_missing(struct jit *jit, LLVMModuleRef module, void (*each)(void *user, const char *name), void *user);
void jit_each_part(const struct jit *jit, void (*each)(void *user, const char *owner, const void *address), void *user);
coro_status jit_lookup(struct jit *jit, const char *name, void **address, coro_diags *diags);
const char *jit_triple(const struct jit *jit);
const char *jit_data_layout(const struct jit *jit);
void jit_resume(struct jit *jit, void *handle);
void jit_destroy(struct jit *jit, void *handle);

#endif
