/* Proof rules for one claim at the definition of its carrier: a copy, a reload, a rematerialized value, a phi, an
   argument, the address of an alloca.
   Requires: a claim in progress.
   Guarantees: a new claim for everything that a rule assumes. */
#pragma once

#include "check/claim_list.h"

/* Each returns whether the claim is proved, given the claims that were added; else there is an answer. */

/* Whether carrier and value are equal wherever control is: an argument of the ramp, the frame's address or size, the
   address of an alloca. */
bool carrier_prove_equal_everywhere(struct check *c, uint32_t claim);
/* Proves a claim whose carrier is defined by instruction `inst` of the clone, and whose value is not computed after
   that. */
bool carrier_prove_at_definition(struct check *c, uint32_t claim, uint32_t inst);
/* Proves a claim whose value is computed at its place, where the clone has no code for it. */
bool carrier_prove_at_event(struct check *c, uint32_t claim);
/* Proves a claim whose walk has reached the landing of a suspend before the definition of the carrier. */
bool carrier_prove_before_landing(struct check *c, uint32_t claim, uint32_t suspend);
