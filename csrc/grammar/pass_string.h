/* Collects the errors of a pass string, and reports them as diagnostics.
   Requires: base.
   Guarantees: diagnostics in string order. */
#pragma once

#include "base/vec.h"
#include "pycoro.h"

struct pipeline_client_passes { /* the client's passes that a pass string may name */
  const coro_custom_pass *passes;
  size_t count;
};

struct pass_string_error {
  uint32_t at, length; /* range of the error */
  const char *message, *hint;
};

struct pass_string {
  struct coro_arena *arena;
  const char *text;
  const char *triple; /* target triple of the module; NULL: unknown */
  struct pipeline_client_passes clients;
  bool expand; /* its canonical spelling lists the passes of levels */
  CORO_VEC(struct pass_string_error) problems;
};

/* Records an error in `length` characters at `at`; 0: something is missing there. A NULL message means out of
   memory. */
void pass_string_add_error(struct pass_string *string, uint32_t at, uint32_t length, const char *message,
                           const char *hint);
/* EPIPELINE and a diagnostic for each error, up to twenty; ENOMEM; OK. */
coro_status pass_string_add_diagnostics(struct pass_string *string, coro_diags *diags);
