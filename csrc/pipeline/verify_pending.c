/* Incremental verification of the module, and attribution of errors to passes.
   Requires: runner.
   Guarantees: the module is unchanged. */
#include "pipeline/verify_pending.h"

#include <string.h>

#include "ir/read.h"
#include "ir/verify.h"
#include "llvm-c/Analysis.h"

enum { FEW = 4 }; /* functions that are always verified individually */

/* Reports a verification error with the pass that caused it; `said` has the location. */
static coro_status broken(struct runner *r, struct author author, const char *how, const coro_diags *said)
{
  static const char *const hints[] = {
      [MADE_BY_PYCORO] = "this is a fault of pycoro's; please report it with the input",
      [MADE_BY_READER] = "leave verify_each out, which reads the text again, or report it to LLVM",
      [MADE_BY_LLVM] = "leave the pass out, or report it to LLVM with the input",
      [MADE_BY_EITHER] = "verify_each tells whether this is pycoro's pass or one of LLVM's before it; please report it",
      [MADE_BY_ANY] = "verify_each tells whether it was this pass or one before it, which was not verified",
      [MADE_BY_CLIENT] = "correct the pass: what it leaves has to be a module that verifies",
  };
  const coro_diag *first = coro_diags_get(said, 0);
  coro_diag diag = first ? *first : (coro_diag){0};
  diag.status = author.maker == MADE_BY_PYCORO ? CORO_EBUG : CORO_EVERIFY;
  diag.severity = CORO_ERROR;
  diag.rule = "broken-module";
  diag.message = coro_arena_printf(r->run->arena, "the module is broken after %s: %s%s", author.pass, how,
                                   first ? first->message : "");
  diag.hint = hints[author.maker];
  return diag.message ? coro_diags_add(r->run->diags, &diag) : CORO_ENOMEM;
}

static void forget(struct runner *r)
{
  r->unverified = r->believed = (struct author){0};
  r->all = r->unseen = r->trusted = false;
  coro_map_init(&r->run->unsettled, r->kept);
}

coro_status verify_after_pass(struct runner *r, struct author author)
{
  coro_diags *said = NULL;
  coro_status status = coro_diags_create(&said);
  if (author.maker == MADE_BY_CLIENT && r->trusted)
    author.maker = MADE_BY_ANY;
  forget(r);
  if (!status && ir_verify(r->run->module, said))
    status = broken(r, author, "", said);
  coro_diags_free(said);
  return status;
}

bool is_whole_verification_cheaper(const struct runner *r)
{
  return LLVMGetNamedMetadata(r->run->module, "llvm.dbg.cu", strlen("llvm.dbg.cu"));
}

static bool touched_verify(const struct runner *r)
{
  bool fine = r->run->unsettled.count <= FEW || !is_whole_verification_cheaper(r);
  uint64_t changed;
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f && fine; f = LLVMGetNextFunction(f))
    fine = !coro_map_get(&r->run->unsettled, coro_map_key(f), &changed) || !changed || LLVMIsDeclaration(f) ||
           !LLVMVerifyFunction(f, LLVMReturnStatusAction);
  return fine;
}

/* The pass that broke the modified functions; both, if two are possible. */
static struct author breaker(const struct runner *r)
{
  if (r->unverified.maker != MADE_BY_PYCORO || !r->believed.pass || (!r->all && !r->unseen))
    return r->unverified;
  char *both = coro_arena_printf(r->run->arena, "%s, or already after %s", r->unverified.pass, r->believed.pass);
  return (struct author){MADE_BY_EITHER, both ? both : r->believed.pass};
}

/* With verification disabled, only clients' passes are verified. */
static bool is_trusted(const struct runner *r)
{
  return r->run->options->unverified && r->unverified.maker != MADE_BY_CLIENT;
}

coro_status settle(struct runner *r)
{
  if (!r->unverified.pass)
    return CORO_OK;
  if (!is_trusted(r) && (r->all || !touched_verify(r)))
    return verify_after_pass(r, breaker(r));
  struct author believed = r->believed;
  bool trusted = r->trusted || is_trusted(r);
  forget(r);
  r->believed = believed;
  r->trusted = trusted;
  return CORO_OK;
}

coro_status verify_all_pending(struct runner *r)
{
  bool whole = r->believed.pass && !r->run->options->unverified;
  if (whole && !LLVMVerifyModule(r->run->module, LLVMReturnStatusAction, NULL)) {
    forget(r);
    return CORO_OK;
  }
  coro_status status = settle(r); /* finds out whether a pass of pycoro broke the module */
  return !status && whole ? verify_after_pass(r, r->believed) : status;
}

void verify_module_later(struct runner *r, struct author author)
{
  r->unverified = author;
  r->all = true;
}

bool verify_function_later(struct runner *r, LLVMValueRef function, LLVMValueRef last)
{
  bool fine = !function || pass_mark_modified(r->run, function);
  LLVMValueRef f = LLVMGetLastFunction(r->run->module);
  for (; f && f != last && fine; f = LLVMGetPreviousFunction(f))
    fine = pass_mark_modified(r->run, f);
  r->all |= fine && !f; /* the last known function was deleted */
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
static coro_status read_back(struct runner *r, struct author author)
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
  if (status && status != CORO_ENOMEM)
    status = broken(r, author, "its text does not parse: ", said);
  LLVMContextDispose(context);
  LLVMDisposeMessage(text);
  coro_diags_free(said);
  return status;
}

coro_status verify_each_pass(struct runner *r, struct author author)
{
  bool changed = r->unverified.pass || r->believed.pass;
  coro_status status = r->run->options->verify_each && changed ? verify_after_pass(r, author) : CORO_OK;
  return status || !r->run->options->verify_each ? status : read_back(r, author);
}
