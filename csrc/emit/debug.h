/* Emits the debug information of the function. All functions below do nothing if the coroutine has no debug
   information.
   Requires: low->debug.
   Guarantees: a subprogram for each clone; every location is within it. */
#pragma once

#include "emit/emit.h"

bool emit_debug_start(struct emit *e);  /* call before copying. False: out of memory */
/* call when the frame's address is available: declares frame-resident variables before e->field_address_position */
void emit_debug_frame_records(struct emit *e);
void emit_debug_records(struct emit *e, uint32_t inst, uint32_t node); /* at the builder's position */
/* Call after the phis of a node. Emits the label of a landing, and the records that are repeated after a suspend. */
void emit_debug_label_and_repeated_records(struct emit *e, uint32_t node);
void emit_debug_complete_records(
    struct emit *e); /* call after all instructions are emitted: completes records and locations */
void emit_debug_dispose_builder(struct emit *e); /* frees the memory of emit_debug_start */
