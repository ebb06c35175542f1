/* Cached types and layouts of a module, valid until it is run, replaced or freed, or an edit changes its triple or data
   layout.
   Requires: ir. Guarantees: types_cache_free frees the cache. */
#pragma once

#include "api/module.h"

void types_cache_free(coro_module *module);
void types_cache_discard_if_layout_changed(
    coro_module *module); /* after an edit: discards the cache if the triple or layout changed */
