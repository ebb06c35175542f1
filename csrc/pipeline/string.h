/* A pass string, and all that is wrong with it.
   Needs: base. Leaves: diagnostics in the order of the string. */
#ifndef CORO_PIPELINE_STRING_H
#define CORO_PIPELINE_STRING_H

#include "base/vec.h"
#include "pycoro.h"

struct pipe_callers { /* the passes of the caller's that a pass string may name */
  const coro_custom_pass *passes;
  size_t count;
};

struct pipe_problem {
  uint32_t at, length; /* of what is wrong */
  const char *message, *hint;
};

struct pipe_string {
  struct coro_arena *arena;
  const char *text;
  const char *triple; /* of the module that it is for; NULL: not known */
  struct pipe_callers callers;
  bool expand; /* its canonical spelling has the passes of levels, and not their names */
  CORO_VEC(struct pipe_problem) problems;
};

/* `length` characters from `at` on are wrong; 0: something is missing there. A message that is NULL is memory that ran
   out. */
void pipe_wrong(struct pipe_string *string, uint32_t at, uint32_t length, const char *message, const char *hint);
/* EPIPELINE and a diagnostic for each thing that is wrong, up to twenty; ENOMEM; OK. */
coro_status pipe_tell(struct pipe_string *string, coro_diags *diags);

#endif
