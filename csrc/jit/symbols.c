/* Every name is defined, and once: the linker of ORC says too late and too little about one that is not.
   Needs: an engine. Leaves: the module as it was. */
#include <stdio.h>
#include <string.h>

#include "jit/inside.h"
#include "llvm-c/Support.h"

static bool is_clashing(struct jit *jit, LLVMValueRef global)
{
  size_t length;
  void *address;
  return !LLVMIsDeclaration(global) && LLVMGetLinkage(global) == LLVMExternalLinkage &&
         jit_find(jit, LLVMGetValueName2(global, &length), &address);
}

static coro_status reject_clash(LLVMValueRef global, coro_diags *diags)
{
  size_t length;
  char message[400];
  snprintf(message, sizeof message, "@%.300s is defined or bound in the engine already",
           LLVMGetValueName2(global, &length));
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EJIT,
                                            .rule = "defined-once",
                                            .message = message,
                                            .hint = "give it another name, or compile it in an engine of its own"});
}

/* ORC says it too, but names one of them at random. */
static coro_status check_unique(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (is_clashing(jit, f))
      return reject_clash(f, diags);
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
    if (is_clashing(jit, g))
      return reject_clash(g, diags);
  return CORO_OK;
}

/* Its definition is a copy of one elsewhere, from which no code is made. */
static bool is_defined_elsewhere(LLVMValueRef global)
{
  return LLVMGetLinkage(global) == LLVMAvailableExternallyLinkage;
}

static bool is_missing(struct jit *jit, LLVMValueRef global)
{
  size_t length;
  void *address;
  if ((!LLVMIsDeclaration(global) && !is_defined_elsewhere(global)) || !LLVMGetFirstUse(global) ||
      LLVMGetLinkage(global) == LLVMExternalWeakLinkage)
    return false;
  const char *name = LLVMGetValueName2(global, &length);
  return !jit_find(jit, name, &address) && !LLVMSearchForAddressOfSymbol(name);
}

static const char *name_of(LLVMValueRef global)
{
  size_t length;
  return LLVMGetValueName2(global, &length);
}

typedef void see_value(void *user, LLVMValueRef global);

static void each_missing(struct jit *jit, LLVMModuleRef module, see_value *see, void *user)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMGetIntrinsicID(f) && is_missing(jit, f))
      see(user, f);
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
    if (is_missing(jit, g))
      see(user, g);
}

struct listener {
  void (*each)(void *user, const char *name);
  void *user;
};

static void tell_name(void *user, LLVMValueRef global)
{
  struct listener *listener = user;
  listener->each(listener->user, name_of(global));
}

void jit_missing(struct jit *jit, LLVMModuleRef module, void (*each)(void *user, const char *name), void *user)
{
  each_missing(jit, module, tell_name, &(struct listener){each, user});
}

void jit_define_here(struct jit *jit, LLVMModuleRef own)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(own); f; f = LLVMGetNextFunction(f))
    if (is_defined_elsewhere(f) && is_missing(jit, f))
      LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
  for (LLVMValueRef g = LLVMGetFirstGlobal(own); g; g = LLVMGetNextGlobal(g))
    if (is_defined_elsewhere(g) && is_missing(jit, g))
      LLVMSetLinkage(g, LLVMLinkOnceODRLinkage);
}

struct complaint {
  coro_diags *diags;
  coro_status status;
};

static void reject_missing(void *user, LLVMValueRef global)
{
  struct complaint *complaint = user;
  char message[400];
  if (is_defined_elsewhere(global))
    return; /* jit_define_here */
  snprintf(message, sizeof message, "the %s @%.300s is declared, but defined nowhere",
           LLVMIsAFunction(global) ? "function" : "variable", name_of(global));
  complaint->status = coro_diags_add(
      complaint->diags, &(coro_diag){.status = CORO_EJIT,
                                     .rule = "defined-somewhere",
                                     .message = message,
                                     .hint = "bind it to an address (in Python: to a callable in `externals`) before "
                                             "the module is added, add the module that defines it first, or name the "
                                             "library that does (in Python: in `libraries`)"});
}

static coro_status check_defined(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  struct complaint complaint = {diags, CORO_OK};
  each_missing(jit, module, reject_missing, &complaint);
  return complaint.status;
}

coro_status jit_check_symbols(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = check_unique(jit, module, diags);
  return status ? status : check_defined(jit, module, diags);
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
    bool is_cpp = !strncmp(at, "_Z", 2) || !strncmp(at, "__cxa_", 6) || !strncmp(at, "__gxx_", 6);
    status = coro_diags_add(diags, &(coro_diag){.status = CORO_EJIT,
                                                .rule = "defined-somewhere",
                                                .message = message,
                                                .hint = is_cpp ? "give the engine C++'s library (in Python: "
                                                                 "libraries=[\"libstdc++.so.6\"], say)"
                                                               : "give the engine the library that defines it (in "
                                                                 "Python: libraries=[\"libgcc_s.so.1\"], say)"});
  }
  *error = text && !status ? LLVMCreateStringError(text) : NULL;
  LLVMDisposeErrorMessage(text);
  return status;
}
