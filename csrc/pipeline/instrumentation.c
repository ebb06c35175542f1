/* Pass instrumentation: report rows, snapshots and callbacks. */
#include "pipeline/instrumentation.h"

#include <stdlib.h>
#include <string.h>

#include "ir/printed.h"

/* Stores the module's text in the report, and compares it with the previous one. */
static bool add_snapshot_to_report(struct runner *r, coro_pass_info *info, const char *ir)
{
  struct coro_arena *arena = coro_report_arena(r->run->report);
  info->before = r->text;
  if (strcmp(ir, r->text) != 0)
    r->text = coro_arena_strndup(arena, ir, strlen(ir));
  info->after = r->text;
  info->changed = info->before == info->after ? CORO_UNCHANGED : CORO_CHANGED;
  return info->after != NULL;
}

static bool wants_snapshots(const struct runner *r)
{
  return r->run->options->snapshots && r->run->report;
}

coro_status instrumentation_take_first_snapshot(struct runner *r)
{
  if (!wants_snapshots(r))
    return CORO_OK;
  char *ir = ir_print_module_as_ascii(r->run->module);
  r->text = ir ? coro_arena_strndup(coro_report_arena(r->run->report), ir, strlen(ir)) : NULL;
  free(ir);
  return r->text ? CORO_OK : CORO_ENOMEM;
}

coro_status instrumentation_after_pass(struct runner *r, coro_pass_info info)
{
  const coro_options *options = r->run->options;
  bool snapshots = wants_snapshots(r), shown = options->after_pass || snapshots;
  char *ir = shown ? ir_print_module_as_ascii(r->run->module) : NULL;
  coro_status status = shown && !ir ? CORO_ENOMEM : CORO_OK;
  if (!status && snapshots && !add_snapshot_to_report(r, &info, ir))
    status = CORO_ENOMEM;
  if (!status && !coro_report_add_pass(r->run->report, &info))
    status = CORO_ENOMEM;
  if (!status && options->after_pass && options->after_pass(options->user, info.name, info.target, ir))
    status = coro_diags_add(r->run->diags, &(coro_diag){.status = CORO_ECALLBACK,
                                                        .rule = "callback",
                                                        .message = "the callback after_pass requested to stop the run",
                                                        .hint = "return 0 from after_pass to continue"});
  free(ir);
  return status;
}
