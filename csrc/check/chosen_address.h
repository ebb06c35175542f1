/* Checks addresses that a phi chooses before llvm.coro.begin between memory that moves into the frame and other
   addresses, where the ramp uses them after it. For

     %p = phi ptr [ %x, %a ], [ %q, %b ]      ; with %q = getelementptr i8, ptr %y, i64 %i

   the ramp has a phi of numbers next to it, and adds the distance of %p from the start of the memory that the number
   names to the place of this memory in the frame. csrc/emit/origin.h shows the code. The proof has three parts:
   - The selects map each number to one memory: to its address on the stack, and to that in the frame.
   - The number is that of the memory from which the ramp has computed %p. The base of a getelementptr or cast has the
     number of the result. A phi or select of addresses has one of numbers in the same block, with the same edges or
     condition, so that both are always computed together. All other addresses have a number that no memory has.
   - The result is then the address in the frame plus the same distance. The other operands of these computations must
     not depend on the address of memory that moves: check_memory_used_before_begin compares them.
   A poison condition makes both selects poison. A freeze is not supported, because it would not.
   Requires: a claim in progress. Guarantees: each number and each base is compared. */
#pragma once

#include "check/claim_list.h"
#include "check/memory_uses.h"

/* Whether the ramp computes the carrier of the claim from an address that was chosen before. */
bool chosen_address_is_moved_phi(const struct check *c, uint32_t claim);
/* Proves the claim. False, with an answer: it does not hold, or has no rule. */
bool chosen_address_prove(struct check *c, uint32_t claim);
/* Whether the instruction of the ramp is a step of such a computation that moves the memory of presplit value `memory`.
   `uses` are those of the memory. */
bool chosen_address_is_step_for_memory(const struct check_clone *ramp, uint32_t inst, uint32_t memory,
                                       const struct memory_uses *uses);
