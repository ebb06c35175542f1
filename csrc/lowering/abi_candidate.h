/* Description of a coroutine before its ABI is chosen, as plain data for ABI policies.
   Requires: number, shape.
   Guarantees: structs and strings in the lowering's arena; the function is unchanged. */
#ifndef CORO_LOWERING_ABI_CANDIDATE_H
#define CORO_LOWERING_ABI_CANDIDATE_H

#include "ir/printed.h"
#include "lowering/lowering.h"

/* Computed once and cached in `low`. `printed`: the function's text, or NULL. Returns NULL if out of memory. */
const coro_candidate_info *coro_candidate(struct coro_lowering *low, const struct ir_printed *printed);

#endif
