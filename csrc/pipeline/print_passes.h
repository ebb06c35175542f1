/* Converts parts of a pass tree to pass strings for LLVM.
   Requires: parse_passes.
   Guarantees: strings in the arena; NULL: out of memory. */
#pragma once

#include "grammar/parse_passes.h"

/* Adaptors that may contain pycoro's passes, and the level at which each runs its elements. */
extern const struct pipeline_group {
  const char *name; /* NULL terminates the table */
  enum pass_level outermost, inside;
} pipeline_groups[];
extern const char *const pipeline_level_names[];

/* One element without the groups around it; `safe` as below. */
const char *pass_node_print_alone(struct coro_arena *arena, const struct pass_node *node, bool safe);
/* Elements [first, end) of one list, with the groups around the list. An enclosing coro-cond is already decided.
   `safe`: with parameters that keep elements from terminating the process. */
const char *pass_node_print(struct coro_arena *arena, const struct pass_node *first, const struct pass_node *end,
                            bool safe);
/* LLVM's elements of a group with numbers in [from, to): whether there are any, and as a string after `before`. */
bool pass_group_has_llvm_pass_in_range(const struct pass_node *group, uint32_t from, uint32_t to);
const char *pass_group_print_range(struct coro_arena *arena, const char *before, const struct pass_node *group,
                                   uint32_t from, uint32_t to, bool safe);
/* The string with a no-op in place of each `verify`. Functions that are hidden from LLVM's passes by attributes do
   not verify while these passes run; they are verified afterwards. */
const char *pass_string_with_noop_for_verify(struct coro_arena *arena, const char *passes);
/* The whole tree, so that the string means the same to LLVM. `expand`: with the passes of levels, not their names. */
const char *pass_tree_print_canonical(struct coro_arena *arena, const struct pass_node *root, bool expand);
