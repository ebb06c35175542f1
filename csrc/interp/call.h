/* Calls of functions of the module, and of what the host defines.
   Needs: activations. Leaves: an invoke that goes on at its normal or its unwind destination. */
#ifndef CORO_INTERP_CALL_H
#define CORO_INTERP_CALL_H

#include "interp/state.h"

enum { MOST_ARGUMENTS = 64, MOST_SCALARS = 1024 }; /* of a call, and what they are made of */

struct callee { /* what an operation calls, and with which of its operands */
  uint64_t address;
  const struct code *code; /* what is there; NULL: none of the module's */
  const char *name; /* of a function that is only declared; NULL: the address is all there is */
  LLVMTypeRef type;
  uint32_t first, count;
  bool tail; /* the activation ends with the call, which gives the operation no result */
};

/* Arguments are flat cells. NULL: failed. */
struct activation *call_function(struct interp *in, const struct op *op, struct function *function,
                                 const struct cell *args, const struct layout *const *types, uint32_t count);
/* Asks the host. False: it failed, or threw, and the exception is on its way. */
bool call_ask(struct interp *in, const struct op *op, coro_external *external);
void call_external(struct interp *in, struct activation *act, const struct op *op, const struct callee *callee);

#endif
