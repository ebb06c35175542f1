/* ABIs of the caller's: the engine asks in ids, the caller is asked in words.
   Needs: abi, coro/info. Leaves: a table for each ABI, which is that of its base but for what it decides. */
#include "api/custom_abi.h"

#include "abi/abi.h"
#include "api/usage.h"
#include "coro/info.h"

static coro_status failed(const struct coro_lowering *low, const char *message)
{
  return coro_diags_add(low->diags, &(coro_diag){.status = CORO_ECALLBACK,
                                                 .rule = "callback",
                                                 .function = LLVMGetValueName2(low->fn.function, &(size_t){0}),
                                                 .message = message});
}

static coro_status ask_rematerialise(const struct coro_abi *abi, struct coro_lowering *low, uint32_t inst, bool *again)
{
  const coro_custom_abi *custom = abi->user;
  coro_value_info info;
  if (!coro_info_of_value(&info, low, inst))
    return CORO_ENOMEM;
  return custom->rematerialise(custom->user, &info, again) ? failed(low, "the ABI failed to say what is made again")
                                                           : CORO_OK;
}

static coro_status ask_order(const struct coro_abi *abi, struct coro_lowering *low, uint32_t *fields, uint32_t count)
{
  const coro_custom_abi *custom = abi->user;
  const coro_coroutine_info *info = coro_info_make(low->arena, low, NULL);
  uint32_t *order = CORO_NEW_ARRAY(low->arena, uint32_t, count), *given = CORO_NEW_ARRAY(low->arena, uint32_t, count);
  if (!info || !order || !given)
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < count; i++) {
    order[i] = i;
    given[i] = fields[i];
  }
  const coro_field_info *behind = info->fields + (info->field_count - count); /* by offset, as `fields` are */
  if (custom->order(custom->user, behind, count, order))
    return failed(low, "the ABI failed to order the frame");
  for (uint32_t i = 0; i < count; i++)
    fields[i] = order[i] < count ? given[order[i]] : IR_NONE;
  return CORO_OK;
}

coro_status custom_abis(struct pass_run *run)
{
  size_t count = run->options->abi_count;
  if (count && !run->options->abis)
    return usage_missing("as many ABIs as abi_count says are needed", run->diags);
  struct coro_abi *tables = CORO_NEW_ARRAY(run->arena, struct coro_abi, count);
  const struct coro_abi **abis = CORO_NEW_ARRAY(run->arena, const struct coro_abi *, count);
  if (!tables || !abis)
    return CORO_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    const coro_custom_abi *custom = &run->options->abis[i];
    const struct coro_abi *base = (unsigned)custom->base <= CORO_ABI_ASYNC ? coro_abi_of(custom->base) : NULL;
    if (!base)
      return coro_diags_add(run->diags, &(coro_diag){.status = CORO_EUSAGE,
                                                     .rule = "custom-abi-base",
                                                     .message = "a custom ABI derives from none of LLVM's ABIs",
                                                     .hint = "give its base as one of enum coro_abi_kind"});
    tables[i] = *base;
    tables[i].user = custom;
    tables[i].rematerialise = custom->rematerialise ? ask_rematerialise : NULL;
    tables[i].order = custom->order ? ask_order : NULL;
    abis[i] = &tables[i];
  }
  run->abis = abis;
  run->abi_count = count;
  return CORO_OK;
}
