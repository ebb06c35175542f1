/* Emission: debug information of one part. In a function without any, none of these does anything.
   Needs: low->debug. Leaves: a subprogram for a function that is not the coroutine's own, records and labels in the
   copies, every location inside of the part's own subprogram. */
#ifndef CORO_EMIT_DEBUG_H
#define CORO_EMIT_DEBUG_H

#include "emit/emit.h"

bool emit_debug_start(struct emit *e);  /* before anything is copied. False: memory ran out */
void emit_debug_frame(struct emit *e);  /* the frame's address is there: declares what lives in it, before e->head */
void emit_debug_records(struct emit *e, uint32_t inst, uint32_t node); /* at the builder's position */
void emit_debug_head(struct emit *e, uint32_t node); /* likewise, where nothing of the node stands but phis: a label */
void emit_debug_end(struct emit *e); /* every instruction is there */
void emit_debug_finish(struct emit *e); /* frees what emit_debug_start made */

#endif
