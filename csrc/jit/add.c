/* Adding a module: copied, checked, compiled, initialised.
   Needs: an engine. Leaves: the caller's module as it was; on failure nothing of it in the engine. */
#include <stdio.h>
#include <stdlib.h>

#include "jit/room.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/BitWriter.h"

/* LLVM prints a context's errors to stderr and exits, unless somebody listens. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *jit)
{
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  jit_said(jit, text);
  LLVMDisposeMessage(text);
}

/* A copy in a context of its own, through bitcode: ORC wants to own the context of what it compiles. */
static LLVMModuleRef copy_module(struct jit *jit, LLVMModuleRef module)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(context, on_diagnostic, jit);
  LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
  LLVMModuleRef copy = NULL;
  LLVMBool failed = LLVMParseBitcodeInContext2(context, bitcode, &copy);
  LLVMDisposeMemoryBuffer(bitcode);
  if (!failed)
    return copy;
  LLVMContextDispose(context);
  return NULL;
}

static LLVMErrorRef look_up(struct jit *jit, const char *name, jit_hook **hook)
{
  LLVMOrcExecutorAddress address = 0;
  LLVMErrorRef error = LLVMOrcLLJITLookup(jit->lljit, &address, name);
  *hook = (jit_hook *)(uintptr_t)address;
  return error;
}

/* Looking a function of the module up compiles all of it, so that its errors come now. Consumes `copy`. */
static coro_status compile(struct jit *jit, LLVMModuleRef copy, const char *init, const char *fini,
                           struct jit_unit *unit, jit_hook **start, coro_diags *diags)
{
  LLVMOrcThreadSafeContextRef owner = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(LLVMGetModuleContext(copy));
  LLVMOrcThreadSafeModuleRef safe = LLVMOrcCreateNewThreadSafeModule(copy, owner);
  LLVMOrcDisposeThreadSafeContext(owner);
  LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(jit->lljit);
  LLVMOrcResourceTrackerRef tracker = LLVMOrcJITDylibCreateResourceTracker(library);
  jit_quiet(jit);
  LLVMErrorRef error = LLVMOrcLLJITAddLLVMIRModuleWithRT(jit->lljit, tracker, safe);
  if (!error)
    error = look_up(jit, init, start);
  if (!error && fini)
    error = look_up(jit, fini, &unit->fini);
  if (!error)
    error = jit_find_parts(jit, unit);
  coro_status status = CORO_OK;
  if (error || jit->said)
    status = jit_name_missing(jit, &error, diags);
  if (!status && (error || jit->said))
    status = jit_failed(jit, error, "the module could not be compiled",
                        "the machine or the libraries of this process may lack what the module asks for", diags);
  if (status) {
    LLVMErrorRef ignored = LLVMOrcResourceTrackerRemove(tracker);
    if (ignored)
      LLVMConsumeError(ignored);
    jit_quiet(jit);
  }
  LLVMOrcReleaseResourceTracker(tracker);
  return status;
}

static void dispose(LLVMModuleRef copy)
{
  LLVMContextRef context = LLVMGetModuleContext(copy);
  LLVMDisposeModule(copy);
  LLVMContextDispose(context);
}

static coro_status prepare(struct jit *jit, LLVMModuleRef copy, struct jit_unit *unit, const char *init,
                           const char *fini, bool *has_fini, coro_diags *diags)
{
  if (!jit_list_parts(copy, unit))
    return coro_diags_add(diags, &(coro_diag){.status = CORO_ENOMEM, .message = "memory ran out"});
  jit_emulate_thread_locals(copy);
  coro_status status = jit_make_hooks(copy, init, fini, has_fini, diags);
  if (!status && jit->quick)
    jit_make_cheap(copy);
  return status;
}

/* Compiles a module that was checked, and consumes it; what is to run first is in *start. */
static coro_status add_own(struct jit *jit, LLVMModuleRef own, struct jit_unit *unit, jit_hook **start,
                           coro_diags *diags)
{
  char init[40], fini[40];
  bool has_fini = false;
  unit->number = jit->units++;
  snprintf(init, sizeof init, "pycoro.init.%llu", (unsigned long long)unit->number);
  snprintf(fini, sizeof fini, "pycoro.fini.%llu", (unsigned long long)unit->number);
  coro_status status = prepare(jit, own, unit, init, fini, &has_fini, diags);
  if (!status)
    return compile(jit, own, init, has_fini ? fini : NULL, unit, start, diags);
  dispose(own);
  return status;
}

/* Adds `own`, which is NULL where it could not be made, and is consumed. */
static coro_status add(struct jit *jit, LLVMModuleRef own, coro_diags *diags)
{
  if (!own)
    return jit_failed(jit, NULL, "the module could not be copied", "this is a bug in pycoro", diags);
  bool has_atexit = LLVMGetNamedFunction(own, "__cxa_atexit") || LLVMGetNamedFunction(own, "atexit");
  struct jit_unit *unit = calloc(1, sizeof *unit);
  jit_hook *start = NULL;
  coro_status status = CORO_OK;
  if (unit) {
    status = add_own(jit, own, unit, &start, diags);
  } else {
    dispose(own);
    status = coro_diags_add(diags, &(coro_diag){.status = CORO_ENOMEM, .message = "memory ran out"});
  }
  if (status) {
    if (unit)
      jit_forget_parts(unit);
    free(unit);
    return status;
  }
  unit->before = jit->last;
  jit->last = unit;
  jit->has_atexit |= has_atexit;
  start();
  return CORO_OK;
}

static coro_status check(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = jit_check(jit, module, diags);
  if (!status)
    status = jit_check_layout(module, LLVMOrcLLJITGetDataLayoutStr(jit->lljit), diags);
  jit_quiet(jit);
  return status;
}

coro_status jit_add(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = check(jit, module, diags);
  return status ? status : add(jit, copy_module(jit, module), diags);
}

coro_status jit_take(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = check(jit, module, diags);
  if (status) {
    dispose(module);
    return status;
  }
  LLVMContextSetDiagnosticHandler(LLVMGetModuleContext(module), on_diagnostic, jit);
  return add(jit, module, diags);
}
