/* Includes coro_diags_add of pycoro.h, which returns the diagnostic's status: a check can end in `return
   coro_diags_add(...)`.
   Requires: nothing. Guarantees: the list owns copies of all texts. */
#ifndef CORO_BASE_DIAG_H
#define CORO_BASE_DIAG_H

#include "pycoro.h"

#endif
