/* Types as LLVM spells them, without the names of structs.
   Needs: LLVM-C. Leaves: the type as it was. */
#ifndef CORO_IR_SPELL_H
#define CORO_IR_SPELL_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* "{ i32, { ptr, i64 } }". "" for a type of no known size, and for one that takes more than 4 KiB to spell. NULL:
   memory ran out. */
const char *ir_spell(struct coro_arena *arena, LLVMTypeRef type);

#endif
