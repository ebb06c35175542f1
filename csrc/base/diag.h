/* Building of diagnostics; the public half is in pycoro.h.
   Needs: nothing. Leaves: every text copied into the list. */
#ifndef CORO_BASE_DIAG_H
#define CORO_BASE_DIAG_H

#include "pycoro.h"

/* NULL strings read as "". Returns diag->status, so that a check can end in `return coro_diags_add(...)`.
   `diags` may be NULL. */
coro_status coro_diags_add(coro_diags *diags, const coro_diag *diag);

#endif
