/* Finds which variable each debug record of a coroutine describes, and where its value is after lowering. */
#include "debug/debug.h"

#include <inttypes.h>
#include <string.h>

#include "base/starts_with.h"
#include "ir/offset.h"
#include "ir/operand.h"
#include "llvm-c/DebugInfo.h"
#include "transform/debug_nodes.h"

/* Appends an operation to a path. The empty path is the frame's address. */
static const char *append_expression_operation(const struct coro_lowering *low, const char *path, const char *operation,
                                               uint64_t number)
{
  char *longer = coro_arena_printf(low->arena, "%s%s%s, %" PRIu64, path, *path ? ", " : "", operation, number);
  return longer ? longer : "";
}

static const char *append_offset_operation(const struct coro_lowering *low, const char *path, int64_t offset)
{
  if (offset < 0) {
    const char *number = append_expression_operation(low, path, "DW_OP_constu", (uint64_t)0 - (uint64_t)offset);
    char *longer = coro_arena_printf(low->arena, "%s, DW_OP_minus", number);
    return longer ? longer : "";
  }
  return offset ? append_expression_operation(low, path, "DW_OP_plus_uconst", (uint64_t)offset) : path;
}

static const char *expression_to_field(const struct coro_lowering *low, const struct coro_field *field)
{
  uint64_t slack = field->realign ? field->realign - field->align : 0;
  const char *path = append_offset_operation(low, "", (int64_t)(field->offset + slack));
  if (!field->realign)
    return path;
  char *aligned = coro_arena_printf(low->arena, "%s, DW_OP_and",
                                    append_expression_operation(low, path, "DW_OP_constu", ~(field->realign - 1)));
  return aligned ? aligned : "";
}

/* The path to a spill slot. If the expression continues with the value, it loads exactly the size of the slot. */
static const char *expression_to_spill_slot(const struct coro_lowering *low, const struct coro_field *field,
                                            bool has_more_operations)
{
  const char *path = expression_to_field(low, field);
  bool smaller = field->size == 1 || field->size == 2 || field->size == 4;
  if (has_more_operations && smaller && field->size < LLVMPointerSize(low->layout))
    return append_expression_operation(low, path, "DW_OP_deref_size", field->size);
  char *longer = coro_arena_printf(low->arena, "%s%sDW_OP_deref", path, *path ? ", " : "");
  return longer ? longer : "";
}

/* Whether the record describes the memory at its address (the variable is there), and not the address itself as a
   value. */
static bool describes_memory(const struct debug_record *record)
{
  return record->declares || !record->operations || strstr(record->operations, "DW_OP_deref");
}

/* Whether the frame field still holds the alloca's content where a debugger reads it. An alloca that does not escape
   may share its bytes with a field that is live later; a declared variable can also be read before its first access. */
static bool field_keeps_alloca_content_for_record(const struct coro_lowering *low, const struct coro_alloca *a,
                                                  uint32_t field, const struct debug_record *record)
{
  const struct coro_bits *others = record->declares ? &low->debug->shared : &low->debug->overwritten;
  return !describes_memory(record) || a->promise || a->escapes || !coro_bits_get(others, field);
}

/* What a value is, up to a constant offset. */
struct frame_value {
  enum { NOT_IN_FRAME, FRAME_ADDRESS, FIELD_ADDRESS, SPILLED } kind;
  uint32_t field, alloca; /* IR_NONE: none */
  int64_t offset;
};

/* Looks through constant offsets for the frame's address, the address of a field, or, `with_spill_slots`, a slot that
   is not reused later. */
static struct frame_value find_value_in_frame(const struct coro_lowering *low, LLVMValueRef value,
                                              bool with_spill_slots)
{
  struct frame_value found = {.field = IR_NONE, .alloca = IR_NONE};
  for (;;) {
    uint32_t id = ir_id(&low->fn, value), inst;
    if (id == IR_NONE || id & IR_BLOCK)
      return found;
    inst = ir_inst_of_value(&low->fn, id);
    uint32_t a = low->allocas.of_value[id], field = low->frame.of_value[id];
    /* an alloca on the heap is represented by its address, like other values */
    bool is_alloca = a != IR_NONE && !low->allocas.items[a].heap;
    bool is_spilled =
        !is_alloca && with_spill_slots && field != IR_NONE && !coro_bits_get(&low->debug->overwritten, field);
    bool is_promise = inst != IR_NONE && low->shape.intrin[inst] == INTRIN_PROMISE &&
                      coro_is_own_promise(&low->fn, &low->shape, inst) && low->frame.promise_field != IR_NONE;
    if (is_alloca && !low->allocas.items[a].in_frame)
      return found;
    if (is_alloca || is_spilled || is_promise) {
      found.kind = is_spilled ? SPILLED : FIELD_ADDRESS;
      found.field = is_promise ? low->frame.promise_field : field;
      found.alloca = is_alloca ? a : IR_NONE;
      return found;
    }
    if (inst == IR_NONE)
      return found;
    if (low->shape.intrin[inst] == INTRIN_BEGIN || low->shape.intrin[inst] == INTRIN_FRAME) {
      found.kind = FRAME_ADDRESS;
      return found;
    }
    int64_t step;
    if (intrin_is_coro(low->shape.intrin[inst]) || !ir_constant_offset_from_operand(low->sizes, value, &step))
      return found;
    found.offset += step;
    value = LLVMGetOperand(value, ADDRESS_BASE);
  }
}

/* The path from the frame's address to a record's value; NULL: it is not in the frame. `with_spill_slots`: they
   count as well as allocas and addresses. A slot that is reused later does not count. */
static const char *expression_from_frame_to_value_or_null(const struct coro_lowering *low,
                                                          const struct debug_record *record, bool with_spill_slots)
{
  struct frame_value found = find_value_in_frame(low, record->value, with_spill_slots);
  const struct coro_field *field = found.field == IR_NONE ? NULL : &low->frame.fields[found.field];
  bool has_more_operations = (record->operations && *record->operations) || found.offset;
  if (found.kind == NOT_IN_FRAME ||
      (found.alloca != IR_NONE &&
       !field_keeps_alloca_content_for_record(low, &low->allocas.items[found.alloca], found.field, record)))
    return NULL;
  const char *path = !field                  ? ""
                     : found.kind == SPILLED ? expression_to_spill_slot(low, field, has_more_operations)
                                             : expression_to_field(low, field);
  return append_offset_operation(low, path, found.offset);
}

struct debug_place debug_place_of_record_value(const struct coro_lowering *low, const struct debug_record *record,
                                               uint32_t node, unsigned clone_kind)
{
  struct debug_place place = {.kind = PLACE_LOST};
  if (!record->value || !record->operations)
    return place;
  place.value = ir_id(&low->fn, record->value);
  if (place.value == IR_NONE || place.value & IR_BLOCK) {
    place.kind = PLACE_CONSTANT;
    return place;
  }
  if (cfg_has_frame(&low->cfg, clone_kind, node))
    place.path = record->path;
  uint32_t defined = coro_node_that_defines_value(&low->fn, &low->cfg, place.value);
  uint32_t a = low->allocas.of_value[place.value];
  bool is_variable = a != IR_NONE && !low->allocas.items[a].heap;
  if (place.path)
    place.kind = PLACE_FRAME;
  else if (is_variable && clone_kind == CLONE_RAMP && low->allocas.items[a].in_frame &&
           coro_begin_join_of(&low->allocas, node) != IR_NONE)
    place.kind = PLACE_LOST; /* choosing the address would need code for the record alone */
  else if (clone_kind == CLONE_RAMP || is_variable || place.value == low->frame_argument ||
           low->crossing.epoch[defined] == low->crossing.epoch[node])
    place.kind = PLACE_COPY;
  else if (low->frame.of_value[place.value] != IR_NONE || coro_bits_get(&low->remat.rematerialized, place.value))
    place.kind = PLACE_RELOAD;
  return place;
}

/* Reads the operations and the fragment of an expression. With a single value, a leading "DW_OP_LLVM_arg, 0" is
   redundant. */
static void read_debug_expression(const struct coro_lowering *low, struct debug_record *record)
{
  static const char open[] = "!DIExpression(", first[] = "DW_OP_LLVM_arg, 0", part[] = "DW_OP_LLVM_fragment";
  char *text = ir_node_text(low->context, record->expression);
  const char *start = text && coro_starts_with(text, open) ? text + strlen(open) : "";
  const char *last = strstr(start, part), *end = last ? last : *start ? start + strlen(start) - 1 : start;
  record->fragment = last ? coro_arena_strndup(low->arena, last, strlen(last) - 1) : "";
  if (coro_starts_with(start, first)) {
    start += strlen(first);
    start += strncmp(start, ", ", 2) == 0 ? 2 : 0;
  }
  if (end > start && last)
    end -= strlen(", ");
  record->operations =
      strstr(start, "DW_OP_LLVM_arg") ? NULL : coro_arena_strndup(low->arena, start, (size_t)(end - start));
  if (text)
    LLVMDisposeMessage(text);
}

static struct debug_record read_variable_record(LLVMDbgRecordRef record)
{
  LLVMDbgRecordKind kind = LLVMDbgRecordGetKind(record);
  struct debug_record read = {.declares = kind == LLVMDbgRecordDeclare, .assigns = kind == LLVMDbgRecordAssign};
  read.value = LLVMDbgVariableRecordGetValue(record, 0);
  read.variable = LLVMDbgVariableRecordGetVariable(record);
  read.expression = LLVMDbgVariableRecordGetExpression(record);
  read.location = LLVMDbgRecordGetDebugLoc(record);
  return read;
}

static bool set_frame_place_of_record(struct coro_lowering *low, struct coro_debug *debug, struct debug_record *record,
                                      uint32_t record_number)
{
  record->memory_field = IR_NONE;
  if (!record->value || low->cfg.begin_node == IR_NONE)
    return true;
  struct frame_value memory = find_value_in_frame(low, record->value, false);
  record->memory_field = memory.field;
  record->memory_offset = memory.offset;
  record->in_frame = expression_from_frame_to_value_or_null(low, record, false) != NULL;
  if (record->operations)
    record->path = expression_from_frame_to_value_or_null(low, record, true);
  bool at_frame_start = record->path && (record->declares || low->cfg.nodes[record->node].clone_kinds & CLONE_RAMP);
  return !at_frame_start || coro_vec_push(low->arena, &debug->at_frame_start, record_number);
}

/* Reads all variable records. Labels are skipped: LLVM-C does not expose the label of a record. */
static bool read_variable_records(struct coro_lowering *low, struct coro_debug *debug)
{
  CORO_VEC(struct debug_record) records = {0};
  debug->record_start = CORO_NEW_ARRAY(low->arena, uint32_t, low->fn.inst_count + 1);
  if (!debug->record_start)
    return false;
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    debug->record_start[i] = records.count;
    for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(low->fn.insts[i]); r; r = LLVMGetNextDbgRecord(r)) {
      if (LLVMDbgRecordGetKind(r) == LLVMDbgRecordLabel)
        continue;
      struct debug_record record = read_variable_record(r),
                          *last = records.count ? &records.items[records.count - 1] : NULL;
      record.node = low->cfg.node_of_inst[i];
      if (last && last->expression == record.expression) {
        record.operations = last->operations;
        record.fragment = last->fragment;
      } else {
        read_debug_expression(low, &record);
      }
      if (record.assigns && !debug_turn_assign_into_memory_record_if_known(low, debug, i, r, &record))
        return false;
      if (!set_frame_place_of_record(low, debug, &record, records.count) ||
          !coro_vec_push(low->arena, &records, record))
        return false;
    }
  }
  debug->record_start[low->fn.inst_count] = records.count;
  debug->records = records.items;
  debug->record_count = records.count;
  return true;
}

static bool printed_node_contains(struct coro_lowering *low, LLVMMetadataRef node, const char *word)
{
  char *text = node ? ir_node_text(low->context, node) : NULL;
  bool found = text && strstr(text, word);
  if (text)
    LLVMDisposeMessage(text);
  return found;
}

static bool read_retained_nodes(struct coro_lowering *low, struct coro_debug *debug)
{
  LLVMMetadataRef list = ir_node_operand(low->arena, low->context, debug->subprogram, DEBUG_SUBPROGRAM_RETAINED);
  unsigned count = list ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(low->context, list)) : 0;
  LLVMValueRef *nodes = CORO_NEW_ARRAY(low->arena, LLVMValueRef, count + 1);
  debug->retained_list = list;
  debug->retained = CORO_NEW_ARRAY(low->arena, LLVMMetadataRef, count + 1);
  coro_map_init(&debug->retained_nodes, low->arena);
  if (!nodes || !debug->retained)
    return false;
  if (count)
    LLVMGetMDNodeOperands(LLVMMetadataAsValue(low->context, list), nodes);
  for (unsigned i = 0; i < count; i++) {
    LLVMMetadataRef node = nodes[i] ? LLVMValueAsMetadata(nodes[i]) : NULL;
    if (!node)
      continue;
    debug->retained[debug->retained_count++] = node;
    if (!coro_map_put(&debug->retained_nodes, coro_map_key(node), 1))
      return false;
  }
  return true;
}

bool coro_debug_read_records(struct coro_lowering *low)
{
  enum { SUBPROGRAM_UNIT = 5 }; /* operand index */
  LLVMMetadataRef subprogram = LLVMGetSubprogram(low->fn.function);
  low->debug = NULL;
  if (!subprogram)
    return true;
  struct coro_debug *debug = CORO_NEW(low->arena, struct coro_debug);
  if (!debug || !debug_find_shared_fields(low, debug))
    return false;
  low->debug = debug;
  debug->subprogram = subprogram;
  if (!read_variable_records(low, debug) || !debug_find_records_after_suspend(low, debug) ||
      !read_retained_nodes(low, debug))
    return false;
  debug->unit = ir_node_operand(low->arena, low->context, subprogram, SUBPROGRAM_UNIT);
  debug->full = printed_node_contains(low, debug->unit, "emissionKind: FullDebug");
  debug->optimised = printed_node_contains(low, subprogram, "DISPFlagOptimized");
  debug->exact_lines = printed_node_contains(low, subprogram, "keyInstructions: true");
  if (debug->full && low->cfg.begin_node != IR_NONE &&
      (!debug_find_field_names(low, debug) || !debug_make_frame_types(low, debug)))
    return false;
  return !coro_arena_failed(low->arena);
}
