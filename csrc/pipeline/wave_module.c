/* Runs LLVM's passes on the few functions of a late CGSCC wave in a work module, independent of the module's size. */
#include "pipeline/wave_module.h"

#include "cgscc/dead_functions.h"
#include "cgscc/wave_references.h"
#include "cgscc/work_declaration.h"

enum { MAX_ALIAS_WAVES = 8 }; /* number of waves that may use globals-aa, which scans the whole module */

static bool is_any_in_other_address_space(const pass_values *functions)
{
  for (uint32_t i = 0; i < functions->count; i++)
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(functions->items[i])))
      return true;
  return false;
}

bool wave_module_can_run_step(struct runner *r, const struct pipeline_step *step)
{
  if (!r->waves || !step->local || !(r->waves->is_small_wave || r->waves->restricted))
    return false;
  if (step->plain && r->waves->count <= MAX_ALIAS_WAVES && waves_use_internal_variables(r->waves))
    return false;
  struct coro_arena_mark mark = coro_arena_mark(r->run->arena);
  pass_values functions = {0};
  bool applies = waves_list_functions(r->waves, r->run->arena, &functions) &&
                 waves_count_is_small_fraction(r->waves, functions.count) &&
                 !is_any_in_other_address_space(&functions) && work_module_can_hold_functions(&functions);
  coro_arena_rewind(r->run->arena, mark);
  return applies;
}

coro_status wave_module_run(struct runner *r, const char *passes, const char **target, char **message)
{
  struct coro_arena *arena = r->run->arena;
  struct work_module w;
  pass_values functions = {0};
  *message = NULL;
  bool fine = dead_functions_delete_in_wave(r->waves) && waves_list_functions(r->waves, arena, &functions);
  *target = coro_arena_printf(arena, "[%u functions]", functions.count);
  if (!fine || !*target || !functions.count)
    return fine && *target ? CORO_OK : CORO_ENOMEM;
  struct coro_arena_mark mark = coro_arena_mark(arena);
  fine = work_module_begin(&w, arena, r->run->module, &functions, true);
  uint32_t *positions = CORO_NEW_ARRAY(arena, uint32_t, w.moved.count + 1);
  for (uint32_t i = 0; i < w.moved.count && positions; i++)
    positions[i] = waves_position(r->waves, w.moved.items[i].home);
  waves_move_creation_mark_before_deletable(r->waves, &w.made);
  bool cached = r->llvm_cache.no_uncertain_constants; /* of the home module */
  coro_status status = fine && positions ? llvm_run_pass_string(&r->llvm_cache, w.work, passes, message) : CORO_ENOMEM;
  r->llvm_cache.no_uncertain_constants = cached;
  if (!work_module_end(&w))
    status = status ? status : CORO_ENOMEM;
  for (uint32_t i = 0; i < w.moved.count && positions; i++)
    waves_replace_function(r->waves, positions[i], w.counterparts.items[i].home);
  coro_arena_rewind(arena, mark);
  return status;
}

bool wave_module_print_if_possible(struct pass_run *run, LLVMValueRef function, struct ir_printed *printed)
{
  struct work_module w;
  pass_values alone = {&function, 1, 1};
  if (is_any_in_other_address_space(&alone) || !work_module_can_hold_functions(&alone))
    return true;
  bool fine = work_module_begin(&w, run->arena, run->module, &alone, false);
  LLVMValueRef made = fine ? find_or_declare_counterpart(&w, function) : NULL;
  if (made)
    fine = ir_printed_print_function(printed, run->arena, made, function);
  return work_module_end(&w) && fine;
}
