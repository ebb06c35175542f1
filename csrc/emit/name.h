/* Emission: names of what is made after something of the source.
   Needs: emission under way. Leaves: names as the source has them, as far as they are free. */
#ifndef CORO_EMIT_NAME_H
#define CORO_EMIT_NAME_H

#include "emit/emit.h"

/* The name of `source`, which an instruction gives up where the copies stand in the source's own function. */
void name_take(struct emit *e, LLVMValueRef made, LLVMValueRef source);
void name_after(struct emit *e, LLVMValueRef made, LLVMValueRef source, const char *suffix);

#endif
