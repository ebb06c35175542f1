/* Decides which allocas and byval-like parameters live in the frame, and which swifterrors are spilled. An alloca does
   if its content, or its escaped address, is used in two epochs; others stay on the stack of the clone that uses them.
   Requires: number, shape, choose, cfg, crossing.
   Guarantees: the function is unchanged. */
#ifndef CORO_CORO_ALLOCA_H
#define CORO_CORO_ALLOCA_H

#include "coro/crossing.h"
#include "ir/size.h"

enum { ALLOCA_MOST_STEPS = 4 }; /* maximal chain from an alloca to an address that is always rematerialized */

struct coro_alloca {
  uint32_t value; /* value id of the alloca, or of the byval-like or swifterror parameter */
  LLVMTypeRef type; /* element type */
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
  const char *on_stack; /* why it has to be on the stack; NULL: it need not be */
  bool is_static; /* a constant number of elements, in one place: each part can have it in its entry */
  bool is_sized; /* of a type whose size is known */
  bool heap; /* of unknown size or made anew, and needed after a suspend: on the heap, and freed with the frame */
  uint64_t size; /* of one element where that is not constant, IR_MAX_BYTES at most */
  uint64_t align;
  uint32_t use; /* the access that forced it into the frame, IR_NONE for the promise */
  uint32_t use_node;
  const char *why; /* a sentence for reports */
  /* For an alloca in the frame: instructions that access it, and that start or end its lifetime. */
  coro_insts accesses, starts, ends;
  bool escapes;
  /* Undefined before its first access: its address does not escape before its lifetime starts. */
  bool starts_empty;
};

struct coro_allocas {
  struct coro_alloca *items; /* in program order */
  uint32_t count;
  uint32_t *of_value; /* indexed by value: index in items, or IR_NONE */
  uint32_t value_count;
  /* Set of values: addresses computed before coro.begin from a frame-resident alloca and used after it, to be
     rematerialized from the frame's address. */
  struct coro_bits rebuilt;
  /* Indexed by value: 1 for the address of an alloca of constant size, plus one per constant offset added, if every
     clone rematerializes the chain. 0: other values. */
  unsigned char *fixed;
  uint32_t *meets; /* by node: see meets.h */
  struct coro_bits suspends_ahead; /* by node: a landing can be reached, in the parts that run it */
  bool keeps_error; /* one of them is kept */
  uint32_t unknown_alias; /* such an address that cannot be made again: a phi of vectors or aggregates; else IR_NONE */
};

static inline const struct coro_alloca *coro_alloca_of(const struct coro_allocas *allocas, uint32_t value)
{
  uint32_t a = allocas->of_value[CORO_INDEX(value, allocas->value_count)];
  return a == IR_NONE ? NULL : &allocas->items[a];
}

/* The last join of paths with and without coro.begin that dominates the node, or IR_NONE. */
static inline uint32_t coro_meet_of(const struct coro_allocas *allocas, uint32_t node)
{
  return allocas->meets ? allocas->meets[node] : IR_NONE;
}

coro_status coro_variables(struct coro_lowering *low);

#endif
