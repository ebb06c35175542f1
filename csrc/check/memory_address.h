/* Proves claims that a value of a clone is the address of an alloca, or of a byval-like argument: of its field of the
   frame, or of the clone's own alloca, which are large and aligned enough. Records where the memory is. What was proved
   of an instruction of a clone is not proved again.
   Requires: numbered clones; of a ramp, for a claim in the list, a simulated one. */
#pragma once

#include "check/check_data.h"

/* Whether the carrier of a claim is such an address. */
bool memory_address_prove_claim(struct check *c, const struct check_claim *claim);
/* The same, wherever the claim is, so that it need not be in the list; false if its place matters. */
bool memory_address_prove_claim_anywhere(struct check *c, const struct check_claim *claim);
