/* The checker of lowerings, a translation validator of coro-split. The answer is *proved* if the clones compute what
   the presplit function computes, *refuted* with a counterexample, or *unsupported*: a construct has no rule, and the
   lowering may be right. Does not use the analyses that it judges. In this directory the ramp counts as a clone. See
   docs/explanation/checker.md.
   Requires: complete clones, the presplit blocks, and a witness (witness.h).
   Guarantees: no function changes; a construct without a rule is never accepted. */
#pragma once

#include "check/witness.h"

enum check_verdict { CHECK_UNANSWERED, CHECK_PROVED, CHECK_UNSUPPORTED, CHECK_REFUTED };

/* Checks the lowering that low->witness describes. EBUG with a diagnostic of the rule "lowering-check" if it is
   refuted; a warning if it has an unsupported construct; ENOMEM. */
coro_status check_lowering(struct coro_lowering *low);
