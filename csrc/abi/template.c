/* Templates: read, checked, linked to the modules that are lowered.
   Needs: ir. Leaves: a template whose hooks are of the types that they are called with. Before it is linked its hooks
   get names that no module has, so that they are found again whatever passes run in between. */
#include "abi/template.h"

#include <string.h>

#include "base/diag.h"
#include "base/nearest.h"
#include "coro/abi.h"
#include "ir/edit.h"
#include "ir/read.h"
#include "llvm-c/Linker.h"

enum result { RESULT_NOTHING, RESULT_POINTER, RESULT_INDEX, RESULT_OF_PART };
enum more { MORE_NONE, MORE_OF_RAMP, MORE_OF_PART };

static const struct kind {
  const char *name, *signature;
  enum result result;
  enum more more;
  enum hook_argument arguments[HOOK_ARGUMENTS];
} kinds[HOOK_COUNT] = {
#define CORO_HOOK(name, result, more, signature, ...) {#name, signature, result, more, {__VA_ARGS__}},
#include "abi/hooks.def"
};

struct reader {
  struct template *template;
  struct coro_arena *arena;
  LLVMContextRef context;
  coro_diags *diags;
};

static coro_status refuse(const struct reader *r, const char *function, const char *message, const char *hint)
{
  if (!message)
    return CORO_ENOMEM;
  return coro_diags_add(
      r->diags,
      &(coro_diag){.status = CORO_EUSAGE, .rule = "template", .function = function, .message = message, .hint = hint});
}

static const char *name_of(LLVMValueRef value)
{
  return LLVMGetValueName2(value, &(size_t){0});
}

/* What comes behind abi. or abi_ in the name, past the \1 of a name that is not to be mangled; NULL for other names. */
static const char *role_of(LLVMValueRef value)
{
  const char *name = name_of(value);
  name += *name == '\1';
  return strncmp(name, "abi", 3) == 0 && (name[3] == '.' || name[3] == '_') ? name + 4 : NULL;
}

static enum hook hook_named(const char *role)
{
  enum hook hook = 0;
  while (hook < HOOK_COUNT && strcmp(kinds[hook].name, role) != 0)
    hook++;
  return hook;
}

static unsigned own_arguments(enum hook hook)
{
  unsigned count = 0;
  while (count < HOOK_ARGUMENTS && kinds[hook].arguments[count] != ARG_NONE)
    count++;
  return count;
}

unsigned template_own_arguments(enum hook hook)
{
  return own_arguments(hook);
}

enum hook_argument template_argument(enum hook hook, unsigned index)
{
  return kinds[hook].arguments[index];
}

static LLVMTypeRef argument_type(LLVMContextRef context, enum hook_argument argument)
{
  switch (argument) {
  case ARG_SIZE:
  case ARG_ALIGN: return LLVMInt64TypeInContext(context);
  case ARG_INDEX:
  case ARG_WHICH: return LLVMInt32TypeInContext(context);
  case ARG_FINAL:
  case ARG_DESTROYED: return LLVMInt1TypeInContext(context);
  default: return LLVMPointerTypeInContext(context, 0);
  }
}

static LLVMTypeRef part_type(const struct template *t)
{
  return t->part ? LLVMGlobalGetValueType(t->part) : NULL;
}

static LLVMTypeRef result_type(const struct reader *r, enum result result)
{
  LLVMTypeRef part = part_type(r->template);
  switch (result) {
  case RESULT_POINTER: return LLVMPointerTypeInContext(r->context, 0);
  case RESULT_INDEX: return LLVMInt32TypeInContext(r->context);
  case RESULT_OF_PART: return part ? LLVMGetReturnType(part) : LLVMVoidTypeInContext(r->context);
  default: return LLVMVoidTypeInContext(r->context);
  }
}

static LLVMTypeRef parameter_type(LLVMTypeRef function, unsigned index, struct coro_arena *arena)
{
  LLVMTypeRef *types = CORO_NEW_ARRAY(arena, LLVMTypeRef, LLVMCountParamTypes(function));
  if (!types)
    return NULL;
  LLVMGetParamTypes(function, types);
  return types[index];
}

/* What follows the arguments that the hook has by itself is what the part is passed behind the frame. */
static bool more_fits(const struct reader *r, enum hook hook, LLVMTypeRef type)
{
  LLVMTypeRef part = part_type(r->template);
  unsigned own = own_arguments(hook), count = LLVMCountParamTypes(type);
  if (count <= own || kinds[hook].more == MORE_OF_RAMP)
    return true;
  if (kinds[hook].more == MORE_NONE || !part || count - own > LLVMCountParamTypes(part) - 1)
    return false;
  for (unsigned i = own; i < count; i++)
    if (parameter_type(type, i, r->arena) != parameter_type(part, i - own + 1, r->arena))
      return false;
  return true;
}

static bool is_as_called(const struct reader *r, enum hook hook, LLVMTypeRef type)
{
  unsigned count = LLVMCountParamTypes(type), own = own_arguments(hook);
  if (LLVMIsFunctionVarArg(type) || LLVMGetReturnType(type) != result_type(r, kinds[hook].result))
    return false;
  for (unsigned i = 0; i < count && i < own; i++)
    if (parameter_type(type, i, r->arena) != argument_type(r->context, kinds[hook].arguments[i]))
      return false;
  return more_fits(r, hook, type);
}

static coro_status refuse_type(const struct reader *r, LLVMValueRef function, const char *signature)
{
  char *type = LLVMPrintTypeToString(LLVMGlobalGetValueType(function));
  const char *message = coro_arena_printf(r->arena, "the hook is of type %s, where %s is called", type, signature);
  LLVMDisposeMessage(type);
  return refuse(r, name_of(function), message, "arguments may be left out, from the last one on");
}

/* ---- What a template defines ---- */

static coro_status take_part(struct reader *r, LLVMValueRef function, const char *role)
{
  struct template *t = r->template;
  LLVMTypeRef type = LLVMGlobalGetValueType(function), pointer = LLVMPointerTypeInContext(r->context, 0);
  if (t->part)
    return refuse(r, name_of(function), "two functions tell how the parts that resume are called",
                  "declare one abi.part");
  if (!LLVMIsDeclaration(function))
    return refuse(r, name_of(function), "the prototype of the parts has a body", "declare it only");
  if (LLVMIsFunctionVarArg(type) || !LLVMCountParamTypes(type) || parameter_type(type, 0, r->arena) != pointer)
    return refuse(r, name_of(function), "the parts are not passed a frame",
                  "make the first parameter of abi.part a `ptr`, and no `...`");
  t->part = function;
  t->suffix = role[4] ? coro_arena_printf(r->arena, "%s", role + 5) : "part";
  return t->suffix ? CORO_OK : CORO_ENOMEM;
}

static bool is_part(const char *role)
{
  return strncmp(role, "part", 4) == 0 && (!role[4] || ((role[4] == '.' || role[4] == '_') && role[5]));
}

static coro_status refuse_name(const struct reader *r, LLVMValueRef value, const char *role)
{
  const char *names[HOOK_COUNT + 2] = {[HOOK_COUNT] = "part", [HOOK_COUNT + 1] = "header"};
  for (unsigned h = 0; h < HOOK_COUNT; h++)
    names[h] = kinds[h].name;
  const char *nearest = nearest_name(role, strlen(role), names, HOOK_COUNT + 2);
  const char *hint = nearest ? coro_arena_printf(r->arena, "did you mean abi.%s?", nearest)
                             : "names of a template's own do not begin with abi. or abi_";
  return refuse(r, name_of(value), "there is no hook of this name", hint);
}

static coro_status take_hook(struct reader *r, LLVMValueRef function)
{
  const char *role = role_of(function);
  if (!role || is_part(role))
    return role ? take_part(r, function, role) : CORO_OK;
  enum hook hook = hook_named(role);
  if (hook == HOOK_COUNT)
    return refuse_name(r, function, role);
  if (r->template->has[hook])
    return refuse(r, name_of(function), "the hook is there twice", "define it once");
  if (LLVMIsDeclaration(function))
    return refuse(r, name_of(function), "the hook has no body", "define it, or leave it out");
  r->template->has[hook] = true;
  return CORO_OK;
}

static coro_status take_header(struct reader *r, LLVMValueRef variable)
{
  const char *role = role_of(variable);
  if (!role)
    return CORO_OK;
  if (strcmp(role, "header") != 0)
    return refuse_name(r, variable, role);
  r->template->header = LLVMGlobalGetValueType(variable);
  return CORO_OK;
}

static const char *unique_name(struct coro_arena *arena, const struct template *t, const char *role)
{
  return coro_arena_printf(arena, "pycoro.abi.%u.%s", t->number, role);
}

static bool is_ours(LLVMValueRef value) /* once it was renamed */
{
  return strncmp(name_of(value), "pycoro.abi.", 11) == 0;
}

static coro_status check_hooks(struct reader *r)
{
  const struct template *t = r->template;
  for (LLVMValueRef f = LLVMGetFirstFunction(t->source); f; f = LLVMGetNextFunction(f)) {
    const char *role = role_of(f);
    if (!role || f == t->part)
      continue;
    enum hook hook = hook_named(role);
    if (!is_as_called(r, hook, LLVMGlobalGetValueType(f)))
      return refuse_type(r, f, kinds[hook].signature);
  }
  return coro_arena_failed(r->arena) ? CORO_ENOMEM : CORO_OK;
}

/* What the hooks ask of each other. */
static coro_status check_whole(const struct reader *r, bool each)
{
  const bool *has = r->template->has;
  LLVMTypeRef part = part_type(r->template);
  bool results = part && LLVMGetTypeKind(LLVMGetReturnType(part)) != LLVMVoidTypeKind;
  if (has[HOOK_alloc] != has[HOOK_free])
    return refuse(r, NULL, "one of abi.alloc and abi.free is missing", "define both, or none");
  if (has[HOOK_dispatch] && !has[HOOK_save])
    return refuse(r, NULL, "abi.dispatch finds an index that nobody has stored", "define abi.save, too");
  if (each && part && !has[HOOK_resume])
    return refuse(r, NULL, "nobody can tell which of the parts goes on, as they are called in a way of their own",
                  "store the part in abi.save, and define abi.resume, which calls it");
  if (results && !(has[HOOK_suspend] && has[HOOK_end]))
    return refuse(r, NULL, "the parts give a result, and no hook says which",
                  "define abi.suspend and abi.end, which return what a part does");
  return CORO_OK;
}

static coro_status check_layout(const struct reader *r)
{
  LLVMTypeRef header = r->template->header;
  if (header && (!LLVMTypeIsSized(header) || LLVMGetTypeKind(header) == LLVMScalableVectorTypeKind))
    return refuse(r, NULL, "the type of abi.header has no size", "give it one");
  return CORO_OK;
}

/* From here on nobody else's function or variable has the name of a hook. */
static bool rename_all(struct reader *r)
{
  LLVMModuleRef source = r->template->source;
  for (LLVMValueRef f = LLVMGetFirstFunction(source); f; f = LLVMGetNextFunction(f)) {
    const char *role = role_of(f),
               *name = role ? unique_name(r->arena, r->template, is_part(role) ? "part" : role) : NULL;
    if (!role)
      continue;
    if (!name)
      return false;
    LLVMSetValueName2(f, name, strlen(name));
    LLVMSetLinkage(f, LLVMExternalLinkage);
    LLVMSetVisibility(f, LLVMHiddenVisibility);
  }
  for (LLVMValueRef v = LLVMGetFirstGlobal(source); v; v = LLVMGetNextGlobal(v)) {
    const char *role = role_of(v), *name = role ? unique_name(r->arena, r->template, role) : NULL;
    if (!role)
      continue;
    if (!name)
      return false;
    LLVMSetValueName2(v, name, strlen(name));
  }
  return true;
}

static coro_status take_all(struct reader *r, bool each)
{
  coro_status status = CORO_OK;
  for (LLVMValueRef f = LLVMGetFirstFunction(r->template->source); f && !status; f = LLVMGetNextFunction(f))
    status = take_hook(r, f);
  for (LLVMValueRef v = LLVMGetFirstGlobal(r->template->source); v && !status; v = LLVMGetNextGlobal(v))
    status = take_header(r, v);
  status = status ? status : check_layout(r);
  status = status ? status : check_hooks(r);
  status = status ? status : check_whole(r, each);
  return !status && !rename_all(r) ? CORO_ENOMEM : status;
}

coro_status template_read(struct template **out, struct coro_arena *arena, LLVMContextRef context,
                          const struct template_text *text, coro_diags *diags)
{
  struct template *t = *out = CORO_NEW(arena, struct template);
  if (!t)
    return CORO_ENOMEM;
  t->number = text->number;
  coro_status status = ir_read(&t->source, context, text->data, text->size, "template", diags);
  struct reader r = {t, arena, context, diags};
  return status ? status : take_all(&r, text->each);
}

void template_free(struct template *t)
{
  if (t && t->source)
    LLVMDisposeModule(t->source);
  if (t)
    t->source = NULL;
}

/* ---- In a module that is lowered ---- */

LLVMValueRef template_hook(const struct coro_lowering *low, enum hook hook)
{
  const char *name = unique_name(low->arena, low->abi->template, kinds[hook].name);
  return name ? LLVMGetNamedFunction(low->module, name) : NULL;
}

LLVMValueRef template_header_value(const struct coro_lowering *low)
{
  const char *name = unique_name(low->arena, low->abi->template, "header");
  LLVMValueRef variable = name ? LLVMGetNamedGlobal(low->module, name) : NULL;
  return variable && !LLVMIsDeclaration(variable) ? LLVMGetInitializer(variable) : NULL;
}

static bool is_linked(const struct coro_lowering *low)
{
  const struct template *t = low->abi->template;
  for (unsigned h = 0; h < HOOK_COUNT; h++)
    if (t->has[h] && !template_hook(low, h))
      return false;
  return !t->header || LLVMGetNamedGlobal(low->module, unique_name(low->arena, t, "header"));
}

/* A hook that takes more than its own arguments takes the first of the coroutine's. */
static bool takes_arguments_of(const struct coro_lowering *low, LLVMValueRef alloc)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(alloc), ramp = LLVMGlobalGetValueType(low->fn.function);
  unsigned own = own_arguments(HOOK_alloc), count = LLVMCountParamTypes(type);
  if (count > own && count - own > LLVMCountParamTypes(ramp))
    return false;
  for (unsigned i = own; i < count; i++)
    if (parameter_type(type, i, low->arena) != parameter_type(ramp, i - own, low->arena))
      return false;
  return true;
}

bool template_asks(LLVMValueRef inst, unsigned *parameter)
{
  static const char prefix[] = "abi.passed.";
  LLVMValueRef callee = LLVMGetInstructionOpcode(inst) == LLVMCall ? LLVMGetCalledValue(inst) : NULL;
  const char *name = callee && LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) ? name_of(callee) : "";
  *parameter = 0;
  if (strncmp(name, prefix, sizeof prefix - 1) != 0)
    return false;
  for (name += sizeof prefix - 1; *name >= '0' && *name <= '9' && *parameter < UINT16_MAX; name++)
    *parameter = 10 * *parameter + (unsigned)(*name - '0');
  *parameter = *name ? 0 : *parameter;
  return true;
}

/* What the body asks for is what the part is passed. */
static coro_status check_asked(const struct coro_lowering *low)
{
  LLVMTypeRef part = part_type(low->abi->template);
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    unsigned parameter;
    if (!template_asks(low->fn.insts[i], &parameter))
      continue;
    if (!part || !parameter || parameter >= LLVMCountParamTypes(part) || LLVMGetNumArgOperands(low->fn.insts[i]) ||
        parameter_type(part, parameter, low->arena) != LLVMTypeOf(low->fn.insts[i]))
      return coro_reject(low, "template-passed", i, "what is asked for is nothing that the part is passed",
                         "call abi.passed.N for a parameter of abi.part from 1 on, with its type and no arguments");
  }
  return CORO_OK;
}

coro_status template_fits(const struct coro_lowering *low)
{
  const struct template *t = low->abi->template;
  if (!t)
    return CORO_OK;
  LLVMValueRef alloc = t->has[HOOK_alloc] ? LLVMGetNamedFunction(t->source, unique_name(low->arena, t, "alloc")) : NULL;
  const char *layout = LLVMGetDataLayoutStr(t->source);
  if (*layout && strcmp(layout, LLVMGetDataLayoutStr(low->module)) != 0)
    return coro_reject(low, "template-layout", IR_NONE,
                       "the ABI's template is for a machine of another data layout than the module",
                       "compile the template for the module's target, or give it no data layout");
  if (alloc && !takes_arguments_of(low, alloc))
    return coro_reject(low, "template-arguments", IR_NONE,
                       "abi.alloc takes arguments of the coroutine that this one does not have",
                       "give the coroutine these parameters first, or select it for another ABI");
  return coro_arena_failed(low->arena) ? CORO_ENOMEM : check_asked(low);
}

coro_status template_link(const struct coro_lowering *low)
{
  const struct template *t = low->abi->template;
  if (!t || is_linked(low))
    return coro_arena_failed(low->arena) ? CORO_ENOMEM : CORO_OK;
  LLVMModuleRef copy = LLVMCloneModule(t->source);
  LLVMSetTarget(copy, LLVMGetTarget(low->module)); /* it speaks of the machine that the module is for */
  LLVMSetDataLayout(copy, LLVMGetDataLayoutStr(low->module));
  if (LLVMLinkModules2(low->module, copy) || !is_linked(low))
    return coro_reject(low, "template-link", IR_NONE, "the ABI's template cannot be linked to the module",
                       "make what both define linkonce_odr or internal in the template");
  return CORO_OK;
}

/* A hook of which calls are left is the module's own from here on. */
static void let_go(LLVMValueRef value, void (*erase)(LLVMValueRef))
{
  if (value && !LLVMGetFirstUse(value)) {
    erase(value);
  } else if (value && !LLVMIsDeclaration(value)) {
    LLVMSetVisibility(value, LLVMDefaultVisibility);
    LLVMSetLinkage(value, LLVMInternalLinkage);
  }
}

void template_unlink(const struct template *t, LLVMModuleRef module)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    if (strncmp(name_of(f), "abi.passed.", 11) == 0)
      let_go(f, LLVMDeleteFunction);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(t->source); f; f = LLVMGetNextFunction(f))
    if (is_ours(f))
      let_go(LLVMGetNamedFunction(module, name_of(f)), LLVMDeleteFunction);
  for (LLVMValueRef v = LLVMGetFirstGlobal(t->source); v; v = LLVMGetNextGlobal(v))
    if (is_ours(v))
      let_go(LLVMGetNamedGlobal(module, name_of(v)), LLVMDeleteGlobal);
}
