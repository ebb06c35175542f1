/* Calls functions of the module, for which it creates an activation, and functions of the host.
   Requires: activations.
   Guarantees: when the callee of an invoke has ended, control is at the normal or unwind destination. */
#pragma once

#include "interp/state.h"

enum { MAX_ARGUMENTS = 64, MAX_SCALARS = 1024 }; /* limits of one call */

struct callee { /* target and operands of a call */
  uint64_t address;
  const struct code *code; /* code at the address; NULL: not in the module */
  const char *name; /* name of a declared function; NULL: only the address is known */
  LLVMTypeRef type;
  uint32_t first, count;
  bool tail; /* tail call: the activation ends, and the operation has no result */
};

/* `args` are flattened cells. NULL: failed. */
struct activation *call_interpreted_function(struct interp *in, const struct op *op, struct function *function,
                                             const struct cell *args, const struct layout *const *types,
                                             uint32_t count);
/* Calls the host. False: it failed, or threw, and unwinding has started. */
bool call_heap_or_host_function(struct interp *in, const struct op *op, coro_external *external);
void call_external_function(struct interp *in, struct activation *act, const struct op *op,
                            const struct callee *callee);
