/* Memory of allocas: each has one place, the bytes of the frame or the stack of each clone. Content on the stack is
   lost when a clone returns, so that no clone may read what was written before a suspend.
   Requires: proved claims, which name the place of each address.
   Guarantees: what is not proved is refuted or unsupported. */
#ifndef CORO_CHECK_MEMORY_H
#define CORO_CHECK_MEMORY_H

#include "check/model.h"

/* False: out of memory, or there is an answer. */
bool memory_check(struct check *c);

#endif
