/* Emits the counterpart of each presplit instruction: a copy, or code that replaces it.
   Requires: emission in progress. */
#pragma once

#include "emit/emit.h"

/* Lowers `inst` at the builder's position. Sets e->returned if the function returns there. False: out of memory. */
bool emit_instruction(struct emit *e, uint32_t inst, uint32_t node);
