/* Creates the clones and the ramp of a coroutine of any ABI.
   Requires: crossing, allocas and frame of a coroutine.
   Guarantees: low->clones; the ramp replaces the coroutine. */
#pragma once

#include "emit/emit.h"

/* An ABI's description of its clones. A NULL function means nothing to do. False or NULL results: out of memory. */
struct abi_clones {
  struct emit_hooks hooks; /* without those of common_hook_sites.h */
  /* Number of functions besides the ramp; NULL: one per suspend. */
  uint32_t (*count)(const struct coro_lowering *low);
  LLVMValueRef (*declare)(const struct coro_lowering *low, uint32_t clone);
  /* Kind of the clone, and the only landing where it is entered (IR_NONE: all landings); 0: `fill` creates its body.
     NULL: clone N resumes suspend N. */
  unsigned (*clone_kind)(const struct coro_lowering *low, uint32_t clone, uint32_t *landing);
  void (*fill)(const struct coro_lowering *low);
  /* Called when the clones are declared, to create what refers to them; sets hooks->data. */
  bool (*begin)(struct coro_lowering *low, struct emit_hooks *hooks);
  /* called when the clones have bodies */
  bool (*before_ramp)(struct coro_lowering *low, const struct emit_hooks *hooks);
  void (*end)(LLVMValueRef ramp);
};

/* Fails if the ABI's hook module cannot be linked, or if a requested check refutes the result. Other failures are
   memory exhaustion. */
coro_status abi_split(struct coro_lowering *low);
