/* Creates the clones of a coroutine as its ABI describes them: declares all, fills them, and finally replaces the
   coroutine's body by the ramp. */
#include "abi/split.h"

#include "abi/common_hook_sites.h"
#include "abi/hook_module.h"
#include "check/check.h"
#include "debug/debug.h"
#include "emit/clone.h"
#include "llvm-c/DebugInfo.h"
#include "lowering/abi.h"

static bool declare_clones(struct coro_lowering *low, uint32_t count)
{
  low->clones = CORO_NEW_ARRAY(low->arena, LLVMValueRef, count);
  for (; low->clones && low->clone_count < count; low->clone_count++)
    if (!(low->clones[low->clone_count] = low->abi->clones->declare(low, low->clone_count)))
      return false;
  return low->clones;
}

static bool emit_clones(struct coro_lowering *low, const struct emit_hooks *hooks)
{
  const struct abi_clones *clones = low->abi->clones;
  for (uint32_t k = 0; k < low->clone_count; k++) {
    uint32_t landing = clones->clone_kind ? IR_NONE : cfg_landing(&low->cfg, k);
    unsigned clone_kind = clones->clone_kind ? clones->clone_kind(low, k, &landing) : CLONE_RESUME;
    if (!clone_kind)
      clones->fill(low);
    else if (!emit_clone(low, hooks, clone_kind, low->clones[k], landing))
      return false;
  }
  return true;
}

/* Records the ABI's hooks in the witness, for the checker. */
static void record_hooks_for_checker(const struct coro_lowering *low)
{
  const struct hook_module *t = low->abi->hook_module;
  if (!t || !low->witness)
    return;
  for (enum hook hook = 0; hook < HOOK_COUNT; hook++)
    if (hook_module_defines_hook(t, hook))
      low->witness->hooks[hook] = hook_module_linked_function_or_null(low, hook);
  low->witness->header_value = t->header ? hook_module_linked_header_value_or_null(low) : NULL;
  low->witness->clone_prototype = t->clone_prototype ? hook_module_linked_clone_prototype_or_null(low) : NULL;
}

coro_status abi_split(struct coro_lowering *low)
{
  const struct abi_clones *clones = low->abi->clones;
  struct emit_hooks hooks = clones->hooks;
  hooks.enter_ramp = hooks.enter_ramp ? hooks.enter_ramp : hook_site_create_frame_alloca_if_needed;
  hooks.after_begin = hook_site_emit_header_and_begin_hook;
  hooks.after_landing = hook_site_emit_resumed_hook;
  hooks.many_blocks = low->abi->hook_module != NULL;
  uint32_t count = clones->count ? clones->count(low) : low->shape.suspend_count;
  coro_status status = hook_module_link(low);
  if (status)
    return status;
  low->witness = low->validates_result ? witness_create(low->arena, 3 * low->fn.inst_count) : NULL;
  /* The checker and debug information read the presplit function to the end, and the hooks of an ABI may. */
  low->moves_instructions = low->abi->ids == 1u << CORO_ABI_SWITCH && !low->abi->hook_module &&
                            !low->validates_result && !LLVMGetSubprogram(low->fn.function);
  record_hooks_for_checker(low);
  bool ok = coro_debug_read_records(low) && declare_clones(low, count) &&
            (!clones->begin || clones->begin(low, &hooks)) && emit_clones(low, &hooks) &&
            (!clones->before_ramp || clones->before_ramp(low, &hooks)) && emit_ramp(low, &hooks, low->fn.function);
  if (!ok || (low->validates_result && !low->witness))
    return CORO_ENOMEM;
  status = low->witness ? check_lowering(low) : CORO_OK;
  if (status)
    return status;
  emit_delete_presplit_blocks_and_attribute(low);
  if (clones->end)
    clones->end(low->fn.function);
  return CORO_OK;
}
