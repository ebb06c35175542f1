/* Emission: the walk over the nodes of a part.
   Needs: emission under way: the part's blocks are there, and empty; of a clone `frame` and `head` too. Leaves: the
   blocks filled. */
#ifndef CORO_EMIT_NODES_H
#define CORO_EMIT_NODES_H

#include "emit/emit.h"

bool emit_nodes(struct emit *e); /* false: memory ran out */

#endif
