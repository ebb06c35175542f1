/* The road of one coroutine through the stages.
   Needs: all rooms below. Leaves: an analysed coroutine; its function as it was. */
#include "pass/lower.h"

#include "coro/check.h"
#include "coro/info.h"
#include "coro/share.h"
#include "ir/edit.h"

static const struct coro_abi *choose_abi(const struct coro_lowering *low)
{
  static const struct coro_abi *const by_id[] = {[CORO_ABI_SWITCH] = &coro_abi_switch,
                                                 [CORO_ABI_RETCON] = &coro_abi_retcon,
                                                 [CORO_ABI_RETCON_ONCE] = &coro_abi_retcon,
                                                 [CORO_ABI_ASYNC] = &coro_abi_async};
  return by_id[low->shape.abi];
}

/* Without a frame and without a suspend there is nothing to lower: what is left of a coroutine that an optimiser has
   found to be unreachable. */
static bool does_nothing(const struct coro_lowering *low)
{
  return low->shape.begin == IR_NONE && !low->shape.suspend_count;
}

coro_status lower_analyse(struct coro_lowering *low, const struct coro_run *run, LLVMValueRef function,
                          const struct coro_abi **abi)
{
  struct coro_frame_header header;
  struct coro_arena *arena = run->arena;
  *low = (struct coro_lowering){.module = run->module,
                                .context = run->context,
                                .layout = run->layout,
                                .table = run->intrin,
                                .arena = arena,
                                .diags = run->diags};
  *abi = NULL;
  if (!ir_number(&low->fn, arena, function) || !coro_shape_find(&low->shape, arena, &low->fn, low->table))
    return CORO_ENOMEM;
  if (does_nothing(low))
    return CORO_OK;
  coro_status status = coro_check_shape(low);
  if (status != CORO_OK)
    return status;
  const struct coro_abi *chosen = choose_abi(low);
  status = chosen->check(low);
  if (status != CORO_OK)
    return status;
  low->shape.home = chosen->home ? chosen->home(low) : IR_NONE;
  low->shape.passes_error = chosen->passes_error && chosen->passes_error(low);
  if (!coro_cfg_build(&low->cfg, arena, &low->fn, &low->shape, chosen->returns))
    return CORO_ENOMEM;
  status = coro_check_flow(low);
  if (status == CORO_OK && chosen->check_flow)
    status = chosen->check_flow(low);
  if (status != CORO_OK)
    return status;
  if (!coro_crossing_find(&low->crossing, arena, &low->fn, &low->shape, &low->cfg) ||
      !coro_allocas_find(&low->allocas, arena, &low->fn, &low->shape, &low->cfg, &low->crossing, low->layout) ||
      !coro_storage_find(&low->storage, arena, &low->fn, &low->shape, &low->cfg, &low->crossing, chosen->allocates) ||
      !coro_remat_choose(&low->remat, arena, &low->fn, &low->shape, &low->cfg, &low->crossing))
    return CORO_ENOMEM;
  status = coro_check_values(low);
  if (status != CORO_OK)
    return status;
  chosen->header(low, &header);
  const struct coro_bits *lives = NULL;
  if (!coro_frame_collect(&low->frame, arena, &low->fn, &low->crossing, &low->allocas, &low->remat, &low->storage,
                          &header, low->layout) ||
      (run->reuse_storage && !coro_share_find(&lives, arena, low)) ||
      !coro_frame_lay_out(&low->frame, arena, &header, lives))
    return CORO_ENOMEM;
  *abi = chosen;
  return CORO_OK;
}

/* The names of the clones, which stand in the module by now. */
static bool name_clones(coro_coroutine_info *info, struct coro_arena *arena, const struct coro_lowering *low)
{
  const char **names = CORO_NEW_ARRAY(arena, const char *, low->clone_count);
  if (!names)
    return false;
  for (uint32_t i = 0; i < low->clone_count; i++)
    names[info->clone_count++] = coro_arena_printf(arena, "%s", LLVMGetValueName2(low->clones[i], &(size_t){0}));
  info->clones = names;
  return !coro_arena_failed(arena);
}

coro_status lower_print(struct coro_run *run)
{
  enum { FEW = 8 }; /* cheaper printed one by one, where the module holds much else */
  unsigned count = 0;
  if (!run->report || run->printed.text)
    return CORO_OK;
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && count <= FEW; f = LLVMGetNextFunction(f))
    count += edit_has_attribute(f, (unsigned)LLVMAttributeFunctionIndex, "presplitcoroutine");
  return count <= FEW || ir_printed_make(&run->printed, run->arena, run->module) ? CORO_OK : CORO_ENOMEM;
}

coro_status lower_describe(const struct coro_run *run, const struct coro_lowering *low, const struct coro_abi *abi,
                           coro_coroutine_info **info)
{
  const char *printed = run->edited ? NULL : ir_printed_function(&run->printed, low->fn.function);
  *info = run->report ? coro_info_make(coro_report_arena(run->report), low, printed) : NULL;
  if (*info && abi->describe)
    abi->describe(low, coro_report_arena(run->report), *info);
  return *info || !run->report ? CORO_OK : CORO_ENOMEM;
}

coro_status lower_report(const struct coro_run *run, const struct coro_lowering *low, coro_coroutine_info *info)
{
  if (!info)
    return CORO_OK;
  char *message = coro_arena_printf(run->arena, "Split '%s' (frame_size=%llu, align=%llu)", info->function,
                                    (unsigned long long)low->frame.size, (unsigned long long)low->frame.align);
  coro_remark remark = {
      .pass = "coro-split", .name = "CoroSplit", .function = info->function, .message = message, .done = true};
  bool ok = name_clones(info, coro_report_arena(run->report), low) && coro_report_add_coroutine(run->report, info) &&
            message && coro_report_add_remark(run->report, &remark);
  return ok ? CORO_OK : CORO_ENOMEM;
}
