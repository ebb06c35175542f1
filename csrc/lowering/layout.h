/* Layout strategies: how the fields of a frame get their offsets. layouts.def lists them: `separate`, `overlapping`,
   `overlapping_unless_debug`. The parameter of coro-split (`reuse-storage`) selects one. If a custom ABI has the policy
   `order` (policy.h), the strategy is `separate`. A policy `layout` changes the offsets that the strategy assigned.
   Requires: fields; field_liveness if fields may share bytes.
   Guarantees: the same input gets the same offsets. */
#pragma once

#include <stdbool.h>

#include "llvm-c/Core.h"

struct coro_lowering;

enum frame_layout {
#define CORO_LAYOUT(name, parameter, applies, assign_offsets, overlaps) LAYOUT_##name,
#include "lowering/layouts.def"
};

struct layout_strategy { /* a row of layouts.def */
  bool (*applies)(LLVMValueRef function);
  bool (*assign_offsets)(struct coro_lowering *low); /* assigns the offsets; false: out of memory */
  bool overlaps; /* fields may share bytes */
};

/* The strategy for this function: the selected one, or `separate` if that does not apply to the function. */
const struct layout_strategy *layout_strategy_for(enum frame_layout layout, LLVMValueRef function);
