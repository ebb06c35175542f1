/* Together: fields that had better have one offset, as a phi chooses between the values that they keep: then it does
   not matter to who reads it back by which way control came, and ways that differ in nothing else are one.
   Needs: number, fields. Leaves: the frame as it was. */
#ifndef CORO_CORO_TOGETHER_H
#define CORO_CORO_TOGETHER_H

#include "coro/lowering.h"

/* By field: a number that those have in common, and no others; 0: it has no such company. NULL: memory ran out. */
uint32_t *coro_together(const struct coro_lowering *low);

#endif
