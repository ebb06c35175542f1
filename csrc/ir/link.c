/* Linking of modules, without the ways in which LLVM's linker ends the process.
   Needs: base, LLVM-C. Leaves: one module that verifies, or diagnostics and none; the inputs as they were. */
#include "ir/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/diag.h"
#include "ir/edit.h"
#include "ir/read.h"
#include "ir/verify.h"
#include "llvm-c/ErrorHandling.h"
#include "llvm-c/Linker.h"

enum { SECONDS = 10, SECONDS_A_MODULE = 2, MEMORY = 1 << 30 };

struct link {
  const LLVMModuleRef *inputs;
  LLVMModuleRef *copies; /* of `count`; NULL once it is part of the first */
  size_t count, at;      /* `at`: the one that is being linked to those before it */
  struct coro_arena *arena;
  coro_diags *diags; /* NULL: nobody listens */
  const char *said;  /* what LLVM has against it; NULL: nothing */
};

static const char *name_of(LLVMModuleRef module)
{
  return LLVMGetModuleIdentifier(module, &(size_t){0});
}

static coro_status refuse(struct link *link, const char *rule, const char *message, const char *hint)
{
  if (!message)
    return CORO_ENOMEM;
  return coro_diags_add(link->diags,
                        &(coro_diag){.status = CORO_ELINK, .rule = rule, .message = message, .hint = hint});
}

/* ---- Machines ---- */

static coro_status check_same(struct link *link, const char *what, const char *(*get)(LLVMModuleRef))
{
  LLVMModuleRef first = NULL;
  for (size_t i = 0; i < link->count; i++) {
    const char *own = get(link->inputs[i]);
    if (*own && first && strcmp(own, get(first)) != 0)
      return refuse(link, "link-one-machine",
                    coro_arena_printf(link->arena, "%s is of the %s %s, and %s of %s", name_of(first), what, get(first),
                                      name_of(link->inputs[i]), own),
                    "compile both for one machine");
    if (*own && !first)
      first = link->inputs[i];
  }
  return CORO_OK;
}

/* ---- Definitions ---- */

static bool defines(LLVMValueRef global)
{
  LLVMLinkage linkage = global ? LLVMGetLinkage(global) : LLVMInternalLinkage;
  return linkage == LLVMExternalLinkage && !LLVMIsDeclaration(global);
}

static LLVMValueRef named(LLVMModuleRef module, const char *name, size_t length)
{
  LLVMValueRef found = LLVMGetNamedFunctionWithLength(module, name, length);
  found = found ? found : LLVMGetNamedGlobalWithLength(module, name, length);
  return found ? found : LLVMGetNamedGlobalAlias(module, name, length);
}

/* The module that defines what this one defines; NULL where none does. */
static LLVMModuleRef other_with(const struct link *link, LLVMValueRef global)
{
  size_t length;
  const char *name = LLVMGetValueName2(global, &length);
  for (size_t i = 0; i < link->at && defines(global); i++)
    if (defines(named(link->inputs[i], name, length)))
      return link->inputs[i];
  return NULL;
}

static coro_status refuse_twice(struct link *link, LLVMValueRef global, LLVMModuleRef other)
{
  return refuse(link, "link-defined-once",
                coro_arena_printf(link->arena, "@%s is defined by %s, and by %s",
                                  LLVMGetValueName2(global, &(size_t){0}), name_of(other),
                                  name_of(link->inputs[link->at])),
                "give one of them another name, or make one of them internal, weak or linkonce_odr");
}

/* LLVM names what clashes, and not the modules. */
static coro_status explain(struct link *link)
{
  LLVMModuleRef module = link->inputs[link->at], other;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if ((other = other_with(link, f)))
      return refuse_twice(link, f, other);
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
    if ((other = other_with(link, g)))
      return refuse_twice(link, g, other);
  return refuse(link, "link",
                coro_arena_printf(link->arena, "%s does not fit those before it: %s", name_of(module),
                                  link->said ? link->said : "LLVM cannot link it"),
                "");
}

/* ---- Linking ---- */

static void listen(LLVMDiagnosticInfoRef info, void *user)
{
  struct link *link = user;
  LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
  char *text = LLVMGetDiagInfoDescription(info);
  if (severity == LLVMDSError && !link->said)
    link->said = coro_arena_strndup(link->arena, text, strlen(text));
  if (severity == LLVMDSWarning)
    coro_diags_add(link->diags,
                   &(coro_diag){.status = CORO_OK, .severity = CORO_WARNING, .rule = "llvm", .message = text});
  LLVMDisposeMessage(text);
}

/* False: link->at is the one that does not fit. LLVM frees what it links, whether or not it can. */
static bool link_all(struct link *link)
{
  for (link->at = 1; link->at < link->count; link->at++) {
    LLVMModuleRef next = link->copies[link->at];
    link->copies[link->at] = NULL;
    if (LLVMLinkModules2(link->copies[0], next) || link->said)
      return false;
  }
  return true;
}

/* In the child. What is not linked is told where it is linked again. */
static void try_to_link(void *user, char **answer, size_t *size)
{
  struct link *link = user;
  (void)answer, (void)size;
  LLVMResetFatalErrorHandler();
  link->diags = NULL;
  if (link_all(link))
    ir_verify(link->copies[0], NULL);
}

static coro_status rehearse(struct link *link)
{
  struct child_limits limits = {SECONDS + SECONDS_A_MODULE * (unsigned)link->count, MEMORY};
  struct child_result result;
  child_run(&result, &limits, try_to_link, link);
  return child_refuse(
      &result, &limits, "LLVM's linker",
      &(coro_diag){.status = CORO_ELINK, .rule = "linker", .hint = "link fewer of the modules, to see which it is"},
      link->diags);
}

static coro_status copy_and_link(struct link *link, LLVMContextRef context)
{
  coro_status status = check_same(link, "target", LLVMGetTarget);
  if (!status)
    status = check_same(link, "data layout", LLVMGetDataLayoutStr);
  for (size_t i = 0; i < link->count && !status; i++)
    status = ir_copy(&link->copies[i], context, link->inputs[i], link->diags);
  LLVMContextSetDiagnosticHandler(context, listen, link);
  if (!status)
    status = rehearse(link);
  if (!status && !link_all(link))
    status = explain(link);
  LLVMContextSetDiagnosticHandler(context, NULL, NULL);
  return status ? status : ir_verify(link->copies[0], link->diags);
}

coro_status ir_link(LLVMModuleRef *out, LLVMContextRef context, const LLVMModuleRef *modules, size_t count,
                    const char *name, coro_diags *diags)
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
