/* Emission: addresses that a phi chooses before llvm.coro.begin, and that are needed after it.
   Requires: emission of the ramp under way. Guarantees: phis of numbers beside those of addresses, which are filled
   with all other phis. */
#ifndef CORO_EMIT_ORIGIN_H
#define CORO_EMIT_ORIGIN_H

#include "emit/emit.h"

/* What the phi would have chosen if the variables that moved to the frame had been there from the start. For

     %p = phi ptr [ %x, %a ], [ %q, %b ]      ; before llvm.coro.begin, with %q = getelementptr i8, ptr %y, i64 %i

   a second phi remembers which variable %p is an address in, and %p's distance from there is added to that variable's
   place in the frame:

     %p.origin = phi i32 [ 1, %a ], [ 2, %b ]
     ...
     %in.x = icmp eq i32 %p.origin, 1         ; likewise for %y
     %base = select i1 %in.x, ptr %x.reload.addr, ptr %p
     %from = select i1 %in.x, ptr %x, ptr %p
     %distance = sub (ptrtoint %p), (ptrtoint %from)
     getelementptr i8, ptr %base, i64 %distance

   An address of something else has the number 0, and stays what it is. */
LLVMValueRef origin_rebuild(struct emit *e, uint32_t phi);
/* The number of the variable that `value` is an address in, wherever `value` itself is there. Numbers of what a phi
   chooses have the phi's own entries. */
LLVMValueRef origin_of(struct emit *e, uint32_t value);

#endif
