/* The road of one coroutine through the stages.
   Needs: all rooms below. Leaves: an analysed coroutine; its function as it was. */
#include "pass/lower.h"

#include "coro/check.h"
#include "coro/info.h"
#include "ir/edit.h"
#include "ir/unaddress.h"
#include "pass/simplify.h"

/* From here on a frame of a custom ABI begins as any other does. */
static coro_status choose_custom(struct coro_lowering *low, const struct coro_run *run, const struct coro_abi **abi)
{
  uint64_t index = 0;
  uint32_t begin = low->shape.begin;
  bool known = edit_constant(LLVMGetOperand(low->fn.insts[begin], BEGIN_ABI), &index) && index < run->abi_count;
  if (!known)
    return coro_reject(low, "custom-abi", begin, "no ABI is registered under the index that is asked for",
                       "use llvm.coro.begin, or give coro-split an ABI for this index");
  *abi = run->abis[index];
  if (!((*abi)->ids & 1u << low->shape.abi))
    return coro_reject(low, "custom-abi-of-id", begin,
                       "the ABI under the index that is asked for does not lower coroutines of this id",
                       "derive it from the ABI that the coroutine's id belongs to");
  low->shape.intrin[begin] = INTRIN_BEGIN;
  return CORO_OK;
}

static coro_status choose_abi(struct coro_lowering *low, const struct coro_run *run, const struct coro_abi **abi)
{
  *abi = coro_abi_of(low->shape.abi);
  return low->shape.intrin[low->shape.begin] == INTRIN_BEGIN ? CORO_OK : choose_custom(low, run, abi);
}

struct decider {
  const struct coro_abi *abi;
  struct coro_lowering *low;
};

static coro_status may_be_made_again(void *user, uint32_t inst, bool *again)
{
  struct decider *decider = user;
  return decider->abi->rematerialise(decider->abi, decider->low, inst, again);
}

static coro_status choose_remat(struct coro_lowering *low, const struct coro_abi *abi)
{
  struct decider decider = {abi, low};
  struct coro_remat_policy policy = {may_be_made_again, &decider};
  return coro_remat_choose(&low->remat, low->arena, &low->fn, &low->shape, &low->cfg, &low->crossing,
                           abi->rematerialise ? &policy : NULL);
}

/* Every field behind the header is in the order once. */
static bool is_permutation(struct coro_lowering *low, const struct coro_frame_header *header, const uint32_t *order)
{
  struct coro_bits seen;
  if (!coro_bits_init(&seen, low->arena, low->frame.field_count))
    return false;
  for (uint32_t i = 0; i < low->frame.field_count - header->count; i++) {
    if (order[i] < header->count || order[i] >= low->frame.field_count || coro_bits_get(&seen, order[i]))
      return false;
    coro_bits_set(&seen, order[i]);
  }
  return true;
}

/* The ABI puts the fields behind the header in an order of its own. */
static coro_status order_fields(struct coro_lowering *low, const struct coro_abi *abi,
                                const struct coro_frame_header *header)
{
  uint32_t count = 0, *order = coro_frame_by_offset(low->arena, &low->frame);
  for (uint32_t i = 0; order && i < low->frame.field_count; i++)
    if (order[i] >= header->count)
      order[count++] = order[i];
  if (!order)
    return CORO_ENOMEM;
  coro_status status = abi->order(abi, low, order, count);
  if (status == CORO_OK && !is_permutation(low, header, order))
    return coro_reject(low, "order-of-fields", low->shape.id,
                       "the ABI's order of the frame leaves out a field, or names one twice",
                       "give back the fields that were given, each once");
  if (status == CORO_OK)
    coro_frame_place(&low->frame, header, order);
  return status;
}

static coro_status lay_out(struct coro_lowering *low, const struct coro_run *run, const struct coro_abi *abi)
{
  struct coro_frame_header header;
  bool share = run->reuse_storage && !abi->order;
  abi->header(low, &header);
  if (!coro_frame_collect(&low->frame, low->arena, &low->fn, &low->crossing, &low->allocas, &low->remat, &low->storage,
                          &header, low->layout))
    return CORO_ENOMEM;
  coro_status status = coro_check_fields(low);
  if (status != CORO_OK)
    return status;
  if (((share || abi->order || run->report) && !coro_live_find(&low->live, low->arena, low)) ||
      !coro_frame_lay_out(&low->frame, low->arena, &header, share ? &low->live : NULL))
    return CORO_ENOMEM;
  if (abi->order && low->shape.suspend_count)
    status = order_fields(low, abi, &header);
  if (status == CORO_OK)
    status = coro_check_layout(low);
  return status == CORO_OK && abi->check_frame ? abi->check_frame(low) : status;
}

/* Without a frame and without a suspend there is nothing to lower: what is left of a coroutine that an optimiser has
   found to be unreachable. */
static bool does_nothing(const struct coro_lowering *low)
{
  return low->shape.begin == IR_NONE && !low->shape.suspend_count;
}

/* What the coroutine needs in a frame. */
static coro_status find_content(struct coro_lowering *low, const struct coro_abi *abi)
{
  if (!coro_crossing_find(&low->crossing, low->arena, &low->fn, &low->shape, &low->cfg) ||
      !coro_allocas_find(&low->allocas, low->arena, &low->fn, &low->shape, &low->cfg, &low->crossing, low->sizes) ||
      !coro_storage_find(&low->storage, low->arena, &low->fn, &low->shape, &low->cfg, &low->crossing, abi->allocates))
    return CORO_ENOMEM;
  coro_status status = choose_remat(low, abi);
  return status == CORO_OK ? coro_check_values(low) : status;
}

static coro_status find_flow(struct coro_lowering *low, const struct coro_abi *abi)
{
  if (!coro_cfg_build(&low->cfg, low->arena, &low->fn, &low->shape, abi->returns))
    return CORO_ENOMEM;
  coro_status status = coro_check_flow(low);
  return status == CORO_OK && abi->check_flow ? abi->check_flow(low) : status;
}

bool lower_would_prepare(const struct coro_run *run, LLVMValueRef function)
{
  return simplify_would(run->intrin, function) || unaddress_would(function);
}

coro_status lower_prepare(struct coro_run *run, LLVMValueRef function)
{
  bool ok = simplify_suspends(run->arena, run->intrin, function, &run->edited) &&
            unaddress_function(run->arena, function, &run->edited);
  return ok ? CORO_OK : CORO_ENOMEM;
}

coro_status lower_analyse(struct coro_lowering *low, const struct coro_run *run, LLVMValueRef function,
                          const struct coro_abi **abi)
{
  *low = (struct coro_lowering){.module = run->module,
                                .context = run->context,
                                .layout = run->layout,
                                .sizes = CORO_NEW(run->arena, struct ir_sizes),
                                .table = run->intrin,
                                .arena = run->arena,
                                .diags = run->diags};
  *abi = NULL;
  if (!low->sizes)
    return CORO_ENOMEM;
  ir_sizes_init(low->sizes, low->arena, low->layout);
  if (!ir_number(&low->fn, low->arena, function) || !coro_shape_find(&low->shape, low->arena, &low->fn, low->table))
    return CORO_ENOMEM;
  if (does_nothing(low))
    return CORO_OK;
  const struct coro_abi *chosen = NULL;
  coro_status status = coro_check_shape(low);
  if (status == CORO_OK)
    status = choose_abi(low, run, &chosen);
  if (status == CORO_OK)
    status = chosen->check(low);
  if (status != CORO_OK)
    return status;
  low->shape.home = chosen->home ? chosen->home(low) : IR_NONE;
  low->shape.passes_error = chosen->passes_error && chosen->passes_error(low);
  status = find_flow(low, chosen);
  if (status == CORO_OK)
    status = find_content(low, chosen);
  if (status == CORO_OK)
    status = lay_out(low, run, chosen);
  *abi = status == CORO_OK ? chosen : NULL;
  return status;
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
    count += edit_is_presplit(f);
  return count <= FEW || ir_printed_make(&run->printed, run->arena, run->module) ? CORO_OK : CORO_ENOMEM;
}

coro_status lower_describe(const struct coro_run *run, const struct coro_lowering *low, const struct coro_abi *abi,
                           coro_coroutine_info **info)
{
  const char *printed = run->edited ? NULL : ir_printed_function(&run->printed, low->fn.function);
  *info = run->report ? coro_info_make(coro_report_arena(run->report), low, printed) : NULL;
  if (*info && abi->describe)
    abi->describe(low, coro_report_arena(run->report), *info);
  if (*info && coro_arena_failed(coro_report_arena(run->report)))
    return CORO_ENOMEM;
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
