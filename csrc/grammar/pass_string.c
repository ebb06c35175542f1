/* Collects the errors of a pass string, and reports them as diagnostics. */
#include "grammar/pass_string.h"

enum { MAX_PROBLEMS = 20 };

void pass_string_add_error(struct pass_string *string, uint32_t at, uint32_t length, const char *message,
                           const char *hint)
{
  struct pass_string_error problem = {at, length, NULL, hint};
  problem.message =
      message ? coro_arena_printf(string->arena, "%s (at character %u of the pass string)", message, (unsigned)at + 1)
              : NULL;
  if (problem.message && string->problems.count < MAX_PROBLEMS)
    (void)coro_vec_push(string->arena, &string->problems, problem); /* the arena records the failure */
}

static void sort_errors_by_position(struct pass_string *string)
{
  struct pass_string_error *items = string->problems.items;
  for (uint32_t i = 1; i < string->problems.count; i++)
    for (uint32_t k = i; k > 0 && items[k].at < items[k - 1].at; k--) {
      struct pass_string_error earlier = items[k];
      items[k] = items[k - 1];
      items[k - 1] = earlier;
    }
}

coro_status pass_string_add_diagnostics(struct pass_string *string, coro_diags *diags)
{
  if (coro_arena_failed(string->arena))
    return CORO_ENOMEM;
  sort_errors_by_position(string);
  for (uint32_t i = 0; i < string->problems.count; i++) {
    const struct pass_string_error *problem = &string->problems.items[i];
    coro_diag diag = {.status = CORO_EPIPELINE, .rule = "pass-string", .message = problem->message};
    diag.hint = problem->hint;
    diag.passes = string->text;
    diag.at = problem->at;
    diag.length = problem->length;
    if (coro_diags_add(diags, &diag) == CORO_ENOMEM)
      return CORO_ENOMEM;
  }
  return string->problems.count ? CORO_EPIPELINE : CORO_OK;
}
