/* Prints the results of the lowering stages, by name.
   Requires: print.
   Guarantees: the lowering is unchanged. */
#pragma once

#include "split/lower.h"

struct print;

struct stage_printer {
  enum lower_stage stage;
  const char *name, *leaves;
  void (*print)(struct print *p);
};

const struct stage_printer *stage_printer_at_or_null(size_t index); /* in order of the stages; NULL after the last */
const struct stage_printer *stage_printer_of_name_or_null(const char *name); /* NULL: no such stage */
/* The result of stage `only`, or (NULL) of all completed stages. NULL: out of memory. */
const char *print_stage_to_text(const struct coro_lowering *low, const struct stage_printer *only);
