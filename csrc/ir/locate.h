/* The place of a parse error in textual IR.
   Needs: base. Leaves: one diagnostic with function, block, line of source and message. */
#ifndef CORO_IR_LOCATE_H
#define CORO_IR_LOCATE_H

#include "pycoro.h"

/* `message` is LLVM's: "NAME:LINE:COLUMN: error: TEXT", the line of source, a caret. Returns EPARSE. */
coro_status ir_locate_parse_error(coro_diags *diags, const char *message, const char *name, const char *data,
                                  size_t size);

#endif
