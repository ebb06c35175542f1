/* Emission: where a copy finds the values that it needs. In the epoch of its definition the copy itself is used; in a
   later epoch the frame is read, once for each place of that epoch, or the value is made again at its head. The ramp
   reads nothing back.
   Needs: emission under way. Leaves: reloads and values made again at the head of their place. */
#ifndef CORO_EMIT_LOOKUP_H
#define CORO_EMIT_LOOKUP_H

#include "emit/emit.h"

/* The copy of a value where control is in `node`. */
LLVMValueRef emit_lookup(struct emit *e, uint32_t value, uint32_t node);
/* The copy of operand `index` of `inst`, which may be a constant. */
LLVMValueRef emit_operand(struct emit *e, uint32_t inst, unsigned index);
LLVMValueRef emit_bundle_operand(struct emit *e, uint32_t call); /* the first operand of its first bundle */

#endif
