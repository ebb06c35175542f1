/* How often the blocks of a function are run, as far as can be told before it runs.
   Needs: branch. Leaves: the function as it was. */
#ifndef CORO_PASS_FREQUENCY_H
#define CORO_PASS_FREQUENCY_H

#include "pass/branch.h"

struct frequency {
  struct branches branches;
  double *of; /* by block: times per run of the function; a lower bound where many loops are nested */
};

bool frequency_estimate(struct frequency *f, struct coro_run *run, LLVMValueRef function); /* false: memory ran out */
double frequency_of(const struct frequency *f, LLVMBasicBlockRef block);

#endif
