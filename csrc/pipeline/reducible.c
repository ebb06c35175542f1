/* Makes loops reducible for targets that require it, as the last step of a run. */
#include "pipeline/reducible.h"

#include "ir/target.h"
#include "pipeline/verify_changes.h"
#include "transform/loop_entry.h"

coro_status make_loops_reducible_for_target(struct runner *r)
{
  if (!r->run->lowered || !target_needs_reducible_loops(r->run->module))
    return CORO_OK;
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f; f = LLVMGetNextFunction(f)) {
    bool changed = false;
    if (LLVMIsDeclaration(f))
      continue;
    struct coro_arena_mark mark = coro_arena_mark(r->run->arena);
    bool fine = loop_entry_unify(r->run->arena, f, &changed);
    coro_arena_rewind(r->run->arena, mark);
    if (!fine || (changed && !pass_mark_modified(r->run, f)))
      return CORO_ENOMEM;
    if (changed)
      verification_add_change(&r->run->verification, MADE_BY_PYCORO, "coro-cleanup");
  }
  return verify_changes(r, false);
}
