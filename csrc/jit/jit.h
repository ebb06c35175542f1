/* JIT compiler: compiles lowered modules through LLVM's ORC, looks up functions, and operates on switch-ABI handles.
   Requires: ir. Guarantees: code lives as long as its struct jit; nothing is printed. */
#pragma once

#include "llvm-c/LLJIT.h"
#include "llvm-c/Types.h"
#include "pycoro.h"

struct jit;

coro_status jit_create(struct jit **out, bool quick, coro_diags *diags); /* quick: see pycoro.h */
void jit_free(struct jit *jit); /* runs destructors of constructed modules; accepts NULL */
coro_status jit_define_symbol(struct jit *jit, const char *name, void *address, coro_diags *diags);
/* Adds a library (from dlopen) that resolves runtime symbols of compiled code. */
void jit_add_library(struct jit *jit, void *library);
/* Instruments a coroutine of the next added module, see coro_engine_track_running. The suspend index has `index_size`
   bytes at `index_offset` in the frame. *is_trackable: the clones have a suitable form. */
coro_status jit_track_running(struct jit *jit, LLVMModuleRef module, const char *coroutine, uint64_t index_offset,
                              uint32_t index_size, bool *is_trackable);
/* Compiles the module in a child process and loads the object. On error the engine does not change. */
coro_status jit_add_sandboxed(struct jit *jit, LLVMModuleRef module, coro_diags *diags);
/* Compiles a copy of the module in this process, which LLVM may abort. */
coro_status jit_add(struct jit *jit, LLVMModuleRef module, coro_diags *diags);
/* Compiles the module itself, which is disposed of with its context, whatever the status. */
coro_status jit_add_owned(struct jit *jit, LLVMModuleRef module, coro_diags *diags);
/* Runs pending constructors. Must precede any call of the engine's code. */
void jit_run_constructors(struct jit *jit);
void jit_each_undefined_symbol(struct jit *jit, LLVMModuleRef module, void (*each)(void *user, const char *name),
                               void *user);
void jit_each_clone_of_last_module(const struct jit *jit,
                                   void (*each)(void *user, const char *owner, const void *address), void *user);
coro_status jit_lookup_symbol(struct jit *jit, const char *name, void **address, coro_diags *diags);
const char *jit_triple(const struct jit *jit);
const char *jit_data_layout(const struct jit *jit);
void jit_resume(struct jit *jit, void *handle);
void jit_destroy(struct jit *jit, void *handle);
