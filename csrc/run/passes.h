/* The functions of pycoro's passes, which passes.def lists. Few files include this header, so that a new row of that
   table or of lowering/layouts.def recompiles few files.
   MODULE passes are called once with function NULL; CGSCC and FUNCTION passes once per function with a body, CGSCC
   in callee-first order. A pass sets *changed if it modified something.
   Requires: what pass.h says of `run`. Guarantees: after an error the module must be discarded. */
#pragma once

#include "run/pass.h"

#define CORO_PASS(name, text, level)                                                                                   \
  coro_status coro_pass_##name(struct pass_run *run, LLVMValueRef function, bool *changed);
#include "run/passes.def"
