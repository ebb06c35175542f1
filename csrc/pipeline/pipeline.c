/* Running of a planned pass string.
   Needs: plan, the passes. Leaves: the module transformed; after an error it is to be thrown away. */
#include "pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ir/edit.h"
#include "ir/printed.h"
#include "ir/read.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/Error.h"
#include "pass/diagnose.h"
#include "pass/frequency.h"
#include "pass/lower.h"
#include "pipeline/llvm.h"
#include "pipeline/machine.h"
#include "pipeline/order.h"
#include "pipeline/stack.h"
#include "pipeline/vast.h"

typedef coro_status pass_function(struct pass_run *run, LLVMValueRef function, bool *changed);

static pass_function *const functions[PASS_COUNT] = {
#define CORO_PASS(name, text, level) coro_pass_##name,
#include "pass/passes.def"
};

static const char whole[] = "[module]";

struct runner {
  struct pass_run *run;
  struct intrin_table intrin;
  const char *unverified; /* what has changed the module since it was last verified: `ours`, or a pass of LLVM's */
  bool in_waves;          /* a coroutine waits for those that it calls */
  struct coro_map tried;  /* machines of functions that LLVM's passes have been asked about */
  struct coro_map counted; /* types, by their elements */
};

static const char ours[] = "pycoro's passes", reading[] = "reading";

static coro_status broken(struct runner *r, coro_status blame, const char *pass, const char *how)
{
  const char *what = coro_arena_printf(r->run->arena, "the module is broken after %s: %s", pass, how);
  const char *hint = blame == CORO_EBUG ? "this is a fault of pycoro's; please report it with the input"
                     : pass == reading  ? "leave verify_each out, which reads the text again, or report it to LLVM"
                                        : "leave the pass out, or report it to LLVM with the input";
  return coro_diags_add(r->run->diags,
                        &(coro_diag){.status = blame, .rule = "broken-module", .message = what, .hint = hint});
}

static coro_status verify(struct runner *r, coro_status blame, const char *pass)
{
  char *message = NULL;
  coro_status status = CORO_OK;
  r->unverified = NULL;
  if (LLVMVerifyModule(r->run->module, LLVMReturnStatusAction, &message))
    status = broken(r, blame, pass, message);
  LLVMDisposeMessage(message);
  return status;
}

/* A pass of pycoro's has changed `function` and added those behind `last`: between two functions no more is looked at,
   so that a pass costs what the module is long, and not that for each function. */
static coro_status verify_part(struct runner *r, const char *pass, LLVMValueRef function, LLVMValueRef last)
{
  bool broken_one = LLVMVerifyFunction(function, LLVMReturnStatusAction);
  for (LLVMValueRef f = LLVMGetNextFunction(last); f && !broken_one; f = LLVMGetNextFunction(f))
    broken_one = !LLVMIsDeclaration(f) && LLVMVerifyFunction(f, LLVMReturnStatusAction);
  return broken_one ? verify(r, CORO_EBUG, pass) : CORO_OK;
}

/* Whoever changed the module last has left it as LLVM's passes and pycoro's want it. */
static coro_status settle(struct runner *r)
{
  return r->unverified ? verify(r, r->unverified == ours ? CORO_EBUG : CORO_EVERIFY, r->unverified) : CORO_OK;
}

/* What LLVM prints of the module it reads again: the verifier lets some pass that have no text. */
static coro_status read_back(struct runner *r, coro_status blame, const char *pass)
{
  coro_diags *said = NULL;
  LLVMModuleRef again = NULL;
  coro_status status = coro_diags_create(&said);
  if (status)
    return status;
  char *text = LLVMPrintModuleToString(r->run->module);
  LLVMContextRef context = LLVMContextCreate();
  status = ir_read(&again, context, text, strlen(text), "", said);
  if (again)
    LLVMDisposeModule(again);
  if (status && status != CORO_ENOMEM) {
    const coro_diag *first = coro_diags_get(said, 0);
    const char *how = coro_arena_printf(r->run->arena, "its text does not parse: %s", first ? first->message : "");
    status = how ? broken(r, blame, pass, how) : CORO_ENOMEM;
  }
  LLVMContextDispose(context);
  LLVMDisposeMessage(text);
  coro_diags_free(said);
  return status;
}

/* The whole module, once a pass that has changed it. */
static coro_status verify_whole(struct runner *r, coro_status blame, const char *pass)
{
  coro_status status = r->run->options->verify_each && r->unverified ? verify(r, blame, pass) : CORO_OK;
  return status || !r->run->options->verify_each ? status : read_back(r, blame, pass);
}

static coro_status breathe(struct runner *r)
{
  return coro_budget_go_on(&r->run->budget) && !coro_arena_failed(r->run->arena) ? CORO_OK : CORO_ENOMEM;
}

/* After a pass on a target: what the caller asked to see of it. */
static coro_status tell(struct runner *r, const char *pass, const char *target, double seconds, bool own)
{
  const coro_options *options = r->run->options;
  coro_pass_info info = {pass, target, seconds, own};
  if (!coro_report_add_pass(r->run->report, &info))
    return CORO_ENOMEM;
  if (!options->after_pass)
    return CORO_OK;
  char *ir = ir_print(r->run->module);
  if (!ir)
    return CORO_ENOMEM;
  int stop = options->after_pass(options->user, pass, target, ir);
  free(ir);
  return stop ? coro_diags_add(r->run->diags, &(coro_diag){.status = CORO_ECALLBACK,
                                                           .rule = "callback",
                                                           .message = "the callback after a pass asked to stop"})
              : CORO_OK;
}

/* One of pycoro's passes on one target (NULL: the module). *seen: it has been told of before. */
static coro_status run_on(struct runner *r, const struct pipe_node *node, LLVMValueRef function, bool *seen)
{
  struct pass_run *run = r->run;
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  double start = coro_now();
  bool changed = false;
  run->reuse_storage = node->reuse_storage;
  LLVMValueRef last = function ? LLVMGetLastFunction(run->module) : NULL;
  coro_status status = functions[node->pass](run, function, &changed);
  if (coro_arena_failed(run->arena) && status != CORO_EBUG)
    status = CORO_ENOMEM;
  coro_arena_rewind(run->arena, mark);
  if (status)
    return status;
  if (changed)
    r->unverified = ours;
  run->edited |= changed;
  *seen |= changed;
  if (changed && run->options->verify_each)
    status = function ? verify_part(r, node->text, function, last) : verify(r, CORO_EBUG, node->text);
  return changed && !status ? tell(r, node->text, function ? pass_name_of(function) : whole, coro_now() - start, true)
                            : CORO_OK;
}

static bool find_targets(struct runner *r, enum pass_level level, pass_values *targets)
{
  bool fine = true;
  if (level == LEVEL_CGSCC)
    return pass_order(r->run, targets, r->in_waves);
  if (level != LEVEL_FUNCTION)
    return coro_vec_push(r->run->arena, targets, (LLVMValueRef)NULL);
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f && fine; f = LLVMGetNextFunction(f))
    fine = LLVMIsDeclaration(f) || coro_vec_push(r->run->arena, targets, f);
  return fine;
}

/* What is asked of the whole module once, before a step goes from function to function: the text that the report is
   to quote of coroutines that are about to be split, and which marked calls are rarely made. */
static coro_status look_ahead(struct runner *r, const struct pipe_step *step)
{
  coro_status status = CORO_OK;
  for (uint32_t p = 0; p < step->ours_count && !status; p++)
    if (step->ours[p]->pass == PASS_split)
      status = lower_print(r->run);
    else if (step->ours[p]->pass == PASS_annotation_elide && !frequency_of_marked(r->run))
      status = CORO_ENOMEM;
  return status;
}

/* A pass that changed nothing anywhere is told of once, for the module. */
static coro_status run_ours(struct runner *r, const struct pipe_step *step)
{
  pass_values targets = {0};
  bool seen[sizeof step->ours / sizeof *step->ours] = {false};
  double start = coro_now();
  coro_status status = r->unverified == ours ? CORO_OK : settle(r);
  if (status)
    return status;
  status = find_targets(r, step->level, &targets) ? look_ahead(r, step) : CORO_ENOMEM;
  for (uint32_t t = 0; t < targets.count && !status; t++) {
    status = breathe(r);
    r->run->edited = false;
    for (uint32_t p = 0; p < step->ours_count && !status; p++)
      status = run_on(r, step->ours[p], targets.items[t], &seen[p]);
  }
  const char *changed = NULL;
  for (uint32_t p = 0; p < step->ours_count && !status; p++)
    if (seen[p])
      changed = step->ours[p]->text;
    else
      status = tell(r, step->ours[p]->text, whole, coro_now() - start, true);
  if (changed && !status)
    status = verify_whole(r, CORO_EBUG, changed);
  ir_printed_free(&r->run->printed);
  return status;
}

/* A function that is a coroutine still, or a call that only pycoro's passes can lower; NULL where there is none. */
static LLVMValueRef unlowered(struct runner *r, LLVMValueRef *call)
{
  *call = NULL;
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f; f = LLVMGetNextFunction(f)) {
    if (edit_is_presplit(f))
      return f;
    enum intrin intrin = LLVMIsDeclaration(f) ? intrin_of_function(&r->intrin, f) : INTRIN_NONE;
    LLVMUseRef use = intrin_is_coro(intrin) ? LLVMGetFirstUse(f) : NULL;
    if (use && edit_is_instruction(LLVMGetUser(use))) {
      *call = LLVMGetUser(use);
      return LLVMGetBasicBlockParent(LLVMGetInstructionParent(*call));
    }
  }
  return NULL;
}

/* LLVM's passes assume a module that verifies; on any other they may bring the process down. */
static coro_status ready_for_llvm(struct runner *r, const struct pipe_step *step)
{
  coro_status status = settle(r);
  if (!status)
    status = machine_check(r->run, &r->tried);
  if (!status)
    status = vast_check(r->run, &r->counted);
  LLVMValueRef call, function = !status && step->alias ? unlowered(r, &call) : NULL;
  if (!function)
    return status;
  return pass_reject(r->run, "unlowered", function, call,
                     coro_arena_printf(r->run->arena,
                                       "'%s' holds LLVM's own coroutine passes, and the module has coroutines that "
                                       "pycoro's have not lowered",
                                       step->llvm),
                     "put coro-early,coro-split,coro-cleanup before it");
}

static coro_status run_llvm(struct runner *r, const struct pipe_step *step)
{
  coro_status status = ready_for_llvm(r, step);
  if (!status)
    status = breathe(r);
  const char *string = coro_arena_printf(r->run->arena, "module(%s)", step->safe);
  if (!string)
    status = CORO_ENOMEM;
  if (status)
    return status;
  double start = coro_now();
  char *message = llvm_run(r->run->module, string);
  if (message) {
    status = coro_diags_add(r->run->diags, &(coro_diag){.status = CORO_EPIPELINE,
                                                        .rule = "pass-string",
                                                        .message = message,
                                                        .hint = "mend or leave out the pass"});
    LLVMDisposeErrorMessage(message);
    return status;
  }
  r->unverified = step->llvm;
  double seconds = coro_now() - start;
  status = verify_whole(r, CORO_EVERIFY, step->llvm);
  return status ? status : tell(r, step->llvm, whole, seconds, false);
}

static bool has_coroutine_intrinsic(struct runner *r)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f; f = LLVMGetNextFunction(f)) {
    enum intrin intrin = intrin_of_function(&r->intrin, f);
    if (intrin_is_coro(intrin))
      return true;
  }
  return false;
}

static uint32_t count_presplit(LLVMModuleRef module)
{
  uint32_t count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    count += edit_is_presplit(f);
  return count;
}

static coro_status run_steps(struct runner *r, const struct pipe_plan *plan, uint32_t i, uint32_t end);

/* LLVM takes one component of the call graph through all of a CGSCC pipeline, callees first: what is split by then can
   be inlined into a coroutine that is not. Its own passes see the whole module here, so all of the pipeline is run for
   the coroutines that call no other, again for those that call these, and so on. */
static coro_status run_waves(struct runner *r, const struct pipe_plan *plan, uint32_t first, uint32_t end)
{
  coro_status status = CORO_OK;
  uint32_t left = count_presplit(r->run->module), before = left + 1;
  r->in_waves = true;
  for (bool more = true; more && !status; more = left && left < before) {
    status = run_steps(r, plan, first, end);
    before = left;
    left = count_presplit(r->run->module);
  }
  r->in_waves = false;
  return status;
}

static coro_status run_steps(struct runner *r, const struct pipe_plan *plan, uint32_t i, uint32_t end)
{
  coro_status status = CORO_OK;
  while (i < end && !status) {
    const struct pipe_step *step = &plan->steps.items[i++];
    if (step->kind == STEP_OURS)
      status = run_ours(r, step);
    else if (step->kind == STEP_LLVM)
      status = run_llvm(r, step);
    else if (step->kind == STEP_WAVES)
      status = run_waves(r, plan, i, step->otherwise);
    if (step->kind == STEP_WAVES || (step->kind == STEP_COND && !has_coroutine_intrinsic(r)))
      i = step->otherwise;
  }
  return status;
}

coro_status pipe_run(const struct pipe_plan *plan, struct pass_run *run)
{
  struct runner r = {.run = run};
  intrin_table_init(&r.intrin);
  coro_map_init(&r.tried, run->arena);
  coro_map_init(&r.counted, run->arena);
  run->intrin = &r.intrin;
  run->layout = LLVMGetModuleDataLayout(run->module);
  coro_status status = verify_whole(&r, CORO_EVERIFY, reading);
  if (!status && has_coroutine_intrinsic(&r))
    status = stack_check(run);
  if (!status)
    status = run_steps(&r, plan, 0, plan->steps.count);
  return status ? status : settle(&r);
}
