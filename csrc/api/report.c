/* Public accessors of reports.
   Requires: run/report. Guarantees: only coro_report_describe changes the report. */
#include "run/report.h"

#include "api/module.h"

coro_status coro_report_describe(coro_report *report, coro_diags *diags)
{
  if (!report || !report->source)
    return CORO_OK;
  coro_options options = CORO_OPTIONS_INIT;
  options.in_place = true;
  coro_module *module = coro_module_reread(report->source);
  coro_status status = module ? coro_run(module, report->ran, &options, &report->described, diags) : CORO_ENOMEM;
  coro_module_free(module);
  if (status)
    return status;
  ir_source_free(report->source);
  report->source = NULL;
  return CORO_OK;
}

static const coro_report *described_report_or_itself(const coro_report *report)
{
  return report && report->described ? report->described : report;
}

size_t coro_report_coroutine_count(const coro_report *report)
{
  return report ? described_report_or_itself(report)->coroutines.count : 0;
}

const coro_coroutine_info *coro_report_coroutine(const coro_report *report, size_t index)
{
  report = described_report_or_itself(report);
  return report && index < report->coroutines.count ? &report->coroutines.items[index] : NULL;
}

/* The getters of an array of the report. */
#define REPORT_ARRAY(name, type, array)                                                                                \
  size_t coro_report_##name##_count(const coro_report *report)                                                         \
  {                                                                                                                    \
    return report ? report->array.count : 0;                                                                           \
  }                                                                                                                    \
  const type *coro_report_##name(const coro_report *report, size_t index)                                              \
  {                                                                                                                    \
    return report && index < report->array.count ? &report->array.items[index] : NULL;                                 \
  }

REPORT_ARRAY(pass, coro_pass_info, passes)
REPORT_ARRAY(stage, coro_stage_info, stages)
REPORT_ARRAY(remark, coro_remark, remarks)

size_t coro_report_elision_count(const coro_report *report)
{
  return report ? report->elisions.count : 0;
}

const coro_elision *coro_report_elision(const coro_report *report, size_t index)
{
  return report && index < report->elisions.count ? &report->elisions.items[index].decision : NULL;
}
