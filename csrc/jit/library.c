/* Resolves symbols from a shared library, for runtime functions that compiled code references without a declaration in
   its module (_Unwind_Resume).
   Requires: an engine. Guarantees: the library takes part in symbol resolution. */
#include <dlfcn.h>

#include "jit/jit_internal.h"

/* ORC definition generator: defines in `dylib` the requested names that the library has. */
static LLVMErrorRef define_symbols_found_in_library(LLVMOrcDefinitionGeneratorRef generator, void *library,
                                                    LLVMOrcLookupStateRef *state, LLVMOrcLookupKind kind,
                                                    LLVMOrcJITDylibRef dylib, LLVMOrcJITDylibLookupFlags flags,
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
      LLVMOrcDisposeMaterializationUnit(unit); /* LLVM takes ownership only on success */
  }
  return error;
}

void jit_add_library(struct jit *jit, void *library)
{
  LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(jit->lljit);
  LLVMOrcJITDylibRef process = LLVMOrcExecutionSessionGetJITDylibByName(session, "<Process Symbols>");
  if (!process)
    process = LLVMOrcLLJITGetMainJITDylib(jit->lljit);
  LLVMOrcJITDylibAddGenerator(
      process, LLVMOrcCreateCustomCAPIDefinitionGenerator(define_symbols_found_in_library, library, NULL));
}
