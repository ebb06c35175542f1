/* The public view of a report.
   Needs: coro/report. Leaves: the report as it was. */
#include "coro/report.h"

size_t coro_report_coroutine_count(const coro_report *report)
{
  return report->coroutines.count;
}

const coro_coroutine_info *coro_report_coroutine(const coro_report *report, size_t index)
{
  return index < report->coroutines.count ? &report->coroutines.items[index] : NULL;
}

size_t coro_report_pass_count(const coro_report *report)
{
  return report->passes.count;
}

const coro_pass_info *coro_report_pass(const coro_report *report, size_t index)
{
  return index < report->passes.count ? &report->passes.items[index] : NULL;
}

size_t coro_report_remark_count(const coro_report *report)
{
  return report->remarks.count;
}

const coro_remark *coro_report_remark(const coro_report *report, size_t index)
{
  return index < report->remarks.count ? &report->remarks.items[index] : NULL;
}
