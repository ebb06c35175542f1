/* Chooses where a value is spilled: right after its definition, or before the suspends at which it is live. The latter
   is necessary where control may have suspended, because another thread may have resumed the coroutine then. Example:

     %s = call i8 @llvm.coro.suspend(token none, i1 false)
     %v = call i32 @next()                       ; also executed on the path on which control has suspended
     switch i8 %s, label %out [ i8 0, label %resumed ]
   resumed:
     store i32 %v, ptr %v.spill.addr             ; the deferred spill
     %t = call i8 @llvm.coro.suspend(token none, i1 false)

   Requires: emission of a switched-resume coroutine in progress; it does not suspend again before it is resumed.
   Guarantees: the frame holds the value at each suspend at which it is live, and wherever it is reloaded. */
#pragma once

#include "emit/emit.h"

/* Spills the value, which `node` has just computed, or defers that. Nothing if the clone must not spill there. */
void emit_or_defer_spill_of_definition(struct emit *e, uint32_t value, uint32_t node);
/* Before presplit instruction `suspend`, an llvm.coro.save or llvm.coro.suspend: spills the deferred values that are
   live at the suspend. */
void emit_deferred_spills_before_suspend(struct emit *e, uint32_t suspend);
