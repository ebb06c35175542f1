/* Fills the structs of reports from the results of the stages. */
#include "lowering/coroutine_info.h"

#include <string.h>

#include "analysis/first_value.h"
#include "analysis/source.h"
#include "analysis/source_type.h"
#include "ir/edit.h"
#include "ir/expanded_type.h"
#include "ir/flow.h"
#include "lowering/abi.h"
#include "lowering/suspend_info.h"

struct maker {
  const struct coro_lowering *low;
  struct coro_arena *arena;
  struct ir_text text;
  const char **copies; /* indexed by instruction: copy of its text, if `text` dies with the lowering; else NULL */
  struct coro_source source;
  struct coro_source_types types;
};

static const char *copy_text_into_report(struct maker *m, const char *text)
{
  const char *copy = coro_arena_strndup(m->arena, text, strlen(text));
  return copy ? copy : "";
}

static const char *copy_and_dispose_message(struct maker *m, char *message)
{
  const char *copy = copy_text_into_report(m, message);
  LLVMDisposeMessage(message);
  return copy;
}

/* Copies an instruction's text once, since many fields may have the same first use, for instance a phi. */
static const char *printed_instruction(struct maker *m, uint32_t inst)
{
  if (!m->copies)
    return m->text.inst[inst];
  if (!m->copies[inst])
    m->copies[inst] = copy_text_into_report(m, m->text.inst[inst]);
  return m->copies[inst];
}

static const char *value_name_without_percent(struct maker *m, uint32_t value)
{
  uint32_t inst = ir_inst_of_value(&m->low->fn, value);
  const char *name = inst == IR_NONE ? "" : m->text.name[inst];
  if (*name)
    return copy_text_into_report(m, name + 1);
  size_t length = 0;
  name = LLVMGetValueName2(ir_value(&m->low->fn, value), &length);
  return length ? copy_text_into_report(m, name) : coro_arena_printf(m->arena, "%u", (unsigned)value);
}

static const char *label_of_block_of_inst(struct maker *m, uint32_t inst)
{
  return copy_text_into_report(m, m->text.block[ir_block_of(&m->low->fn, inst)]);
}

static void set_name_and_reason_of_header_field(coro_field_info *info, coro_field_kind kind)
{
  static const struct {
    const char *name, *why;
  } texts[] = {
      [CORO_FIELD_RESUME] = {"resume", "every coroutine object starts with its resume function"},
      [CORO_FIELD_DESTROY] = {"destroy", "the destroy function is the second field of every coroutine object"},
      [CORO_FIELD_PROMISE] = {"promise", "the promise follows the header, where callers expect it"},
      [CORO_FIELD_INDEX] = {"index", "identifies the suspend at which the coroutine is suspended"},
      [CORO_FIELD_HEADER] = {"header", "the hooks of the coroutine's ABI use it"},
  };
  info->name = texts[kind].name;
  info->why = texts[kind].why;
}

static coro_source_info source_location_of_inst(const struct maker *m, uint32_t inst)
{
  return coro_source_of_inst(&m->source, inst == IR_NONE ? NULL : m->low->fn.insts[inst]);
}

static void set_use_in_field_info(struct maker *m, coro_field_info *info, uint32_t inst)
{
  info->use = printed_instruction(m, inst);
  info->use_block = label_of_block_of_inst(m, inst);
  info->use_source = source_location_of_inst(m, inst);
}

static void describe_value_of_field(struct maker *m, coro_field_info *info, const struct coro_field *field)
{
  const struct coro_lowering *low = m->low;
  uint32_t inst = ir_inst_of_value(&low->fn, field->value);
  const struct coro_alloca *alloca = coro_alloca_of(&low->allocas, field->value);
  uint32_t crossing = coro_bits_get(&low->remat.spilled, field->value) ? low->remat.use[field->value] : IR_NONE;
  uint32_t use = alloca ? alloca->use : crossing;
  info->name = value_name_without_percent(m, field->value);
  info->def_block = inst == IR_NONE ? copy_text_into_report(m, m->text.block[0]) : label_of_block_of_inst(m, inst);
  if (inst != IR_NONE)
    info->value = printed_instruction(m, inst);
  else
    info->value = copy_and_dispose_message(m, LLVMPrintValueToString(ir_value(&low->fn, field->value)));
  info->def_source = source_location_of_inst(m, inst);
  if (use != IR_NONE)
    set_use_in_field_info(m, info, use);
  if (alloca && alloca->promise)
    return;
  info->why = alloca ? alloca->why : "it is defined before a suspend and used after it";
}

static coro_field_info describe_field(struct maker *m, uint32_t f)
{
  const struct coro_field *field = &m->low->frame.fields[f];
  LLVMTypeRef type = field->type;
  coro_field_info info = {.kind = field->kind,
                          .name = "",
                          .type = "",
                          .spelled = "",
                          .value = "",
                          .def_block = "",
                          .use_block = "",
                          .use = "",
                          .why = "",
                          .offset = field->offset,
                          .size = field->size,
                          .align = field->align,
                          .realign = field->realign,
                          .suspend = CORO_NONE,
                          .source_type = CORO_NONE,
                          .source = coro_source_of_value(&m->source, field->value, field->kind != CORO_FIELD_SPILL),
                          .def_source = source_location_of_inst(m, IR_NONE),
                          .use_source = source_location_of_inst(m, IR_NONE)};
  if (field->kind != CORO_FIELD_ALLOCA && field->kind != CORO_FIELD_SPILL)
    set_name_and_reason_of_header_field(&info, field->kind);
  if (field->value != IR_NONE)
    describe_value_of_field(m, &info, field);
  if (f == m->low->frame.heap_field) {
    info.name = "heap";
    info.source = coro_source_of_value(&m->source, IR_NONE, true);
    info.why = "the list of heap blocks, which are freed individually or with the frame";
  }
  if (!type)
    type = coro_alloca_of(&m->low->allocas, field->value)->type;
  info.type = copy_and_dispose_message(m, LLVMPrintTypeToString(type));
  info.spelled =
      strchr(info.type, '%') ? ir_print_expanded_type(m->arena, type) : info.type; /* names of structs start with % */
  return info;
}

static bool is_header_field_other_than_promise(const struct coro_field *field)
{
  return field->kind == CORO_FIELD_RESUME || field->kind == CORO_FIELD_DESTROY || field->kind == CORO_FIELD_INDEX ||
         field->kind == CORO_FIELD_HEADER;
}

static bool is_lifetime_marker(const struct maker *m, uint32_t inst)
{
  return intrin_is_lifetime(m->low->shape.intrin[inst]);
}

/* Adds the first use after the suspend, if there is one. An alloca may be in the frame for another reason, such as
   its lifetime or its escaping address. */
static void set_first_use_after_suspend(struct maker *m, coro_field_info *info, uint32_t value, uint32_t suspend)
{
  const struct ir_fn *fn = &m->low->fn;
  const struct coro_alloca *alloca = coro_alloca_of(&m->low->allocas, value);
  uint32_t first = IR_NONE, from = m->low->shape.suspends[suspend].inst;
  for (LLVMUseRef use = LLVMGetFirstUse(ir_value(fn, value)); use; use = LLVMGetNextUse(use)) {
    uint32_t id = ir_id(fn, LLVMGetUser(use));
    uint32_t inst = id == IR_NONE || id & IR_BLOCK ? IR_NONE : ir_inst_of_value(fn, id);
    if (inst != IR_NONE && inst > from && inst < first && !is_lifetime_marker(m, inst))
      first = inst;
  }
  if (first != IR_NONE) {
    set_use_in_field_info(m, info, first);
  } else if (alloca && alloca->use != IR_NONE && is_lifetime_marker(m, alloca->use)) {
    info->use = info->use_block = "";
    info->use_source = source_location_of_inst(m, IR_NONE);
  }
}

/* Suspends are the first places of the live ranges. */
static bool set_suspends_where_field_is_live(struct maker *m, coro_field_info *info, uint32_t f)
{
  const struct coro_field_liveness *live = &m->low->field_liveness;
  uint32_t suspends = m->low->shape.suspend_count, count = live->start[f + 1] - live->start[f], first = live->start[f];
  coro_suspend_range *ranges = CORO_NEW_ARRAY(m->arena, coro_suspend_range, count + 1);
  if (!ranges)
    return false;
  if (coro_bits_get(&live->always, f) && !is_header_field_other_than_promise(&m->low->frame.fields[f]) && suspends)
    ranges[info->live_count++] = (coro_suspend_range){0, suspends};
  for (uint32_t r = 0; r < count && live->ranges[first + r].first < suspends; r++) {
    uint32_t end = live->ranges[first + r].end;
    ranges[info->live_count++] = (coro_suspend_range){live->ranges[first + r].first, end < suspends ? end : suspends};
  }
  info->live = ranges;
  if (info->live_count && info->kind != CORO_FIELD_PROMISE)
    info->suspend = ranges[0].first;
  if (info->suspend != CORO_NONE && info->kind == CORO_FIELD_ALLOCA && m->low->frame.fields[f].value != IR_NONE)
    set_first_use_after_suspend(m, info, m->low->frame.fields[f].value, info->suspend);
  return true;
}

/* Adds the type of the source variable if it has the field's size: a record may describe a fragment, or a value of
   another type. */
static bool set_source_type_if_of_field_size(struct maker *m, coro_field_info *info, const struct coro_field *field)
{
  if (field->value == IR_NONE)
    return true;
  const struct coro_alloca *alloca = coro_alloca_of(&m->low->allocas, field->value);
  LLVMMetadataRef node = coro_source_type_node(&m->source, field->value, field->kind != CORO_FIELD_SPILL);
  uint32_t type = node ? coro_source_type_of(&m->types, node) : CORO_NONE;
  uint64_t size = alloca ? alloca->size : field->type ? LLVMABISizeOfType(m->low->layout, field->type) : field->size;
  if (type != CORO_NONE && m->types.types.items[type].size == size)
    info->source_type = type;
  return !coro_arena_failed(m->arena);
}

static bool describe_fields(struct maker *m, coro_coroutine_info *info)
{
  uint32_t count = m->low->frame.field_count;
  uint32_t *order = coro_frame_indices_by_offset(m->arena, &m->low->frame);
  coro_field_info *fields = CORO_NEW_ARRAY(m->arena, coro_field_info, count);
  if (!order || !fields)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    fields[i] = describe_field(m, order[i]);
    if (!set_suspends_where_field_is_live(m, &fields[i], order[i]) ||
        !set_source_type_if_of_field_size(m, &fields[i], &m->low->frame.fields[order[i]]))
      return false;
  }
  if (!coro_source_types_read(&m->types))
    return false;
  info->source_types = m->types.types.items;
  info->source_type_count = m->types.types.count;
  info->fields = fields;
  info->field_count = count;
  return true;
}

static bool list_names_of_rematerialized_values(struct maker *m, coro_coroutine_info *info)
{
  const struct coro_bits *values = &m->low->remat.rematerialized;
  const char **names = CORO_NEW_ARRAY(m->arena, const char *, ir_value_count(&m->low->fn) + 1);
  if (!names)
    return false;
  for (uint32_t value = 0; value < values->size && value < ir_value_count(&m->low->fn); value++)
    if (coro_bits_get(values, value))
      names[info->rematerialized_count++] = value_name_without_percent(m, value);
  info->rematerialized = names;
  return true;
}

static const char *label_of_suspend_target_or_empty(struct maker *m, uint32_t suspend, int suspend_result)
{
  const struct coro_cfg *cfg = &m->low->cfg;
  uint32_t inst = m->low->shape.suspends[suspend].inst, after = cfg_node_of(cfg, inst) + 1;
  uint32_t from = suspend_result < 0 ? after - 1 : cfg_landing(cfg, suspend);
  unsigned clone_kinds = suspend_result < 0 ? CLONE_RAMP | CLONE_ALL_BUT_RAMP
                         : suspend_result   ? CLONE_DESTROY
                                            : CLONE_RESUME;
  if (cfg->returns) /* directly after it, without a branch */
    return suspend_result ? "" : label_of_block_of_inst(m, inst);
  if (!cfg->nodes[after].folded)
    return "";
  for (uint32_t e = cfg->nodes[from].edge_start; e < cfg->nodes[from + 1].edge_start; e++)
    if (cfg->edges[e].clone_kinds & clone_kinds)
      return copy_text_into_report(m, m->text.block[cfg->nodes[cfg->edges[e].to].block]);
  return "";
}

static coro_source_info source_location_of_suspend_or_save(const struct maker *m, const struct coro_suspend *suspend)
{
  coro_source_info info = source_location_of_inst(m, suspend->inst);
  if (info.line || suspend->save == IR_NONE)
    return info;
  return source_location_of_inst(m, suspend->save);
}

static bool describe_suspends_and_size_bound(struct maker *m, coro_coroutine_info *info)
{
  const struct coro_shape *shape = &m->low->shape;
  coro_suspend_info *suspends = CORO_NEW_ARRAY(m->arena, coro_suspend_info, shape->suspend_count);
  const bool *first = coro_suspends_after_first_value(m->arena, &m->low->fn, shape);
  if (!suspends || !first)
    return false;
  for (uint32_t k = 0; k < shape->suspend_count; k++) {
    const struct coro_suspend *s = &shape->suspends[k];
    suspends[k] = (coro_suspend_info){.name = copy_text_into_report(m, m->text.name[s->inst]),
                                      .block = label_of_block_of_inst(m, s->inst),
                                      .save_block = label_of_block_of_inst(m, s->save == IR_NONE ? s->inst : s->save),
                                      .suspend_block = label_of_suspend_target_or_empty(m, k, -1),
                                      .resume_block = label_of_suspend_target_or_empty(m, k, 0),
                                      .destroy_block = label_of_suspend_target_or_empty(m, k, 1),
                                      .is_final = s->final,
                                      .is_first_value = first[k],
                                      .is_saved_apart = suspend_is_saved_before_call_or_block_end(&m->low->fn, s),
                                      .index = s->index,
                                      .source = source_location_of_suspend_or_save(m, s)};
  }
  info->suspends = suspends;
  info->suspend_count = shape->suspend_count;
  return suspends_set_live_bytes_and_counts(m->arena, info, suspends) &&
         coro_frame_size_lower_bound(m->arena, m->low, &info->lower_bound);
}

static bool describe_blocks(struct maker *m, coro_coroutine_info *info)
{
  const struct ir_fn *fn = &m->low->fn;
  coro_block_info *blocks = CORO_NEW_ARRAY(m->arena, coro_block_info, fn->block_count);
  if (!blocks)
    return false;
  for (uint32_t b = 0; b < fn->block_count; b++) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(fn->blocks[b]);
    unsigned count = LLVMGetNumSuccessors(terminator);
    uint32_t *successors = CORO_NEW_ARRAY(m->arena, uint32_t, count);
    if (!successors)
      return false;
    for (unsigned i = 0; i < count; i++)
      successors[i] = flow_successor(fn, terminator, i);
    blocks[b] = (coro_block_info){
        .name = copy_text_into_report(m, m->text.block[b]), .successors = successors, .successor_count = count};
  }
  info->blocks = blocks;
  info->block_count = fn->block_count;
  return true;
}

coro_coroutine_info *coro_info_make(struct coro_arena *arena, const struct coro_lowering *low, const char *printed)
{
  struct maker m = {
      .low = low, .arena = arena, .source = {.context = low->context, .arena = arena, .scratch = low->arena}};
  coro_coroutine_info *info = CORO_NEW(arena, coro_coroutine_info);
  if (low->text) { /* its strings are copied */
    m.text = *low->text;
    m.copies = CORO_NEW_ARRAY(low->arena, const char *, low->fn.inst_count);
  }
  if (!info || (low->text && !m.copies) ||
      (!low->text && !ir_text_split_printed_function(&m.text, arena, &low->fn, printed)) ||
      !coro_source_read_debug_records(&m.source, &low->fn))
    return NULL;
  coro_source_types_init(&m.types, low->context, arena, low->arena);
  info->function = copy_text_into_report(&m, edit_value_name(low->fn.function));
  info->local = edit_has_local_linkage(low->fn.function);
  info->source = coro_source_of_function(&m.source, low->fn.function);
  info->abi = low->shape.abi;
  info->custom_abi = low->abi->policies.own_name ? copy_text_into_report(&m, low->abi->policies.own_name) : "";
  info->id = printed_instruction(&m, low->shape.id);
  info->promise = info->promise_type = info->function_pointer = info->prototype = info->allocator = info->deallocator =
      info->ramp_type = info->resume_type = "";
  info->storage_argument = CORO_NONE;
  if (low->frame.promise_field != IR_NONE) {
    info->promise = value_name_without_percent(&m, low->frame.fields[low->frame.promise_field].value);
    info->promise_offset = low->frame.fields[low->frame.promise_field].offset;
    const struct coro_alloca *promise =
        coro_alloca_of(&low->allocas, low->frame.fields[low->frame.promise_field].value);
    info->promise_type = promise ? ir_print_expanded_type(arena, promise->type) : "";
  }
  info->frame_size = low->shape.suspend_count ? low->frame.size : 0;
  info->frame_align = low->frame.align;
  info->end_count = low->shape.ends.count;
  if (!describe_fields(&m, info) || !describe_suspends_and_size_bound(&m, info) || !describe_blocks(&m, info) ||
      !list_names_of_rematerialized_values(&m, info))
    return NULL;
  if (!low->shape.suspend_count) { /* without suspends there is no frame */
    info->field_count = info->source_type_count = 0;
    info->lower_bound = 0;
  }
  return coro_arena_failed(arena) ? NULL : info;
}

const char *coro_info_field_name(struct coro_lowering *low, uint32_t field)
{
  if (!coro_split_text_once(low, NULL))
    return "";
  struct maker m = {.low = low,
                    .arena = low->arena,
                    .text = *low->text,
                    .source = {.context = low->context, .arena = low->arena, .scratch = low->arena}};
  coro_field_info info = describe_field(&m, field);
  const char *name = coro_arena_printf(low->arena, "%s%s", *info.value ? "%" : "", info.name);
  return name ? name : "";
}

bool coro_info_of_remat_candidate(coro_remat_candidate_info *info, struct coro_lowering *low, uint32_t inst)
{
  uint32_t value = ir_value_of_inst(&low->fn, inst);
  bool crosses = coro_bits_get(&low->crossing.live_across_suspend, value);
  if (!coro_split_text_once(low, NULL))
    return false;
  struct maker m = {.low = low, .arena = low->arena, .text = *low->text};
  *info = (coro_remat_candidate_info){.name = value_name_without_percent(&m, value),
                                      .value = m.text.inst[inst],
                                      .def_block = label_of_block_of_inst(&m, inst),
                                      .use_block = crosses ? label_of_block_of_inst(&m, low->crossing.use[value]) : ""};
  info->type = copy_and_dispose_message(&m, LLVMPrintTypeToString(LLVMTypeOf(low->fn.insts[inst])));
  return !coro_arena_failed(low->arena);
}

bool coro_info_of_spill_candidate(coro_spill_candidate_info *info, struct coro_lowering *low,
                                  const struct coro_spill_candidate *about)
{
  uint32_t inst = ir_inst_of_value(&low->fn, about->value);
  if (!coro_split_text_once(low, NULL))
    return false;
  struct maker m = {.low = low, .arena = low->arena, .text = *low->text};
  *info = (coro_spill_candidate_info){.name = value_name_without_percent(&m, about->value),
                                      .type = copy_and_dispose_message(&m, LLVMPrintTypeToString(about->type)),
                                      .def_block = inst == IR_NONE ? m.text.block[0] : label_of_block_of_inst(&m, inst),
                                      .use_block = about->use == IR_NONE ? "" : label_of_block_of_inst(&m, about->use),
                                      .size = about->size,
                                      .is_variable = about->is_alloca,
                                      .is_in_frame = about->in_frame,
                                      .why = about->why,
                                      .obstacle = about->obstacle ? about->obstacle : ""};
  info->value = inst == IR_NONE ? copy_and_dispose_message(&m, LLVMPrintValueToString(ir_value(&low->fn, about->value)))
                                : m.text.inst[inst];
  return !coro_arena_failed(low->arena);
}

const char *coro_info_value_name_with_percent(struct coro_lowering *low, uint32_t value)
{
  if (!coro_split_text_once(low, NULL))
    return "";
  struct maker m = {.low = low, .arena = low->arena, .text = *low->text};
  const char *name = coro_arena_printf(low->arena, "%%%s", value_name_without_percent(&m, value));
  return name ? name : "";
}
