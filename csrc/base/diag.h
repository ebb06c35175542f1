/* Building of diagnostics: coro_diags_add of pycoro.h, so that a check can end in `return coro_diags_add(...)`.
   Needs: nothing. Leaves: every text copied into the list. */
#ifndef CORO_BASE_DIAG_H
#define CORO_BASE_DIAG_H

#include "pycoro.h"

#endif
