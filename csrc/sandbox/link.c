/* Links modules, first in a child process because LLVM's linker may crash or abort. */
#include "sandbox/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ir/edit.h"
#include "ir/verify.h"
#include "llvm-c/ErrorHandling.h"
#include "llvm-c/Linker.h"
#include "sandbox/child_process.h"
#include "sandbox/read.h"

enum { SECONDS = 10, SECONDS_A_MODULE = 2, MEMORY = 1 << 30 };

struct link {
  const LLVMModuleRef *inputs;
  LLVMModuleRef *copies; /* `count` entries; NULL after it was linked into the first */
  size_t count, at;      /* `at`: index of the module that is being linked */
  struct coro_arena *arena;
  coro_diags *diags; /* may be NULL */
  const char *error; /* LLVM's first error; NULL: none */
};

static const char *module_name_for_message(LLVMModuleRef module)
{
  return LLVMGetModuleIdentifier(module, &(size_t){0});
}

static coro_status reject_link(struct link *link, const char *rule, const char *message, const char *hint)
{
  if (!message)
    return CORO_ENOMEM;
  return coro_diags_add(link->diags,
                        &(coro_diag){.status = CORO_ELINK, .rule = rule, .message = message, .hint = hint});
}

/* ---- Targets ---- */

static coro_status check_equal_unless_empty(struct link *link, const char *what, const char *(*get)(LLVMModuleRef))
{
  LLVMModuleRef first = NULL;
  for (size_t i = 0; i < link->count; i++) {
    const char *own = get(link->inputs[i]);
    if (*own && first && strcmp(own, get(first)) != 0)
      return reject_link(link, "link-one-machine",
                         coro_arena_printf(link->arena, "%s has the %s %s, but %s has %s",
                                           module_name_for_message(first), what, get(first),
                                           module_name_for_message(link->inputs[i]), own),
                         "compile both modules for the same target");
    if (*own && !first)
      first = link->inputs[i];
  }
  return CORO_OK;
}

/* ---- Definitions ---- */

static bool is_strong_definition(LLVMValueRef global)
{
  LLVMLinkage linkage = global ? LLVMGetLinkage(global) : LLVMInternalLinkage;
  return linkage == LLVMExternalLinkage && !LLVMIsDeclaration(global);
}

static LLVMValueRef find_symbol_in_module(LLVMModuleRef module, const char *name, size_t length)
{
  LLVMValueRef found = LLVMGetNamedFunctionWithLength(module, name, length);
  found = found ? found : LLVMGetNamedGlobalWithLength(module, name, length);
  return found ? found : LLVMGetNamedGlobalAlias(module, name, length);
}

/* The earlier module that also defines this symbol; NULL: none. */
static LLVMModuleRef find_earlier_defining_module(const struct link *link, LLVMValueRef global)
{
  size_t length;
  const char *name = LLVMGetValueName2(global, &length);
  for (size_t i = 0; i < link->at && is_strong_definition(global); i++)
    if (is_strong_definition(find_symbol_in_module(link->inputs[i], name, length)))
      return link->inputs[i];
  return NULL;
}

static coro_status reject_redefinition(struct link *link, LLVMValueRef global, LLVMModuleRef other)
{
  return reject_link(link, "link-defined-once",
                     coro_arena_printf(link->arena, "@%s is defined in both %s and %s", edit_value_name(global),
                                       module_name_for_message(other), module_name_for_message(link->inputs[link->at])),
                     "rename one of the definitions, or make one internal, weak or linkonce_odr");
}

/* LLVM's error names the symbol but not the modules. */
static coro_status report_link_error(struct link *link)
{
  LLVMModuleRef module = link->inputs[link->at], other;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if ((other = find_earlier_defining_module(link, f)))
      return reject_redefinition(link, f, other);
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
    if ((other = find_earlier_defining_module(link, g)))
      return reject_redefinition(link, g, other);
  return reject_link(link, "link",
                     coro_arena_printf(link->arena, "%s does not link with the modules before it: %s",
                                       module_name_for_message(module),
                                       link->error ? link->error : "LLVM cannot link it"),
                     "");
}

/* ---- Linking ---- */

static void record_link_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
  struct link *link = user;
  LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
  char *text = LLVMGetDiagInfoDescription(info);
  if (severity == LLVMDSError && !link->error)
    link->error = coro_arena_strndup(link->arena, text, strlen(text));
  if (severity == LLVMDSWarning)
    coro_diags_add(link->diags,
                   &(coro_diag){.status = CORO_OK, .severity = CORO_WARNING, .rule = "llvm", .message = text});
  LLVMDisposeMessage(text);
}

/* False: the module at link->at does not link. LLVM frees a module that it links, even on failure. */
static bool link_remaining_modules(struct link *link)
{
  for (link->at = 1; link->at < link->count; link->at++) {
    LLVMModuleRef next = link->copies[link->at];
    link->copies[link->at] = NULL;
    if (LLVMLinkModules2(link->copies[0], next) || link->error)
      return false;
  }
  return true;
}

/* Runs in the child. Errors are reported when the parent links again. */
static void try_to_link_in_child(void *user, char **answer, size_t *size)
{
  struct link *link = user;
  (void)answer, (void)size;
  LLVMResetFatalErrorHandler();
  link->diags = NULL;
  if (link_remaining_modules(link))
    ir_verify(link->copies[0], NULL);
}

static coro_status check_link_in_child(struct link *link)
{
  struct child_limits limits = {SECONDS + SECONDS_A_MODULE * (unsigned)link->count, MEMORY};
  struct child_result result;
  child_run_work_with_retries(&result, &limits, try_to_link_in_child, link);
  return child_diagnose_failure(&result, &limits, "LLVM's linker",
                                &(coro_diag){.status = CORO_ELINK,
                                             .rule = "linker",
                                             .hint = "link fewer modules at a time to find the one that fails"},
                                link->diags);
}

static coro_status copy_and_link(struct link *link, LLVMContextRef context)
{
  coro_status status = check_equal_unless_empty(link, "target", LLVMGetTarget);
  if (!status)
    status = check_equal_unless_empty(link, "data layout", LLVMGetDataLayoutStr);
  for (size_t i = 0; i < link->count && !status; i++)
    status = ir_copy_if_it_verifies(&link->copies[i], context, link->inputs[i], link->diags);
  LLVMContextSetDiagnosticHandler(context, record_link_diagnostic, link);
  if (!status)
    status = check_link_in_child(link);
  if (!status && !link_remaining_modules(link))
    status = report_link_error(link);
  LLVMContextSetDiagnosticHandler(context, NULL, NULL);
  return status ? status : ir_verify(link->copies[0], link->diags);
}

coro_status ir_link_modules_sandboxed(LLVMModuleRef *out, LLVMContextRef context, const LLVMModuleRef *modules,
                                      size_t count, const char *name, coro_diags *diags)
{
  struct link link = {.inputs = modules, .count = count, .arena = coro_arena_create(), .diags = diags};
  link.copies = link.arena ? coro_arena_zalloc(link.arena, count, sizeof *link.copies) : NULL;
  coro_status status = link.copies ? copy_and_link(&link, context) : CORO_ENOMEM;
  *out = NULL;
  if (!status) {
    *out = link.copies[0];
    LLVMSetModuleIdentifier(*out, name, strlen(name));
  }
  for (size_t i = 0; link.copies && i < count && status; i++)
    if (link.copies[i])
      LLVMDisposeModule(link.copies[i]);
  coro_arena_free(link.arena);
  return status;
}
