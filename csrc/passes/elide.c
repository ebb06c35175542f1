/* coro-elide: devirtualizes resume and destroy calls on known coroutines, and places the frame of a coroutine that does
   not outlive its creating function in that function's stack frame.
   Requires: split coroutines, inlined (a coro.id that lists another function's clones) or called.
   Guarantees: no coro.subfn.addr on a known handle; no allocation where elided. */
#include "passes/elide.h"

#include "elide/elision_candidate.h"
#include "elide/elision_report.h"
#include "handles/elided_frame.h"
#include "handles/header_function.h"
#include "handles/imported_coroutines.h"
#include "ir/edit.h"
#include "loops/elided_loops.h"
#include "loops/jump_thread.h"
#include "passes/merge_resume_calls.h"
#include "run/passes.h"
#include "transform/prune.h"
#include "transform/tailcall.h"

struct undecided { /* a coroutine that may become elidable after others are devirtualized */
  pass_values destroys;
  LLVMValueRef address; /* its f.destroy */
};

typedef CORO_VEC(struct undecided) undecided_list;

struct elide {
  struct pass_run *run;
  LLVMValueRef function;
  LLVMValueRef id;
  struct clones clones;
  struct elision_search *search;
  undecided_list *undecided;
  pass_values begins, allocs, frees; /* intrinsics that use this id */
  pass_values resumes, destroys; /* coro.subfn.addr calls on its coro.begins */
  bool changed;
};

static bool collect_intrinsic_of_id(struct elide *e, LLVMValueRef user)
{
  switch (intrin_of_call(e->run->intrin, user)) {
  case INTRIN_BEGIN: return coro_vec_push(e->run->arena, &e->begins, user);
  case INTRIN_ALLOC: return coro_vec_push(e->run->arena, &e->allocs, user);
  case INTRIN_FREE: return coro_vec_push(e->run->arena, &e->frees, user);
  default: return true;
  }
}

static bool collect_begin_user(struct elide *e, LLVMValueRef user)
{
  uint64_t slot;
  if (intrin_of_call(e->run->intrin, user) != INTRIN_SUBFN_ADDR ||
      !edit_read_integer_constant(LLVMGetOperand(user, SUBFN_INDEX), &slot) || slot > CLONE_SLOT_DESTROY)
    return true;
  return coro_vec_push(e->run->arena, slot == CLONE_SLOT_RESUME ? &e->resumes : &e->destroys, user);
}

static bool collect_intrinsics(struct elide *e)
{
  for (LLVMUseRef use = LLVMGetFirstUse(e->id); use; use = LLVMGetNextUse(use))
    if (!collect_intrinsic_of_id(e, LLVMGetUser(use)))
      return false;
  for (uint32_t b = 0; b < e->begins.count; b++)
    for (LLVMUseRef use = LLVMGetFirstUse(e->begins.items[b]); use; use = LLVMGetNextUse(use))
      if (!collect_begin_user(e, LLVMGetUser(use)))
        return false;
  return true;
}

/* Decides whether the frame is elided; the verdict has the obstacle, if any. False: out of memory. */
static bool decide_elision(struct elide *e, struct verdict *verdict)
{
  *verdict = (struct verdict){.at = e->begins.items[0]};
  if (!e->allocs.count)
    verdict->reason = "its ramp does not call llvm.coro.alloc: allocate the frame only if that returns true";
  else if (!e->clones.frame_size)
    verdict->reason = "its frame size is unknown";
  if (!verdict->reason && !decide_inlined_ramp(e->search, &e->clones, &e->begins, &e->frees, verdict))
    return false;
  elide_check_frame_limit(e->search, &e->clones, verdict);
  return true;
}

static void replace_and_erase_values(struct elide *e, pass_values *values, LLVMValueRef by)
{
  for (uint32_t i = 0; i < values->count; i++)
    edit_replace_and_erase(values->items[i], by);
  e->changed |= values->count != 0;
}

static void replace_slot_addresses_by(struct elide *e, pass_values *addresses, LLVMValueRef clone)
{
  for (uint32_t i = 0; i < addresses->count; i++)
    edit_replace_address_and_locate_its_calls(addresses->items[i], clone);
  e->changed |= addresses->count != 0;
}

static void replace_frame_by_alloca(struct elide *e, const struct verdict *verdict)
{
  LLVMValueRef frame = elided_frame_build(e->run, &e->clones, e->function);
  elide_replace_destroys(verdict, &e->clones);
  replace_and_erase_values(e, &e->allocs, edit_bool_constant(e->run->context, false));
  replace_and_erase_values(e, &e->frees, LLVMConstNull(LLVMTypeOf(frame)));
  for (uint32_t i = 0; i < e->begins.count; i++)
    elided_frame_start_lifetime(e->run, frame, e->begins.items[i]);
  replace_and_erase_values(e, &e->begins, frame);
  for (uint32_t i = 0; i < verdict->destroys.count; i++)
    elided_frame_end_lifetime_after_destroy(e->run, verdict->destroys.items[i]);
  for (uint32_t i = 0; i < e->destroys.count; i++)
    elided_frame_end_lifetime_after_calls_of(e->run, e->destroys.items[i]);
  if (!LLVMGetFirstUse(e->id)) /* its list of clones would keep f.destroy in use */
    LLVMInstructionEraseFromParent(e->id);
  e->search->elided = true;
}

static bool report_elision_decision(struct elide *e, const struct verdict *verdict)
{
  struct elision_decision decision = {.pass = "coro-elide",
                                      .name = "CoroElide",
                                      .caller = e->function,
                                      .clones = &e->clones,
                                      .creation = e->id,
                                      .at = verdict->at,
                                      .reason = verdict->reason,
                                      .done = verdict->done};
  return elision_report(e->run, &decision);
}

/* Postpones devirtualizing destroy: once inlined with the call that frees the frame, the coroutine could
   no longer be elided. False: out of memory. */
static bool add_undecided_destroy(struct elide *e, LLVMValueRef destroy)
{
  struct undecided undecided = {e->destroys, destroy};
  return coro_vec_push(e->run->arena, e->undecided, undecided);
}

static void devirtualize_destroys_unless_elided(const struct elision_search *search, const undecided_list *list,
                                                bool *changed)
{
  if (search->elided) /* the function is visited again */
    return;
  for (uint32_t i = 0; i < list->count; i++)
    for (uint32_t d = 0; d < list->items[i].destroys.count; d++) {
      edit_replace_address_and_locate_its_calls(list->items[i].destroys.items[d], list->items[i].address);
      *changed = true;
    }
}

static coro_status elide_coroutine_of_id(struct elide *e)
{
  struct verdict verdict;
  if (!collect_intrinsics(e))
    return CORO_ENOMEM;
  if (!e->begins.count)
    return CORO_OK;
  /* In a ramp with a caller-provided frame, coro.alloc was folded and the frame must not be freed; a ramp without
     coro.alloc always frees its frame. Without coro.alloc only the destroy slot tells which. */
  bool known = e->allocs.count || !e->clones.noalloc;
  if (!decide_elision(e, &verdict) || (known && !report_elision_decision(e, &verdict)))
    return CORO_ENOMEM;
  replace_slot_addresses_by(e, &e->resumes, e->clones.address[CLONE_SLOT_RESUME]);
  LLVMValueRef destroy = e->clones.address[verdict.done ? CLONE_SLOT_CLEANUP : CLONE_SLOT_DESTROY];
  e->search->any_on_heap |= !verdict.done;
  if (known && !verdict.done && e->run->revisits_after_elision)
    return add_undecided_destroy(e, destroy) ? CORO_OK : CORO_ENOMEM;
  if (verdict.done)
    replace_frame_by_alloca(e, &verdict);
  if (known)
    replace_slot_addresses_by(e, &e->destroys, destroy);
  return CORO_OK;
}

struct resolved { /* a coro.subfn.addr call, and the clone that it returns */
  LLVMValueRef call, clone;
};

struct found { /* found in one function; entries may be erased while others are processed */
  pass_values search; /* coro.ids, and calls that may create a coroutine */
  CORO_VEC(struct resolved) resolved;
};

/* `module_has_ids`: functions of this module may create a coroutine, not only imported ones. */
static bool find_creations_and_known_subfn_addrs(struct pass_run *run, LLVMValueRef function, bool module_has_ids,
                                                 struct found *found)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at)) {
      LLVMValueRef callee = edit_is_call(at) ? LLVMGetCalledValue(at) : NULL;
      bool calls = callee && LLVMIsAFunction(callee) &&
                   (LLVMIsDeclaration(callee) ? is_imported_coroutine(callee) : module_has_ids);
      enum intrin intrin = intrin_of_call(run->intrin, at);
      if ((calls || intrin == INTRIN_ID) && !coro_vec_push(run->arena, &found->search, at))
        return false;
      LLVMValueRef clone = intrin == INTRIN_SUBFN_ADDR ? header_function(run, function, at) : NULL;
      if (clone && !coro_vec_push(run->arena, &found->resolved, ((struct resolved){at, clone})))
        return false;
    }
  return true;
}

/* Replaces coro.subfn.addr where the clone is known. A handle stored in memory, for example in a returned object,
   becomes known only after inlining. */
static void replace_known_subfn_addrs(struct pass_run *run, const struct found *found, bool *changed)
{
  for (uint32_t i = 0; i < found->resolved.count; i++) {
    elided_frame_end_lifetime_after_calls_of(run, found->resolved.items[i].call);
    edit_replace_address_and_locate_its_calls(found->resolved.items[i].call, found->resolved.items[i].clone);
  }
  *changed |= found->resolved.count != 0;
}

static coro_status elide_at_id_or_call(struct elision_search *search, LLVMValueRef start, undecided_list *undecided,
                                       bool *changed)
{
  struct elide e = {search->run, search->function, start, .search = search, .undecided = undecided};
  if (intrin_of_call(e.run->intrin, start) != INTRIN_ID)
    return elide_ramp_call_if_possible(search, start, changed) ? CORO_OK : CORO_ENOMEM;
  coro_status status = CORO_OK;
  if (clones_read_from_split_id(e.run, start, &e.clones) && e.clones.coroutine != e.function)
    status = elide_coroutine_of_id(&e);
  *changed |= e.changed;
  return status;
}

static bool is_intrinsic_used(const struct pass_run *run, enum intrin intrin)
{
  LLVMValueRef function = LLVMGetNamedFunction(run->module, intrin_name(intrin));
  return function && LLVMGetFirstUse(function);
}

static bool add_callers_to_may_create_coroutine(struct pass_run *run, LLVMValueRef function, pass_values *list)
{
  for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    LLVMValueRef caller = edit_is_call_of(user, function) ? edit_function_of(user) : NULL;
    if (caller && (!coro_map_put(&run->may_create_coroutine, coro_map_key(caller), 1) ||
                   (list && !coro_vec_push(run->arena, list, caller))))
      return false;
  }
  return true;
}

bool elide_find_candidates(struct pass_run *run)
{
  pass_values with_id = {0};
  coro_map_init(&run->may_create_coroutine, run->arena);
  bool fine =
      add_callers_to_may_create_coroutine(run, LLVMGetNamedFunction(run->module, intrin_name(INTRIN_ID)), &with_id) &&
      add_callers_to_may_create_coroutine(run, LLVMGetNamedFunction(run->module, intrin_name(INTRIN_SUBFN_ADDR)), NULL);
  for (uint32_t i = 0; i < with_id.count && fine; i++)
    fine = add_callers_to_may_create_coroutine(run, with_id.items[i], NULL);
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && fine; f = LLVMGetNextFunction(f))
    fine = !is_imported_coroutine(f) || add_callers_to_may_create_coroutine(run, f, NULL);
  return fine;
}

static bool may_create_coroutine(const struct pass_run *run, LLVMValueRef function)
{
  return !run->may_create_coroutine.arena || coro_map_has(&run->may_create_coroutine, coro_map_key(function));
}

static coro_status elide_in_function(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  struct found found = {0};
  undecided_list undecided = {0};
  struct elision_search search;
  bool begins = is_intrinsic_used(run, INTRIN_ID);
  if (!begins &&
      !is_intrinsic_used(run, INTRIN_SUBFN_ADDR)) /* it neither creates a coroutine nor destroys an imported one */
    return CORO_OK;
  if (may_create_coroutine(run, function) && !find_creations_and_known_subfn_addrs(run, function, begins, &found))
    return CORO_ENOMEM;
  coro_report_mark_missed_uncertain(run->report, edit_value_name(function));
  replace_known_subfn_addrs(run, &found, changed);
  if (!found.search.count)
    return CORO_OK;
  coro_status status = CORO_OK;
  if (!elision_search_init(&search, run, function))
    status = CORO_ENOMEM;
  for (uint32_t i = 0; i < found.search.count && !status; i++)
    status = elide_at_id_or_call(&search, found.search.items[i], &undecided, changed);
  devirtualize_destroys_unless_elided(&search, &undecided, changed);
  if (run->revisits_after_elision)
    elided_frames_mark_cleanup_calls(run, function, search.any_on_heap, changed);
  if (search.elided) {
    mark_function_for_loop_optimization(function);
    (void)tailcall_remove_tail_markers(function);
    /* the allocation and f.destroy are now in unreachable code, which would keep f.destroy in use */
    if (!status && prune_has_constant_branch(function) &&
        !prune_fold_and_delete_unreachable(run->arena, function, changed))
      status = CORO_ENOMEM;
  }
  elision_search_free(&search);
  return status;
}

/* Jump threading needs coroutines that are elided and inlined, so it handles those that an earlier visit elided.
   Merging resume calls leaves fewer branches on the state to the next visit. */
coro_status coro_pass_elide(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  if (run->jump_threading && run->changed_by_elision && !jump_thread_states(run, function, changed))
    return CORO_ENOMEM;
  coro_status status = elide_in_function(run, function, changed);
  return status || !run->jump_threading || merge_resume_calls(run, function, changed) ? status : CORO_ENOMEM;
}
