/* Shared libraries: what compiled code refers to without that its module declares it, as _Unwind_Resume, is looked for
   in them. Needs: an engine. Leaves: the libraries among what the engine's modules are linked with. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "jit/room.h"

/* What the library has of the names that are looked up becomes defined in `dylib`. */
static LLVMErrorRef define_found(LLVMOrcDefinitionGeneratorRef generator, void *library, LLVMOrcLookupStateRef *state,
                                 LLVMOrcLookupKind kind, LLVMOrcJITDylibRef dylib, LLVMOrcJITDylibLookupFlags flags,
                                 LLVMOrcCLookupSet names, size_t count)
{
  (void)generator, (void)state, (void)kind, (void)flags;
  LLVMErrorRef error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    void *address = dlsym(library, LLVMOrcSymbolStringPoolEntryStr(names[i].Name));
    if (!address)
      continue;
    LLVMOrcRetainSymbolStringPoolEntry(names[i].Name);
    LLVMOrcCSymbolMapPair pair = {names[i].Name, {(uintptr_t)address, {LLVMJITSymbolGenericFlagsExported, 0}}};
    LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(&pair, 1);
    error = LLVMOrcJITDylibDefine(dylib, unit);
    if (error)
      LLVMOrcDisposeMaterializationUnit(unit); /* taken over only on success */
  }
  return error;
}

void jit_add_library(struct jit *jit, void *library)
{
  LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(jit->lljit);
  LLVMOrcJITDylibRef process = LLVMOrcExecutionSessionGetJITDylibByName(session, "<Process Symbols>");
  if (!process)
    process = LLVMOrcLLJITGetMainJITDylib(jit->lljit);
  LLVMOrcJITDylibAddGenerator(process, LLVMOrcCreateCustomCAPIDefinitionGenerator(define_found, library, NULL));
}

/* The text behind the opening mark in what LLVM said, up to the closing one; its length, 0 where there is none. */
static size_t between(const char *text, const char *open, const char *close, const char **start)
{
  const char *at = text ? strstr(text, open) : NULL;
  *start = at ? at + strlen(open) : "";
  const char *end = strstr(*start, close);
  return end ? (size_t)(end - *start) : 0;
}

coro_status jit_name_missing(struct jit *jit, LLVMErrorRef *error, coro_diags *diags)
{
  char *text = *error ? LLVMGetErrorMessage(*error) : NULL;
  const char *names;
  size_t length = between(text, "Symbols not found: [ ", " ]", &names);
  if (!length)
    length = between(jit->said, "Symbols not found: [ ", " ]", &names);
  coro_status status = CORO_OK;
  for (const char *at = names; length && at < names + length; at += strcspn(at, ", ]"), at += strspn(at, ", ")) {
    char message[400];
    snprintf(message, sizeof message,
             "the function @%.*s is called by what the code generator makes, but defined nowhere",
             (int)(strcspn(at, ", ]") < 300 ? strcspn(at, ", ]") : 300), at);
    status = coro_diags_add(diags, &(coro_diag){.status = CORO_EJIT,
                                                .rule = "defined-somewhere",
                                                .message = message,
                                                .hint = "give the engine the library that defines it (in Python: "
                                                        "libraries=[\"libgcc_s.so.1\"], say)"});
  }
  *error = text && !status ? LLVMCreateStringError(text) : NULL;
  LLVMDisposeErrorMessage(text);
  return status;
}
