/* Adds a module to the engine: checks it, copies it through bitcode and compiles it. Its constructors run later.
   Requires: an engine. Guarantees: the client's module does not change; on failure the engine does not either. */
#include <stdio.h>
#include <stdlib.h>

#include "ir/edit.h"
#include "jit/jit_internal.h"
#include "sandbox/bitcode.h"

/* Copies the module into a new context, because ORC takes ownership of a module's context. */
static LLVMModuleRef copy_module_to_new_context(struct jit *jit, LLVMModuleRef module)
{
  LLVMContextRef context = LLVMContextCreate();
  jit_record_context_errors(jit, context); /* without a handler LLVM prints a context's errors and exits */
  LLVMModuleRef copy = ir_bitcode_copy(module, context);
  if (!copy)
    LLVMContextDispose(context);
  return copy;
}

/* Chooses symbol names that the module does not use. */
static void choose_unused_symbol_names(struct jit *jit, LLVMModuleRef module, struct jit_plan *plan)
{
  do {
    unsigned long long number = jit->units++;
    snprintf(plan->init, sizeof plan->init, "pycoro.init.%llu", number);
    snprintf(plan->fini, sizeof plan->fini, "pycoro.fini.%llu", number);
    snprintf(plan->table, sizeof plan->table, "pycoro.parts.%llu", number);
  } while (edit_is_symbol_name_in_use(module, plan->init) || edit_is_symbol_name_in_use(module, plan->fini) ||
           edit_is_symbol_name_in_use(module, plan->table));
}

static struct jit_plan make_jit_plan(struct jit *jit, LLVMModuleRef module)
{
  struct jit_plan plan = {.has_fini = LLVMGetNamedGlobal(module, "llvm.global_dtors"),
                          .has_atexit =
                              LLVMGetNamedFunction(module, "__cxa_atexit") || LLVMGetNamedFunction(module, "atexit")};
  choose_unused_symbol_names(jit, module, &plan);
  return plan;
}

static void free_jit_unit(struct jit_unit *unit)
{
  jit_free_clones(unit);
  free(unit);
}

/* NULL: out of memory. */
static struct jit_unit *make_jit_unit(LLVMModuleRef module)
{
  struct jit_unit *unit = calloc(1, sizeof *unit);
  if (!unit || jit_list_clones(module, unit))
    return unit;
  free_jit_unit(unit);
  return NULL;
}

/* Registers the unit if `status` is CORO_OK, else frees it. */
static coro_status register_jit_unit_or_free(struct jit *jit, struct jit_unit *unit, const struct jit_plan *plan,
                                             coro_status status)
{
  if (status) {
    free_jit_unit(unit);
    return status;
  }
  unit->before = jit->last;
  jit->last = unit;
  jit->has_atexit |= plan->has_atexit;
  jit_queue_constructors(jit, unit);
  return CORO_OK;
}

/* Adds `own`, which is consumed; NULL: copying failed. */
static coro_status prepare_and_compile_owned_module(struct jit *jit, LLVMModuleRef own, coro_diags *diags)
{
  if (!own)
    return jit_report_error(jit, NULL, "the module could not be copied", "this is a bug in pycoro; please report it",
                            diags);
  struct jit_plan plan = make_jit_plan(jit, own);
  struct jit_unit *unit = make_jit_unit(own);
  if (unit)
    return register_jit_unit_or_free(jit, unit, &plan, jit_compile(jit, own, &plan, unit, diags));
  jit_dispose_module_and_context(own);
  return jit_report_no_memory(diags);
}

static coro_status check_module_for_jit(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = jit_check_compilable(jit, module, diags);
  if (!status)
    status = jit_check_symbols(jit, module, diags);
  if (!status)
    status = jit_check_memory_type_layouts(module, LLVMOrcLLJITGetDataLayoutStr(jit->lljit), diags);
  jit_clear_error(jit);
  return status;
}

static coro_status add_module_compiled_in_child(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = check_module_for_jit(jit, module, diags);
  if (status)
    return status;
  struct jit_plan plan = make_jit_plan(jit, module);
  struct jit_unit *unit = make_jit_unit(module);
  if (!unit)
    return jit_report_no_memory(diags);
  LLVMMemoryBufferRef object = NULL;
  status = jit_compile_in_child(jit, module, &plan, unit, &object, diags);
  return register_jit_unit_or_free(jit, unit, &plan, status ? status : jit_link(jit, object, &plan, unit, diags));
}

coro_status jit_add_sandboxed(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = add_module_compiled_in_child(jit, module, diags);
  jit_free_indices(jit);
  return status;
}

coro_status jit_add(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = check_module_for_jit(jit, module, diags);
  if (!status)
    status = prepare_and_compile_owned_module(jit, copy_module_to_new_context(jit, module), diags);
  jit_free_indices(jit);
  return status;
}

static coro_status check_and_add_owned_module(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = check_module_for_jit(jit, module, diags);
  if (status) {
    jit_dispose_module_and_context(module);
    return status;
  }
  jit_record_context_errors(jit, LLVMGetModuleContext(module));
  return prepare_and_compile_owned_module(jit, module, diags);
}

coro_status jit_add_owned(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = check_and_add_owned_module(jit, module, diags);
  jit_free_indices(jit);
  return status;
}
