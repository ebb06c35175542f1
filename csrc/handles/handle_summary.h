/* Encodes and decodes the handle summary of a ramp as a string, "1,r,ramp,resume". Format:
   docs/reference/across-modules.md.
   Requires: ramp.
   Guarantees: the module is unchanged. */
#ifndef CORO_HANDLES_HANDLE_SUMMARY_H
#define CORO_HANDLES_HANDLE_SUMMARY_H

#include "handles/ramp.h"

/* The first item is the format version. `rN`, or `r`: field N of the result, or the result itself, is the handle;
   `pN_O`: memory at offset O from parameter N holds it. Suffix `m`: or another value; `k`: the coroutine keeps that
   memory's address. `ramp`: the handle does not escape before the ramp returns; `unwound`: nor on an exceptional exit.
   `resume`: f.resume does not let a frame in the caller escape; `nounwind`: it has no exceptional or non-local exit. An
   absent item means the fact is unknown. NULL: out of memory. */
const char *handle_summary_encode(struct coro_arena *arena, const struct ramp *ramp);

/* Parses a number of at most 12 digits. False: none. */
bool handle_summary_number(const char **at, const char *end, uint64_t *number);

enum summary_status { SUMMARY_VALID, SUMMARY_UNKNOWN_VERSION, SUMMARY_MALFORMED }; /* the second: an unknown version */
/* Decodes the attribute "coro-handle" of a declaration; SUMMARY_MALFORMED also if out of memory. */
enum summary_status handle_summary_decode(struct coro_arena *arena, LLVMValueRef function, struct ramp *ramp);

#endif
