/* coro-annotation-elide: visits a split coroutine, and changes the calls of it that are marked coro_elide_safe and are
   in unsplit coroutines. They call f.noalloc, with a frame inside the caller's frame, and get alwaysinline. coro-early
   calls it for imported coroutines.
   Requires: the callee has f.noalloc.
   Guarantees: such calls call f.noalloc. */
#include <stdlib.h>

#include "elide/elision_report.h"
#include "handles/awaiter_attributes.h"
#include "handles/elided_frame.h"
#include "handles/imported_coroutines.h"
#include "handles/noalloc.h"
#include "ir/edit.h"
#include "run/intrinsic_calls.h"
#include "run/passes.h"
#include "transform/tailcall.h"

struct site {
  LLVMValueRef call, caller;
  bool presplit; /* the caller is an unsplit coroutine */
  uint64_t position; /* program order for marked calls in presplit callers; all others come first */
  bool rare;
  uint32_t use; /* position in the use list: larger means created earlier */
};

struct site_elide {
  struct pass_run *run;
  LLVMValueRef callee, noalloc;
  struct clones clones; /* layout of the callee's frame */
  LLVMValueRef prepared; /* the last caller without `tail` markers and with attributes of awaiters */
  bool changed;
};

static int compare_call_sites(const void *a, const void *b)
{
  const struct site *x = a, *y = b;
  return x->position != y->position ? (x->position > y->position) - (x->position < y->position)
                                    : (x->use < y->use) - (x->use > y->use);
}

/* Finds the calls by the callee's use list, without scanning other functions. */
static bool list_sorted_calls_of_callee(struct site_elide *e, struct site **sites, uint32_t *count)
{
  CORO_VEC(struct site) found = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(e->callee); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!edit_is_call_of(user, e->callee))
      continue;
    LLVMValueRef caller = edit_function_of(user);
    bool presplit = edit_is_presplit_definition(caller);
    uint64_t known = 0;
    if (presplit) /* splitting may have replaced calls */
      coro_map_get(&e->run->annotated_frequency, coro_map_key(user), &known);
    struct site site = {user, caller, presplit, known / 2, known % 2, found.count};
    if (!coro_vec_push(e->run->arena, &found, site))
      return false;
  }
  if (found.count)
    qsort(found.items, found.count, sizeof *found.items, compare_call_sites);
  *sites = found.items;
  *count = found.count;
  return true;
}

static coro_status elide_call_site(struct site_elide *e, const struct site *site)
{
  LLVMValueRef own;
  if (!pass_mark_modified(e->run, site->caller) ||
      !elide_ramp_call_by_noalloc_call(e->run, site->call, e->noalloc, &e->clones, &own))
    return CORO_ENOMEM;
  /* Inlining exposes the handle; the ramp is little more than the stores of the frame's header. */
  if (!edit_has_function_attribute(own, "noinline"))
    edit_add_function_attribute(own, "alwaysinline");
  bool fine = true;
  if (site->caller != e->prepared) {
    (void)tailcall_remove_tail_markers(site->caller);
    fine = awaiter_attributes_infer(e->run, site->caller, &e->changed);
  }
  e->prepared = site->caller;
  e->changed = true;
  return fine ? CORO_OK : CORO_ENOMEM;
}

/* The reason why the call keeps its allocation; NULL: it does not. */
static const char *elision_obstacle(const struct site_elide *e, const struct site *site, const char **remark_name)
{
  *remark_name = "CoroAnnotationElide";
  if (!site->presplit)
    return "the caller is not a coroutine, or has been split already";
  if (!edit_has_function_attribute(site->call, "coro_elide_safe"))
    return "the call is not marked coro_elide_safe";
  if (LLVMGetCalledFunctionType(site->call) != LLVMGlobalGetValueType(e->callee))
    return "the type of the call differs from the type of its definition";
  if (!e->clones.frame_size)
    return "its frame size is unknown";
  if (tailcall_is_musttail(site->call))
    return "the call is a musttail call";
  if (!site->rare)
    return elided_frame_limit_excess_reason(e->run, &e->clones, site->caller);
  *remark_name = "CoroAnnotationElideUnlikely";
  return "the call is rarely executed";
}

static coro_status elide_call_if_possible_and_report(struct site_elide *e, const struct site *site)
{
  const char *remark, *obstacle = elision_obstacle(e, site, &remark);
  struct elision_decision decision = {.pass = "coro-annotation-elide",
                                      .name = remark,
                                      .caller = site->caller,
                                      .clones = &e->clones,
                                      .creation = site->call,
                                      .at = site->call,
                                      .reason = obstacle ? obstacle : "the call is marked coro_elide_safe",
                                      .done = !obstacle};
  bool requested = edit_has_function_attribute(site->call, "coro_elide_safe");
  if (!(requested ? elision_report(e->run, &decision) : elision_report_remark_only(e->run, &decision)))
    return CORO_ENOMEM;
  return obstacle ? CORO_OK : elide_call_site(e, site);
}

/* Finds f.noalloc of a split coroutine of this module, or the exported one of another module. */
static coro_status find_noalloc_of_coroutine(struct site_elide *e)
{
  if (is_imported_coroutine(e->callee))
    return imported_noalloc_declare(e->run, e->callee, &e->clones, &e->noalloc);
  e->noalloc = LLVMIsDeclaration(e->callee) ? NULL : noalloc_of_ramp(e->run, e->callee, &e->clones);
  return coro_arena_failed(e->run->arena) ? CORO_ENOMEM : CORO_OK;
}

coro_status coro_pass_annotation_elide(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  struct site_elide e = {.run = run, .callee = function, .clones.coroutine = function};
  struct site *sites;
  uint32_t count;
  coro_status status = find_noalloc_of_coroutine(&e);
  if (status || !e.noalloc)
    return status;
  if (!list_sorted_calls_of_callee(&e, &sites, &count))
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < count && !status; i++)
    status = elide_call_if_possible_and_report(&e, &sites[i]);
  *changed |= e.changed;
  return status;
}
