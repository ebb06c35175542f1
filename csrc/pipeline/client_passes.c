/* Checks a client's passes, and runs one of them on a function or on the module. */
#include "pipeline/client_passes.h"

#include <string.h>

#include "pipeline/verify_changes.h"

static coro_status reject_client_passes(coro_diags *diags, const char *message, const char *hint)
{
  if (!message)
    return CORO_ENOMEM;
  return coro_diags_add(diags,
                        &(coro_diag){.status = CORO_EUSAGE, .rule = "custom-pass", .message = message, .hint = hint});
}

static bool is_pycoro_pass(const char *name)
{
  bool found = false;
  for (int i = 0; i < PASS_COUNT; i++)
    found |= !strcmp(name, pass_table[i].name);
  return found;
}

static coro_status check_client_pass(const coro_custom_pass *pass, struct coro_arena *arena, coro_diags *diags)
{
  if (!pass->name || !*pass->name || pass->name[strcspn(pass->name, "<>,(); \t\n")])
    return reject_client_passes(diags,
                                coro_arena_printf(arena, "'%s' is not a valid pass name", pass->name ? pass->name : ""),
                                "use a name without blanks, commas, semicolons, parentheses and angle brackets");
  if (is_pycoro_pass(pass->name))
    return reject_client_passes(diags,
                                coro_arena_printf(arena, "'%s' is the name of one of pycoro's passes", pass->name),
                                "give the pass another name");
  if (!pass->run || (unsigned)pass->level > CORO_PASS_COROUTINE)
    return reject_client_passes(
        diags, coro_arena_printf(arena, "the pass '%s' has no function, or none of the levels", pass->name),
        "set run, and level to one of enum coro_pass_level");
  return CORO_OK;
}

coro_status client_passes_check(const struct pipeline_client_passes *clients, struct coro_arena *arena,
                                coro_diags *diags)
{
  coro_status status = CORO_OK;
  for (size_t i = 0; i < clients->count && !status; i++) {
    const char *name = clients->passes[i].name;
    status = check_client_pass(&clients->passes[i], arena, diags);
    for (size_t k = 0; k < i && !status; k++)
      if (!strcmp(name, clients->passes[k].name))
        status = reject_client_passes(diags, coro_arena_printf(arena, "two passes are named '%s'", name),
                                      "give each a unique name");
  }
  return status;
}

/* Invalidates cached analyses of the module. */
static void invalidate_module_analyses(struct runner *r)
{
  r->run->layout = LLVMGetModuleDataLayout(r->run->module);
  r->run->function_changed = true;
  r->limits_checked = r->llvm_cache.no_uncertain_constants = false;
  r->limits = 0;
  r->run->has_id.arena = r->run->may_create_coroutine.arena = NULL;
  nonlocal_exits_reset(&r->nonlocal);
  ir_printed_free(&r->run->printed);
}

static const char *copy_function_name_or_empty(struct coro_arena *arena, LLVMValueRef function)
{
  size_t length = 0;
  const char *name = function ? LLVMGetValueName2(function, &length) : "";
  return coro_arena_strndup(arena, name, length);
}

/* Verifies the named function and those added after `last`, if both still exist. Other modified functions are
   verified when they are visited, and all at the end of the step. */
static coro_status verify_after_client(struct runner *r, const char *function_name, const char *last_function_name)
{
  LLVMValueRef function = *function_name ? LLVMGetNamedFunction(r->run->module, function_name) : NULL;
  LLVMValueRef end = function && *last_function_name ? LLVMGetNamedFunction(r->run->module, last_function_name) : NULL;
  return end ? verify_function_and_added_ones(r, function, end) : verify_module(r);
}

coro_status client_pass_run(struct runner *r, const struct pass_node *node, LLVMValueRef function, coro_change *changed)
{
  struct pass_run *run = r->run;
  coro_pass_call call = {
      .name = node->text, .parameters = pass_node_parameters(run->arena, node), .function = function};
  const char *name = call.function_name = copy_function_name_or_empty(run->arena, function);
  const char *last = copy_function_name_or_empty(run->arena, LLVMGetLastFunction(run->module));
  if (!call.parameters || !name || !last)
    return CORO_ENOMEM;
  coro_status status = run->call(run, node->client, &call, changed);
  if (status || *changed == CORO_UNCHANGED)
    return status;
  invalidate_module_analyses(r);
  if (r->waves)
    waves_update_after_module_passes(r->waves);
  verification_add_change(&run->verification, MADE_BY_CLIENT, node->text);
  return verify_after_client(r, name, last);
}
