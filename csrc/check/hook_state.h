/* Computes the set of hooks that must have been executed before control moves past a presplit instruction. The set is
   part of the state of the simulation.
   Requires: numbered clones.
   Guarantees: each hook is executed once on each path wherever the ABI promises it. */
#pragma once

#include "check/check_data.h"

/* A bit of check_state.due: the initial content of the ABI's header must be stored. */
enum {
  HOOK_STATE_HEADER = 1 << HOOK_COUNT,
  /* bit of check_state.hooks: the mark of a suspended clone has been stored, see hook_choice.h */
  HOOK_STATE_MARK = 2 << HOOK_COUNT,
  /* bit of check_state.hooks: the result of abi.suspend or abi.end has been stored, see own_clone.h */
  HOOK_STATE_RESULT = 4 << HOOK_COUNT
};

/* Checks that there are rules for all hooks of the ABI. False, with an answer: there are not. */
bool check_hooks_are_supported(struct check *c);
/* The hooks that the clone executes for a presplit instruction before moving past it: a set of 1 << enum hook. */
unsigned hook_state_hooks_required_before(const struct check *c, const struct check_clone *k, uint32_t block,
                                          uint32_t position, uint32_t inst);
/* In an ABI with hooks: moves control past a presplit instruction. False, with an answer: a required hook has not been
   executed. */
bool hook_state_move_past_inst(struct check *c, const struct check_clone *k, struct check_state *state, uint32_t block,
                               uint32_t position, uint32_t inst);
/* HOOK_STATE_RESULT if the clone returns what hooks return, else 0. */
unsigned hook_state_result_bit_or_zero(const struct check *c, const struct check_clone *k);
/* The set of hooks that must be executed right before presplit instruction `inst`, which is after llvm.coro.begin. */
uint16_t hook_state_due_if_inst_follows_begin(const struct check *c, const struct check_clone *k, uint32_t inst);
/* Checks the hooks where control arrives at the start of a block, whose state is `in`. */
bool hook_state_check_equal_at_block_start(struct check *c, const struct check_clone *k,
                                           const struct check_state *state, const struct check_state *in,
                                           LLVMValueRef terminator);
/* The number of stores of the initial content of the ABI's header. */
uint32_t hook_state_count_header_stores(const struct check *c);
