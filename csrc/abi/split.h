/* Makes the functions of a coroutine as its ABI says: all are declared, then filled, the ramp last.
   Needs: a coroutine with its crossing, allocas and frame decided. Leaves: low->clones; the ramp in place of the
   coroutine. */
#ifndef CORO_ABI_SPLIT_H
#define CORO_ABI_SPLIT_H

#include "emit/emit.h"

/* Of the functions where one is NULL there is nothing to do. False and NULL: memory ran out. */
struct abi_parts {
  struct emit_hooks hooks;
  LLVMValueRef (*declare)(const struct coro_lowering *low, uint32_t clone);
  /* The clones are declared, so that what names them can be made; sets hooks->data. */
  bool (*begin)(struct coro_lowering *low, struct emit_hooks *hooks);
  bool (*before_ramp)(struct coro_lowering *low, const struct emit_hooks *hooks); /* the clones have bodies */
  void (*end)(LLVMValueRef ramp);
};

/* Where suspends return there is a clone for each of them, else one for each of resume, destroy and cleanup; none where
   there is no suspend. From here on nothing can fail but memory. */
coro_status abi_split(struct coro_lowering *low, const struct abi_parts *parts);

#endif
