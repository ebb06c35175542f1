/* Whether two paths of the presplit function execute the same code until control leaves the coroutine: that of destroy
   after the final suspend, and that of the ramp after an exception. Values that differ between the paths may only be
   constants that select how control leaves.
   Requires: numbered clones.
   Guarantees: equivalence is only reported if each effect on one path is the same effect, with the same operands, on
   the other. */
#ifndef CORO_CHECK_PATH_EQUIVALENCE_H
#define CORO_CHECK_PATH_EQUIVALENCE_H

#include "check/model.h"

/* An edge of the presplit function. */
struct path_edge {
  uint32_t from, to;
};

enum path_side { PATH_FINAL, PATH_EXCEPTION, PATH_SIDES };

/* The edge that the ramp takes after an llvm.coro.end on the unwind path. False: the end has no cleanup. */
bool path_edge_after_end(const struct check *c, uint32_t end, struct path_edge *edge);
/* Whether destroying at the final suspend is the same as the ramp's code after `end`. Else *at is the instruction where
   they differ, or IR_NONE. The arena records failures. */
bool path_is_as_at_final(const struct check *c, uint32_t end, uint32_t *at);
/* Whether the ramp's code after `end` is straightforward: it frees the frame on every path and then propagates the
   exception. It has no pads, suspends, ends, or calls that may unwind. */
bool path_is_plain_cleanup(const struct check *c, uint32_t end);

#endif
