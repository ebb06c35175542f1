/* ABIs of the caller's: the engine asks in ids, the caller is asked in words.
   Needs: abi, coro/info. Leaves: a table for each ABI, which is that of its base but for what it decides. */
#include "api/custom_abi.h"

#include <string.h>

#include "abi/abi.h"
#include "api/custom_hooks.h"
#include "api/usage.h"
#include "coro/candidate.h"
#include "coro/info.h"

struct coro_refusal {
  struct coro_arena *arena;
  const char *message, *hint; /* NULL: the coroutine is accepted */
};

void coro_refuse(coro_refusal *refusal, const char *message, const char *hint)
{
  message = message ? message : "";
  hint = hint ? hint : "";
  refusal->message = coro_arena_strndup(refusal->arena, message, strlen(message));
  refusal->hint = coro_arena_strndup(refusal->arena, hint, strlen(hint));
}

struct coro_header {
  struct coro_arena *arena;
  struct coro_header_value *first, **end;
};

static void say(coro_header *header, const struct coro_header_value *value)
{
  struct coro_header_value *said = CORO_NEW(header->arena, struct coro_header_value);
  if (!said)
    return; /* the arena remembers */
  *said = *value;
  if (value->text)
    said->text = coro_arena_strndup(header->arena, value->text, strlen(value->text));
  *header->end = said;
  header->end = &said->next;
}

void coro_header_number(coro_header *header, uint32_t element, uint64_t number)
{
  say(header, &(struct coro_header_value){.element = element, .kind = HEADER_NUMBER, .number = number});
}

void coro_header_text(coro_header *header, uint32_t element, const char *text)
{
  say(header, &(struct coro_header_value){.element = element, .kind = HEADER_TEXT, .text = text ? text : ""});
}

void coro_header_address(coro_header *header, uint32_t element, const char *name)
{
  say(header, &(struct coro_header_value){.element = element, .kind = HEADER_ADDRESS, .text = name ? name : ""});
}

static coro_status failed(const struct coro_policies *policies, const struct coro_lowering *low, const char *what)
{
  return coro_diags_add(
      low->diags, &(coro_diag){.status = CORO_ECALLBACK,
                               .rule = "callback",
                               .function = LLVMGetValueName2(low->fn.function, &(size_t){0}),
                               .message = coro_arena_printf(low->arena, "%s failed to say %s", policies->name, what)});
}

/* The module was printed once, if it has many coroutines; LLVM numbers all of its metadata to print a function. */
static const coro_candidate_info *candidate_of(struct coro_lowering *low)
{
  return coro_candidate(low, low->run->edited ? NULL : &low->run->printed);
}

/* What became of it, once the caller was asked. */
static coro_status judged(const struct coro_policies *policies, struct coro_lowering *low, const coro_refusal *refusal)
{
  if (coro_arena_failed(low->arena))
    return CORO_ENOMEM;
  if (!refusal->message)
    return CORO_OK;
  return coro_reject(low, "abi-refuses", IR_NONE,
                     coro_arena_printf(low->arena, "%s refuses the coroutine: %s", policies->name, refusal->message),
                     refusal->hint);
}

static coro_status ask_select(const struct coro_policies *policies, struct coro_lowering *low, bool *selected)
{
  const coro_custom_abi *custom = policies->user;
  const coro_candidate_info *info = candidate_of(low);
  if (!info)
    return CORO_ENOMEM;
  return custom->select(custom->user, info, selected) ? failed(policies, low, "which coroutines it is for") : CORO_OK;
}

static coro_status ask_check(const struct coro_policies *policies, struct coro_lowering *low)
{
  const coro_custom_abi *custom = policies->user;
  const coro_candidate_info *info = candidate_of(low);
  coro_refusal refusal = {low->arena, NULL, NULL};
  if (!info)
    return CORO_ENOMEM;
  if (custom->check(custom->user, info, &refusal))
    return failed(policies, low, "whether the coroutine is right");
  return judged(policies, low, &refusal);
}

static coro_status ask_header(const struct coro_policies *policies, struct coro_lowering *low)
{
  const coro_custom_abi *custom = policies->user;
  const coro_candidate_info *info = candidate_of(low);
  coro_header header = {.arena = low->arena};
  header.end = &header.first;
  if (!info)
    return CORO_ENOMEM;
  if (custom->header(custom->user, info, &header))
    return failed(policies, low, "what the header holds");
  low->header_values = header.first;
  return coro_arena_failed(low->arena) ? CORO_ENOMEM : CORO_OK;
}

static coro_status ask_rematerialise(const struct coro_policies *policies, struct coro_lowering *low, uint32_t inst,
                                     bool *again)
{
  const coro_custom_abi *custom = policies->user;
  coro_value_info info;
  if (!coro_info_of_value(&info, low, inst))
    return CORO_ENOMEM;
  return custom->rematerialise(custom->user, &info, again) ? failed(policies, low, "what is made again") : CORO_OK;
}

/* All that a report would tell. NULL: memory ran out. */
static coro_coroutine_info *told(struct coro_lowering *low)
{
  coro_coroutine_info *info = coro_info_make(low->arena, low, NULL);
  if (info && low->abi->describe)
    low->abi->describe(low, low->arena, info);
  return coro_arena_failed(low->arena) ? NULL : info;
}

static coro_status ask_keep(const struct coro_policies *policies, struct coro_lowering *low,
                            const struct coro_keepable *about, coro_keep *wanted)
{
  const coro_custom_abi *custom = policies->user;
  coro_keepable_info info;
  if (!coro_info_of_keepable(&info, low, about))
    return CORO_ENOMEM;
  return custom->keep(custom->user, &info, wanted) ? failed(policies, low, "what is kept") : CORO_OK;
}

static coro_status ask_order(const struct coro_policies *policies, struct coro_lowering *low, uint32_t *fields,
                             uint32_t count)
{
  const coro_custom_abi *custom = policies->user;
  const coro_coroutine_info *info = told(low);
  uint32_t *order = CORO_NEW_ARRAY(low->arena, uint32_t, count), *given = CORO_NEW_ARRAY(low->arena, uint32_t, count);
  if (!info || !order || !given)
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < count; i++) {
    order[i] = i;
    given[i] = fields[i];
  }
  const coro_field_info *behind = info->fields + (info->field_count - count); /* by offset, as `fields` are */
  if (custom->order(custom->user, behind, count, order))
    return failed(policies, low, "the order of the frame");
  for (uint32_t i = 0; i < count; i++)
    fields[i] = order[i] < count ? given[order[i]] : IR_NONE;
  return CORO_OK;
}

static coro_status ask_layout(const struct coro_policies *policies, struct coro_lowering *low, const uint32_t *fields,
                              uint32_t count, uint64_t *offsets)
{
  const coro_custom_abi *custom = policies->user;
  const coro_coroutine_info *info = told(low);
  (void)fields; /* they stand by their offsets, as in the info */
  if (!info)
    return CORO_ENOMEM;
  const coro_field_info *behind = info->fields + (info->field_count - count);
  return custom->layout(custom->user, behind, count, low->frame.header.end, offsets)
             ? failed(policies, low, "where the fields of the frame are")
             : CORO_OK;
}

static coro_status ask_check_frame(const struct coro_policies *policies, struct coro_lowering *low)
{
  const coro_custom_abi *custom = policies->user;
  const coro_coroutine_info *info = told(low);
  coro_refusal refusal = {low->arena, NULL, NULL};
  if (!info)
    return CORO_ENOMEM;
  if (custom->check_frame(custom->user, info, &refusal))
    return failed(policies, low, "whether the frame is right");
  return judged(policies, low, &refusal);
}

static struct coro_policies policies_of(const coro_custom_abi *custom, const char *name)
{
  return (struct coro_policies){
      .name = name,
      .own_name = custom->name ? custom->name : name,
      .user = custom,
      .select = custom->select ? ask_select : NULL,
      .check = custom->check ? ask_check : NULL,
      .header = custom->header ? ask_header : NULL,
      .rematerialise = custom->rematerialise ? ask_rematerialise : NULL,
      .keep = custom->keep ? ask_keep : NULL,
      .order = custom->order ? ask_order : NULL,
      .layout = custom->layout ? ask_layout : NULL,
      .check_frame = custom->check_frame ? ask_check_frame : NULL,
  };
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
    const char *name = custom->name ? coro_arena_printf(run->arena, "ABI %zu (%s)", i, custom->name)
                                    : coro_arena_printf(run->arena, "ABI %zu", i);
    if (custom->order && custom->layout)
      return coro_diags_add(run->diags,
                            &(coro_diag){.status = CORO_EUSAGE,
                                         .rule = "custom-abi-layout",
                                         .message = "a custom ABI has both an order and a layout of the frame",
                                         .hint = "let layout, which says more, say it all"});
    if (!base)
      return coro_diags_add(run->diags, &(coro_diag){.status = CORO_EUSAGE,
                                                     .rule = "custom-abi-base",
                                                     .message = "a custom ABI derives from none of LLVM's ABIs",
                                                     .hint = "give its base as one of enum coro_abi_kind"});
    if (!name)
      return CORO_ENOMEM;
    tables[i] = *base;
    tables[i].policies = policies_of(custom, name);
    abis[i] = &tables[i];
  }
  run->abis = abis;
  coro_status status = CORO_OK;
  unsigned first = count ? custom_hooks_first(run) : 0;
  for (; run->abi_count < count && status == CORO_OK; run->abi_count++)
    status = custom_hooks_read(run, first + (unsigned)run->abi_count, run->abi_count, &tables[run->abi_count]);
  return status;
}
