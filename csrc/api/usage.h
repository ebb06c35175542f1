/* Diagnostics for invalid arguments of the public functions. A function without a `diags` parameter returns CORO_EUSAGE
   directly.
   Requires: nothing. Guarantees: CORO_EUSAGE, with the reason in the diagnostics. */
#pragma once

#include "base/diag.h"

/* `what` is the message. Returns EUSAGE. */
static inline coro_status usage_missing(const char *what, coro_diags *diags)
{
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE, .rule = "missing-argument", .message = what});
}

/* Rejects an unknown options version; `init` names the initializer macro. */
static inline coro_status usage_version(const char *init, coro_diags *diags)
{
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE,
                                            .rule = "options-version",
                                            .message = "the options have an unknown version",
                                            .hint = init});
}

/* Rejects operations that dispose of a module that is lent to a pass. */
static inline coro_status usage_module_in_use(coro_diags *diags)
{
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE,
                                            .rule = "lent-module",
                                            .message = "the module is lent to a pass, which must not dispose of it",
                                            .hint = "clone the module first"});
}

/* Reports a run or call that its `interrupted` callback stopped. */
static inline coro_status usage_interrupted(coro_diags *diags)
{
  return coro_diags_add(
      diags, &(coro_diag){.status = CORO_ECALLBACK, .rule = "callback", .message = "the run was interrupted"});
}

/* Output parameters are NULL or 0 until the function succeeds. */
#define USAGE_CLEAR_OUTPUT(place) ((place) ? (void)(*(place) = 0) : (void)0)
