/* Parses a module in a child process first, so that a crash or endless loop in LLVM's reader ends only the
   child. An input that the reader remembers needs no child.
   Requires: base, LLVM-C, POSIX. Guarantees: no child process or open file remains. */
#pragma once

#include "pycoro.h"

/* OK: LLVM's reader terminates on this input, with a module or diagnostics; *reads: with a module that verifies.
   EPARSE: it crashes or exceeds its limits, or no child process could be created. `reader` may be NULL. */
coro_status ir_try_reading_sandboxed(coro_reader *reader, bool *reads_and_verifies, const char *data, size_t size,
                                     const char *name, coro_diags *diags);
