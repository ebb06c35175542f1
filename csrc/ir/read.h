/* Reading and copying of modules, without the ways in which LLVM's readers end the process.
   Needs: base, LLVM-C. Leaves: a module that verifies, or diagnostics and no module. */
#ifndef CORO_IR_READ_H
#define CORO_IR_READ_H

#include "llvm-c/Core.h"
#include "pycoro.h"

/* Reads textual IR or bitcode into the context and verifies it. OK, EPARSE, EVERIFY or ENOMEM. */
coro_status ir_read(LLVMModuleRef *out, LLVMContextRef context, const char *data, size_t size, const char *name,
                    coro_diags *diags);
/* What a module was read from, to read it again: in another context it gives the same module, byte for byte. */
struct ir_source {
  char *data; /* of malloc, with a NUL behind it */
  size_t size;
  char *name;
};

enum ir_care {
  IR_CAREFULLY, /* the process survives input that LLVM's readers end it for, where they do so on purpose */
  IR_AT_RISK,   /* it may be lost: nothing is read twice to find out */
  IR_PROVEN     /* the very input was read carefully before, by a child: it is a module that verifies */
};

/* As ir_read; where it succeeds *source is the caller's to free: it is the copy of the input that reading makes
   anyhow. */
coro_status ir_read_kept(LLVMModuleRef *out, LLVMContextRef context, struct ir_source **source, enum ir_care care,
                         const char *data, size_t size, const char *name, coro_diags *diags);
/* Into a context that nothing was read into yet. NULL where LLVM does not read what it has read before. */
LLVMModuleRef ir_read_again(const struct ir_source *source, LLVMContextRef context);
void ir_source_free(struct ir_source *source); /* NULL is fine */
/* Copies a module into a context of its own or another's. EVERIFY if it is broken: what is broken may not be written
   as bitcode. */
coro_status ir_copy(LLVMModuleRef *out, LLVMContextRef context, LLVMModuleRef module, coro_diags *diags);

#endif
