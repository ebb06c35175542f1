/* Stage `frame_allocas`: decides which allocas and byval-like parameters live in the frame, and which swifterrors are
   spilled. An alloca lives in the frame if its content, or its escaped address, is used in two epochs (crossing.h), or
   in one epoch that a cycle through a suspend enters again. All others stay on the stack of the function that uses
   them.
   Requires: number, shape, select_abi, cfg, crossing.
   Guarantees: a placement with a reason for each alloca. */
#ifndef CORO_LOWERING_ALLOCA_H
#define CORO_LOWERING_ALLOCA_H

#include "ir/size.h"
#include "lowering/crossing.h"

struct coro_lowering;

enum { ALLOCA_MAX_REMAT_DEPTH = 4 }; /* maximal chain from an alloca to an address that is always rematerialized */

struct coro_alloca {
  uint32_t value; /* value id of the alloca, or of the byval-like or swifterror parameter */
  LLVMTypeRef type; /* element type */
  bool promise;
  /* only loaded and stored as a whole, so each function may hold one copy in place of one per execution */
  bool accessed_as_whole;
  /* not in the frame, but its lifetime spans a suspend, so its lifetime markers are dropped */
  bool lifetime_spans_suspend;
  /* used in another epoch than its own, where its content is not live; clones allocate it in their entry block */
  bool used_in_other_epoch;
  bool byval; /* memory of the caller, whose content is copied into the frame */
  bool swifterror; /* the ramp and each clone have separate ones */
  bool spilled; /* a swifterror whose content is spilled */
  bool in_frame; /* including the promise */
  bool copy_in; /* written, or escaping, before coro.begin, which copies the content into the frame */
  bool per_iteration; /* of constant size, but each execution must allocate distinct memory */
  const char *on_stack; /* why it must be on the stack; NULL: it need not */
  /* one place with a constant number of elements, so each function may allocate it in its entry block */
  bool is_static;
  bool is_sized; /* the size of its type is known */
  /* of unknown size or allocated per execution, and live across a suspend: on the heap, freed with the frame */
  bool heap;
  uint64_t size; /* of one element if the count is not constant; at most IR_MAX_BYTES */
  uint64_t align;
  uint32_t use; /* the access that forced it into the frame; IR_NONE for the promise */
  uint32_t use_node;
  const char *why; /* the reason, for reports */
  /* For an alloca in the frame: instructions that access it, and that start or end its lifetime. */
  coro_insts accesses, starts, ends;
  bool escapes;
  bool alias_live_across_suspend; /* an address derived from it that is spilled, since it cannot be rematerialized */
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
  struct coro_bits rematerialized_aliases;
  /* Indexed by value: 1 for the address of an alloca of constant size, plus one per constant offset added, if every
     clone rematerializes the chain. 0: other values. */
  unsigned char *remat_depth;
  uint32_t *begin_joins; /* indexed by node: see begin_joins.h */
  struct coro_bits suspends_ahead; /* set of nodes from which a landing is reachable, in the clones that execute them */
  bool spills_error; /* a swifterror is spilled */
  /* an address that is needed but cannot be rematerialized (a phi of vectors or aggregates), or IR_NONE */
  uint32_t unrematerializable;
};

static inline const struct coro_alloca *coro_alloca_of(const struct coro_allocas *allocas, uint32_t value)
{
  uint32_t a = allocas->of_value[CORO_INDEX(value, allocas->value_count)];
  return a == IR_NONE ? NULL : &allocas->items[a];
}

/* The last join of paths with and without coro.begin that dominates the node, or IR_NONE. */
static inline uint32_t coro_begin_join_of(const struct coro_allocas *allocas, uint32_t node)
{
  return allocas->begin_joins ? allocas->begin_joins[node] : IR_NONE;
}

coro_status coro_frame_allocas(struct coro_lowering *low);

#endif
