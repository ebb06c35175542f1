/* Fills the emitted function: for each node of the presplit graph that it reaches, a block with the node's
   instructions.
   Requires: emission in progress, with empty blocks; for a clone also `frame` and `field_address_position`.
   Guarantees: the blocks are filled. */
#pragma once

#include "emit/emit.h"

bool emit_nodes(struct emit *e); /* false: out of memory */
