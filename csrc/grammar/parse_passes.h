/* Parser for pass strings in LLVM's grammar: elements separated by commas, each a name with an optional <...> and an
   optional (...) of elements.
   Requires: pass_string.
   Guarantees: a tree in the arena. */
#ifndef CORO_GRAMMAR_PARSE_PASSES_H
#define CORO_GRAMMAR_PARSE_PASSES_H

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

struct pipe_node {
  const char *text; /* the name with its <...>; of a level: the name of the group that its passes are in */
  const char *level; /* default<O2> or the like, if the element is a level; the children are its passes */
  uint32_t at; /* offset in the pass string */
  enum pass_id pass;
  const coro_custom_pass *client; /* for PASS_CLIENT */
  uint64_t parameter; /* value of its parameter, by the rows of run/passes.def */
  bool has_pycoro_pass; /* it is, or contains, a pass that LLVM does not run */
  bool group; /* has parentheses */
  bool wrong; /* an error was reported */
  uint32_t number; /* in preorder; set by pipe_plan */
  struct pipe_node *parent, *first, *last, *next;
};

/* Returns an unnamed group with the elements; empty for an empty string. NULL if the string has no parse tree, or
   out of memory; other errors are reported in `string`. */
struct pipe_node *pipe_parse(struct pipe_string *string);
enum pass_level pipe_ir_unit_of_pass(const struct pipe_node *node); /* not for PASS_LLVM */
const char *pipe_parameters_of_pass(struct coro_arena *arena, const struct pipe_node *node); /* "" if it has none */

const char *pipe_name_of_node(const struct pipe_node *node); /* as written in the pass string */
bool pipe_is_inside_optimization_level(const struct pipe_node *node); /* or is a level itself; false for NULL */
/* Reports an error about the node's name. */
void pipe_add_error_at_node(struct pipe_string *string, struct pipe_node *node, const char *message, const char *hint);

bool pipe_text_is_pass_name(const char *text, const char *name); /* equal to the name, or the name followed by <...> */
bool pipe_text_is_among_names(const char *text, const char *const *names, size_t count);

#endif
