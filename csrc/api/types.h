/* What is known of a module's types, as long as its layout stays.
   Needs: ir. Leaves: memory that types_forget gives back. */
#ifndef CORO_API_TYPES_H
#define CORO_API_TYPES_H

#include "api/module.h"

void types_forget(coro_module *module);
void types_recheck(coro_module *module); /* after a change in place: forgets where the layout has become another one */

#endif
