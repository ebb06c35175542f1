/* Room for the cells of activations, of what coroutines keep, and of jumps.
   Needs: decoded functions. Leaves: no more in all than a program may have. */
#ifndef CORO_INTERP_CELLS_H
#define CORO_INTERP_CELLS_H

#include "interp/state.h"

/* As many cells as an activation of the function has are the program's, until they are not. False: failed, too many. */
bool cells_count(struct interp *in, const struct function *function);
void cells_uncount(struct interp *in, const struct function *function);
/* A copy of as many cells as an activation of the function has; NULL: failed. */
struct cell *cells_copy(struct interp *in, const struct function *function, const struct cell *from);
void cells_free(struct interp *in, const struct function *function, struct cell *cells); /* NULL is fine */
struct cell *cells_scratch(struct interp *in, uint32_t count); /* until the next jump; NULL: memory ran out */

#endif
