/* Meets: where control of the ramp comes both by coro.begin and without it, as behind an allocation that may fail. A
   variable in the frame is there for who came by; for others it is still on the stack.
   Needs: cfg. Leaves: an answer by node; the function as it was. */
#ifndef CORO_CORO_MEETS_H
#define CORO_CORO_MEETS_H

#include <stdbool.h>
#include <stdint.h>

struct coro_lowering;

/* By node: the last place on every path to it where both ways meet; IR_NONE where control has come by one of them for
   certain. NULL: nowhere. False: memory ran out. */
bool coro_find_meets(const struct coro_lowering *low, uint32_t **meets);

#endif
