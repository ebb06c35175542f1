/* Holds: what each stage promises the ones behind it, asked of what it has left.
   Needs: the stage, and those before it. Leaves: a broken invariant where a promise is not kept; what is known of the
   coroutine as it was. */
#ifndef CORO_CORO_HOLDS_H
#define CORO_CORO_HOLDS_H

#include "coro/lowering.h"

void coro_number_holds(const struct coro_lowering *low);
void coro_shape_holds(const struct coro_lowering *low);
void coro_choose_holds(const struct coro_lowering *low);
void coro_unwound_holds(const struct coro_lowering *low);
void coro_cfg_holds(const struct coro_lowering *low);
void coro_crossing_holds(const struct coro_lowering *low);
void coro_variables_holds(const struct coro_lowering *low);
void coro_storage_holds(const struct coro_lowering *low);
void coro_remat_holds(const struct coro_lowering *low);
void coro_fields_holds(const struct coro_lowering *low);
void coro_live_holds(const struct coro_lowering *low);
void coro_layout_holds(const struct coro_lowering *low);

#endif
