/* Filling of a report; the public half is in pycoro.h.
   Needs: base. Leaves: everything copied into the report's own arena. */
#ifndef CORO_CORO_REPORT_H
#define CORO_CORO_REPORT_H

#include "base/arena.h"
#include "base/vec.h"
#include "pycoro.h"

struct coro_report { /* open for the getters of csrc/api only */
  struct coro_arena *arena;
  CORO_VEC(coro_coroutine_info) coroutines;
  CORO_VEC(coro_pass_info) passes;
  CORO_VEC(coro_remark) remarks;
  CORO_VEC(coro_stage_info) stages;
};

coro_report *coro_report_create(void);                          /* NULL: memory ran out */
struct coro_arena *coro_report_arena(coro_report *report);      /* where infos handed to it must live */
/* These take `report` NULL as "nobody wants it" and return false only when memory ran out. */
bool coro_report_add_coroutine(coro_report *report, const coro_coroutine_info *info); /* pointers in its arena */
bool coro_report_add_pass(coro_report *report, const coro_pass_info *info); /* name and target are copied */
bool coro_report_add_time(coro_report *report, uint32_t stage, const char *name, double seconds); /* stages in order */
bool coro_report_add_remark(coro_report *report, const coro_remark *remark); /* strings are copied */

#endif
