/* The opcode table: handler and decoder of each opcode.
   Requires: all handlers. Guarantees: a constant table. */
#pragma once

#include "interp/code.h"

enum { OPCODE_COUNT = 256 }; /* the range of op.opcode */
extern const struct opcode opcodes[OPCODE_COUNT];
