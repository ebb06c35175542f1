/* Rejects modules whose data layout puts allocas into an address space that the target does not support, before
   pycoro's passes create one.
   Requires: diagnose.
   Guarantees: the module is unchanged. */
#pragma once

#include "run/pass.h"

/* pycoro's passes create allocas in the data layout's alloca address space. Rejects the module if the verifier does
   not accept them for its target: EREJECTED, ENOMEM. */
coro_status alloca_support_check(struct pass_run *run);
