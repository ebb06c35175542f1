/* Rematerializes addresses after llvm.coro.begin, where allocas have moved into the frame, if a phi before it has
   chosen one of several allocas.
   Requires: emission of the ramp in progress.
   Guarantees: next to each such phi a phi of integers, the numbers of the chosen allocas; emit/phis.c fills both. */
#pragma once

#include "emit/emit.h"

/* Returns the phi's address with frame-resident allocas replaced by their place in the frame. For

     %p = phi ptr [ %x, %a ], [ %q, %b ]      ; before llvm.coro.begin, with %q = getelementptr i8, ptr %y, i64 %i

   a second phi chooses the number of the alloca that %p points to, and %p's offset in it is added to the alloca's place
   in the frame:

     %p.origin = phi i32 [ 1, %a ], [ 2, %b ]
     ...
     %in.x = icmp eq i32 %p.origin, 1         ; and the same for %y
     %base = select i1 %in.x, ptr %x.reload.addr, ptr %p
     %from = select i1 %in.x, ptr %x, ptr %p
     %distance = sub (ptrtoint %p), (ptrtoint %from)
     getelementptr i8, ptr %base, i64 %distance

   An address outside of these allocas has the number 0 and is unchanged. */
LLVMValueRef emit_address_in_chosen_alloca(struct emit *e, uint32_t phi);
/* The number of the alloca that `value` points to, at any point where `value` is available. If a phi chooses the
   address, a phi of numbers with the same incoming blocks chooses the number. */
LLVMValueRef emit_alloca_number_of_address(struct emit *e, uint32_t value);
