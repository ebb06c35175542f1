/* Filling of a report; the public half is in pycoro.h.
   Needs: base. Leaves: everything copied into the report's own arena. */
#ifndef CORO_CORO_REPORT_H
#define CORO_CORO_REPORT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/read.h"
#include "pycoro.h"

enum elision_state {
  ELISION_STANDS,
  ELISION_DOUBTED, /* it was refused, and its caller is looked at again */
  ELISION_OVER     /* it was refused, and is done since */
};

struct report_elision {
  coro_elision told;
  enum elision_state state;
  bool vague; /* refused where destroying, inlined by now, frees the frame: an earlier refusal says more */
  uint32_t before; /* the one before of a caller whose name has the same hash, plus 1; 0: there is none */
};

struct coro_report { /* open for the getters of csrc/api only */
  struct coro_arena *arena;
  CORO_VEC(coro_coroutine_info) coroutines;
  CORO_VEC(coro_pass_info) passes;
  CORO_VEC(coro_remark) remarks;
  CORO_VEC(coro_stage_info) stages;
  CORO_VEC(struct report_elision) elisions;
  struct coro_map callers; /* hash of a name -> its last elision, plus 1 */
  struct ir_source *source; /* what the run has left to be found out about coroutines, by it again; else NULL */
  const char *ran;          /* its pass string */
  coro_report *described;   /* what was found out then; NULL: it was not asked for, or is in this one */
};

coro_report *coro_report_create(void);                          /* NULL: memory ran out */
struct coro_arena *coro_report_arena(coro_report *report);      /* where infos handed to it must live */
/* These take `report` NULL as "nobody wants it" and return false only when memory ran out. */
bool coro_report_add_coroutine(coro_report *report, const coro_coroutine_info *info); /* pointers in its arena */
bool coro_report_add_pass(coro_report *report, const coro_pass_info *info); /* name and target are copied */
bool coro_report_add_time(coro_report *report, uint32_t stage, const char *name, double seconds); /* stages in order */
bool coro_report_add_remark(coro_report *report, const coro_remark *remark); /* strings are copied */
/* Strings are copied. One that is done takes the place of one that was refused in the same caller. */
bool coro_report_add_elision(coro_report *report, const coro_elision *elision, bool vague);
/* The function is about to be looked at again: what was refused in it need not be true any more. */
void coro_report_doubt_refusals(coro_report *report, const char *caller);
/* Whether what is refused again was refused before and doubted since: the same, or, where this one is vague, with more
   to say. Then that one stands. */
bool coro_report_stands(coro_report *report, const coro_elision *elision, bool vague);
void coro_report_finish(coro_report *report); /* the run is over: what does not stand goes; NULL is fine */

#endif
