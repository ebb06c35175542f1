/* Layout strategies: how the fields of a frame get their offsets.
   Requires: frame. */
#ifndef CORO_LOWERING_LAYOUT_H
#define CORO_LOWERING_LAYOUT_H

#include <stdbool.h>

#include "llvm-c/Core.h"

struct coro_lowering;

enum frame_layout {
#define CORO_LAYOUT(name, parameter, applies, place, overlaps) LAYOUT_##name,
#include "lowering/layouts.def"
};

struct layout_strategy { /* a row of layouts.def */
  bool (*applies)(LLVMValueRef function);
  bool (*place)(struct coro_lowering *low); /* assigns the offsets; false: out of memory */
  bool overlaps;
};

/* The strategy for this function. */
const struct layout_strategy *layout_strategy_for(enum frame_layout layout, LLVMValueRef function);

#endif
