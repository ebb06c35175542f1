/* Removes entry values from debug records (see entry_value.h). LLVM-C can neither change nor erase a debug record,
   but a record follows the replacement of its value. All records of the value are redirected to poison, then
   recreated after those, before the same instruction. Records with several values and assignment records cannot be
   recreated: they stay poison. */
#include "transform/entry_value.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "ir/attribute_kind.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "transform/debug_nodes.h"
#include "transform/debug_records.h"

static const char entry_operation[] = "DW_OP_LLVM_entry_value, 1";

struct record_position { /* position of a debug record */
  LLVMValueRef before;
  LLVMDbgRecordRef record;
};

struct entry_removal {
  struct coro_arena *arena;
  LLVMContextRef context;
  LLVMDIBuilderRef builder;
  struct coro_map plain; /* expression -> copy without the entry value; 0: it has none */
};

bool ir_has_swiftasync_function(LLVMModuleRef module)
{
  unsigned kind = attribute_kind("swiftasync");
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (unsigned i = 0; !LLVMIsDeclaration(f) && i < LLVMCountParams(f); i++)
      if (LLVMGetEnumAttributeAtIndex(f, i + 1, kind))
        return true;
  return false;
}

static LLVMMetadataRef make_debug_expression(struct entry_removal *m, const char *operations)
{
  struct ir_nodes nodes;
  ir_nodes_init(&nodes, m->arena, m->context);
  uint32_t number = ir_nodes_number(&nodes);
  ir_nodes_append_formatted(&nodes, "!%u = !DIExpression(%s\n", number, operations);
  return ir_nodes_parse(&nodes) ? nodes.made[number] : NULL;
}

/* NULL: the expression has no entry value, or memory ran out. */
static LLVMMetadataRef expression_without_entry_value_or_null(struct entry_removal *m, LLVMMetadataRef expression)
{
  uint64_t known;
  if (coro_map_get(&m->plain, coro_map_key(expression), &known))
    return (LLVMMetadataRef)(uintptr_t)known;
  char *text = ir_node_text(m->context, expression);
  char *at = text ? strstr(text, entry_operation) : NULL;
  LLVMMetadataRef plain = NULL;
  if (at) {
    at += strlen(entry_operation);
    plain = make_debug_expression(m, strncmp(at, ", ", 2) ? at : at + 2);
  }
  LLVMDisposeMessage(text);
  coro_map_put(&m->plain, coro_map_key(expression), coro_map_key(plain));
  return plain;
}

/* The first value of a record, if it is an argument or instruction; else NULL. */
static LLVMValueRef first_local_value_of_record(LLVMDbgRecordRef record)
{
  if (LLVMDbgRecordGetKind(record) != LLVMDbgRecordDeclare && LLVMDbgRecordGetKind(record) != LLVMDbgRecordValue)
    return NULL;
  LLVMValueRef value = LLVMDbgVariableRecordGetValue(record, 0);
  return value && (LLVMIsAArgument(value) || LLVMIsAInstruction(value)) ? value : NULL;
}

static bool is_swiftasync_argument(LLVMValueRef function, LLVMValueRef value)
{
  return LLVMIsAArgument(value) && edit_has_attribute(function, edit_parameter_index(value) + 1, "swiftasync");
}

static void insert_copy_without_entry_value(struct entry_removal *m, LLVMValueRef value,
                                            const struct record_position *at)
{
  LLVMMetadataRef expression = LLVMDbgVariableRecordGetExpression(at->record);
  LLVMMetadataRef plain = expression_without_entry_value_or_null(m, expression);
  ir_record_insert_copy(m->builder, at->record, value, plain ? plain : expression, LLVMDbgRecordGetDebugLoc(at->record),
                        at->before);
}

typedef CORO_VEC(struct record_position) places;

static void find_records_with_values(struct entry_removal *m, LLVMValueRef function, places *found)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(at); r; r = LLVMGetNextDbgRecord(r))
        if (first_local_value_of_record(r) && !coro_vec_push(m->arena, found, ((struct record_position){at, r})))
          return;
}

static void replace_records_of_value_by_copies(struct entry_removal *m, const places *found, LLVMValueRef value)
{
  CORO_VEC(struct record_position) of_value = {0};
  for (uint32_t i = 0; i < found->count; i++)
    if (first_local_value_of_record(found->items[i].record) == value &&
        !ir_record_is_superseded(found->items[i].record) &&
        ir_record_single_value(m->context, found->items[i].record) &&
        !coro_vec_push(m->arena, &of_value, found->items[i]))
      return;
  ir_poison_value_in_records(m->arena, value);
  for (uint32_t i = 0; i < of_value.count; i++)
    insert_copy_without_entry_value(m, value, &of_value.items[i]);
}

static void remove_entry_values_from_function(struct entry_removal *m, LLVMValueRef function)
{
  places found = {0};
  find_records_with_values(m, function, &found);
  for (uint32_t i = 0; i < found.count && !coro_arena_failed(m->arena); i++) {
    LLVMValueRef value = first_local_value_of_record(found.items[i].record);
    if (value && expression_without_entry_value_or_null(m, LLVMDbgVariableRecordGetExpression(found.items[i].record)) &&
        !is_swiftasync_argument(function, value))
      replace_records_of_value_by_copies(m, &found, value);
  }
}

void ir_remove_invalid_entry_values(struct coro_arena *arena, LLVMModuleRef module)
{
  struct entry_removal m = {
      .arena = arena, .context = LLVMGetModuleContext(module), .builder = LLVMCreateDIBuilder(module)};
  coro_map_init(&m.plain, arena);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    remove_entry_values_from_function(&m, f);
  LLVMDisposeDIBuilder(m.builder);
}
