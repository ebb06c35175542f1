/* The engine: an LLJIT with error capture, symbol definition and lookup.
   Requires: nothing. Guarantees: LLVM's error reports are stored, not printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/target.h"
#include "jit/jit_internal.h"

void jit_clear_error(struct jit *jit)
{
  free(jit->error_text);
  jit->error_text = NULL;
}

void jit_record_first_error(struct jit *jit, const char *text)
{
  size_t size = strlen(text) + 1;
  if (!jit->error_text && (jit->error_text = malloc(size)))
    memcpy(jit->error_text, text, size);
}

static void record_llvm_error(void *context, LLVMErrorRef error)
{
  char *text = LLVMGetErrorMessage(error);
  jit_record_first_error(context, text);
  LLVMDisposeErrorMessage(text);
}

coro_status jit_report_error(struct jit *jit, LLVMErrorRef error, const char *what, const char *hint, coro_diags *diags)
{
  char *text = error ? LLVMGetErrorMessage(error) : NULL;
  char message[1200];
  snprintf(message, sizeof message, "%s: %s%s%s", what, text ? text : "", text && jit->error_text ? "; " : "",
           jit->error_text ? jit->error_text : "");
  if (text)
    LLVMDisposeErrorMessage(text);
  jit_clear_error(jit);
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EJIT, .rule = "jit", .message = message, .hint = hint});
}

coro_status jit_report_no_memory(coro_diags *diags)
{
  return coro_diags_add(diags, &(coro_diag){.status = CORO_ENOMEM, .message = "out of memory"});
}

/* Adds the engine's own module, which needs no checks. */
static LLVMErrorRef add_thunk_module(struct jit *jit)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = jit_make_thunks(context);
  LLVMOrcThreadSafeContextRef owner = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context);
  LLVMOrcThreadSafeModuleRef unit = LLVMOrcCreateNewThreadSafeModule(module, owner);
  LLVMOrcDisposeThreadSafeContext(owner);
  LLVMOrcExecutorAddress resume = 0, destroy = 0;
  LLVMErrorRef error = LLVMOrcLLJITAddLLVMIRModule(jit->lljit, LLVMOrcLLJITGetMainJITDylib(jit->lljit), unit);
  if (!error)
    error = LLVMOrcLLJITLookup(jit->lljit, &resume, JIT_RESUME);
  if (!error)
    error = LLVMOrcLLJITLookup(jit->lljit, &destroy, JIT_DESTROY);
  jit->resume = (jit_thunk *)(uintptr_t)resume;
  jit->destroy = (jit_thunk *)(uintptr_t)destroy;
  return error;
}

/* An LLJIT builder without code generator optimization. NULL (LLVM's default) if the target is unknown. */
static LLVMOrcLLJITBuilderRef make_unoptimized_lljit_builder(void)
{
  char *triple = LLVMGetDefaultTargetTriple();
  LLVMTargetMachineRef machine =
      target_machine_for_triple_or_null(triple, LLVMCodeGenLevelNone, LLVMCodeModelJITDefault);
  LLVMDisposeMessage(triple);
  if (!machine)
    return NULL;
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder,
                                                LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
  return builder;
}

coro_status jit_create(struct jit **out, bool quick, coro_diags *diags)
{
  struct jit *jit = calloc(1, sizeof *jit);
  *out = NULL;
  if (!jit)
    return jit_report_no_memory(diags);
  jit->quick = quick;
  pthread_mutex_init(&jit->lock, NULL);
  target_registry_initialize_once();
  LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit->lljit, quick ? make_unoptimized_lljit_builder() : NULL);
  if (!error) {
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit->lljit), record_llvm_error, jit);
    error = add_thunk_module(jit);
  }
  if (error) {
    coro_status status = jit_report_error(jit, error, "the JIT could not be initialized",
                                          "check that this libLLVM supports the host target", diags);
    jit_free(jit);
    return status;
  }
  *out = jit;
  return CORO_OK;
}

/* LLJIT intercepts atexit and runs registered functions through this symbol. */
static void run_atexit_functions(struct jit *jit)
{
  void *address;
  if (jit->has_atexit && jit_find_symbol(jit, "__lljit_run_atexits", &address))
    ((jit_hook *)(uintptr_t)address)();
}

void jit_free(struct jit *jit)
{
  if (!jit)
    return;
  run_atexit_functions(jit);
  for (struct jit_unit *unit = jit->last, *before; unit; unit = before) {
    before = unit->before;
    if (unit->fini && unit->started)
      unit->fini();
    jit_free_clones(unit);
    free(unit);
  }
  if (jit->lljit) {
    LLVMErrorRef error = LLVMOrcDisposeLLJIT(jit->lljit);
    if (error)
      LLVMConsumeError(error);
  }
  jit_clear_error(jit);
  jit_free_indices(jit);
  pthread_mutex_destroy(&jit->lock);
  free(jit);
}

bool jit_find_symbol(struct jit *jit, const char *name, void **address)
{
  LLVMOrcExecutorAddress found = 0;
  LLVMErrorRef error = LLVMOrcLLJITLookup(jit->lljit, &found, name);
  if (error)
    LLVMConsumeError(error);
  jit_clear_error(jit);
  *address = (void *)(uintptr_t)found;
  return !error;
}

coro_status jit_define_symbol(struct jit *jit, const char *name, void *address, coro_diags *diags)
{
  LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(jit->lljit);
  LLVMJITSymbolFlags flags = {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0};
  LLVMOrcCSymbolMapPair pair = {LLVMOrcLLJITMangleAndIntern(jit->lljit, name), {(uintptr_t)address, flags}};
  LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(&pair, 1);
  LLVMErrorRef error = LLVMOrcJITDylibDefine(library, unit);
  if (!error)
    return CORO_OK;
  LLVMOrcDisposeMaterializationUnit(unit); /* LLVM takes ownership only on success */
  return jit_report_error(jit, error, "the symbol could not be bound",
                          "bind each name once, before a module defines it", diags);
}

coro_status jit_lookup_symbol(struct jit *jit, const char *name, void **address, coro_diags *diags)
{
  if (jit_find_symbol(jit, name, address))
    return CORO_OK;
  char message[400];
  snprintf(message, sizeof message, "the engine has no definition of @%.300s", name);
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EJIT,
                                            .rule = "looked-up",
                                            .message = message,
                                            .hint = "only what an added module defines and does not keep internal "
                                                    "can be looked up"});
}

const char *jit_triple(const struct jit *jit)
{
  return LLVMOrcLLJITGetTripleString(jit->lljit);
}

const char *jit_data_layout(const struct jit *jit)
{
  return LLVMOrcLLJITGetDataLayoutStr(jit->lljit);
}

void jit_resume(struct jit *jit, void *handle)
{
  jit->resume(handle);
}

void jit_destroy(struct jit *jit, void *handle)
{
  jit->destroy(handle);
}
