/* Limits on the elements of aggregate values, for those of LLVM's passes that look at each element.
   Requires: diagnose. Guarantees: the module is not modified. */
#ifndef CORO_PIPELINE_SIZE_LIMITS_H
#define CORO_PIPELINE_SIZE_LIMITS_H

#include "base/map.h"
#include "pass/pass.h"

/* What a pass does element by element, as a set of bits. */
enum size_limit {
  LIMIT_SPLIT = 1,   /* sroa: two instructions for each element that is loaded from an alloca or stored to one */
  LIMIT_RESULTS = 2, /* deadargelim: one entry for each element that a function returns */
  LIMIT_FOLD = 4,    /* constant folding: a constant of all elements for an insertvalue */
  LIMIT_SHADOW = 8,  /* sanitizers: a shadow of each element of every value */
  LIMIT_LEVEL = 7    /* what the passes of a level do, which has no sanitizer */
};

/* What the passes in a pass string do, where no level is among them. */
unsigned size_limits_of(const char *passes);
/* Rejects values of so many elements that these passes take minutes or gigabytes, or never end: EREJECTED, ENOMEM.
   `counted` remembers types, and is empty at first. Memory may be as large as it likes, and so may values that these
   passes do not take apart. */
coro_status size_limits_check(struct pass_run *run, struct coro_map *counted, unsigned limits);

#endif
