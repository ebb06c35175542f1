/* Parses the hook modules of custom ABIs before a run, and removes unused hooks from the module after it. */
#include "api/custom_hooks.h"

#include "abi/hook_module.h"

unsigned custom_hooks_first_unused_number(const struct pass_run *run)
{
  return hook_module_unused_number(run->module);
}

coro_status custom_hooks_parse_into_abi_table(const struct pass_run *run, unsigned symbol_number, size_t abi_index,
                                              struct coro_abi *table)
{
  const coro_custom_abi *custom = &run->options->abis[abi_index];
  struct hook_module_text text = {custom->hook_module, custom->hook_module_size, symbol_number,
                                  custom->clone_per_suspend, custom->base};
  struct hook_module *read = NULL;
  table->clone_per_suspend = custom->clone_per_suspend;
  if (table->clone_per_suspend && custom->base != CORO_ABI_SWITCH)
    return coro_diags_add(
        run->diags,
        &(coro_diag){.status = CORO_EUSAGE,
                     .rule = "hook-module",
                     .message = "clone_per_suspend is an option of the switched-resume ABI, and the "
                                "base of this ABI is another one",
                     .hint = "set clone_per_suspend to false; other ABIs always have a function per suspend"});
  coro_status status =
      custom->hook_module ? hook_module_parse(&read, run->arena, run->context, &text, run->diags) : CORO_OK;
  table->hook_module = read;
  return status;
}

void custom_hooks_delete_unused(const struct pass_run *run)
{
  for (size_t i = 0; i < run->abi_count; i++)
    if (run->abis[i]->hook_module)
      hook_module_unlink(run->abis[i]->hook_module, run->module);
}

void custom_hooks_free(const struct pass_run *run)
{
  for (size_t i = 0; i < run->abi_count; i++)
    hook_module_free(run->abis[i]->hook_module);
}
