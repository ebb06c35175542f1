/* Creates LLVM contexts in which pycoro's metadata kinds are registered.
   Requires: nothing.
   Guarantees: a run of passes registers no further kind. Bitcode lists all kinds of its context, so otherwise a failed
   run would change the module's bitcode. */
#pragma once

#include <llvm-c/Core.h>

LLVMContextRef ir_create_context(void);
/* The kind of !coro.elided; see handles/elided_frame.h. */
unsigned ir_elided_metadata_kind_id(LLVMContextRef context);
