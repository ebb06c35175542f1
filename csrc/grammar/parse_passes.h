/* Parser for pass strings in LLVM's grammar: elements separated by commas, each a name with an optional <...> and an
   optional (...) of elements.
   Requires: pass_string.
   Guarantees: a tree in the arena. */
#pragma once

#include "grammar/pass_string.h"

enum pass_id {
#define CORO_PASS(name, text, level) PASS_##name,
#include "run/passes.def"
  PASS_COUNT,
  PASS_LLVM = PASS_COUNT, /* neither pycoro's nor the client's */
  PASS_CLIENT
};

enum pass_level { LEVEL_MODULE, LEVEL_CGSCC, LEVEL_FUNCTION };

struct pass_row {
  const char *name;
  enum pass_level level;
};
extern const struct pass_row pass_table[PASS_COUNT];

struct pass_node {
  const char *text; /* the name with its <...>; of a level: the name of the group that its passes are in */
  const char *level; /* default<O2> or the like, if the element is a level; the children are its passes */
  uint32_t at; /* offset in the pass string */
  enum pass_id pass;
  const coro_custom_pass *client; /* the client's pass; only for PASS_CLIENT */
  uint64_t parameter; /* value of its parameter, by the rows of run/passes.def */
  bool has_pycoro_pass; /* it is, or contains, a pass that LLVM does not run */
  bool group; /* has parentheses */
  bool wrong; /* an error was reported */
  uint32_t number; /* in preorder; set by pipeline_plan */
  struct pass_node *parent, *first, *last, *next;
};

/* Returns an unnamed group with the elements; empty for an empty string. NULL if the string has no parse tree, or
   out of memory; other errors are reported in `string`. */
struct pass_node *pass_string_parse(struct pass_string *string);
enum pass_level pass_node_ir_unit(const struct pass_node *node); /* not for PASS_LLVM */
const char *pass_node_parameters(struct coro_arena *arena, const struct pass_node *node); /* "" if it has none */

const char *pass_node_name_as_written(const struct pass_node *node); /* as written in the pass string */
bool pass_node_is_in_optimization_level(const struct pass_node *node); /* or is a level itself; false for NULL */
/* Reports an error about the node's name. */
void pass_node_add_error(struct pass_string *string, struct pass_node *node, const char *message, const char *hint);

bool text_is_pass_name(const char *text, const char *name); /* equal to the name, or the name followed by <...> */
bool text_is_among_pass_names(const char *text, const char *const *names, size_t count);
