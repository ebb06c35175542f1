/* Emission: what becomes of each instruction of the source.
   Needs: emission under way. Leaves: what stands in its place at the builder's position. */
#ifndef CORO_EMIT_INSTRUCTION_H
#define CORO_EMIT_INSTRUCTION_H

#include "emit/emit.h"

/* Sets `ended` where control does not go on behind `inst` in this part. False: memory ran out. */
bool emit_instruction(struct emit *e, uint32_t inst, uint32_t node);

#endif
