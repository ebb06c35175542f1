/* Limits the number of elements of aggregate values, because some of LLVM's passes process each element.
   Requires: diagnose.
   Guarantees: the module is unchanged. */
#pragma once

#include "base/map.h"
#include "run/pass.h"

/* Kinds of element-wise processing, as a bit set. */
enum size_limit {
  LIMIT_SPLIT = 1,   /* sroa: two instructions for each element that is loaded from or stored to an alloca */
  LIMIT_RESULTS = 2, /* deadargelim: one entry for each element of a function's result */
  LIMIT_FOLD = 4,    /* constant folding: a constant with all elements for an insertvalue */
  LIMIT_SHADOW = 8,  /* sanitizers: a shadow value for each element */
  LIMIT_LEVEL = 7    /* the passes of an optimization level, which has no sanitizer */
};

/* The kinds that apply to the passes of a pass string without an optimization level. */
unsigned size_limits_of_pass_string(const char *passes);
/* Rejects values with so many elements that these passes take minutes or gigabytes, or do not terminate: EREJECTED,
   ENOMEM. `counted` caches counts by type, and is initially empty. Memory objects, and values that these passes do not
   split, have no limit. */
coro_status size_limits_check(struct pass_run *run, struct coro_map *counted, unsigned limits);
