/* Encodes and decodes the handle summary of a ramp as a string such as "1,r,ramp,resume". The string is the attribute
   "coro-handle" of a declaration, and part of the name of an exported alias of f.noalloc. The format is an interface
   between modules. A version is followed by items, which set members of struct ramp. An absent item means that nothing
   is known:
     r, rN      the result, or its field N, is the handle (`result`, `field`)
     pN_O       memory at offset O from parameter N holds the handle (`slots`)
     ramp       `escapes` is false
     unwound    `escapes_on_unwind` is false; not written if there are slots
     resume     clones.keeps_frame_private
     nounwind   clones.no_exceptional_exit
   Suffix m of r and p: the place may hold another value instead. Suffix k of p: `exposed`.
   Overview and terms: handle_trace.h.
   Requires: ramp.
   Guarantees: the module is unchanged. */
#pragma once

#include "handles/ramp.h"

/* The client has set the members of ramp->clones. NULL: out of memory. */
const char *handle_summary_encode(struct coro_arena *arena, const struct ramp *ramp);

/* Parses a number of at most 12 digits. False: none. */
bool handle_summary_parse_up_to_12_digits(const char **at, const char *end, uint64_t *number);

enum summary_status { SUMMARY_VALID, SUMMARY_UNKNOWN_VERSION, SUMMARY_MALFORMED };
/* Decodes the attribute of a declaration, and checks it against its type; sets only the members above.
   SUMMARY_MALFORMED also if out of memory. */
enum summary_status handle_summary_decode(struct coro_arena *arena, LLVMValueRef function, struct ramp *ramp);
