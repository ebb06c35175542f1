/* Reads source names and locations of a coroutine and of its values from debug information. */
#include "analysis/source.h"

#include <string.h>

#include "base/starts_with.h"
#include "llvm-c/DebugInfo.h"
#include "transform/debug_nodes.h"

static const coro_source_info unknown = {"", "", "", 0, 0};

/* Whether the expression applies no operation to the IR value: it is empty, or gives only the fragment of the variable
   that the value is. */
static bool is_empty_or_fragment_expression(const struct coro_source *source, LLVMMetadataRef expression)
{
  static const char whole[] = "!DIExpression()", part[] = "!DIExpression(DW_OP_LLVM_fragment";
  char *text = ir_node_text(source->context, expression);
  bool plain = text && (strcmp(text, whole) == 0 || coro_starts_with(text, part));
  if (text)
    LLVMDisposeMessage(text);
  return plain;
}

/* Distinct keys for a value as the address of a variable and as its content. */
static uint64_t key_of_described_value(uint32_t value, bool is_memory)
{
  return 2 * (uint64_t)value + is_memory + 1;
}

static bool record_variable_of_value(struct coro_source *source, const struct ir_fn *fn, LLVMDbgRecordRef record)
{
  LLVMDbgRecordKind kind = LLVMDbgRecordGetKind(record);
  LLVMValueRef value = kind == LLVMDbgRecordLabel ? NULL : LLVMDbgVariableRecordGetValue(record, 0);
  uint32_t id = value ? ir_id(fn, value) : IR_NONE;
  if (id == IR_NONE || id & IR_BLOCK)
    return true;
  uint64_t key = key_of_described_value(id, kind == LLVMDbgRecordDeclare);
  if (coro_map_has(&source->variables, key) ||
      !is_empty_or_fragment_expression(source, LLVMDbgVariableRecordGetExpression(record)))
    return true;
  return coro_map_put(&source->variables, key, (uint64_t)(uintptr_t)LLVMDbgVariableRecordGetVariable(record));
}

bool coro_source_read_debug_records(struct coro_source *source, const struct ir_fn *fn)
{
  coro_map_init(&source->variables, source->scratch);
  if (!LLVMGetSubprogram(fn->function))
    return true;
  for (uint32_t i = 0; i < fn->inst_count; i++)
    for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(fn->insts[i]); r; r = LLVMGetNextDbgRecord(r))
      if (!record_variable_of_value(source, fn, r))
        return false;
  return true;
}

static const char *copy_source_text(const struct coro_source *source, const char *text, unsigned length)
{
  const char *copy = text && length ? coro_arena_strndup(source->arena, text, length) : "";
  return copy ? copy : "";
}

static void set_file_and_directory(const struct coro_source *source, LLVMMetadataRef file, coro_source_info *info)
{
  unsigned length = 0;
  if (!file)
    return;
  const char *text = LLVMDIFileGetFilename(file, &length);
  info->file = copy_source_text(source, text, length);
  text = LLVMDIFileGetDirectory(file, &length);
  info->directory = copy_source_text(source, text, length);
}

coro_source_info coro_source_of_function(const struct coro_source *source, LLVMValueRef function)
{
  coro_source_info info = unknown;
  LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
  if (!subprogram)
    return info;
  unsigned length;
  const char *name =
      ir_node_string_operand(source->scratch, source->context, subprogram, NODE_SUBPROGRAM_NAME, &length);
  info.name = copy_source_text(source, name, length);
  info.line = LLVMDISubprogramGetLine(subprogram);
  set_file_and_directory(source, LLVMDIScopeGetFile(subprogram), &info);
  return info;
}

coro_source_info coro_source_of_value(const struct coro_source *source, uint32_t value, bool is_memory)
{
  coro_source_info info = unknown;
  uint64_t found;
  if (value == IR_NONE || !coro_map_get(&source->variables, key_of_described_value(value, is_memory), &found))
    return info;
  LLVMMetadataRef variable = (LLVMMetadataRef)(uintptr_t)found;
  unsigned length;
  const char *name = ir_variable_name_or_function_of_frame(source->scratch, source->context, variable, &length);
  info.name = copy_source_text(source, name, length);
  info.line = LLVMDIVariableGetLine(variable);
  set_file_and_directory(source, LLVMDIVariableGetFile(variable), &info);
  return info;
}

LLVMMetadataRef coro_source_type_node(const struct coro_source *source, uint32_t value, bool is_memory)
{
  uint64_t found;
  if (value == IR_NONE || !coro_map_get(&source->variables, key_of_described_value(value, is_memory), &found))
    return NULL;
  return ir_node_operand(source->scratch, source->context, (LLVMMetadataRef)(uintptr_t)found, NODE_VARIABLE_TYPE);
}

coro_source_info coro_source_of_inst(const struct coro_source *source, LLVMValueRef inst)
{
  coro_source_info info = unknown;
  unsigned length = 0;
  info.line = inst ? LLVMGetDebugLocLine(inst) : 0;
  if (!info.line)
    return unknown;
  info.column = LLVMGetDebugLocColumn(inst);
  const char *text = LLVMGetDebugLocFilename(inst, &length);
  info.file = copy_source_text(source, text, length);
  text = LLVMGetDebugLocDirectory(inst, &length);
  info.directory = copy_source_text(source, text, length);
  return info;
}
