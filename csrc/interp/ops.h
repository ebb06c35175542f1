/* The table of opcodes: what executes each, and what decodes it.
   Needs: every file of handlers. Leaves: nothing. */
#ifndef CORO_INTERP_OPS_H
#define CORO_INTERP_OPS_H

#include "interp/code.h"

enum { OPCODE_COUNT = 256 }; /* as many as an operation can name */
extern const struct opcode opcodes[OPCODE_COUNT];

#endif
