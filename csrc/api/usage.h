/* Usage: what every function of pycoro.h says where it is called as it cannot be. One that takes no diagnostics returns
   CORO_EUSAGE itself.
   Needs: nothing. Leaves: CORO_EUSAGE, and the reason in the diagnostics. */
#ifndef CORO_API_USAGE_H
#define CORO_API_USAGE_H

#include "base/diag.h"

/* `what` is a sentence that says what is needed. Returns EUSAGE. */
static inline coro_status usage_missing(const char *what, coro_diags *diags)
{
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE, .rule = "missing-argument", .message = what});
}

/* Of options whose version is not the one that this library knows; `init` is the macro to start from. */
static inline coro_status usage_version(const char *init, coro_diags *diags)
{
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE,
                                            .rule = "options-version",
                                            .message = "the options are of a version that is not known",
                                            .hint = init});
}

/* Of what is done with a module for good, where a pass was lent it. */
static inline coro_status usage_lent(coro_diags *diags)
{
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE,
                                            .rule = "lent-module",
                                            .message = "the module is lent to a pass, and not its to give away",
                                            .hint = "use a copy of it"});
}

/* Of a run or a call whose caller said so. */
static inline coro_status usage_interrupted(coro_diags *diags)
{
  return coro_diags_add(
      diags, &(coro_diag){.status = CORO_ECALLBACK, .rule = "callback", .message = "the run was interrupted"});
}

/* What a place was given for is nothing until it is there. */
#define USAGE_NOTHING_YET(place) ((place) ? (void)(*(place) = 0) : (void)0)

#endif
