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
  PASS_LLVM = PASS_COUNT, /* neither one of pycoro's nor of the caller's */
  PASS_CALLERS
};

enum pass_level { LEVEL_MODULE, LEVEL_CGSCC, LEVEL_FUNCTION };

struct pass_row {
  const char *name;
  enum pass_level level;
};
extern const struct pass_row pass_table[PASS_COUNT];

struct pipe_callers { /* the passes of the caller's that a pass string may name */
  const coro_custom_pass *passes;
  size_t count;
};

struct pipe_node {
  const char *text; /* the name, its <...> included */
  uint32_t at;      /* where it starts in the pass string */
  enum pass_id pass;
  const coro_custom_pass *callers; /* of PASS_CALLERS */
  bool reuse_storage;              /* of coro-split */
  bool holds_ours;                 /* it or something inside its parentheses is a pass that LLVM does not run */
  bool group;                      /* parentheses follow */
  struct pipe_node *parent, *first, *last, *next;
};

/* *root is a group without a name that holds the elements. An empty string is an empty group. EPIPELINE, ENOMEM. */
coro_status pipe_parse(struct pipe_node **root, struct coro_arena *arena, const char *text,
                       const struct pipe_callers *callers, coro_diags *diags);
enum pass_level pipe_level_of(const struct pipe_node *node); /* of one that is not PASS_LLVM */
const char *pipe_parameters(struct coro_arena *arena, const struct pipe_node *node); /* "" where it has none */
/* Appends the diagnostic for something wrong at `at` and returns EPIPELINE. */
coro_status pipe_error(struct coro_arena *arena, coro_diags *diags, uint32_t at, const char *message, const char *hint);

bool pipe_is_named(const char *text, const char *name); /* the name alone, or followed by <...> */
bool pipe_is_among(const char *text, const char *const *names, size_t count);

#endif
