/* Reading of pass strings, in LLVM's grammar: elements parted by commas, each a name with an optional <...> and an
   optional (...) of elements.
   Needs: base. Leaves: a tree in the arena. */
#ifndef CORO_PIPELINE_PARSE_H
#define CORO_PIPELINE_PARSE_H

#include "base/arena.h"
#include "pycoro.h"

enum pass_id {
#define CORO_PASS(name, text, level) PASS_##name,
#include "pass/passes.def"
  PASS_COUNT,
  PASS_LLVM = PASS_COUNT /* not one of pycoro's */
};

enum pass_level { LEVEL_MODULE, LEVEL_CGSCC, LEVEL_FUNCTION };

struct pass_row {
  const char *name;
  enum pass_level level;
};
extern const struct pass_row pass_table[PASS_COUNT];

struct pipe_node {
  const char *text; /* the name, its <...> included */
  uint32_t at;      /* where it starts in the pass string */
  enum pass_id pass;
  bool reuse_storage; /* of coro-split */
  bool holds_ours;    /* it or something inside its parentheses is one of pycoro's passes */
  bool group;         /* parentheses follow */
  struct pipe_node *parent, *first, *last, *next;
};

/* *root is a group without a name that holds the elements. An empty string is an empty group. EPIPELINE, ENOMEM. */
coro_status pipe_parse(struct pipe_node **root, struct coro_arena *arena, const char *text, coro_diags *diags);
/* Appends the diagnostic for something wrong at `at` and returns EPIPELINE. */
coro_status pipe_error(struct coro_arena *arena, coro_diags *diags, uint32_t at, const char *message, const char *hint);

bool pipe_is_named(const char *text, const char *name); /* the name alone, or followed by <...> */
bool pipe_is_among(const char *text, const char *const *names, size_t count);

#endif
