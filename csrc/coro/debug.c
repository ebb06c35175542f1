/* Debug information of a coroutine: its variables' records, and where their values are.
   Needs: a coroutine with a frame layout. Leaves: low->debug; the function as it was. */
#include "coro/debug.h"

#include <inttypes.h>
#include <string.h>

#include "coro/pointer.h"
#include "ir/nodes.h"
#include "llvm-c/DebugInfo.h"

bool debug_behind_begin(const struct coro_lowering *low, uint32_t node, unsigned part)
{
  return part != PART_RAMP ||
         (low->cfg.begin_node != IR_NONE && graph_dominates(&low->cfg.dom, low->cfg.begin_node, node));
}

/* False: not an offset of constants. */
static bool constant_offset(const struct coro_lowering *low, LLVMValueRef alias, int64_t *offset)
{
  *offset = 0;
  if (!pointer_is_constant_alias(alias))
    return false;
  if (LLVMGetInstructionOpcode(alias) != LLVMGetElementPtr)
    return true;
  LLVMTypeRef type = LLVMGetGEPSourceElementType(alias);
  int count = LLVMGetNumOperands(alias);
  for (int i = 1; i < count; i++) {
    LLVMValueRef index = LLVMGetOperand(alias, (unsigned)i);
    if (LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 64)
      return false;
    int64_t number = LLVMConstIntGetSExtValue(index);
    if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      *offset += (int64_t)LLVMOffsetOfElement(low->layout, type, (unsigned)number);
      type = LLVMStructGetTypeAtIndex(type, (unsigned)number);
      continue;
    }
    if (i > 1)
      type = LLVMGetElementType(type);
    *offset = (int64_t)((uint64_t)*offset + (uint64_t)number * LLVMABISizeOfType(low->layout, type));
  }
  return true;
}

static const char *path_by(const struct coro_lowering *low, const char *path, int64_t offset)
{
  if (!offset)
    return path;
  char *longer = offset > 0 ? coro_arena_printf(low->arena, "%sDW_OP_plus_uconst, %" PRId64 ", ", path, offset)
                            : coro_arena_printf(low->arena, "%sDW_OP_constu, %" PRIu64 ", DW_OP_minus, ", path,
                                                (uint64_t)0 - (uint64_t)offset);
  return longer ? longer : "";
}

static const char *path_to_field(const struct coro_lowering *low, const struct coro_field *field)
{
  uint64_t slack = field->realign ? field->realign - field->align : 0;
  const char *path = path_by(low, "", (int64_t)(field->offset + slack));
  if (!field->realign)
    return path;
  char *aligned =
      coro_arena_printf(low->arena, "%sDW_OP_constu, %" PRIu64 ", DW_OP_and, ", path, ~(field->realign - 1));
  return aligned ? aligned : "";
}

/* The way to the slot that holds a value. Where the expression goes on with the value, as many bytes are read as the
   slot has. */
static const char *path_to_spill(const struct coro_lowering *low, const struct coro_field *field, bool goes_on)
{
  const char *path = path_to_field(low, field);
  bool smaller = field->size == 1 || field->size == 2 || field->size == 4;
  char *longer = goes_on && smaller && field->size < LLVMPointerSize(low->layout)
                     ? coro_arena_printf(low->arena, "%sDW_OP_deref_size, %" PRIu64 ", ", path, field->size)
                     : coro_arena_printf(low->arena, "%sDW_OP_deref, ", path);
  return longer ? longer : "";
}

/* NULL: not in the frame. With `kept` a value that is spilled is there too, not only what has its address there. */
static const char *frame_path(const struct coro_lowering *low, LLVMValueRef value, bool kept, bool goes_on)
{
  int64_t offset = 0;
  for (;;) {
    uint32_t id = ir_id(&low->fn, value), inst;
    if (id == IR_NONE || id & IR_BLOCK)
      return NULL;
    inst = ir_inst_of_value(&low->fn, id);
    uint32_t a = low->allocas.of_value[id], field = low->frame.of_value[id];
    if (a != IR_NONE)
      return low->allocas.items[a].in_frame ? path_by(low, path_to_field(low, &low->frame.fields[field]), offset)
                                            : NULL;
    if (kept && field != IR_NONE)
      return path_by(low, path_to_spill(low, &low->frame.fields[field], goes_on || offset), offset);
    if (inst == IR_NONE)
      return NULL;
    if (low->shape.intrin[inst] == INTRIN_BEGIN || low->shape.intrin[inst] == INTRIN_FRAME)
      return path_by(low, "", offset);
    if (low->shape.intrin[inst] == INTRIN_PROMISE && coro_is_own_promise(&low->fn, &low->shape, inst) &&
        low->frame.promise_field != IR_NONE)
      return path_by(low, path_to_field(low, &low->frame.fields[low->frame.promise_field]), offset);
    int64_t step;
    if (low->shape.intrin[inst] < INTRIN_COUNT && low->shape.intrin[inst] != INTRIN_NONE)
      return NULL;
    if (!constant_offset(low, value, &step))
      return NULL;
    offset += step;
    value = LLVMGetOperand(value, 0);
  }
}

static const char fragment[] = "DW_OP_LLVM_fragment";

const char *debug_fragment(const struct debug_record *record)
{
  const char *found = record->operations ? strstr(record->operations, fragment) : NULL;
  return found ? found : "";
}

struct debug_place debug_place(const struct coro_lowering *low, const struct debug_record *record, uint32_t node,
                               unsigned part)
{
  struct debug_place place = {.kind = PLACE_LOST};
  if (!record->value || !record->operations)
    return place;
  place.value = ir_id(&low->fn, record->value);
  if (place.value == IR_NONE || place.value & IR_BLOCK) {
    place.kind = PLACE_SAME;
    return place;
  }
  bool goes_on = record->operations != debug_fragment(record) && *record->operations;
  if (debug_behind_begin(low, node, part))
    place.path = frame_path(low, record->value, true, goes_on);
  uint32_t defined = coro_node_of_value(&low->fn, &low->cfg, place.value);
  bool is_variable = low->allocas.of_value[place.value] != IR_NONE;
  if (place.path)
    place.kind = PLACE_FRAME;
  else if (part == PART_RAMP || is_variable || low->crossing.epoch[defined] == low->crossing.epoch[node])
    place.kind = PLACE_COPY;
  return place;
}

/* "DW_OP_LLVM_arg, 0" in front says nothing where there is one value. */
static const char *operations_of(const struct coro_lowering *low, LLVMMetadataRef expression)
{
  static const char open[] = "!DIExpression(", first[] = "DW_OP_LLVM_arg, 0";
  char *text = ir_node_text(low->context, expression);
  const char *start = text && strncmp(text, open, strlen(open)) == 0 ? text + strlen(open) : NULL;
  const char *operations = NULL;
  if (start && strncmp(start, first, strlen(first)) == 0) {
    start += strlen(first);
    start += strncmp(start, ", ", 2) == 0 ? 2 : 0;
  }
  if (start && *start && !strstr(start, "DW_OP_LLVM_arg"))
    operations = coro_arena_strndup(low->arena, start, strlen(start) - 1);
  if (text)
    LLVMDisposeMessage(text);
  return operations;
}

static struct debug_record read_record(LLVMDbgRecordRef record)
{
  struct debug_record read = {.declares = LLVMDbgRecordGetKind(record) == LLVMDbgRecordDeclare};
  read.value = LLVMDbgVariableRecordGetValue(record, 0);
  read.variable = LLVMDbgVariableRecordGetVariable(record);
  read.expression = LLVMDbgVariableRecordGetExpression(record);
  read.location = LLVMDbgRecordGetDebugLoc(record);
  return read;
}

/* Labels are left out: LLVM-C does not tell which label a record is about. */
static bool read_records(struct coro_lowering *low, struct coro_debug *debug)
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
      struct debug_record record = read_record(r), *last = records.count ? &records.items[records.count - 1] : NULL;
      record.operations =
          last && last->expression == record.expression ? last->operations : operations_of(low, record.expression);
      if (record.declares && record.value && low->cfg.begin_node != IR_NONE)
        record.in_frame = frame_path(low, record.value, false, false) != NULL;
      if (!coro_vec_push(low->arena, &records, record))
        return false;
    }
  }
  debug->record_start[low->fn.inst_count] = records.count;
  debug->records = records.items;
  debug->record_count = records.count;
  return true;
}

static bool says(struct coro_lowering *low, LLVMMetadataRef node, const char *word)
{
  char *text = node ? ir_node_text(low->context, node) : NULL;
  bool found = text && strstr(text, word);
  if (text)
    LLVMDisposeMessage(text);
  return found;
}

bool coro_debug_find(struct coro_lowering *low)
{
  enum { SUBPROGRAM_UNIT = 5 }; /* which operand it is */
  LLVMMetadataRef subprogram = LLVMGetSubprogram(low->fn.function);
  low->debug = NULL;
  if (!subprogram)
    return true;
  struct coro_debug *debug = CORO_NEW(low->arena, struct coro_debug);
  if (!debug || !read_records(low, debug))
    return false;
  debug->subprogram = subprogram;
  debug->unit = ir_node_operand(low->arena, low->context, subprogram, SUBPROGRAM_UNIT);
  debug->full = says(low, debug->unit, "emissionKind: FullDebug");
  debug->cpp = says(low, debug->unit, "C_plus_plus");
  debug->exact_lines = says(low, subprogram, "keyInstructions: true");
  low->debug = debug;
  if (debug->full && debug->cpp && low->shape.suspend_count)
    debug->frame_type = debug_frame_type(low);
  return !coro_arena_failed(low->arena);
}
