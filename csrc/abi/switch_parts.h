/* The pieces of the switched-resume ABI.
   Needs: coro. Leaves: only abi/switch*.c includes it. */
#ifndef CORO_ABI_SWITCH_PARTS_H
#define CORO_ABI_SWITCH_PARTS_H

#include "coro/emit.h"

struct switch_data {
  LLVMValueRef resumers;  /* what coro.id names; NULL where there is no suspend */
  LLVMValueRef on_stack;  /* a coroutine that never suspends has its frame in a variable of the ramp */
  bool when_complete;     /* destroyed at the final suspend only */
};

coro_status switch_check(const struct coro_lowering *low);
bool switch_has_final(const struct coro_lowering *low);
bool switch_numbers_final(const struct coro_lowering *low); /* the final suspend has a number like all others */
void switch_dispatch(struct emit *e);                        /* fills e->entry and sets e->head */
bool switch_intrinsic(struct emit *e, uint32_t inst, enum intrin intrin);
bool switch_frame_ready(struct emit *e);
bool switch_make_ramp(struct coro_lowering *low, const struct emit_hooks *hooks); /* false: memory ran out */

#endif
