/* Reads and copies modules. LLVM's readers abort the process on some invalid input; these functions return diagnostics.
   Requires: base, LLVM-C. Guarantees: a module that verifies, or diagnostics and no module. */
#pragma once

#include "llvm-c/Core.h"
#include "pycoro.h"

/* Reads textual IR or bitcode into the context and verifies it. OK, EPARSE, EVERIFY or ENOMEM. The data layout is the
   one that `opt` reads: text keeps the layout it states, and LLVM's bitcode reader upgrades an older one of bitcode.
   Old attributes, calls and flags that only the bitcode reader upgrades are upgraded in text too, so a module equals
   its copies. */
coro_status ir_read(LLVMModuleRef *out, LLVMContextRef context, const char *data, size_t size, const char *name,
                    coro_diags *diags);
bool ir_is_bitcode(const char *data, size_t size);
/* The input of a module. Reading it again into another context gives the same module, byte for byte. */
struct ir_source {
  char *data; /* malloc'ed, NUL-terminated */
  size_t size;
  char *name;
};

enum ir_trust {
  IR_UNTRUSTED, /* input on which LLVM's readers abort gives a diagnostic */
  IR_UNCHECKED, /* invalid input may abort the process; nothing is read twice */
  IR_PREVERIFIED /* a child process has read and verified this input */
};

/* As ir_read, and returns the copy of the input in *source, which the caller frees. Only on success. */
coro_status ir_read_with_source(LLVMModuleRef *out, LLVMContextRef context, struct ir_source **source,
                                enum ir_trust trust, const char *data, size_t size, const char *name,
                                coro_diags *diags);
/* Reads the source again into an empty context. NULL on failure. */
LLVMModuleRef ir_reread_source(const struct ir_source *source, LLVMContextRef context);
void ir_source_free(struct ir_source *source); /* accepts NULL */
/* Copies a module with its data layout into the same or another context. EVERIFY if it is invalid: invalid IR may
   not be written as bitcode. */
coro_status ir_copy_if_it_verifies(LLVMModuleRef *out, LLVMContextRef context, LLVMModuleRef module, coro_diags *diags);
