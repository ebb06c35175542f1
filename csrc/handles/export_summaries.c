/* Adds second aliases of exported f.noalloc, whose names tell other modules the handle summary (handle_summary.h). */
#include "handles/export_summaries.h"

#include <string.h>

#include "emit/declare.h"
#include "handles/exceptional_exits.h"
#include "handles/handle_summary.h"
#include "handles/noalloc.h"
#include "ir/edit.h"

/* The exported name of f.noalloc; NULL: not exported. */
static const char *name_of_exported_noalloc_or_null(struct pass_run *run, const struct ramp *ramp,
                                                    LLVMValueRef *noalloc)
{
  struct clones clones;
  *noalloc = noalloc_of_id(run, ramp->id, &clones);
  if (!*noalloc)
    return NULL;
  const char *name = exported_noalloc_name(run->arena, ramp->clones.coroutine, clones.frame_size, clones.frame_align);
  LLVMValueRef alias = name ? LLVMGetNamedGlobalAlias(run->module, name, strlen(name)) : NULL;
  return alias && LLVMAliasGetAliasee(alias) == *noalloc ? name : NULL;
}

static bool export_summary_as_noalloc_alias(struct handle_effects *callees, const struct ramp *known, bool *changed)
{
  struct pass_run *run = callees->run;
  struct ramp ramp = *known;
  struct trace trace;
  struct exceptional_exits exits;
  LLVMValueRef noalloc;
  bool private_frame;
  const char *exported_name = name_of_exported_noalloc_or_null(run, &ramp, &noalloc);
  if (!exported_name || !ramp.uses_coro_alloc)
    return !coro_arena_failed(run->arena);
  exceptional_exits_init(&exits, run, ramp.clones.coroutine);
  handle_effects_init_trace(callees, callees->run, &trace, ramp.clones.coroutine);
  if (!check_resume_keeps_frame_private(&trace, &ramp.clones, &private_frame))
    return false;
  ramp.clones.keeps_frame_private = private_frame;
  ramp.clones.no_exceptional_exit = resume_never_exits_exceptionally(&exits, &ramp.clones);
  const char *summary = handle_summary_encode(run->arena, &ramp);
  const char *name = summary ? exported_name_with_summary(run->arena, exported_name, summary) : NULL;
  if (!name)
    return false;
  if (edit_is_symbol_name_in_use(run->module, name))
    return true;
  declare_exported_noalloc_alias(ramp.clones.coroutine, noalloc, name);
  *changed = true;
  return true;
}

bool export_handle_summaries_as_aliases(struct pass_run *run, bool *changed)
{
  struct handle_effects callees;
  struct ramps ramps;
  const struct ramp *ramp;
  handle_effects_init(&callees, run);
  ramps_init(&ramps, &callees);
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) || !edit_has_string_attribute(f, DECLARE_PUBLISH))
      continue;
    if (!find_summary_of_ramp(&ramps, f, &ramp) || (ramp && !export_summary_as_noalloc_alias(&callees, ramp, changed)))
      return false;
  }
  return true;
}
