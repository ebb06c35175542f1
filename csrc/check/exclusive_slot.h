/* Exclusive slots: bytes of the frame in which all clones store one presplit value only, right after each computation
   of it. They hold the current value after every suspend that follows a computation, so that a claim about them needs
   no backward walk.
   Requires: simulated clones.
   Guarantees: the cost of an answer is the number of computations and stores of the value. */
#pragma once

#include "check/check_data.h"

/* Whether the bytes of a fact hold the current value at every suspend that a computation of the value dominates.
   False also if memory runs out. */
bool exclusive_slot_holds_current_value(struct check *c, const struct check_fact *fact);
