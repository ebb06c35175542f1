/* Finds the function, block and source line of a parse error in textual IR.
   Requires: base. Guarantees: one diagnostic with function, block, source line and message. */
#pragma once

#include "pycoro.h"

/* `message` is LLVM's: "NAME:LINE:COLUMN: error: TEXT", the source line, a caret. Returns EPARSE. */
coro_status ir_locate_parse_error(coro_diags *diags, const char *message, const char *name, const char *data,
                                  size_t size);
