/* Variables: which allocas and byval parameters must live in the frame, and which swifterrors it keeps. One does if its
   content, or its address where that is seen outside, is needed in two epochs; all others stay on the stack of
   whichever part uses them.
   Needs: number, shape, choose, cfg, crossing. Leaves: the function as it was. */
#ifndef CORO_CORO_ALLOCA_H
#define CORO_CORO_ALLOCA_H

#include "coro/crossing.h"
#include "ir/size.h"

enum { ALLOCA_MOST_STEPS = 4 }; /* from a variable to an address that is always made again */

struct coro_alloca {
  uint32_t value; /* of the alloca, or of the byval or swifterror parameter */
  LLVMTypeRef type; /* of one element */
  bool promise;
  bool whole; /* only loaded and stored as a whole: one copy in a part is as good as one each time it is made */
  bool torn; /* not in the frame, but a suspend falls into its lifetime: no part may tell where that starts or ends */
  bool apart; /* used in another epoch than it is made in, its content not needed there: a part has it in its entry */
  bool byval; /* memory that is the caller's: the frame starts with its content */
  bool swifterror; /* each part has one of its own */
  bool kept; /* a swifterror whose content the frame keeps */
  bool in_frame; /* the promise included */
  bool copy_in; /* written, or its address given away, before coro.begin: the frame starts with that content */
  bool anew; /* of constant size, but each time that control comes by it must be other memory */
  bool is_static; /* a constant number of elements, in one place: each part can have it in its entry */
  bool is_sized; /* of a type whose size is known */
  bool heap; /* of unknown size or made anew, and needed after a suspend: on the heap, and freed with the frame */
  uint64_t size; /* of one element where that is not constant, IR_MOST_BYTES at most */
  uint64_t align;
  uint32_t use; /* the access that put it there, IR_NONE for the promise */
  uint32_t use_node;
  const char *why; /* one sentence */
  /* Of a variable in the frame: what its uses and those of its aliases do to it. */
  coro_insts accesses, starts, ends; /* starts and ends of its lifetime */
  bool escapes;
  /* It holds nothing before its first access: nobody else has its address before its lifetime starts. */
  bool starts_empty;
};

struct coro_allocas {
  struct coro_alloca *items; /* in program order */
  uint32_t count;
  uint32_t *of_value; /* by value, of value_count: index in items, or IR_NONE */
  uint32_t value_count;
  /* By value: an address made before coro.begin out of a variable in the frame and used behind it, where it has to be
     made again out of the frame's address. */
  struct coro_bits rebuilt;
  /* By value: 1 for the address of a variable of constant size, one more for each step that adds constants to it, as
     far as these are made again in all parts: each has its own of a variable that is not in the frame. 0: others. */
  unsigned char *fixed;
  uint32_t *meets; /* by node: see meets.h */
  struct coro_bits suspends_ahead; /* by node: a landing can be reached, in the parts that run it */
  bool keeps_error; /* one of them is kept */
  uint32_t unknown_alias; /* such an address that cannot be made again: a phi, a select; else IR_NONE */
};

static inline const struct coro_alloca *coro_alloca_of(const struct coro_allocas *allocas, uint32_t value)
{
  uint32_t a = allocas->of_value[CORO_INDEX(value, allocas->value_count)];
  return a == IR_NONE ? NULL : &allocas->items[a];
}

/* The place where control with the frame and control without it have met last when it is in this node, or IR_NONE. */
static inline uint32_t coro_meet_of(const struct coro_allocas *allocas, uint32_t node)
{
  return allocas->meets ? allocas->meets[node] : IR_NONE;
}

coro_status coro_variables(struct coro_lowering *low);

#endif
