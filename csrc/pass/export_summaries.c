/* Exports handle summaries: what other modules may know about the handles of this module's coroutines.
   Requires: ramp, told.
   Guarantees: aliases of f.noalloc, with the summary in their names. */
#include "pass/export_summaries.h"

#include <string.h>

#include "emit/declare.h"
#include "ir/edit.h"
#include "ir/lowering_variable.h"
#include "pass/exceptional_exits.h"
#include "pass/handle_summary.h"
#include "pass/noalloc.h"

/* The exported name of f.noalloc; NULL: not exported. */
static const char *published_as(struct pass_run *run, const struct ramp *ramp, LLVMValueRef *noalloc)
{
  struct parts parts;
  *noalloc = noalloc_named(run, ramp->id, &parts);
  if (!*noalloc)
    return NULL;
  const char *name = declare_exported_name(run->arena, ramp->parts.coroutine, parts.frame_size, parts.frame_align);
  LLVMValueRef alias = name ? LLVMGetNamedGlobalAlias(run->module, name, strlen(name)) : NULL;
  return alias && LLVMAliasGetAliasee(alias) == *noalloc ? name : NULL;
}

static bool publish(struct callees *callees, const struct ramp *known, bool *changed)
{
  struct pass_run *run = callees->run;
  struct ramp ramp = *known;
  struct trace trace;
  struct leaving leaving;
  LLVMValueRef noalloc;
  bool private_frame;
  const char *published = published_as(run, &ramp, &noalloc);
  if (!published || !ramp.asks)
    return !coro_arena_failed(run->arena);
  exceptional_exits_init(&leaving, run, ramp.parts.coroutine);
  handle_effects_trace(callees, callees->run, &trace, ramp.parts.coroutine);
  if (!resume_keeps_frame_private(&trace, &ramp.parts, &private_frame))
    return false;
  ramp.parts.keeps_frame_private = private_frame;
  ramp.parts.no_exceptional_exit = resume_never_exits_exceptionally(&leaving, &ramp.parts);
  const char *told = handle_summary_encode(run->arena, &ramp);
  const char *name = told ? declare_summary_name(run->arena, published, told) : NULL;
  if (!name)
    return false;
  if (lowering_variable_name_in_use(run->module, name))
    return true;
  declare_alias(ramp.parts.coroutine, noalloc, name);
  *changed = true;
  return true;
}

bool export_handle_summaries(struct pass_run *run, bool *changed)
{
  struct callees callees;
  struct ramps ramps;
  const struct ramp *ramp;
  handle_effects_init(&callees, run);
  ramps_init(&ramps, &callees);
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) || !edit_has_string_attribute(f, DECLARE_PUBLISH))
      continue;
    if (!ramp_of(&ramps, f, &ramp) || (ramp && !publish(&callees, ramp, changed)))
      return false;
  }
  return true;
}
