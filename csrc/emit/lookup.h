/* Maps presplit values to values of the function. In the epoch of its definition (see lowering/crossing.h), a value is
   its copy. In a later epoch it is reloaded from the frame, once for each reload point that lowering/reload_points.h
   chose, or rematerialized there. The ramp never reloads.
   Requires: emission in progress. */
#pragma once

#include "emit/emit.h"

/* The function's value for a presplit value used in `node`. */
LLVMValueRef emit_value_at_node(struct emit *e, uint32_t value, uint32_t node);
/* The function's value for operand `index` of `inst`; constants are returned unchanged. */
LLVMValueRef emit_operand(struct emit *e, uint32_t inst, unsigned index);
LLVMValueRef emit_first_bundle_operand(struct emit *e, uint32_t call); /* first operand of its first bundle */
