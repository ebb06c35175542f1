/* Verifies what has changed since the last verification, and names the pass that broke the module. */
#include "pipeline/verify_changes.h"

#include <string.h>

#include "ir/edit.h"
#include "ir/verify.h"
#include "llvm-c/Analysis.h"
#include "sandbox/read.h"

enum { ALWAYS_INDIVIDUAL = 4 }; /* functions that are always verified individually */

struct culprit { /* the pass that broke the module */
  const char *pass, *hint;
  coro_status status;
};

static struct culprit make_culprit(enum change_maker maker, const char *pass)
{
  static const char *const hints[CHANGE_MAKERS] = {
      [MADE_BY_PYCORO] = "this is a bug in pycoro; please report it with the input",
      [MADE_BY_LEVEL] = "remove the pass, or report it to LLVM with the input",
      [MADE_BY_LLVM] = "remove the pass, or report it to LLVM with the input",
      [MADE_BY_CLIENT] = "correct the pass: the module must verify after it",
  };
  return (struct culprit){pass, hints[maker], maker == MADE_BY_PYCORO ? CORO_EBUG : CORO_EVERIFY};
}

/* Reports a verification error with the pass that caused it; the first diagnostic in `found` has the location. */
static coro_status report_verification_failure(struct runner *r, struct culprit culprit, const char *how,
                                               const coro_diags *found)
{
  const coro_diag *first = coro_diags_get(found, 0);
  coro_diag diag = first ? *first : (coro_diag){0};
  diag.status = culprit.status;
  diag.severity = CORO_ERROR;
  diag.rule = "broken-module";
  diag.message = coro_arena_printf(r->run->arena, "the module is broken after %s: %s%s", culprit.pass, how,
                                   first ? first->message : "");
  diag.hint = culprit.hint;
  return diag.message ? coro_diags_add(r->run->diags, &diag) : CORO_ENOMEM;
}

/* The pass that broke a function, or (NULL) another part of the module: the last one if several are possible. */
static struct culprit find_pass_that_broke_function(struct runner *r, LLVMValueRef function)
{
  const struct verification *v = &r->run->verification;
  bool ours = verification_is_pending(v, MADE_BY_PYCORO),
       llvms = verification_is_pending(v, MADE_BY_LEVEL) || verification_is_pending(v, MADE_BY_LLVM);
  enum change_maker llvm =
      v->changes[MADE_BY_LLVM].last > v->changes[MADE_BY_LEVEL].last ? MADE_BY_LLVM : MADE_BY_LEVEL;
  const char *own = v->changes[MADE_BY_PYCORO].pass, *other = v->changes[llvm].pass;
  struct culprit culprit = make_culprit(ours ? MADE_BY_PYCORO : llvm, ours ? own : other);
  if (verification_is_pending(v, MADE_BY_CLIENT)) {
    culprit = make_culprit(MADE_BY_CLIENT, v->changes[MADE_BY_CLIENT].pass);
    if (r->run->options->unverified && (llvms || ours))
      culprit.hint = "run with verify_each to find out whether this pass or an earlier unverified one is wrong";
    return culprit;
  }
  if (!ours || !llvms)
    return culprit;
  if (function && !verification_was_changed_by_pycoro(v, function))
    return make_culprit(llvm, other);
  if (function && !verification_may_be_broken_by_others(v, function))
    return culprit;
  char *both = coro_arena_printf(r->run->arena, "%s, or already after %s", own, other);
  return (struct culprit){both ? both : other,
                          "run with verify_each to find out which of the two passes is wrong; please report it",
                          CORO_EVERIFY};
}

coro_status verify_module(struct runner *r)
{
  coro_diags *found = NULL;
  coro_status status = coro_diags_create(&found);
  if (!status && ir_verify(r->run->module, found)) {
    const coro_diag *first = coro_diags_get(found, 0);
    LLVMValueRef function = first && *first->function ? LLVMGetNamedFunction(r->run->module, first->function) : NULL;
    status = report_verification_failure(r, find_pass_that_broke_function(r, function), "", found);
  } else if (!status) {
    verification_accept_module(&r->run->verification);
  }
  coro_diags_free(found);
  return status;
}

/* Whether the module has debug information. Verifying the whole module is then cheaper than verifying many functions,
   because for each of them the verifier traverses all debug information reachable from it. */
static bool has_debug_info(const struct runner *r)
{
  return LLVMGetNamedMetadata(r->run->module, "llvm.dbg.cu", strlen("llvm.dbg.cu"));
}

/* Verifies those of the functions that are not verified. *verified: all are now. False: out of memory. */
static bool verify_listed_functions(struct runner *r, const pass_values *functions, bool *verified)
{
  bool fine = true;
  *verified = true;
  for (uint32_t i = 0; i < functions->count && *verified && fine; i++) {
    if (verification_has_verified(&r->run->verification, functions->items[i]))
      continue;
    *verified = !LLVMVerifyFunction(functions->items[i], LLVMReturnStatusAction);
    fine = !*verified || verification_mark_verified(&r->run->verification, functions->items[i]);
  }
  return fine;
}

/* Verifies the functions that pycoro's passes changed. Many with debug information count as not verified. */
static bool verify_functions_changed_by_pycoro(struct runner *r, bool *verified)
{
  struct coro_arena_mark mark = coro_arena_mark(r->run->arena);
  pass_values changed = {0};
  bool fine = true;
  *verified = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f && fine; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && verification_was_changed_by_pycoro(&r->run->verification, f))
      fine = coro_vec_push(r->run->arena, &changed, f);
  if (fine && (changed.count <= ALWAYS_INDIVIDUAL || !has_debug_info(r)))
    fine = verify_listed_functions(r, &changed, verified);
  coro_arena_rewind(r->run->arena, mark);
  return fine;
}

/* With verification disabled, only clients' passes are verified. */
static bool skips_verification(const struct runner *r)
{
  return r->run->options->unverified && !verification_is_pending(&r->run->verification, MADE_BY_CLIENT);
}

/* Whether the output of LLVM's passes is not verified. */
static bool trusts_llvm(const struct runner *r)
{
  const coro_options *options = r->run->options;
  return (options->unverified || options->llvm_unverified) &&
         !verification_is_pending(&r->run->verification, MADE_BY_CLIENT);
}

coro_status verify_changes(struct runner *r, bool includes_level)
{
  struct verification *v = &r->run->verification;
  bool verified = false;
  if (v->verified == v->version || skips_verification(r))
    return CORO_OK;
  bool known =
      trusts_llvm(r) || (v->anywhere <= v->verified && !(includes_level && verification_is_pending(v, MADE_BY_LEVEL)));
  if (known && !verify_functions_changed_by_pycoro(r, &verified))
    return CORO_ENOMEM;
  if (!verified)
    return verify_module(r);
  verification_accept_functions(v);
  return CORO_OK;
}

bool mark_function_changed_and_later_created(struct runner *r, LLVMValueRef function, LLVMValueRef last, bool doubtful)
{
  struct verification *v = &r->run->verification;
  bool fine = !function || verification_mark_changed(v, function);
  LLVMValueRef f = LLVMGetLastFunction(r->run->module);
  for (; f && f != last && fine; f = LLVMGetPreviousFunction(f))
    fine = verification_mark_created(v, f, doubtful);
  return fine;
}

coro_status verify_function_and_added_ones(struct runner *r, LLVMValueRef function, LLVMValueRef last)
{
  bool broken = function && LLVMVerifyFunction(function, LLVMReturnStatusAction);
  for (LLVMValueRef f = LLVMGetNextFunction(last); f && !broken; f = LLVMGetNextFunction(f))
    broken = !LLVMIsDeclaration(f) && LLVMVerifyFunction(f, LLVMReturnStatusAction);
  return broken ? verify_module(r) : CORO_OK;
}

/* Checks that the module's text can be parsed: the verifier accepts some modules without valid text. */
static coro_status check_text_parses(struct runner *r, struct culprit culprit)
{
  coro_diags *found = NULL;
  LLVMModuleRef again = NULL;
  coro_status status = coro_diags_create(&found);
  if (status)
    return status;
  char *text = LLVMPrintModuleToString(r->run->module);
  LLVMContextRef context = LLVMContextCreate();
  status = ir_read(&again, context, text, strlen(text), "", found);
  if (again)
    LLVMDisposeModule(again);
  if (status && status != CORO_ENOMEM)
    status = report_verification_failure(r, culprit, "its text does not parse: ", found);
  LLVMContextDispose(context);
  LLVMDisposeMessage(text);
  coro_diags_free(found);
  return status;
}

coro_status verify_after_pass_if_verify_each(struct runner *r, enum change_maker maker, const char *pass)
{
  static const struct culprit reader = {
      "reading", "disable verify_each, which parses the text again, or report it to LLVM", CORO_EVERIFY};
  const struct verification *v = &r->run->verification;
  if (!r->run->options->verify_each)
    return CORO_OK;
  coro_status status = v->version > v->verified ? verify_module(r) : CORO_OK;
  return status ? status : check_text_parses(r, pass ? make_culprit(maker, pass) : reader);
}

bool postpones_verification(const struct runner *r)
{
  return r->waves && r->waves->is_small_wave;
}

/* As verify_changes; after the first wave only functions of the current wave can have changed. */
static coro_status verify_functions_of_wave(struct runner *r)
{
  struct verification *v = &r->run->verification;
  bool part = v->version > v->verified && r->waves && r->waves->count > 1 && !skips_verification(r), verified = false;
  if (part && !verification_is_pending(v, MADE_BY_CLIENT)) {
    struct coro_arena_mark mark = coro_arena_mark(r->run->arena);
    pass_values functions = {0};
    bool fine =
        waves_list_functions(r->waves, r->run->arena, &functions) && verify_listed_functions(r, &functions, &verified);
    coro_arena_rewind(r->run->arena, mark);
    if (!fine)
      return CORO_ENOMEM;
  }
  return verified ? CORO_OK : verify_changes(r, true);
}

coro_status verify_before_step(struct runner *r, const struct pipeline_step *step)
{
  const struct verification *v = &r->run->verification;
  const struct changes *ours = &v->changes[MADE_BY_PYCORO];
  bool pending = verification_is_pending(v, MADE_BY_PYCORO), client = verification_is_pending(v, MADE_BY_CLIENT);
  /* in a level, after LLVM's passes have run on unverified changes, the others are verified at its end, too */
  bool mixed = step->in_level && pending && ours->first < v->changes[MADE_BY_LEVEL].last;
  bool trusted = step->kind == STEP_OURS && pending && ours->last == v->version; /* pycoro's passes trust each other */
  if ((trusted || mixed || postpones_verification(r)) && !client)
    return CORO_OK;
  if (step->in_level || verification_is_pending(v, MADE_BY_LEVEL))
    return verify_changes(r, !step->in_level);
  return verify_functions_of_wave(r);
}

/* Whether one of pycoro's passes requires that the function is verified. */
static bool needs_verification(const struct runner *r, LLVMValueRef function)
{
  const struct verification *v = &r->run->verification;
  bool client = verification_is_pending(v, MADE_BY_CLIENT), level = verification_is_pending(v, MADE_BY_LEVEL);
  if (!function || verification_has_verified(v, function) || (postpones_verification(r) && !client))
    return false;
  return client || (level && !trusts_llvm(r) && edit_is_presplit_definition(function));
}

coro_status verify_before_pass(struct runner *r, LLVMValueRef function)
{
  struct verification *v = &r->run->verification;
  if (!needs_verification(r, function))
    return CORO_OK;
  bool whole = !verification_is_pending(v, MADE_BY_CLIENT) && has_debug_info(r);
  if (whole || LLVMVerifyFunction(function, LLVMReturnStatusAction))
    return verify_changes(r, true);
  return verification_mark_verified(v, function) ? CORO_OK : CORO_ENOMEM;
}
