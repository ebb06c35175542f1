/* A report: what a run found and did, in the order in which it was added.
   Needs: base. Leaves: every string and info in the report's own arena. */
#include "coro/report.h"

#include <stdlib.h>
#include <string.h>

coro_report *coro_report_create(void)
{
  coro_report *report = calloc(1, sizeof *report);
  if (report && (report->arena = coro_arena_create()))
    return report;
  free(report);
  return NULL;
}

struct coro_arena *coro_report_arena(coro_report *report)
{
  return report->arena;
}

void coro_report_free(coro_report *report)
{
  if (!report)
    return;
  coro_arena_free(report->arena);
  free(report);
}

static const char *copy(coro_report *report, const char *text)
{
  return text ? coro_arena_strndup(report->arena, text, strlen(text)) : "";
}

bool coro_report_add_coroutine(coro_report *report, const coro_coroutine_info *info)
{
  return !report || coro_vec_push(report->arena, &report->coroutines, *info);
}

bool coro_report_add_pass(coro_report *report, const coro_pass_info *info)
{
  if (!report)
    return true;
  coro_pass_info pass = *info;
  pass.name = copy(report, info->name);
  pass.target = copy(report, info->target);
  return pass.name && pass.target && coro_vec_push(report->arena, &report->passes, pass);
}

bool coro_report_add_time(coro_report *report, uint32_t stage, const char *name, double seconds)
{
  if (!report)
    return true;
  if (stage == report->stages.count)
    return coro_vec_push(report->arena, &report->stages, ((coro_stage_info){name, seconds}));
  report->stages.items[stage].seconds += seconds;
  return true;
}

bool coro_report_add_remark(coro_report *report, const coro_remark *remark)
{
  if (!report)
    return true;
  coro_remark own = *remark;
  own.pass = copy(report, remark->pass);
  own.name = copy(report, remark->name);
  own.function = copy(report, remark->function);
  own.message = copy(report, remark->message);
  return own.pass && own.name && own.function && own.message && coro_vec_push(report->arena, &report->remarks, own);
}
