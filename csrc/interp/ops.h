/* The opcode table: handler and decoder of each opcode.
   Requires: all handlers. Guarantees: a constant table. */
#ifndef CORO_INTERP_OPS_H
#define CORO_INTERP_OPS_H

#include "interp/code.h"

enum { OPCODE_COUNT = 256 }; /* the range of op.opcode */
extern const struct opcode opcodes[OPCODE_COUNT];

#endif
