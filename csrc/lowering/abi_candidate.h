/* Describes a coroutine, before its frame is known, to the policy of a custom ABI that selects the coroutines to lower
   (csrc/split/select_abi.c).
   Requires: number, shape.
   Guarantees: structs and strings in the lowering's arena. */
#pragma once

#include "ir/printed.h"
#include "lowering/lowering.h"

/* Computed once and cached in `low`. `printed`: the text of the function's module, or NULL. Returns NULL if out of
   memory. */
const coro_candidate_info *describe_candidate_for_abi(struct coro_lowering *low, const struct ir_printed *printed);
