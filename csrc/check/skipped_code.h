/* Rules for presplit instructions that have no copy in a clone: unused results, lifetime markers, suspends, other
   llvm.coro.* calls. Moves the simulation past them.
   Requires: numbered clones.
   Guarantees: no instruction with an effect is skipped. */
#pragma once

#include "check/check_data.h"

/* A position in a clone, and its presplit position. */
struct check_walk {
  struct check *c;
  struct check_clone *k;
  uint32_t block, position;
  struct check_state state;
  struct check_header header; /* relative to the start of the block */
};

static inline LLVMValueRef check_walk_inst(const struct check_walk *w, uint32_t inst) /* instruction of the clone */
{
  return w->k->fn.insts[inst];
}

/* Whether the clone may have no code for the presplit instruction. */
bool presplit_inst_is_droppable(const struct check_walk *w, uint32_t inst);
/* Moves to presplit instruction `inst`, over droppable ones in its block; false, with an answer: impossible. */
bool skip_to_presplit_inst(struct check_walk *w, uint32_t inst);
/* Moves over droppable presplit instructions, at most past `inst`; only within its block, or over the edge into it. */
void skip_droppable_insts_until_past_inst(struct check_walk *w, uint32_t inst);
/* Moves to the edge into presplit block `block`, over droppable instructions and a branch on a known result or one
   that a phi decides. False, with an answer: the branch's condition is not known here, or it chooses another block. */
bool skip_to_edge_or_refute(struct check_walk *w, uint32_t block);
/* Moves over droppable instructions as far as possible; returns the next presplit instruction, or IR_NONE. */
uint32_t skip_droppable_insts_return_next_or_none(struct check_walk *w);
/* Moves over droppable instructions to the next call of the intrinsic and returns it, or IR_NONE. */
uint32_t skip_droppable_insts_to_intrinsic_or_none(struct check_walk *w, enum intrin intrin);
/* The suspend that follows the position along unconditional branches; IR_NONE: none. */
uint32_t find_suspend_along_jumps_or_none(const struct check_walk *w);
/* Moves over droppable instructions to the next llvm.coro.suspend or llvm.coro.end and returns it, or IR_NONE. Before a
   symmetric transfer it only finds the suspend. */
uint32_t skip_droppable_insts_to_exit_or_none(struct check_walk *w);
/* Moves past the next llvm.coro.alloca.free and returns it, or IR_NONE. */
uint32_t skip_past_next_alloca_free_or_none(struct check_walk *w);
/* Moves as skip_droppable_insts_return_next_or_none does, and along unconditional branches. */
uint32_t skip_droppable_and_jumps_return_next_or_none(struct check_walk *w);
/* After a symmetric transfer: moves past its suspend, for which the hooks have been executed. False, with an answer:
   there is none. */
bool skip_past_suspend_after_transfer(struct check_walk *w, uint16_t hooks);
/* Moves past a presplit instruction. False, with an answer: a hook of a custom ABI must be executed before, or the heap
   blocks of allocas be freed. */
bool move_hook_and_heap_state_past_inst(struct check_walk *w, uint32_t inst);
/* Marks that presplit instruction `inst` is executed: by the clone's instruction at the position, or between two. */
void record_execution_of_inst(struct check_walk *w, uint32_t inst, bool by_instruction);
/* Marks that the clone's instruction at the position executes presplit instruction `inst`, and moves past `inst`. */
void execute_and_skip_inst(struct check_walk *w, uint32_t inst);
/* Leaves the clone at presplit instruction `inst`; the coroutine continues at the landing (IR_NONE: nowhere). */
void record_exit_at_inst(struct check_walk *w, uint32_t inst, uint32_t landing);
/* Records that an exception ends the coroutine at the presplit llvm.coro.end `inst`. */
void record_end_by_exception_unless_before_suspend(struct check_walk *w, uint32_t inst);
