/* Incremental verification of the module, and attribution of errors to passes. */
#include "pipeline/verify_pending.h"

#include <string.h>

#include "ir/verify.h"
#include "llvm-c/Analysis.h"
#include "sandbox/read.h"

enum { ALWAYS_INDIVIDUAL = 4 }; /* functions that are always verified individually */

/* Reports a verification error with the pass that caused it; the first diagnostic in `found` has the location. */
static coro_status report_broken(struct runner *r, struct author author, const char *how, const coro_diags *found)
{
  static const char *const hints[] = {
      [MADE_BY_PYCORO] = "this is a bug in pycoro; please report it with the input",
      [MADE_BY_READER] = "disable verify_each, which parses the text again, or report it to LLVM",
      [MADE_BY_LLVM] = "remove the pass, or report it to LLVM with the input",
      [MADE_BY_EITHER] = "run with verify_each to find out which of the two passes is wrong; please report it",
      [MADE_BY_ANY] = "run with verify_each to find out whether this pass or an earlier unverified one is wrong",
      [MADE_BY_CLIENT] = "correct the pass: the module must verify after it",
  };
  const coro_diag *first = coro_diags_get(found, 0);
  coro_diag diag = first ? *first : (coro_diag){0};
  diag.status = author.maker == MADE_BY_PYCORO ? CORO_EBUG : CORO_EVERIFY;
  diag.severity = CORO_ERROR;
  diag.rule = "broken-module";
  diag.message = coro_arena_printf(r->run->arena, "the module is broken after %s: %s%s", author.pass, how,
                                   first ? first->message : "");
  diag.hint = hints[author.maker];
  return diag.message ? coro_diags_add(r->run->diags, &diag) : CORO_ENOMEM;
}

static void clear_pending(struct runner *r)
{
  r->last_change = r->unverified_level = (struct author){0};
  r->changed_anywhere = r->may_be_broken_by_either = r->skip_verification = r->postponed = false;
  coro_map_init(&r->run->modified_functions, r->pending_arena);
}

coro_status verify_after_pass(struct runner *r, struct author author)
{
  coro_diags *found = NULL;
  coro_status status = coro_diags_create(&found);
  if (author.maker == MADE_BY_CLIENT && r->skip_verification)
    author.maker = MADE_BY_ANY;
  clear_pending(r);
  if (!status && ir_verify(r->run->module, found))
    status = report_broken(r, author, "", found);
  coro_diags_free(found);
  return status;
}

bool has_debug_info(const struct runner *r)
{
  return LLVMGetNamedMetadata(r->run->module, "llvm.dbg.cu", strlen("llvm.dbg.cu"));
}

static bool modified_functions_verify(const struct runner *r)
{
  bool fine = r->run->modified_functions.count <= ALWAYS_INDIVIDUAL || !has_debug_info(r);
  uint64_t changed;
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f && fine; f = LLVMGetNextFunction(f))
    fine = !coro_map_get(&r->run->modified_functions, coro_map_key(f), &changed) || !changed || LLVMIsDeclaration(f) ||
           !LLVMVerifyFunction(f, LLVMReturnStatusAction);
  return fine;
}

/* The pass that broke the modified functions; both, if two are possible. */
static struct author attribute_breakage(const struct runner *r)
{
  if (r->last_change.maker != MADE_BY_PYCORO || !r->unverified_level.pass ||
      (!r->changed_anywhere && !r->may_be_broken_by_either))
    return r->last_change;
  char *both =
      coro_arena_printf(r->run->arena, "%s, or already after %s", r->last_change.pass, r->unverified_level.pass);
  return (struct author){MADE_BY_EITHER, both ? both : r->unverified_level.pass};
}

/* With verification disabled, only clients' passes are verified. */
static bool skips_verification(const struct runner *r)
{
  return r->run->options->unverified && r->last_change.maker != MADE_BY_CLIENT;
}

coro_status verify_pending(struct runner *r)
{
  if (!r->last_change.pass)
    return CORO_OK;
  if (!skips_verification(r) && (r->changed_anywhere || !modified_functions_verify(r)))
    return verify_after_pass(r, attribute_breakage(r));
  struct author unverified_level = r->unverified_level;
  bool skip_verification = r->skip_verification || skips_verification(r);
  clear_pending(r);
  r->unverified_level = unverified_level;
  r->skip_verification = skip_verification;
  return CORO_OK;
}

coro_status verify_all_pending(struct runner *r)
{
  bool whole = r->unverified_level.pass && !r->run->options->unverified;
  if (whole && !LLVMVerifyModule(r->run->module, LLVMReturnStatusAction, NULL)) {
    clear_pending(r);
    return CORO_OK;
  }
  coro_status status = verify_pending(r); /* finds out whether a pass of pycoro broke the module */
  return !status && whole ? verify_after_pass(r, r->unverified_level) : status;
}

void verify_module_later(struct runner *r, struct author author)
{
  r->last_change = author;
  r->changed_anywhere = true;
}

bool verify_function_later(struct runner *r, LLVMValueRef function, LLVMValueRef last)
{
  bool fine = !function || pass_mark_modified(r->run, function);
  LLVMValueRef f = LLVMGetLastFunction(r->run->module);
  for (; f && f != last && fine; f = LLVMGetPreviousFunction(f))
    fine = pass_mark_modified(r->run, f);
  r->changed_anywhere |= fine && !f; /* the last known function was deleted */
  return fine;
}

coro_status verify_function_now(struct runner *r, struct author author, LLVMValueRef function, LLVMValueRef last)
{
  bool broken_one = function && LLVMVerifyFunction(function, LLVMReturnStatusAction);
  for (LLVMValueRef f = LLVMGetNextFunction(last); f && !broken_one; f = LLVMGetNextFunction(f))
    broken_one = !LLVMIsDeclaration(f) && LLVMVerifyFunction(f, LLVMReturnStatusAction);
  return broken_one ? verify_after_pass(r, author) : CORO_OK;
}

/* Checks that the module's text can be parsed: the verifier accepts some modules without valid text. */
static coro_status check_text_parses(struct runner *r, struct author author)
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
    status = report_broken(r, author, "its text does not parse: ", found);
  LLVMContextDispose(context);
  LLVMDisposeMessage(text);
  coro_diags_free(found);
  return status;
}

coro_status verify_each_pass(struct runner *r, struct author author)
{
  bool changed = r->last_change.pass || r->unverified_level.pass;
  coro_status status = r->run->options->verify_each && changed ? verify_after_pass(r, author) : CORO_OK;
  return status || !r->run->options->verify_each ? status : check_text_parses(r, author);
}

bool postpones_verification(const struct runner *r)
{
  return r->waves && r->waves->is_small_wave;
}

/* As verify_pending; after the first wave only functions of the current wave can have changed. */
static coro_status verify_wave(struct runner *r)
{
  bool part = r->last_change.pass && r->waves && r->waves->count > 1 && r->last_change.maker != MADE_BY_CLIENT &&
              !r->run->options->unverified;
  return part && waves_verify(r->waves, true) ? CORO_OK : verify_pending(r);
}

coro_status verify_before_step(struct runner *r, const struct pipe_step *step)
{
  r->postponed |= step->in_level && r->last_change.pass && postpones_verification(r);
  bool postpone = step->in_level ? r->postponed : postpones_verification(r);
  if (postpone && r->last_change.maker != MADE_BY_CLIENT)
    return CORO_OK;
  if (step->in_level)
    return verify_pending(r);
  return r->unverified_level.pass ? verify_all_pending(r) : verify_wave(r);
}
