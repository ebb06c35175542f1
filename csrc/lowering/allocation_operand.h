/* Reads what llvm.coro.alloca.alloc, or the id of a returned-continuation coroutine, states about an allocation besides
   its size: a type id for the allocator, and whether the memory is the frame of a callee.
   Requires: number, shape. */
#pragma once

#include "lowering/lowering.h"

/* Operand bundle with the type id of an allocation, because LLVM's intrinsics have no operand for it. pycoro upgrade
   writes it. */
#define CORO_TYPE_ID "coro-type-id"
/* Attribute of an llvm.coro.alloca.alloc call that allocates the frame of a callee. pycoro upgrade writes it. */
#define CORO_CALLEE_FRAME "coro-callee-frame"

/* The type ids of a call: the operands of bundles coro-type-id, and the last argument of
   llvm.coro.id.retcon.once.dynamic, if it is an integer. */
struct allocation_type_ids {
  unsigned count;
  unsigned operand; /* the first one; UINT_MAX: none */
  bool malformed; /* a bundle is empty, or an operand is not an integer */
};

struct allocation_type_ids find_allocation_type_ids(const struct coro_lowering *low, uint32_t inst);
/* The operand of a call that holds the type id for the allocator; UINT_MAX: none. */
unsigned allocation_type_id_operand_or_max(const struct coro_lowering *low, uint32_t inst);
/* Whether the memory is the frame of a callee. */
bool allocation_is_marked_callee_frame(const struct coro_lowering *low, uint32_t inst);
