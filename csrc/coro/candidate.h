/* Candidate: what is known of a coroutine before its control flow and its frame are, as plain data for who chooses its
   ABI.
   Needs: number, shape. Leaves: structs and strings in the lowering's arena; the function as it was. */
#ifndef CORO_CORO_CANDIDATE_H
#define CORO_CORO_CANDIDATE_H

#include "coro/lowering.h"
#include "ir/printed.h"

/* Made once; `low` keeps it. `printed` may hold the function as it is; NULL: it does not. NULL: memory ran out. */
const coro_candidate_info *coro_candidate(struct coro_lowering *low, const struct ir_printed *printed);

#endif
