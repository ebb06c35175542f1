/* Checks the content of allocas. Each alloca has one location: bytes of the frame, or the stack of each clone. Content
   on the stack is lost when a clone returns, so no clone may read what was written before a suspend.
   Requires: proved claims, which say which alloca each address of a clone belongs to.
   Guarantees: what is not proved is refuted or unsupported. */
#pragma once

#include "check/check_data.h"

/* Checks the content of all allocas. False: out of memory, or there is an answer. */
bool check_alloca_contents(struct check *c);
