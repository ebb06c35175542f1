/* Shape: the coroutine intrinsics of one presplit function, by role.
   Needs: ir_number's result. Leaves: the function as it was. Ids are instruction ids in program order. */
#ifndef CORO_CORO_SHAPE_H
#define CORO_CORO_SHAPE_H

#include "coro/insts.h"
#include "ir/intrin.h"
#include "ir/number.h"
#include "pycoro.h"

struct coro_lowering;

struct coro_suspend {
  uint32_t inst;  /* the suspend */
  uint32_t save;  /* its coro.save, IR_NONE where the suspend itself is the point of no return */
  uint32_t index; /* what the frame holds while suspended here */
  bool final;
};

struct coro_shape {
  coro_abi_kind abi;
  uint32_t id;            /* coro.id* of this coroutine, IR_NONE where there is none */
  uint32_t begin;         /* the first coro.begin on that id, IR_NONE where there is none */
  uint32_t begin_count;   /* how many there are */
  bool custom;            /* that one is a coro.begin.custom.abi, and reads as INTRIN_BEGIN like any other */
  LLVMValueRef promise;   /* the promise operand of the id with casts stripped, or NULL */
  struct coro_suspend *suspends; /* in program order, the final one last */
  uint32_t suspend_count;
  bool *byval;          /* by argument: the memory behind it is the caller's, and gone when the ramp returns */
  uint32_t error;       /* the argument that is a swifterror, IR_NONE where there is none */
  uint32_t *suspend_of; /* by instruction: for a suspend and for its save the index in suspends, else IR_NONE */
  coro_insts ends;
  /* By instruction: which intrinsic of *this* coroutine it calls. Intrinsics that belong to a coroutine that was split
     already and then inlined here read as INTRIN_NONE. */
  unsigned char *intrin;
};

/* Whatever is malformed is left for the check to say. */
coro_status coro_shape(struct coro_lowering *low);
/* An llvm.coro.end on the unwind path; that its operand is a constant has been checked, or it is not one. */
bool coro_is_unwind_end(const struct ir_fn *fn, uint32_t end);
bool coro_is_id(enum intrin intrin); /* of whatever ABI */
bool coro_is_suspend(const struct coro_shape *shape, uint32_t inst); /* of whatever ABI */
bool coro_shape_has(const struct coro_shape *shape, const struct ir_fn *fn, enum intrin intrin);
/* A coro.promise that asks for the promise of this coroutine's own frame. */
bool coro_is_own_promise(const struct ir_fn *fn, const struct coro_shape *shape, uint32_t inst);
/* The info operand of a coro.id names the parts of a coroutine that is split already. */
bool coro_shape_is_split_id(LLVMValueRef id);

#endif
