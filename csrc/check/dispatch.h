/* Finds the block where a clone continues after each suspend, its *landing*, by evaluating the branches and the switch
   at the clone's start with the index that the suspend stores.
   Requires: a numbered clone.
   Guarantees: a landing for each suspend after which the clone may be called. */
#pragma once

#include "check/check_data.h"

/* Whether the coroutine may be at the landing when the clone is called. */
bool landing_is_possible_in_clone(const struct check *c, const struct check_clone *k, uint32_t landing);
/* Sets k->landing. False, with an answer: the clone does not land as it must. */
bool dispatch_find_landings(struct check *c, struct check_clone *k);
uint32_t dispatch_final_suspend_or_none(const struct check *c); /* IR_NONE: there is none */
/* Sets *offset to the offset of a header field in the frame. False: the header has no such field. */
bool find_offset_of_header_field(const struct check *c, coro_field_kind kind, uint64_t *offset);
/* Whether a suspend index is stored before the coroutine suspends for this landing, and which; whether the coroutine
   is done then. */
bool dispatch_stores_indices_before_suspends(const struct check *c); /* false: abi.save does, if there is an index */
bool landing_has_suspend_index(const struct check *c, uint32_t landing);
uint32_t suspend_index_of_landing(const struct check *c, uint32_t landing);
bool coroutine_is_done_at_landing(const struct check *c, uint32_t landing);
/* Whether a suspend index is stored where an exception ends the coroutine at `end`, and which. */
bool find_suspend_index_of_exception_end(const struct check *c, uint32_t end, uint32_t *index);
/* The landing at which the lowering destroys a coroutine that an exception ended at `end`; IR_NONE: none. */
uint32_t dispatch_landing_after_exception_end_or_none(const struct check *c, uint32_t end);
