/* Shared libraries: what compiled code refers to without that its module declares it, as _Unwind_Resume, is looked for
   in them. Needs: an engine. Leaves: the libraries among what the engine's modules are linked with. */
#include <dlfcn.h>

#include "jit/inside.h"

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
