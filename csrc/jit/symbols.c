/* Checks that every symbol is defined exactly once: ORC's linker reports missing symbols late and without details.
   Requires: an engine. Guarantees: only jit_define_available_externally changes the module. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "ir/edit.h"
#include "jit/jit_internal.h"
#include "llvm-c/Support.h"

static bool is_symbol_already_defined(struct jit *jit, LLVMValueRef global)
{
  void *address;
  return !LLVMIsDeclaration(global) && LLVMGetLinkage(global) == LLVMExternalLinkage &&
         jit_find_symbol(jit, edit_value_name(global), &address);
}

static coro_status reject_duplicate_symbol(LLVMValueRef global, coro_diags *diags)
{
  char message[400];
  snprintf(message, sizeof message, "@%.300s is already defined or bound in the engine", edit_value_name(global));
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EJIT,
                                            .rule = "defined-once",
                                            .message = message,
                                            .hint = "rename it, or compile the module in a separate engine"});
}

/* ORC reports duplicates too, but only a random one. */
static coro_status check_symbols_are_unique(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (is_symbol_already_defined(jit, f))
      return reject_duplicate_symbol(f, diags);
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
    if (is_symbol_already_defined(jit, g))
      return reject_duplicate_symbol(g, diags);
  return CORO_OK;
}

/* available_externally: a copy from which no code is generated. */
static bool is_available_externally(LLVMValueRef global)
{
  return LLVMGetLinkage(global) == LLVMAvailableExternallyLinkage;
}

static bool is_symbol_missing_in_engine_and_process(struct jit *jit, LLVMValueRef global)
{
  void *address;
  if ((!LLVMIsDeclaration(global) && !is_available_externally(global)) || !LLVMGetFirstUse(global) ||
      LLVMGetLinkage(global) == LLVMExternalWeakLinkage)
    return false;
  const char *name = edit_value_name(global);
  return !jit_find_symbol(jit, name, &address) && !LLVMSearchForAddressOfSymbol(name);
}

typedef void visit_global(void *user, LLVMValueRef global);

static void visit_missing_symbols(struct jit *jit, LLVMModuleRef module, visit_global *visit, void *user)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMGetIntrinsicID(f) && is_symbol_missing_in_engine_and_process(jit, f))
      visit(user, f);
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
    if (is_symbol_missing_in_engine_and_process(jit, g))
      visit(user, g);
}

struct name_callback {
  void (*each)(void *user, const char *name);
  void *user;
};

static void call_visitor_with_symbol_name(void *user, LLVMValueRef global)
{
  struct name_callback *name_callback = user;
  name_callback->each(name_callback->user, edit_value_name(global));
}

void jit_each_undefined_symbol(struct jit *jit, LLVMModuleRef module, void (*each)(void *user, const char *name),
                               void *user)
{
  visit_missing_symbols(jit, module, call_visitor_with_symbol_name, &(struct name_callback){each, user});
}

void jit_define_available_externally(struct jit *jit, LLVMModuleRef own)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(own); f; f = LLVMGetNextFunction(f))
    if (is_available_externally(f) && is_symbol_missing_in_engine_and_process(jit, f))
      LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
  for (LLVMValueRef g = LLVMGetFirstGlobal(own); g; g = LLVMGetNextGlobal(g))
    if (is_available_externally(g) && is_symbol_missing_in_engine_and_process(jit, g))
      LLVMSetLinkage(g, LLVMLinkOnceODRLinkage);
}

struct undefined_check {
  coro_diags *diags;
  coro_status status;
};

static void reject_missing_unless_available_externally(void *user, LLVMValueRef global)
{
  struct undefined_check *undefined_check = user;
  char message[400];
  if (is_available_externally(global))
    return; /* jit_define_available_externally defines it */
  snprintf(message, sizeof message, "the %s @%.300s is declared but not defined",
           LLVMIsAFunction(global) ? "function" : "variable", edit_value_name(global));
  undefined_check->status =
      coro_diags_add(undefined_check->diags,
                     &(coro_diag){.status = CORO_EJIT,
                                  .rule = "defined-somewhere",
                                  .message = message,
                                  .hint = "bind it to an address (in Python: to a callable in `externals`) before "
                                          "the module is added, add the module that defines it first, or name the "
                                          "library that does (in Python: in `libraries`)"});
}

static coro_status check_symbols_are_defined(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  struct undefined_check undefined_check = {diags, CORO_OK};
  visit_missing_symbols(jit, module, reject_missing_unless_available_externally, &undefined_check);
  return undefined_check.status;
}

coro_status jit_check_symbols(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = check_symbols_are_unique(jit, module, diags);
  return status ? status : check_symbols_are_defined(jit, module, diags);
}

/* Length of the text between the two marks in LLVM's message; 0: not found. */
static size_t length_of_text_between(const char *text, const char *open, const char *close, const char **start)
{
  const char *at = text ? strstr(text, open) : NULL;
  *start = at ? at + strlen(open) : "";
  const char *end = strstr(*start, close);
  return end ? (size_t)(end - *start) : 0;
}

coro_status jit_report_missing_symbols(struct jit *jit, LLVMErrorRef *error, coro_diags *diags)
{
  char *text = *error ? LLVMGetErrorMessage(*error) : NULL;
  const char *names;
  size_t length = length_of_text_between(text, "Symbols not found: [ ", " ]", &names);
  if (!length)
    length = length_of_text_between(jit->error_text, "Symbols not found: [ ", " ]", &names);
  coro_status status = CORO_OK;
  for (const char *at = names; length && at < names + length; at += strcspn(at, ", ]"), at += strspn(at, ", ")) {
    char message[400];
    snprintf(message, sizeof message, "the function @%.*s is called by generated code but not defined",
             (int)(strcspn(at, ", ]") < 300 ? strcspn(at, ", ]") : 300), at);
    bool is_cpp = !strncmp(at, "_Z", 2) || !strncmp(at, "__cxa_", 6) || !strncmp(at, "__gxx_", 6);
    status = coro_diags_add(diags, &(coro_diag){.status = CORO_EJIT,
                                                .rule = "defined-somewhere",
                                                .message = message,
                                                .hint = is_cpp ? "add the C++ library to the engine (in Python: "
                                                                 "libraries=[\"libstdc++.so.6\"], say)"
                                                               : "add the library that defines it to the engine (in "
                                                                 "Python: libraries=[\"libgcc_s.so.1\"], say)"});
  }
  *error = text && !status ? LLVMCreateStringError(text) : NULL;
  LLVMDisposeErrorMessage(text);
  return status;
}

/* ---- Shared libraries ---- */

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
