/* Collects the report of a run: the data that passes add, in order. */
#include "run/report.h"

#include <stdlib.h>
#include <string.h>

coro_report *coro_report_create(void)
{
  coro_report *report = calloc(1, sizeof *report);
  if (report && (report->arena = coro_arena_create())) {
    coro_map_init(&report->callers, report->arena);
    return report;
  }
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
  coro_report_free(report->described);
  ir_source_free(report->source);
  coro_arena_free(report->arena);
  free(report);
}

/* Replaces texts by copies; NULL becomes an empty text. False: out of memory. */
static bool copy_texts(coro_report *report, const char **const *texts, size_t count)
{
  for (size_t i = 0; i < count; i++)
    *texts[i] = *texts[i] ? coro_arena_strndup(report->arena, *texts[i], strlen(*texts[i])) : "";
  return !coro_arena_failed(report->arena);
}

bool coro_report_add_coroutine_uncopied(coro_report *report, const coro_coroutine_info *info)
{
  return !report || coro_vec_push(report->arena, &report->coroutines, *info);
}

bool coro_report_add_pass(coro_report *report, const coro_pass_info *info)
{
  if (!report)
    return true;
  coro_pass_info own = *info;
  const char **const texts[] = {&own.name, &own.target};
  return copy_texts(report, texts, sizeof texts / sizeof *texts) && coro_vec_push(report->arena, &report->passes, own);
}

bool coro_report_add_stage_time(coro_report *report, uint32_t stage, const char *name, double seconds)
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
  const char **const texts[] = {&own.pass, &own.name, &own.function, &own.message, &own.file};
  return copy_texts(report, texts, sizeof texts / sizeof *texts) && coro_vec_push(report->arena, &report->remarks, own);
}

/* ---- Elisions: indexed by the caller's name ---- */

static uint64_t hash_caller_name(const char *name)
{
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (; *name; name++)
    h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
  return h ? h : 1;
}

static uint64_t last_elision_plus_one_of_caller(const coro_report *report, const char *caller)
{
  uint64_t last = 0;
  coro_map_get(&report->callers, hash_caller_name(caller), &last);
  return last;
}

/* The last missed elision in the caller with this state, of one callee or (NULL) any. */
static struct report_elision *find_missed_elision(coro_report *report, const char *caller, const char *callee,
                                                  enum elision_state state, uint64_t *index_plus_one)
{
  for (; *index_plus_one; *index_plus_one = report->elisions.items[*index_plus_one - 1].before) {
    struct report_elision *e = &report->elisions.items[*index_plus_one - 1];
    if (e->state == state && !e->decision.done && !strcmp(e->decision.caller, caller) &&
        (!callee || !strcmp(e->decision.callee, callee)))
      return e;
  }
  return NULL;
}

void coro_report_mark_missed_uncertain(coro_report *report, const char *caller)
{
  uint64_t at = report ? last_elision_plus_one_of_caller(report, caller) : 0;
  for (struct report_elision *e; at && (e = find_missed_elision(report, caller, NULL, ELISION_VALID, &at)) != NULL;)
    e->state = ELISION_DOUBTED;
}

/* Whether both are at one source location, or, without locations, at instructions with equal text. */
static bool have_same_reason_and_call_site(const coro_elision *one, const coro_elision *other)
{
  bool same = !strcmp(one->reason, other->reason) && one->line == other->line && one->column == other->column;
  return same && !(one->line ? strcmp(one->file, other->file) : strcmp(one->instruction, other->instruction));
}

bool coro_report_confirm_if_already_missed(coro_report *report, const coro_elision *elision, bool vague)
{
  uint64_t at = last_elision_plus_one_of_caller(report, elision->caller);
  struct report_elision *e;
  while ((e = find_missed_elision(report, elision->caller, elision->callee, ELISION_DOUBTED, &at)) != NULL) {
    if ((vague && !e->vague) || have_same_reason_and_call_site(&e->decision, elision)) {
      e->state = ELISION_VALID;
      return true;
    }
    at = e->before;
  }
  return false;
}

/* Marks the last missed elision of the same caller and callee as resolved. */
static void resolve_missed_elision(coro_report *report, const coro_elision *done)
{
  uint64_t at = last_elision_plus_one_of_caller(report, done->caller), from = at;
  struct report_elision *e = find_missed_elision(report, done->caller, done->callee, ELISION_DOUBTED, &at);
  if (!e)
    e = find_missed_elision(report, done->caller, done->callee, ELISION_VALID, &from);
  if (e)
    e->state = ELISION_RESOLVED;
}

bool coro_report_add_elision(coro_report *report, const coro_elision *elision, bool vague)
{
  if (!report)
    return true;
  if (elision->done)
    resolve_missed_elision(report, elision);
  struct report_elision own = {*elision, ELISION_VALID, vague,
                               (uint32_t)last_elision_plus_one_of_caller(report, elision->caller)};
  coro_elision *decision = &own.decision;
  const char **const texts[] = {&decision->caller, &decision->callee,      &decision->pass, &decision->reason,
                                &decision->block,  &decision->instruction, &decision->file, &decision->creation_file};
  return copy_texts(report, texts, sizeof texts / sizeof *texts) &&
         coro_vec_push(report->arena, &report->elisions, own) &&
         coro_map_put(&report->callers, hash_caller_name(elision->caller), report->elisions.count);
}

void coro_report_keep_valid_elisions(coro_report *report)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; report && i < report->elisions.count; i++)
    if (report->elisions.items[i].state == ELISION_VALID)
      report->elisions.items[kept++] = report->elisions.items[i];
  if (report)
    report->elisions.count = kept;
}
