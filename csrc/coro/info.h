/* Info: what the lowering found out about a coroutine, as plain data for a report.
   Needs: all stages up to the frame. Leaves: structs and strings in the given arena; the function as it was. */
#ifndef CORO_CORO_INFO_H
#define CORO_CORO_INFO_H

#include "coro/policy.h"

/* NULL when memory ran out. `printed` as for ir_text. Clones are left to the caller, who makes them. */
coro_coroutine_info *coro_info_make(struct coro_arena *arena, const struct coro_lowering *low, const char *printed);
/* Of an instruction whose value may be needed behind a suspend; strings live as long as `low`. False: memory
   ran out. */
bool coro_info_of_value(coro_value_info *info, struct coro_lowering *low, uint32_t inst);
bool coro_info_of_keepable(coro_keepable_info *info, struct coro_lowering *low, const struct coro_keepable *about);
/* For a diagnostic: "%x". "" where memory ran out. */
const char *coro_info_value_name(struct coro_lowering *low, uint32_t value);
/* For a diagnostic: "%x", or "index". "" where memory ran out. */
const char *coro_info_field_name(struct coro_lowering *low, uint32_t field);

#endif
