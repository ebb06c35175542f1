/* Storage: the memory that llvm.coro.alloca.alloc asks for. Where no suspend can be reached before it is given back it
   is a dynamic alloca; else it comes from an allocator, and its address takes the token's place in the frame.
   Needs: number, shape, choose, cfg, crossing. Leaves: the function as it was. */
#ifndef CORO_CORO_STORAGE_H
#define CORO_CORO_STORAGE_H

#include "coro/crossing.h"

struct coro_storage {
  struct coro_bits outlives; /* by instruction: an llvm.coro.alloca.alloc whose memory is needed after a suspend */
  uint32_t first; /* the first such instruction, IR_NONE where there is none */
  bool list; /* the ABI has no allocator: it is on the heap, in the list that is freed with the frame */
};

coro_status coro_storage(struct coro_lowering *low);

#endif
