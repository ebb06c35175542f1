/* Reading of pass strings, in LLVM's grammar: elements parted by commas, each a name with an optional <...> and an
   optional (...) of elements.
   Needs: string. Leaves: a tree in the arena. */
#ifndef CORO_PIPELINE_PARSE_H
#define CORO_PIPELINE_PARSE_H

#include "pipeline/string.h"

enum pass_id {
#define CORO_PASS(name, text, level) PASS_##name,
#include "pass/passes.def"
  PASS_COUNT,
  PASS_LLVM = PASS_COUNT, /* neither one of pycoro's nor of the caller's */
  PASS_CALLERS
};

enum pass_level { LEVEL_MODULE, LEVEL_CGSCC, LEVEL_FUNCTION };

struct pass_row {
  const char *name;
  enum pass_level level;
};
extern const struct pass_row pass_table[PASS_COUNT];

struct pipe_node {
  const char *text; /* the name, its <...> included; of a level, that of the group which its passes stand in */
  const char *level; /* default<O2> or its like, where the element is one: what follows is what it stands for */
  uint32_t at;      /* where it starts in the pass string */
  enum pass_id pass;
  const coro_custom_pass *callers; /* of PASS_CALLERS */
  bool reuse_storage;              /* of coro-split */
  bool spare_debug;                /* but not where there is debug information */
  uint64_t elided_bytes;           /* of coro-elide and coro-annotation-elide: max-frame-bytes */
  bool holds_ours;                 /* it or something inside its parentheses is a pass that LLVM does not run */
  bool group;                      /* parentheses follow */
  bool wrong;                      /* it has been told of */
  uint32_t number;                 /* in the order of the string; pipe_plan sets it */
  struct pipe_node *parent, *first, *last, *next;
};

/* A group without a name that holds the elements. An empty string is an empty group. NULL where the string has no such
   tree, or memory ran out; whatever else is wrong with it is in `string` too. */
struct pipe_node *pipe_parse(struct pipe_string *string);
enum pass_level pipe_level_of(const struct pipe_node *node); /* of one that is not PASS_LLVM */
const char *pipe_parameters(struct coro_arena *arena, const struct pipe_node *node); /* "" where it has none */

const char *pipe_name(const struct pipe_node *node); /* as it stands in the pass string */
bool pipe_is_in_level(const struct pipe_node *node); /* or is one itself; NULL is not */
/* Something that is wrong with the node's name. */
void pipe_wrong_node(struct pipe_string *string, struct pipe_node *node, const char *message, const char *hint);

bool pipe_is_named(const char *text, const char *name); /* the name alone, or followed by <...> */
bool pipe_is_among(const char *text, const char *const *names, size_t count);

#endif
