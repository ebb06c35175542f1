/* Makes the functions of a coroutine as its ABI says: all are declared, then filled, the ramp last.
   Needs: a coroutine with its crossing, allocas and frame decided. Leaves: low->clones; the ramp in place of the
   coroutine. */
#ifndef CORO_ABI_SPLIT_H
#define CORO_ABI_SPLIT_H

#include "emit/emit.h"

/* Of the functions where one is NULL there is nothing to do. False and NULL: memory ran out. */
struct abi_parts {
  struct emit_hooks hooks;
  /* How many functions there are beside the ramp; NULL: one for each suspend. */
  uint32_t (*count)(const struct coro_lowering *low);
  LLVMValueRef (*declare)(const struct coro_lowering *low, uint32_t clone);
  /* Which part the clone is, and the landing where alone it is entered (IR_NONE: at any); 0: `fill` makes it. NULL: the
     one that resumes the suspend of the same number. */
  unsigned (*part)(const struct coro_lowering *low, uint32_t clone, uint32_t *landing);
  void (*fill)(const struct coro_lowering *low, uint32_t clone);
  /* The clones are declared, so that what names them can be made; sets hooks->data. */
  bool (*begin)(struct coro_lowering *low, struct emit_hooks *hooks);
  bool (*before_ramp)(struct coro_lowering *low, const struct emit_hooks *hooks); /* the clones have bodies */
  void (*end)(LLVMValueRef ramp);
};

/* Fails where the ABI's template cannot be linked; from then on nothing can but memory. */
coro_status abi_split(struct coro_lowering *low, const struct abi_parts *parts);

#endif
