/* The list of claims, the proof obligations about values. A claim says that at a program point of a clone a *carrier*
   (a value of the clone, or bytes of the frame) holds the value that a presplit instruction computed last. The pair of
   carrier and presplit value is its *fact*.
   Requires: numbered clones.
   Guarantees: dense numbers for facts, so that each is followed once through each block. A failed allocation is
   recorded by the arena. */
#pragma once

#include "check/check_data.h"

/* Adds the claim that `carrier` holds presplit value `value` right before instruction `inst` of the clone, which uses
   it. */
void claim_carrier_before_inst(struct check *c, struct check_clone *k, uint32_t inst, LLVMValueRef carrier,
                               uint32_t value);
/* Adds the same claim for operand `index` of presplit instruction `presplit`, unless it is a block. False: the
   operand is a constant, equal in every copy, and the carrier is another value. */
bool claim_presplit_operand(struct check *c, struct check_clone *k, uint32_t inst, LLVMValueRef carrier,
                            uint32_t presplit, uint32_t index);
/* Claims a carrier at the end of a block, after its terminator; `user` needs it. */
void claim_carrier_at_block_end(struct check *c, struct check_clone *k, uint32_t block, LLVMValueRef carrier,
                                uint32_t value, LLVMValueRef user);

/* Adds a claim that claim `parent` needs, in the same clone. */
void claims_add_premise(struct check *c, uint32_t parent, uint32_t block, uint32_t at, const struct check_fact *fact);
void claims_add_premise_at_block_end(struct check *c, uint32_t parent, uint32_t block, const struct check_fact *fact);
/* Moves a claim on bytes of the frame to every place where a clone suspends at `suspend`. */
void claims_move_through_suspend(struct check *c, uint32_t parent, const struct check_fact *fact, uint32_t suspend);
/* The number of the frame's bytes at `offset` with this type; IR_NONE: the size of the type is unknown. */
uint32_t number_frame_slot_or_none(struct check *c, uint64_t offset, LLVMTypeRef type);
/* False if the fact was followed through this place before. A place is the end of a block, or one of the next two. */
bool claims_visit_place_first_time(struct check *c, struct check_clone *k, const struct check_fact *fact,
                                   uint32_t place);
#define CLAIMS_AT_DEFINITION UINT32_C(0xfffffff0)
/* Added to a block number: the place is the start of the block at a landing. */
#define CLAIMS_AT_LANDING UINT32_C(0x80000000)
/* Refutes a claim, with the path from the first claim that needs it. Returns false. */
bool claims_refute(struct check *c, uint32_t claim, const char *reason);
