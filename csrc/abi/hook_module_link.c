/* Links hook modules into lowered modules, finds their definitions there, and removes them.
   Requires: a parsed hook module.
   Guarantees: the module has its own copy, with its own types. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/hook_module.h"
#include "base/starts_with.h"
#include "ir/edit.h"
#include "llvm-c/Linker.h"
#include "lowering/abi.h"

LLVMValueRef hook_module_linked_function_or_null(const struct coro_lowering *low, enum hook hook)
{
  const char *name = hook_linked_name(low->arena, low->abi->hook_module, hook);
  return name ? LLVMGetNamedFunction(low->module, name) : NULL;
}

LLVMValueRef hook_module_linked_clone_prototype_or_null(const struct coro_lowering *low)
{
  const struct hook_module *t = low->abi->hook_module;
  const char *name = t && t->clone_prototype ? hook_module_linked_name(low->arena, t, "clone") : NULL;
  return name ? LLVMGetNamedFunction(low->module, name) : NULL;
}

static LLVMValueRef linked_header_variable_or_null(const struct coro_lowering *low)
{
  const char *name = hook_module_linked_name(low->arena, low->abi->hook_module, "header");
  return name ? LLVMGetNamedGlobal(low->module, name) : NULL;
}

LLVMValueRef hook_module_linked_header_value_or_null(const struct coro_lowering *low)
{
  LLVMValueRef variable = linked_header_variable_or_null(low), value = variable ? LLVMGetInitializer(variable) : NULL;
  return value && !LLVMIsUndef(value) ? value : NULL;
}

static bool is_hook_module_linked(const struct coro_lowering *low)
{
  const struct hook_module *t = low->abi->hook_module;
  for (unsigned h = 0; h < HOOK_COUNT; h++)
    if (t->hooks[h] && !hook_module_linked_function_or_null(low, h))
      return false;
  return (!t->header || linked_header_variable_or_null(low)) &&
         (!t->clone_prototype || hook_module_linked_clone_prototype_or_null(low));
}

/* Whether additional parameters of abi.alloc, which receive the coroutine's first arguments, have the types of
   these; true if there are none. */
static bool alloc_hook_extra_parameters_match_ramp(const struct coro_lowering *low, LLVMValueRef alloc)
{
  LLVMValueRef ramp = low->fn.function;
  unsigned fixed = hook_defined_argument_count(HOOK_alloc), count = LLVMCountParams(alloc);
  if (count > fixed && count - fixed > LLVMCountParams(ramp))
    return false;
  for (unsigned i = fixed; i < count; i++)
    if (LLVMTypeOf(LLVMGetParam(alloc, i)) != LLVMTypeOf(LLVMGetParam(ramp, i - fixed)) ||
        edit_has_attribute(ramp, i - fixed + 1, "swifterror"))
      return false;
  return true;
}

static const char query_prefix[] = "abi.passed.";

/* The abi.passed.N function that the instruction calls; NULL: none. */
static LLVMValueRef callee_if_parameter_query(LLVMValueRef inst)
{
  LLVMValueRef callee = edit_is_call(inst) ? LLVMGetCalledValue(inst) : NULL;
  return callee && LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) &&
                 coro_starts_with(edit_value_name(callee), query_prefix)
             ? callee
             : NULL;
}

bool hook_module_is_parameter_query(LLVMValueRef inst, unsigned *clone_parameter_or_0)
{
  LLVMValueRef callee = callee_if_parameter_query(inst);
  *clone_parameter_or_0 = 0;
  if (!callee)
    return false;
  const char *name = edit_value_name(callee) + sizeof query_prefix - 1;
  for (; *name >= '0' && *name <= '9' && *clone_parameter_or_0 < UINT16_MAX; name++)
    *clone_parameter_or_0 = 10 * *clone_parameter_or_0 + (unsigned)(*name - '0');
  *clone_parameter_or_0 = *name ? 0 : *clone_parameter_or_0;
  return true;
}

/* Checks calls of abi.passed.N against the clone's parameters. Their types are known after linking. */
static coro_status check_parameter_queries(const struct coro_lowering *low, LLVMValueRef clone_prototype, bool linked)
{
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    LLVMValueRef inst = low->fn.insts[i];
    unsigned parameter;
    if (!hook_module_is_parameter_query(inst, &parameter))
      continue;
    if (!low->abi->hook_module)
      return coro_reject(low, "hook-module-passed", i,
                         "the ABI that lowers the coroutine has no hooks, so its clones have only the frame parameter",
                         "declare abi.clone in the ABI's hook module, and check that the ABI selects the coroutine");
    if (!clone_prototype || !parameter || parameter >= LLVMCountParams(clone_prototype) ||
        LLVMGetNumArgOperands(inst) || low->fn.opcode[i] != LLVMCall ||
        (linked && LLVMTypeOf(LLVMGetParam(clone_prototype, parameter)) != LLVMTypeOf(inst)))
      return coro_reject(low, "hook-module-passed", i, "the clone has no such parameter",
                         "use the number of a parameter of abi.clone, from 1 on; call it without arguments, with the "
                         "parameter's type");
  }
  return CORO_OK;
}

coro_status hook_module_check_coroutine(const struct coro_lowering *low)
{
  const struct hook_module *t = low->abi->hook_module;
  if (!t)
    return check_parameter_queries(low, NULL, false);
  LLVMValueRef alloc = t->hooks[HOOK_alloc];
  const char *layout = LLVMGetDataLayoutStr(t->source);
  if (*layout && strcmp(layout, LLVMGetDataLayoutStr(low->module)) != 0)
    return coro_reject(low, "hook-module-layout", IR_NONE,
                       "the data layout of the ABI's hook module differs from the module's",
                       "compile the hook module for the module's target, or remove its data layout");
  if (alloc && !alloc_hook_extra_parameters_match_ramp(low, alloc))
    return coro_reject(low, "hook-module-arguments", IR_NONE,
                       "abi.alloc takes arguments of the coroutine that this one does not have",
                       "make these the first parameters of the coroutine, or select another ABI for it");
  return coro_arena_failed(low->arena) ? CORO_ENOMEM : check_parameter_queries(low, t->clone_prototype, false);
}

static coro_status link_copy_of_hook_module(const struct coro_lowering *low)
{
  LLVMModuleRef copy = LLVMCloneModule(low->abi->hook_module->source);
  LLVMSetTarget(copy, LLVMGetTarget(low->module)); /* hook modules have no target of their own */
  LLVMSetDataLayout(copy, LLVMGetDataLayoutStr(low->module));
  if (LLVMLinkModules2(low->module, copy))
    return coro_reject(low, "hook-module-link", IR_NONE, "the ABI's hook module cannot be linked to the module",
                       "make symbols that both define linkonce_odr or internal in the hook module");
  return CORO_OK;
}

coro_status hook_module_link(const struct coro_lowering *low)
{
  if (!low->abi->hook_module)
    return CORO_OK;
  coro_status status =
      is_hook_module_linked(low) || coro_arena_failed(low->arena) ? CORO_OK : link_copy_of_hook_module(low);
  status = status ? status : check_parameter_queries(low, hook_module_linked_clone_prototype_or_null(low), true);
  return coro_arena_failed(low->arena) ? CORO_ENOMEM : status;
}

/* A hook that is still called stays in the module under a new name, so that the next run can use its name. */
static void delete_if_unused_else_rename_as_internal(LLVMValueRef value, void (*erase)(LLVMValueRef))
{
  if (value && !LLVMGetFirstUse(value)) {
    erase(value);
  } else if (value) {
    const char *name = edit_value_name(value) + strlen("pycoro.");
    LLVMSetVisibility(value, LLVMDefaultVisibility);
    LLVMSetLinkage(value, LLVMInternalLinkage);
    LLVMSetValueName2(value, name, strlen(name));
  }
}

static bool has_prefix_of_linked_name(const struct hook_module *t, LLVMValueRef value)
{
  char prefix[40];
  snprintf(prefix, sizeof prefix, HOOK_PREFIX "%u.", t->number);
  return coro_starts_with(edit_value_name(value), prefix);
}

static void erase_unused_parameter_query_functions(LLVMModuleRef module)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    if (LLVMIsDeclaration(f) && coro_starts_with(edit_value_name(f), query_prefix) && !LLVMGetFirstUse(f))
      LLVMDeleteFunction(f);
  }
}

void hook_module_unlink(const struct hook_module *t, LLVMModuleRef module)
{
  if (t->clone_prototype)
    erase_unused_parameter_query_functions(module);
  for (LLVMValueRef f = LLVMGetFirstFunction(t->source); f; f = LLVMGetNextFunction(f))
    if (has_prefix_of_linked_name(t, f))
      delete_if_unused_else_rename_as_internal(LLVMGetNamedFunction(module, edit_value_name(f)), LLVMDeleteFunction);
  for (LLVMValueRef v = LLVMGetFirstGlobal(t->source); v; v = LLVMGetNextGlobal(v))
    if (has_prefix_of_linked_name(t, v))
      delete_if_unused_else_rename_as_internal(LLVMGetNamedGlobal(module, edit_value_name(v)), LLVMDeleteGlobal);
}

/* `minimum`, or one more than the number in a name with the prefix of linked hooks if that is larger. Numbers too large
   for a run's ABIs cannot collide and are ignored. */
static unsigned number_after_linked_hook_name(LLVMValueRef value, unsigned minimum)
{
  const char *name = edit_value_name(value);
  unsigned long number = coro_starts_with(name, HOOK_PREFIX) ? strtoul(name + strlen(HOOK_PREFIX), NULL, 10) : 0;
  return coro_starts_with(name, HOOK_PREFIX) && number >= minimum && number < UINT_MAX / 2 ? (unsigned)number + 1
                                                                                           : minimum;
}

unsigned hook_module_unused_number(LLVMModuleRef module)
{
  unsigned first = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    first = number_after_linked_hook_name(f, first);
  for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
    first = number_after_linked_hook_name(v, first);
  for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a; a = LLVMGetNextGlobalAlias(a))
    first = number_after_linked_hook_name(a, first);
  for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(module); i; i = LLVMGetNextGlobalIFunc(i))
    first = number_after_linked_hook_name(i, first);
  return first;
}
