/* Collects the coroutine intrinsics of one presplit function, by role. Ids are instruction ids in program order.
   Requires: the result of ir_number_function.
   Guarantees: the function is unchanged. */
#pragma once

#include "analysis/instruction_list.h"
#include "base/bits.h"
#include "ir/intrin.h"
#include "ir/number.h"
#include "pycoro.h"

struct coro_suspend {
  uint32_t inst;  /* the llvm.coro.suspend */
  uint32_t save;  /* its coro.save; IR_NONE if the suspend itself is the point of no return */
  uint32_t index; /* the value of the frame's index field while suspended here */
  bool final;
  /* On every path to it, the last suspend or llvm.coro.end is an unwind end. The coroutine is then done, and only
     destroyed from here. coro-early creates such suspends. */
  bool unwound;
};

struct coro_shape {
  coro_abi_kind abi;
  uint32_t id; /* the coro.id* of this coroutine, or IR_NONE */
  uint32_t begin; /* the first coro.begin with that id, or IR_NONE */
  uint32_t begin_count; /* the number of coro.begins */
  bool custom; /* begin is a coro.begin.custom.abi; `intrin` has INTRIN_BEGIN for both */
  LLVMValueRef promise; /* the promise operand of the id with casts stripped, or NULL */
  struct coro_suspend *suspends; /* in program order, but those after an unwind end follow, and the final one is last */
  uint32_t suspend_count;
  uint32_t resumed_count; /* the number of suspends from which the coroutine may be resumed, which come first */
  bool has_unwind_end;
  bool resumes_after_unwind_end; /* the same holds on some paths to a suspend, but not on all */
  /* indexed by argument: it is *byval-like* (byval, inalloca, preallocated): it points to memory of the caller, which
     is invalid after the ramp returns */
  bool *byval;
  uint32_t error; /* the swifterror argument, or IR_NONE */
  uint32_t *suspend_of; /* indexed by instruction: the index in suspends of a suspend or of its save, else IR_NONE */
  struct coro_bits before_suspend; /* set of unwind ends after which the clones suspend */
  coro_insts ends;
  /* Indexed by instruction: the intrinsic of this coroutine that it calls. Intrinsics of a coroutine that was
     already split and then inlined are INTRIN_NONE. */
  unsigned char *intrin;
};

/* Does not report malformed input; check.c does. False: out of memory. */
bool coro_shape_find(struct coro_shape *shape, struct coro_arena *arena, const struct ir_fn *fn,
                     const struct intrin_table *table);
/* Whether it is an llvm.coro.end on the unwind path. False if its operand is not constant, which check.c rejects. */
bool coro_is_unwind_end(const struct ir_fn *fn, uint32_t end);
/* Whether the suspend follows an unwinding llvm.coro.end: an exception has ended the coroutine, and it can only be
   destroyed. */
static inline bool coro_is_unwound_at(const struct coro_shape *shape, uint32_t suspend)
{
  return shape->suspends[suspend].unwound;
}
static inline bool coro_has_final_suspend(const struct coro_shape *shape)
{
  return shape->suspend_count && shape->suspends[shape->suspend_count - 1].final;
}
/* Whether the coroutine is done at the suspend, so it is only destroyed from there. */
static inline bool coro_is_done_at(const struct coro_shape *shape, uint32_t suspend)
{
  return suspend >= shape->resumed_count;
}
bool coro_is_suspend(const struct coro_shape *shape, uint32_t inst); /* a suspend of any ABI */
/* Whether the instruction saves the coroutine, which another thread may then resume and destroy. */
bool coro_shape_may_be_destroyed_after(const struct coro_shape *shape, uint32_t inst);
bool coro_shape_has_intrinsic(const struct coro_shape *shape, const struct ir_fn *fn, enum intrin intrin);
/* Whether it is a coro.promise of this coroutine's own frame. */
bool coro_is_own_promise(const struct ir_fn *fn, const struct coro_shape *shape, uint32_t inst);
/* Whether the info operand of a coro.id names the clones of a coroutine that was already split. */
bool coro_shape_is_split_id(LLVMValueRef id);
