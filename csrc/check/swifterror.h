/* Checks swifterror values, which have no address. Each clone has one memory cell for the content, an alloca or its
   swifterror parameter (*the clone's cell*), and the frame has a field for it across suspends.
   Requires: numbered clones.
   Guarantees: check_swifterror_accesses refutes a clone that may read other content than the presplit function does. */
#pragma once

#include "check/skipped_code.h"

/* Finds the swifterror allocas and parameters of the presplit function, and their cells. */
bool find_swifterror_values(struct check *c);
bool is_swifterror_value(const struct check *c, uint32_t value);
/* Whether the carrier is the clone's cell (the swifterror memory) for a presplit swifterror value. */
bool swifterror_is_cell_of_value(const struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                 uint32_t value);
/* Whether the clone has a cell at this address. */
bool swifterror_is_address_of_cell(const struct check *c, const struct check_clone *k, LLVMValueRef address);
/* Whether the load of a cell has the type of a pointer and at most its alignment. */
bool swifterror_is_aligned_pointer_load(const struct check *c, LLVMValueRef load);
/* Whether the lowering stores the content of a cell in its field of the frame. */
bool is_store_of_swifterror_to_frame(const struct check_walk *w, uint32_t inst);
/* Checks what is loaded from each cell and stored to it. Requires: proved claims. */
bool check_swifterror_accesses(struct check *c);
