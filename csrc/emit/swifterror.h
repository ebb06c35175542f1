/* Swifterror values. A swifterror is a register that can only be loaded, stored and passed on; it has no address. Each
   function has its own swifterror alloca. Its content is stored to the frame after each possible change from which a
   suspend is reachable, and reloaded once at the entry of a clone.
   Requires: emission in progress.
   Guarantees: the frame field has the current content at every suspend. */
#pragma once

#include "emit/emit.h"

/* The spilled swifterror that `inst` may change; IR_NONE: none. */
uint32_t swifterror_changed_by_inst_or_none(const struct emit *e, uint32_t inst);
/* Stores its content to the frame at the builder's position in `node`. */
void swifterror_store_to_frame_if_used_later(struct emit *e, uint32_t value, uint32_t node);
