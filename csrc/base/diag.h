/* Includes coro_diags_add of pycoro.h, which returns the diagnostic's status: a check can end in `return
   coro_diags_add(...)`.
   Requires: nothing. Guarantees: the list owns copies of all texts. */
#pragma once

#include "pycoro.h"
