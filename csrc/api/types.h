/* Cached type layouts of a module, valid while its data layout does not change.
   Requires: ir. Guarantees: types_forget frees the cache. */
#ifndef CORO_API_TYPES_H
#define CORO_API_TYPES_H

#include "api/module.h"

void types_forget(coro_module *module);
void types_recheck(coro_module *module); /* after an edit: discards the cache if the triple or layout changed */

#endif
