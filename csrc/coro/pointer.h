/* What an instruction does with an address that it is given.
   Needs: number. Leaves: nothing changed. */
#ifndef CORO_CORO_POINTER_H
#define CORO_CORO_POINTER_H

#include "coro/shape.h"

enum pointer_use {
  POINTER_READ,     /* the content is read, or the address compared */
  POINTER_WRITTEN,  /* the content is, or may be, written */
  POINTER_ALIAS,    /* the result is this address, or holds it */
  POINTER_ESCAPES,  /* from here on anybody may know the address */
  POINTER_LIFETIME_START,
  POINTER_LIFETIME_END,
  POINTER_IGNORED   /* says something of the coroutine, touches nothing */
};

enum pointer_use pointer_use_of(const struct ir_fn *fn, const struct coro_shape *shape, uint32_t inst,
                                LLVMValueRef address);
/* An alias that is the address plus an offset of constants: it can be made again anywhere. */
bool pointer_is_constant_alias(LLVMValueRef inst);

#endif
