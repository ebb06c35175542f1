/* Stage `frame_allocas`: decides which allocas and byval-like parameters (byval, inalloca, preallocated) live in the
   frame, and which swifterrors are spilled. An alloca lives in the frame if its content, or its escaped address, is
   used in two epochs (crossing.h), or in one epoch that a loop through a suspend enters repeatedly. Lifetime markers
   and content_liveness reduce this: if the content is dead at every suspend, the alloca is on the stack of the ramp and
   of each clone that uses it. Then a custom ABI may force an alloca into the frame (placement_policy.h).
   The placements, by the member that is set (at most one):
     in_frame    one address from coro.begin on; copy_in: before that it is on the ramp's stack, then copied
     heap        allocated at each execution, freed with the frame; of variable size, per_iteration, or
                 captured_before_begin
     spilled     a swifterror: on the stack, and its content in the frame across suspends
     none        on the stack. If is_static and any of accessed_as_whole, used_in_other_epoch, or in the presplit entry
                 block: a static alloca in the entry block of each function that uses it. Else: where it executes
   check_values rejects an alloca with both stack_only_reason and used_in_other_epoch.
   Requires: number, shape, select_abi, cfg, crossing.
   Guarantees: a placement with a reason for each alloca. The cost is that of its uses, and of walks through the CFG for
   escapes, lifetimes and content. */
#pragma once

#include "ir/size.h"
#include "lowering/crossing.h"

struct coro_lowering;

enum { ALLOCA_MAX_REMAT_DEPTH = 4 }; /* limit of instructions in a rematerialized chain, here and in remat.c */

struct coro_alloca {
  uint32_t value; /* value id of the alloca, or of the byval-like or swifterror parameter */
  LLVMTypeRef type; /* element type */
  bool promise;
  /* only loaded and stored as a whole, and does not escape: one copy per function suffices for all executions */
  bool accessed_as_whole;
  bool lifetime_spans_suspend; /* not in the frame, but a lifetime spans a suspend: its lifetime markers are dropped */
  /* not in the frame, but addressed in another epoch than that of the alloca instruction; no old content is read
     there */
  bool used_in_other_epoch;
  bool byval; /* memory of the caller, whose content is copied into the frame */
  bool swifterror; /* the ramp and each clone have separate ones */
  bool spilled; /* a swifterror whose content is spilled */
  bool in_frame; /* set for the promise, too; check_values rejects a promise with stack_only_reason */
  bool copy_in; /* with in_frame or spilled: written or escaping before coro.begin, which copies the content */
  bool per_iteration; /* of constant size, but each execution needs distinct memory: per_iteration_allocas.h */
  bool captured_before_begin; /* of constant size, but cannot move to the frame: captured_before_begin.h */
  const char *stack_only_reason; /* why it must be on the stack; NULL: it need not */
  bool is_static; /* constant count, not per_iteration or captured_before_begin; always for parameters */
  bool is_sized; /* the size of its type is known */
  bool heap;
  uint64_t size; /* of one element if the count is not constant; at most IR_MAX_BYTES */
  uint64_t align;
  uint32_t use; /* the access that decided the placement; IR_NONE: none, or the promise */
  uint32_t use_node; /* its node, or IR_NONE */
  const char *why; /* the reason, for reports */
  /* For an alloca in the frame: instructions that access it, and that start or end its lifetime. */
  coro_insts accesses, starts, ends;
  bool escapes;
  bool alias_live_across_suspend; /* an address derived from it is live across a suspend, and has no remat_depth */
  bool starts_empty; /* at the start of each lifetime its content is undefined: no earlier escape can write to it */
};

struct coro_allocas {
  struct coro_alloca *items; /* in program order */
  uint32_t count;
  uint32_t *of_value; /* indexed by value: index in items, or IR_NONE */
  uint32_t value_count;
  /* Set of values: addresses computed before coro.begin from a frame-resident alloca and used after it, to be
     rematerialized from the frame's address. */
  struct coro_bits rematerialized_aliases;
  /* Indexed by value: 1 for an is_static alloca; 1 + n for an address that n instructions, at most
     ALLOCA_MAX_REMAT_DEPTH, compute from it by constant offsets. Every clone rematerializes such an address. 0: other
     values. */
  unsigned char *remat_depth;
  uint32_t *begin_joins; /* indexed by node: see begin_joins.h */
  struct coro_bits suspends_ahead; /* set of nodes after which a function that contains the node may suspend */
  bool heap_before_begin; /* an alloca that llvm.coro.begin does not reach is on the heap */
  bool spills_error; /* a swifterror is spilled */
  /* an address, computed before coro.begin and used after it, that cannot be rematerialized; check_values rejects it */
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

coro_status coro_run_frame_allocas_stage(struct coro_lowering *low);
