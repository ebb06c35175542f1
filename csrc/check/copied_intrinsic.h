/* Checks the ramp's copies of llvm.coro.id and llvm.coro.begin, which stay in the switch ABI until coro-cleanup.
   Requires: a walk at the copy.
   Guarantees: the id refers to the clones, and begin has the memory of the allocation. */
#pragma once

#include "check/skipped_code.h"

/* Whether the copy is right. False, with an answer: it is refuted, or not supported. */
bool copied_intrinsic_check_id_or_begin(struct check_walk *w, uint32_t inst, uint32_t presplit);
/* Whether a presplit instruction is one of the coroutine's own intrinsics. The operands of its copy may differ. */
static inline bool copied_intrinsic_is_id_or_begin(const struct check *c, uint32_t presplit)
{
  unsigned char intrin = c->low->shape.intrin[presplit];
  return intrin == INTRIN_ID || intrin == INTRIN_BEGIN;
}
