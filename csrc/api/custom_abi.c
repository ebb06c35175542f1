/* Adapts custom ABIs (coro_custom_abi) to the engine's policy table: converts engine ids to public info structures,
   calls the client and checks results.
   Requires: abi, lowering/coroutine_info.
   Guarantees: each table equals that of its base ABI except for the policies. */
#include "api/custom_abi.h"

#include <string.h>

#include "abi/abi.h"
#include "abi/hook_module.h"
#include "api/usage.h"
#include "ir/edit.h"
#include "lowering/abi.h"
#include "lowering/abi_candidate.h"
#include "lowering/coroutine_info.h"
#include "run/pass.h"

/* ---- Hook modules ---- */

/* Reads the hooks of an ABI, if it has any; `number` makes their symbol names unique. Errors as hook_module_parse;
   EUSAGE: clone_per_suspend with another base than the switch ABI. */
static coro_status custom_hooks_parse_into_abi_table(const struct pass_run *run, unsigned symbol_number,
                                                     size_t abi_index, struct coro_abi *table)
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

struct coro_rejection {
  struct coro_arena *arena;
  const char *message, *hint; /* NULL: not rejected */
};

void coro_reject_coroutine(coro_rejection *rejection, const char *message, const char *hint)
{
  message = message ? message : "";
  hint = hint ? hint : "";
  rejection->message = coro_arena_strndup(rejection->arena, message, strlen(message));
  rejection->hint = coro_arena_strndup(rejection->arena, hint, strlen(hint));
}

struct coro_header {
  struct coro_arena *arena;
  struct coro_header_value *first, **end;
};

static void add_header_value(coro_header *header, const struct coro_header_value *value)
{
  struct coro_header_value *copy = CORO_NEW(header->arena, struct coro_header_value);
  if (!copy)
    return; /* the arena records it */
  *copy = *value;
  if (value->text)
    copy->text = coro_arena_strndup(header->arena, value->text, strlen(value->text));
  *header->end = copy;
  header->end = &copy->next;
}

void coro_header_set_number(coro_header *header, uint32_t element, uint64_t number)
{
  add_header_value(header, &(struct coro_header_value){.element = element, .kind = HEADER_NUMBER, .number = number});
}

void coro_header_set_text(coro_header *header, uint32_t element, const char *text)
{
  add_header_value(header,
                   &(struct coro_header_value){.element = element, .kind = HEADER_TEXT, .text = text ? text : ""});
}

void coro_header_set_address(coro_header *header, uint32_t element, const char *name)
{
  add_header_value(header,
                   &(struct coro_header_value){.element = element, .kind = HEADER_ADDRESS, .text = name ? name : ""});
}

static coro_status report_callback_failure(const struct coro_policies *policies, const struct coro_lowering *low,
                                           const char *what)
{
  return coro_diags_add(
      low->diags,
      &(coro_diag){.status = CORO_ECALLBACK,
                   .rule = "callback",
                   .function = edit_value_name(low->fn.function),
                   .message = coro_arena_printf(low->arena, "the callback %s of %s failed", what, policies->name),
                   .hint =
                       "return 0 from the callback if it succeeds; call coro_reject_coroutine to reject a coroutine"});
}

/* With many coroutines the module was printed once: printing single functions would number all metadata each time. */
static const coro_candidate_info *make_candidate_info(struct coro_lowering *low)
{
  return describe_candidate_for_abi(low, low->run->function_changed ? NULL : &low->run->printed);
}

/* Turns the result of the callback `what`, and its verdict, into a status. */
static coro_status status_of_failure_or_rejection(const struct coro_policies *policies, struct coro_lowering *low,
                                                  const char *what, bool failed, const coro_rejection *rejection)
{
  if (failed)
    return report_callback_failure(policies, low, what);
  if (coro_arena_failed(low->arena))
    return CORO_ENOMEM;
  if (!rejection->message)
    return CORO_OK;
  return coro_reject(low, "rejected-by-abi", IR_NONE,
                     coro_arena_printf(low->arena, "%s rejects the coroutine: %s", policies->name, rejection->message),
                     rejection->hint);
}

static coro_status call_select_policy(const struct coro_policies *policies, struct coro_lowering *low, bool *selected)
{
  const coro_custom_abi *custom = policies->user;
  const coro_candidate_info *info = make_candidate_info(low);
  if (!info)
    return CORO_ENOMEM;
  return custom->select(custom->user, info, selected) ? report_callback_failure(policies, low, "select") : CORO_OK;
}

static coro_status call_check_policy(const struct coro_policies *policies, struct coro_lowering *low)
{
  const coro_custom_abi *custom = policies->user;
  const coro_candidate_info *info = make_candidate_info(low);
  coro_rejection rejection = {low->arena, NULL, NULL};
  return !info ? CORO_ENOMEM
               : status_of_failure_or_rejection(policies, low, "check", custom->check(custom->user, info, &rejection),
                                                &rejection);
}

static coro_status call_header_policy(const struct coro_policies *policies, struct coro_lowering *low)
{
  const coro_custom_abi *custom = policies->user;
  const coro_candidate_info *info = make_candidate_info(low);
  coro_header header = {.arena = low->arena};
  header.end = &header.first;
  if (!info)
    return CORO_ENOMEM;
  if (custom->header(custom->user, info, &header))
    return report_callback_failure(policies, low, "header");
  low->header_values = header.first;
  return coro_arena_failed(low->arena) ? CORO_ENOMEM : CORO_OK;
}

static coro_status call_rematerialize_policy(const struct coro_policies *policies, struct coro_lowering *low,
                                             uint32_t inst, bool *rematerialized)
{
  const coro_custom_abi *custom = policies->user;
  coro_remat_candidate_info info;
  if (!coro_info_of_remat_candidate(&info, low, inst))
    return CORO_ENOMEM;
  return custom->rematerialize(custom->user, &info, rematerialized)
             ? report_callback_failure(policies, low, "rematerialize")
             : CORO_OK;
}

/* Everything that a report would contain. NULL: out of memory. */
static coro_coroutine_info *make_coroutine_info(struct coro_lowering *low)
{
  coro_coroutine_info *info = coro_info_make(low->arena, low, NULL);
  if (info && low->abi->describe)
    low->abi->describe(low, low->arena, info);
  return coro_arena_failed(low->arena) ? NULL : info;
}

static coro_status call_keep_in_frame_policy(const struct coro_policies *policies, struct coro_lowering *low,
                                             const struct coro_spill_candidate *about, coro_spill_choice *wanted)
{
  const coro_custom_abi *custom = policies->user;
  coro_spill_candidate_info info;
  if (!coro_info_of_spill_candidate(&info, low, about))
    return CORO_ENOMEM;
  return custom->keep_in_frame(custom->user, &info, wanted) ? report_callback_failure(policies, low, "keep_in_frame")
                                                            : CORO_OK;
}

static coro_status call_order_policy(const struct coro_policies *policies, struct coro_lowering *low, uint32_t *fields,
                                     uint32_t count)
{
  const coro_custom_abi *custom = policies->user;
  const coro_coroutine_info *info = make_coroutine_info(low);
  uint32_t *order = CORO_NEW_ARRAY(low->arena, uint32_t, count), *given = CORO_NEW_ARRAY(low->arena, uint32_t, count);
  if (!info || !order || !given)
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < count; i++) {
    order[i] = i;
    given[i] = fields[i];
  }
  const coro_field_info *after_header = info->fields + (info->field_count - count); /* by offset, as `fields` */
  if (custom->order(custom->user, after_header, count, order))
    return report_callback_failure(policies, low, "order");
  for (uint32_t i = 0; i < count; i++)
    fields[i] = order[i] < count ? given[order[i]] : IR_NONE;
  return CORO_OK;
}

static coro_status call_layout_policy(const struct coro_policies *policies, struct coro_lowering *low,
                                      const uint32_t *fields, uint32_t count, uint64_t *offsets)
{
  const coro_custom_abi *custom = policies->user;
  const coro_coroutine_info *info = make_coroutine_info(low);
  (void)fields; /* in the order of their offsets, as in the info */
  if (!info)
    return CORO_ENOMEM;
  const coro_field_info *after_header = info->fields + (info->field_count - count);
  return custom->layout(custom->user, after_header, count, low->frame.header.end, offsets)
             ? report_callback_failure(policies, low, "layout")
             : CORO_OK;
}

static coro_status call_check_frame_policy(const struct coro_policies *policies, struct coro_lowering *low)
{
  const coro_custom_abi *custom = policies->user;
  const coro_coroutine_info *info = make_coroutine_info(low);
  coro_rejection rejection = {low->arena, NULL, NULL};
  return !info ? CORO_ENOMEM
               : status_of_failure_or_rejection(policies, low, "check_frame",
                                                custom->check_frame(custom->user, info, &rejection), &rejection);
}

static struct coro_policies policies_for_custom_abi(const coro_custom_abi *custom, const char *name)
{
  return (struct coro_policies){
      .name = name,
      .own_name = custom->name ? custom->name : name,
      .user = custom,
      .select = custom->select ? call_select_policy : NULL,
      .check = custom->check ? call_check_policy : NULL,
      .header = custom->header ? call_header_policy : NULL,
      .rematerialize = custom->rematerialize ? call_rematerialize_policy : NULL,
      .keep_in_frame = custom->keep_in_frame ? call_keep_in_frame_policy : NULL,
      .order = custom->order ? call_order_policy : NULL,
      .layout = custom->layout ? call_layout_policy : NULL,
      .check_frame = custom->check_frame ? call_check_frame_policy : NULL,
  };
}

coro_status register_custom_abis(struct pass_run *run)
{
  size_t count = run->options->abi_count;
  if (count && !run->options->abis)
    return usage_missing("abi_count is not 0 but `abis` is NULL", run->diags);
  struct coro_abi *tables = CORO_NEW_ARRAY(run->arena, struct coro_abi, count);
  const struct coro_abi **abis = CORO_NEW_ARRAY(run->arena, const struct coro_abi *, count);
  if (!tables || !abis)
    return CORO_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    const coro_custom_abi *custom = &run->options->abis[i];
    const struct coro_abi *base = (unsigned)custom->base <= CORO_ABI_ASYNC ? coro_abi_of(custom->base) : NULL;
    const char *name = custom->name ? coro_arena_printf(run->arena, "ABI %zu (%s)", i, custom->name)
                                    : coro_arena_printf(run->arena, "ABI %zu", i);
    if (!name)
      return CORO_ENOMEM;
    if (custom->order && custom->layout)
      return coro_diags_add(
          run->diags,
          &(coro_diag){.status = CORO_EUSAGE,
                       .rule = "custom-abi-layout",
                       .message = coro_arena_printf(run->arena, "%s has both an `order` and a `layout` callback", name),
                       .hint = "remove `order`; `layout` determines all offsets"});
    if (!base)
      return coro_diags_add(run->diags, &(coro_diag){.status = CORO_EUSAGE,
                                                     .rule = "custom-abi-base",
                                                     .message = coro_arena_printf(
                                                         run->arena, "the base of %s is not one of LLVM's ABIs", name),
                                                     .hint = "set `base` to a value of enum coro_abi_kind"});
    tables[i] = *base;
    tables[i].policies = policies_for_custom_abi(custom, name);
    abis[i] = &tables[i];
  }
  run->abis = abis;
  coro_status status = CORO_OK;
  unsigned first = count ? hook_module_unused_number(run->module) : 0;
  for (; run->abi_count < count && status == CORO_OK; run->abi_count++)
    status = custom_hooks_parse_into_abi_table(run, first + (unsigned)run->abi_count, run->abi_count,
                                               &tables[run->abi_count]);
  return status;
}
