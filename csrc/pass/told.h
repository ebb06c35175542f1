/* Told: what a module tells others of where the handle of a coroutine is, in words: "1,r,ramp,resume".
   Needs: ramp. Leaves: the module as it was. */
#ifndef CORO_PASS_TOLD_H
#define CORO_PASS_TOLD_H

#include "pass/ramp.h"

/* The first word is the version of the others. `rN`, or `r`: field N of what the ramp returns, or all of it, is the
   handle; `pN_O`: memory that parameter N points to holds it at offset O. Behind these `m`: or something else; `k`: the
   coroutine knows of that memory. `ramp`: nobody else knows the handle once the ramp returns, `unwound`: nor once an
   exception leaves it. `resume`: f.resume lets nobody know of the frame where that is a caller's; `nounwind`: no
   exception leaves it, nor a jump. What is not said is not so. */
const char *told_of(struct coro_arena *arena, const struct ramp *ramp); /* NULL: memory ran out */

/* The digits there, of which there may be 12: what attributes say in numbers. False: there are none. */
bool told_number(const char **at, const char *end, uint64_t *number);

enum told { TOLD_FINE, TOLD_OTHERWISE, TOLD_WRONG }; /* the second: by a version that is not known */
/* What the attribute "coro-handle" of a declaration says; TOLD_WRONG also where memory ran out, as the arena knows. */
enum told told_read(struct coro_arena *arena, LLVMValueRef function, struct ramp *ramp);

#endif
