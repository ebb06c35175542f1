/* Checks `noalias` on the frame's parameter: no other code accesses the frame while the clone runs.
   Requires: proved claims, which say which alloca each address of a clone belongs to. */
#pragma once

#include "check/check_data.h"

/* Refutes a lowering whose frame is in a noalias buffer and has an address that escapes, is passed to a hook, or is
   spilled. */
bool private_frame_check_if_noalias_buffer(struct check *c);
