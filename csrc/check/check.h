/* The checker of lowerings, a translation validator of coro-split: proves that the clones of a coroutine compute what
   its presplit function computes, or finds a counterexample. It does not use the analyses that it judges. See
   docs/explanation/checker.md.
   Requires: complete clones, the presplit blocks, and a witness.
   Guarantees: neither function changes; a construct without a rule is never accepted. */
#ifndef CORO_CHECK_CHECK_H
#define CORO_CHECK_CHECK_H

#include "check/witness.h"

enum check_verdict { CHECK_PROVED, CHECK_UNSUPPORTED, CHECK_REFUTED };

/* Checks the lowering that low->witness describes. EBUG with a diagnostic of the rule "lowering-check" if it is
   refuted; a warning if it has an unsupported construct; ENOMEM. */
coro_status check_lowering(struct coro_lowering *low);

#endif
