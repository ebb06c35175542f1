/* Reading in a child process, so that what LLVM's reader does not survive costs a child and no more.
   Needs: base, LLVM-C, POSIX. Leaves: the process as it was; no child, no open file. */
#ifndef CORO_IR_REHEARSE_H
#define CORO_IR_REHEARSE_H

#include "pycoro.h"

/* OK: the reader comes to an end on this input, be it with a module or with diagnostics. EPARSE: it does not, or nobody
   can tell, as no process can be made. *reads: with a module that verifies. */
coro_status ir_rehearse(bool *reads, const char *data, size_t size, const char *name, coro_diags *diags);

#endif
