/* Describes a coroutine for reports and for custom ABIs: suspends, blocks, frame, fields with reasons and source
   variables.
   Requires: coro_info_make: all stages up to the layout; the others: number, shape, crossing.
   Guarantees: structs and strings in the given arena. */
#pragma once

#include "lowering/policy.h"

/* NULL: out of memory. `printed`: the text of the function (ir_text_split_printed_function). The caller adds the
   clones. */
coro_coroutine_info *coro_info_make(struct coro_arena *arena, const struct coro_lowering *low, const char *printed);
/* Describes an instruction whose value may be live across a suspend; strings live as long as `low`. False: out of
   memory. */
bool coro_info_of_remat_candidate(coro_remat_candidate_info *info, struct coro_lowering *low, uint32_t inst);
bool coro_info_of_spill_candidate(coro_spill_candidate_info *info, struct coro_lowering *low,
                                  const struct coro_spill_candidate *about);
/* For diagnostics: "%x". "" if out of memory. */
const char *coro_info_value_name_with_percent(struct coro_lowering *low, uint32_t value);
/* For diagnostics: "%x", or "index". "" if out of memory. */
const char *coro_info_field_name(struct coro_lowering *low, uint32_t field);
