/* Reads and checks hook modules.
   Guarantees: hooks have the types of their calls, and names unused in the module, so they are found after linking
   whatever passes run. */
#include "abi/hook_module.h"

#include <string.h>

#include "abi/hook_callable.h"
#include "base/nearest_name.h"
#include "ir/edit.h"
#include "sandbox/read.h"

#define HAS_HOOK NULL
enum result { RESULT_NOTHING, RESULT_POINTER, RESULT_INDEX, RESULT_OF_CLONE };
enum extra { EXTRA_NONE, EXTRA_OF_RAMP, EXTRA_OF_CLONE };

static const struct kind {
  const char *name, *signature;
  const char *not_of_retcon, *not_of_async; /* reason why there is no such hook; NULL: there is */
  enum result result;
  enum extra extra;
} kinds[HOOK_COUNT] = {
#define CORO_HOOK(name, result, extra, retcon, async, signature, ...) {#name, signature, retcon, async, result, extra},
#include "lowering/hooks.def"
};

struct reader {
  struct hook_module *hook_module;
  struct coro_arena *arena;
  LLVMContextRef context;
  coro_abi_kind base;
  coro_diags *diags;
};

static coro_status reject_hook_module(const struct reader *r, const char *function, const char *message,
                                      const char *hint)
{
  if (!message)
    return CORO_ENOMEM;
  return coro_diags_add(
      r->diags,
      &(coro_diag){
          .status = CORO_EUSAGE, .rule = "hook-module", .function = function, .message = message, .hint = hint});
}

/* The name after abi. or abi_, ignoring the \1 that disables mangling; NULL for other names. */
static const char *name_after_abi_prefix_or_null(LLVMValueRef value)
{
  const char *name = edit_value_name(value);
  name += *name == '\1';
  return strncmp(name, "abi", 3) == 0 && (name[3] == '.' || name[3] == '_') ? name + 4 : NULL;
}

static enum hook hook_of_name_or_count(const char *role)
{
  enum hook hook = 0;
  while (hook < HOOK_COUNT && strcmp(kinds[hook].name, role) != 0)
    hook++;
  return hook;
}

static LLVMTypeRef type_of_hook_argument(LLVMContextRef context, enum hook_argument argument)
{
  switch (argument) {
  case ARG_SIZE:
  case ARG_ALIGN: return LLVMInt64TypeInContext(context);
  case ARG_INDEX:
  case ARG_CLONE_KIND: return LLVMInt32TypeInContext(context);
  case ARG_FINAL:
  case ARG_DESTROYED: return LLVMInt1TypeInContext(context);
  default: return LLVMPointerTypeInContext(context, 0);
  }
}

static LLVMTypeRef clone_prototype_type_or_null(const struct hook_module *t)
{
  return t->clone_prototype ? LLVMGlobalGetValueType(t->clone_prototype) : NULL;
}

static LLVMTypeRef type_of_hook_result(const struct reader *r, enum result result)
{
  LLVMTypeRef clone_prototype = clone_prototype_type_or_null(r->hook_module);
  switch (result) {
  case RESULT_POINTER: return LLVMPointerTypeInContext(r->context, 0);
  case RESULT_INDEX: return LLVMInt32TypeInContext(r->context);
  case RESULT_OF_CLONE: return clone_prototype ? LLVMGetReturnType(clone_prototype) : LLVMVoidTypeInContext(r->context);
  default: return LLVMVoidTypeInContext(r->context);
  }
}

static LLVMTypeRef type_of_hook_parameter(LLVMValueRef function, unsigned index)
{
  return LLVMTypeOf(LLVMGetParam(function, index));
}

/* Whether parameters after the hook's own match what the clone is passed after the frame. */
static bool extra_parameters_match_clone(const struct reader *r, enum hook hook, LLVMValueRef function)
{
  LLVMValueRef clone_prototype = r->hook_module->clone_prototype;
  unsigned fixed = hook_defined_argument_count(hook), count = LLVMCountParams(function);
  if (count <= fixed || kinds[hook].extra == EXTRA_OF_RAMP)
    return true;
  if (kinds[hook].extra == EXTRA_NONE || !clone_prototype || count - fixed > LLVMCountParams(clone_prototype) - 1)
    return false;
  for (unsigned i = fixed; i < count; i++)
    if (type_of_hook_parameter(function, i) != type_of_hook_parameter(clone_prototype, i - fixed + 1))
      return false;
  return true;
}

static bool is_of_hook_type(const struct reader *r, enum hook hook, LLVMValueRef function)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  unsigned count = LLVMCountParams(function), fixed = hook_defined_argument_count(hook);
  if (LLVMIsFunctionVarArg(type) || LLVMGetReturnType(type) != type_of_hook_result(r, kinds[hook].result))
    return false;
  for (unsigned i = 0; i < count && i < fixed; i++)
    if (type_of_hook_parameter(function, i) != type_of_hook_argument(r->context, hook_argument_kind(hook, i)))
      return false;
  return extra_parameters_match_clone(r, hook, function);
}

static coro_status reject_hook_type(const struct reader *r, LLVMValueRef function, const char *signature)
{
  char *type = LLVMPrintTypeToString(LLVMGlobalGetValueType(function));
  const char *message =
      coro_arena_printf(r->arena, "the type of the hook is %s, but it is called as %s", type, signature);
  LLVMDisposeMessage(type);
  return reject_hook_module(r, edit_value_name(function), message,
                            "change the type; a hook may omit trailing arguments");
}

static coro_status check_generated_code_can_call(const struct reader *r, LLVMValueRef function)
{
  if (!hook_is_callable(r->arena, r->hook_module->source, function))
    return reject_hook_module(
        r, edit_value_name(function), "a call cannot pass all arguments of this function by value",
        "remove attributes such as byval, inalloca, preallocated and swifterror, and calling conventions of kernels");
  return CORO_OK;
}

/* ---- Definitions ---- */

static coro_status reject_unavailable_hook(const struct reader *r, LLVMValueRef function, const char *why)
{
  const char *kind = r->base == CORO_ABI_ASYNC ? "async functions" : "returned continuations";
  return reject_hook_module(r, edit_value_name(function),
                            coro_arena_printf(r->arena, "%s cannot have this hook: %s", kind, why),
                            "remove it, or derive the ABI from the switched-resume one");
}

static const char *why_hook_is_unavailable_in_base_or_null(const struct reader *r, enum hook hook)
{
  if (r->base == CORO_ABI_SWITCH)
    return NULL;
  return r->base == CORO_ABI_ASYNC ? kinds[hook].not_of_async : kinds[hook].not_of_retcon;
}

static coro_status read_clone_prototype(struct reader *r, LLVMValueRef function, const char *role)
{
  struct hook_module *t = r->hook_module;
  if (r->base != CORO_ABI_SWITCH)
    return reject_unavailable_hook(r, function,
                                   r->base == CORO_ABI_ASYNC
                                       ? "each suspend determines the parameters of its resume function"
                                       : "the prototype of llvm.coro.id.retcon is the type of the clones");
  LLVMTypeRef type = LLVMGlobalGetValueType(function), pointer = LLVMPointerTypeInContext(r->context, 0);
  if (t->clone_prototype)
    return reject_hook_module(r, edit_value_name(function), "two functions declare the type of the clones",
                              "remove one of them");
  if (!LLVMIsDeclaration(function))
    return reject_hook_module(r, edit_value_name(function), "the prototype of the clones has a body",
                              "remove the body, so that it is a declaration");
  if (LLVMIsFunctionVarArg(type) || !LLVMCountParams(function) || type_of_hook_parameter(function, 0) != pointer)
    return reject_hook_module(r, edit_value_name(function), "the clones have no frame parameter",
                              "make the first parameter of abi.clone a `ptr`, and no `...`");
  if (LLVMGetFirstUse(function))
    return reject_hook_module(r, edit_value_name(function), "the prototype of the clones has uses in the hook module",
                              "remove the uses; abi.save and abi.resume receive the coroutine's own clone");
  if (edit_has_function_attribute(function, "naked"))
    return reject_hook_module(r, edit_value_name(function), "the clones cannot be assembly",
                              "remove the attribute `naked`");
  if (!hook_has_no_target_extension_types(function))
    return reject_hook_module(r, edit_value_name(function),
                              "a parameter or result of the clones has a type without a zero value",
                              "pass target extension types by address");
  t->clone_prototype = function;
  t->suffix = role[5] ? coro_arena_printf(r->arena, "%s", role + 6) : "clone";
  return t->suffix ? CORO_OK : CORO_ENOMEM;
}

static bool is_name_of_clone_prototype(const char *role)
{
  return strncmp(role, "clone", 5) == 0 && (!role[5] || ((role[5] == '.' || role[5] == '_') && role[6]));
}

static coro_status reject_unknown_hook_name(const struct reader *r, LLVMValueRef value, const char *role)
{
  const char *names[HOOK_COUNT + 2] = {[HOOK_COUNT] = "clone", [HOOK_COUNT + 1] = "header"};
  for (unsigned h = 0; h < HOOK_COUNT; h++)
    names[h] = kinds[h].name;
  const char *nearest = nearest_name_by_edit_distance(role, strlen(role), names, HOOK_COUNT + 2);
  const char *hint = nearest ? coro_arena_printf(r->arena, "did you mean abi.%s?", nearest)
                             : "rename it; only hooks have names that begin with abi. or abi_";
  return reject_hook_module(r, edit_value_name(value), "there is no hook of this name", hint);
}

static coro_status read_hook_definition(struct reader *r, LLVMValueRef function)
{
  const char *role = name_after_abi_prefix_or_null(function);
  if (!role || is_name_of_clone_prototype(role))
    return role ? read_clone_prototype(r, function, role) : CORO_OK;
  enum hook hook = hook_of_name_or_count(role);
  if (hook == HOOK_COUNT)
    return reject_unknown_hook_name(r, function, role);
  if (why_hook_is_unavailable_in_base_or_null(r, hook))
    return reject_unavailable_hook(r, function, why_hook_is_unavailable_in_base_or_null(r, hook));
  if (r->hook_module->hooks[hook])
    return reject_hook_module(r, edit_value_name(function), "the hook is defined twice",
                              "remove one of the definitions");
  if (LLVMIsDeclaration(function))
    return reject_hook_module(r, edit_value_name(function), "the hook has no body",
                              "define it, or remove the declaration");
  r->hook_module->hooks[hook] = function;
  return CORO_OK;
}

static coro_status read_header_definition(struct reader *r, LLVMValueRef variable)
{
  const char *role = name_after_abi_prefix_or_null(variable);
  if (!role)
    return CORO_OK;
  if (strcmp(role, "header") != 0)
    return reject_unknown_hook_name(r, variable, role);
  r->hook_module->header = LLVMGlobalGetValueType(variable);
  r->hook_module->header_align = LLVMGetAlignment(variable);
  return CORO_OK;
}

/* Rejects aliases and ifuncs named abi.*: they would never be called. */
static coro_status reject_aliases_and_ifuncs_of_hook_names(const struct reader *r)
{
  LLVMValueRef found = NULL;
  for (LLVMValueRef a = LLVMGetFirstGlobalAlias(r->hook_module->source); a && !found; a = LLVMGetNextGlobalAlias(a))
    found = name_after_abi_prefix_or_null(a) ? a : NULL;
  for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(r->hook_module->source); i && !found; i = LLVMGetNextGlobalIFunc(i))
    found = name_after_abi_prefix_or_null(i) ? i : NULL;
  return found ? reject_hook_module(
                     r, edit_value_name(found), "a hook must be a function or a variable, not an alias or an ifunc",
                     "define a function of this name, or rename the alias so that it does not begin with abi. or abi_")
               : CORO_OK;
}

const char *hook_module_linked_name(struct coro_arena *arena, const struct hook_module *t, const char *role)
{
  return coro_arena_printf(arena, HOOK_PREFIX "%u.%s", t->number, role);
}

const char *hook_linked_name(struct coro_arena *arena, const struct hook_module *t, enum hook hook)
{
  return hook_module_linked_name(arena, t, kinds[hook].name);
}

static coro_status check_hook_types_and_callability(struct reader *r)
{
  const struct hook_module *t = r->hook_module;
  for (LLVMValueRef f = LLVMGetFirstFunction(t->source); f; f = LLVMGetNextFunction(f)) {
    const char *role = name_after_abi_prefix_or_null(f);
    if (!role || f == t->clone_prototype)
      continue;
    enum hook hook = hook_of_name_or_count(role);
    if (!is_of_hook_type(r, hook, f))
      return reject_hook_type(r, f, kinds[hook].signature);
    coro_status status = check_generated_code_can_call(r, f);
    if (status)
      return status;
  }
  if (t->clone_prototype) {
    coro_status status = check_generated_code_can_call(r, t->clone_prototype);
    if (status)
      return status;
  }
  return coro_arena_failed(r->arena) ? CORO_ENOMEM : CORO_OK;
}

static coro_status check_hook_combinations(const struct reader *r, bool clone_per_suspend)
{
  LLVMValueRef *has = r->hook_module->hooks;
  LLVMTypeRef clone_prototype = clone_prototype_type_or_null(r->hook_module);
  bool results = clone_prototype && LLVMGetTypeKind(LLVMGetReturnType(clone_prototype)) != LLVMVoidTypeKind;
  if (!has[HOOK_alloc] != !has[HOOK_free])
    return reject_hook_module(r, NULL, "one of abi.alloc and abi.free is missing", "define both, or remove the one");
  if (has[HOOK_dispatch] && !has[HOOK_save])
    return reject_hook_module(r, NULL, "abi.dispatch reads an index, but no hook stores it",
                              "define abi.save, which stores it");
  if (clone_per_suspend && clone_prototype && !has[HOOK_resume])
    return reject_hook_module(r, NULL, "no hook selects the clone to resume, and clones have a separate function type",
                              "store the clone's address in abi.save, and define abi.resume, which calls it");
  if (results && !(has[HOOK_suspend] && has[HOOK_end]))
    return reject_hook_module(r, NULL, "the clones return a value, but no hook returns it",
                              "define abi.suspend and abi.end with the result type of abi.clone");
  return CORO_OK;
}

static coro_status check_header_type(const struct reader *r)
{
  LLVMTypeRef header = r->hook_module->header;
  if (header && (!LLVMTypeIsSized(header) || LLVMGetTypeKind(header) == LLVMScalableVectorTypeKind))
    return reject_hook_module(r, NULL, "the type of abi.header has no size",
                              "use a sized type that is not a scalable vector");
  return CORO_OK;
}

/* Renames a definition for linking, as an external symbol regardless of its linkage. */
static bool rename_definition_for_linking(const struct reader *r, LLVMValueRef value, const char *role)
{
  const char *name = hook_module_linked_name(r->arena, r->hook_module, role);
  if (!name)
    return false;
  LLVMSetValueName2(value, name, strlen(name));
  LLVMSetLinkage(value, LLVMExternalLinkage);
  LLVMSetDLLStorageClass(value, LLVMDefaultStorageClass);
  LLVMSetVisibility(value, LLVMHiddenVisibility);
  return true;
}

/* Gives the prototype of resuming clones a body, because LLVM does not link unused declarations. The types of its
   linked copy are those of the lowered module. */
static void define_clone_prototype_as_unreachable(const struct reader *r)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(r->context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(r->context, r->hook_module->clone_prototype, ""));
  LLVMBuildUnreachable(builder);
  LLVMDisposeBuilder(builder);
}

static bool rename_definitions_for_linking(struct reader *r)
{
  LLVMModuleRef source = r->hook_module->source;
  bool ok = true;
  for (LLVMValueRef f = LLVMGetFirstFunction(source); f && ok; f = LLVMGetNextFunction(f))
    if (name_after_abi_prefix_or_null(f))
      ok = rename_definition_for_linking(
          r, f,
          is_name_of_clone_prototype(name_after_abi_prefix_or_null(f)) ? "clone" : name_after_abi_prefix_or_null(f));
  for (LLVMValueRef v = LLVMGetFirstGlobal(source); v && ok; v = LLVMGetNextGlobal(v)) {
    if (!name_after_abi_prefix_or_null(v))
      continue;
    if (LLVMIsDeclaration(v))
      LLVMSetInitializer(v, LLVMGetUndef(LLVMGlobalGetValueType(v)));
    LLVMSetThreadLocalMode(v, LLVMNotThreadLocal);
    ok = rename_definition_for_linking(r, v, name_after_abi_prefix_or_null(v));
  }
  if (r->hook_module->clone_prototype)
    define_clone_prototype_as_unreachable(r);
  return ok;
}

/* Rejects coroutine intrinsics: when hooks are linked, coro-early has run already and coroutines in them would never
   be split. */
static coro_status reject_coroutines_and_intrinsics(const struct reader *r)
{
  struct intrin_table table;
  intrin_table_init(&table);
  for (LLVMValueRef f = LLVMGetFirstFunction(r->hook_module->source); f; f = LLVMGetNextFunction(f)) {
    enum intrin intrin = intrin_of_function(&table, f);
    if (intrin_is_coro(intrin) && intrin != INTRIN_SUBFN_ADDR && LLVMGetFirstUse(f))
      return reject_hook_module(
          r, edit_value_name(f), "a hook module calls this, which is lowered before its hooks are linked",
          "run coro-early on the hook module first, for resume, destroy, done and noop; a coroutine has no "
          "place in it");
    if (edit_is_presplit_definition(f))
      return reject_hook_module(r, edit_value_name(f), "a hook module has no place for coroutines",
                                "put it into the module that is lowered");
  }
  return CORO_OK;
}

static coro_status read_check_and_rename_definitions(struct reader *r, const struct hook_module_text *text)
{
  coro_status status = reject_coroutines_and_intrinsics(r);
  for (LLVMValueRef f = LLVMGetFirstFunction(r->hook_module->source); f && !status; f = LLVMGetNextFunction(f))
    status = read_hook_definition(r, f);
  for (LLVMValueRef v = LLVMGetFirstGlobal(r->hook_module->source); v && !status; v = LLVMGetNextGlobal(v))
    status = read_header_definition(r, v);
  status = status ? status : reject_aliases_and_ifuncs_of_hook_names(r);
  status = status ? status : check_header_type(r);
  status = status ? status : check_hook_types_and_callability(r);
  status = status ? status : check_hook_combinations(r, text->each);
  return !status && !rename_definitions_for_linking(r) ? CORO_ENOMEM : status;
}

coro_status hook_module_parse(struct hook_module **out, struct coro_arena *arena, LLVMContextRef context,
                              const struct hook_module_text *text, coro_diags *diags)
{
  struct hook_module *t = *out = CORO_NEW(arena, struct hook_module);
  if (!t)
    return CORO_ENOMEM;
  t->number = text->number;
  coro_status status = ir_read(&t->source, context, text->data, text->size, "hook module", diags);
  struct reader r = {t, arena, context, text->base, diags};
  return status ? status : read_check_and_rename_definitions(&r, text);
}

void hook_module_free(struct hook_module *t)
{
  if (t && t->source)
    LLVMDisposeModule(t->source);
  if (t)
    t->source = NULL;
}
