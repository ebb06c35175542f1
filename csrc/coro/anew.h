/* Anew: allocas of constant size that give new memory each time, where one place would not do for all of it.
   Control comes back to them, and the memory of one time may be needed at another: its address was given away, or is
   carried round. Where its lifetime ends before control is back, nobody may need it any more, whoever has the address.
   The memory of a call's arguments (inalloca) is made each time, too: it has to be on the stack, right before the call.
   Needs: number, shape, cfg. Leaves: an answer by value; the function as it was. */
#ifndef CORO_CORO_ANEW_H
#define CORO_CORO_ANEW_H

#include "base/bits.h"

struct coro_lowering;

/* Computes the set of such allocas; empty if there are none. False: out of memory. */
bool coro_find_anew(struct coro_lowering *low, struct coro_bits *anew);

#endif
