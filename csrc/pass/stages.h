/* What the stages of the lowering leave, as text: of those whose result can be printed, by their names.
   Needs: print. Leaves: what is known of the coroutine as it was. */
#ifndef CORO_PASS_STAGES_H
#define CORO_PASS_STAGES_H

#include "pass/lower.h"

struct print;

struct stage_printer {
  enum lower_stage stage;
  const char *name, *leaves;
  void (*print)(struct print *p);
};

const struct stage_printer *stage_printer(size_t index);        /* in the order of the road; NULL behind the last */
const struct stage_printer *stage_printer_of(const char *name); /* NULL: there is none of this name */
/* What stage `only` has left, or (NULL) all that `low` has been through. NULL: memory ran out. */
const char *stage_text(const struct coro_lowering *low, const struct stage_printer *only);

#endif
