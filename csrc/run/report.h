/* Adds coroutines, steps, remarks and elisions to the report of a run. pycoro.h has its public interface.
   Requires: base.
   Guarantees: all data is in the report's arena: copied, except for coroutines, whose pointers must be in it already.
   */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "pycoro.h"
#include "sandbox/read.h"

enum elision_state {
  ELISION_VALID,
  ELISION_DOUBTED, /* missed earlier, and its caller is being visited again */
  ELISION_RESOLVED     /* missed earlier, and elided since */
};

struct report_elision {
  coro_elision decision;
  enum elision_state state;
  bool vague; /* missed because inlined destroy code frees the frame: an earlier remark is more specific */
  uint32_t before; /* previous elision in a caller with this hash, plus 1; 0: none */
};

struct coro_report { /* visible to the getters of csrc/api only */
  struct coro_arena *arena;
  CORO_VEC(coro_coroutine_info) coroutines;
  CORO_VEC(coro_pass_info) passes;
  CORO_VEC(coro_remark) remarks;
  CORO_VEC(coro_stage_info) stages;
  CORO_VEC(struct report_elision) elisions;
  struct coro_map callers; /* hash of a name -> its last elision, plus 1 */
  struct ir_source *source; /* source for descriptions that are computed on demand by repeating the run; else NULL */
  const char *ran; /* the run's pass string */
  coro_report *described; /* report of the repeated run, with the descriptions; NULL: none yet, or this one has them */
};

coro_report *coro_report_create(void); /* NULL: out of memory */
struct coro_arena *coro_report_arena(coro_report *report); /* arena for infos passed to it */
/* If `report` is NULL, these do nothing and return true. False: out of memory. */
/* pointers must be in its arena */
bool coro_report_add_coroutine_uncopied(coro_report *report, const coro_coroutine_info *info);
bool coro_report_add_pass(coro_report *report, const coro_pass_info *info); /* name and target are copied */
/* in order of stages */
bool coro_report_add_stage_time(coro_report *report, uint32_t stage, const char *name, double seconds);
bool coro_report_add_remark(coro_report *report, const coro_remark *remark); /* strings are copied */
/* Copies the strings. A performed elision replaces a missed one in the same caller. */
bool coro_report_add_elision(coro_report *report, const coro_elision *elision, bool vague);
/* Call before visiting a function again: its missed elisions may no longer be valid. */
void coro_report_mark_missed_uncertain(coro_report *report, const char *caller);
/* Whether a missed elision repeats one that was marked as doubtful, or is less specific (`vague`). The earlier one
   is then confirmed. */
bool coro_report_confirm_if_already_missed(coro_report *report, const coro_elision *elision, bool vague);
void coro_report_keep_valid_elisions(
    coro_report *report); /* ends the run: drops missed elisions that are resolved or unconfirmed; NULL is allowed */
