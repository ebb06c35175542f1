/* Compiles a module, or links an object file, into the engine through ORC.
   Requires: an engine, a checked module. Guarantees: on failure the engine does not change. */
#include "jit/jit_internal.h"

static void record_error_diagnostic(LLVMDiagnosticInfoRef info, void *jit)
{
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  jit_record_first_error(jit, text);
  LLVMDisposeMessage(text);
}

void jit_record_context_errors(struct jit *jit, LLVMContextRef context)
{
  LLVMContextSetDiagnosticHandler(context, record_error_diagnostic, jit);
}

void jit_dispose_module_and_context(LLVMModuleRef own)
{
  LLVMContextRef context = LLVMGetModuleContext(own);
  LLVMDisposeModule(own);
  LLVMContextDispose(context);
}

static LLVMErrorRef look_up_generated_hook(struct jit *jit, const char *name, jit_hook **hook)
{
  LLVMOrcExecutorAddress address = 0;
  LLVMErrorRef error = LLVMOrcLLJITLookup(jit->lljit, &address, name);
  *hook = (jit_hook *)(uintptr_t)address;
  return error;
}

/* Looks up a function of the module, which forces compilation and linking of all of it, so that errors are reported
   now. `error` is the result of adding it. */
static coro_status force_compilation_or_remove_module(struct jit *jit, LLVMOrcResourceTrackerRef tracker,
                                                      LLVMErrorRef error, const struct jit_plan *plan,
                                                      struct jit_unit *unit, coro_diags *diags)
{
  if (!error)
    error = look_up_generated_hook(jit, plan->init, &unit->init);
  if (!error && plan->has_fini)
    error = look_up_generated_hook(jit, plan->fini, &unit->fini);
  if (!error)
    error = jit_look_up_clone_addresses(jit, plan, unit);
  coro_status status = CORO_OK;
  if (error || jit->error_text)
    status = jit_report_missing_symbols(jit, &error, diags);
  if (!status && (error || jit->error_text))
    status = jit_report_error(jit, error, "the module could not be compiled",
                              "the module may require features or library functions that this machine or process lacks",
                              diags);
  if (status) {
    LLVMErrorRef ignored = LLVMOrcResourceTrackerRemove(tracker);
    if (ignored)
      LLVMConsumeError(ignored);
    jit_clear_error(jit);
  }
  LLVMOrcReleaseResourceTracker(tracker);
  return status;
}

static LLVMOrcResourceTrackerRef clear_error_and_make_tracker(struct jit *jit)
{
  jit_clear_error(jit);
  return LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit->lljit));
}

static coro_status compile_module(struct jit *jit, LLVMModuleRef own, const struct jit_plan *plan,
                                  struct jit_unit *unit, coro_diags *diags)
{
  LLVMOrcThreadSafeContextRef owner = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(LLVMGetModuleContext(own));
  LLVMOrcThreadSafeModuleRef safe = LLVMOrcCreateNewThreadSafeModule(own, owner);
  LLVMOrcDisposeThreadSafeContext(owner);
  LLVMOrcResourceTrackerRef tracker = clear_error_and_make_tracker(jit);
  return force_compilation_or_remove_module(jit, tracker, LLVMOrcLLJITAddLLVMIRModuleWithRT(jit->lljit, tracker, safe),
                                            plan, unit, diags);
}

coro_status jit_compile(struct jit *jit, LLVMModuleRef own, const struct jit_plan *plan, struct jit_unit *unit,
                        coro_diags *diags)
{
  coro_status status = jit_make_clone_table(own, plan, unit) ? jit_replace_constructor_lists(own, plan, diags)
                                                             : jit_report_no_memory(diags);
  if (status) {
    jit_dispose_module_and_context(own);
    return status;
  }
  jit_define_available_externally(jit, own);
  jit_instrument_running(jit, own);
  jit_emulate_thread_locals(own);
  if (jit->quick)
    jit_simplify_for_fast_isel(own);
  jit_fill_empty_functions(own);
  return compile_module(jit, own, plan, unit, diags);
}

coro_status jit_link(struct jit *jit, LLVMMemoryBufferRef object, const struct jit_plan *plan, struct jit_unit *unit,
                     coro_diags *diags)
{
  LLVMOrcResourceTrackerRef tracker = clear_error_and_make_tracker(jit);
  return force_compilation_or_remove_module(jit, tracker, LLVMOrcLLJITAddObjectFileWithRT(jit->lljit, tracker, object),
                                            plan, unit, diags);
}
