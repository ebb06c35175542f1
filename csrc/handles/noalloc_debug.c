/* Copies the ramp's subprogram and its inlined locations. */
#include "handles/noalloc_debug.h"

#include <string.h>

#include "base/vec.h"
#include "debug/records.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "transform/debug_nodes.h"
#include "transform/debug_records.h"

/* A copy of the ramp's subprogram under the new name, without its retained nodes. */
static LLVMMetadataRef copy_subprogram_for_noalloc(struct pass_run *run, LLVMMetadataRef subprogram,
                                                   LLVMValueRef noalloc)
{
  struct ir_nodes nodes;
  struct coro_map none;
  struct ir_node_change change = {.linkage_name = edit_value_name(noalloc)};
  coro_map_init(&none, run->arena);
  ir_nodes_init(&nodes, run->arena, run->context);
  uint32_t number = ir_nodes_number(&nodes);
  ir_nodes_copy_with_change(&nodes, number, subprogram, &none, &change);
  if (!ir_nodes_parse(&nodes))
    return NULL;
  LLVMMetadataRef made = nodes.made[number];
  LLVMReplaceMDNodeOperandWith(LLVMMetadataAsValue(run->context, made), DEBUG_SUBPROGRAM_RETAINED,
                               LLVMMDNodeInContext2(run->context, NULL, 0));
  return made;
}

/* Recreates the chain of inlined locations. */
static LLVMMetadataRef copy_inlined_location(const struct noalloc_debug *d, LLVMMetadataRef at)
{
  if (!at)
    return d->call;
  return LLVMDIBuilderCreateDebugLocation(d->context, LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at),
                                          LLVMDILocationGetScope(at),
                                          copy_inlined_location(d, LLVMDILocationGetInlinedAt(at)));
}

LLVMMetadataRef noalloc_debug_locate(void *debug, LLVMMetadataRef at)
{
  const struct noalloc_debug *d = debug;
  return at && d->call ? copy_inlined_location(d, at) : NULL;
}

bool noalloc_debug_set_subprogram_if_any(struct noalloc_debug *d, struct pass_run *run, LLVMValueRef function,
                                         LLVMValueRef noalloc)
{
  LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
  *d = (struct noalloc_debug){.context = run->context};
  if (!subprogram)
    return true;
  LLVMMetadataRef own = copy_subprogram_for_noalloc(run, subprogram, noalloc);
  if (!own)
    return false;
  LLVMSetSubprogram(noalloc, own);
  d->call = LLVMDIBuilderCreateDebugLocation(run->context, LLVMDISubprogramGetLine(own), 0, own, NULL);
  return true;
}

/* Whether the record describes a single value or address. */
static bool has_empty_expression(LLVMContextRef context, LLVMDbgRecordRef record)
{
  char *text = ir_node_text(context, LLVMDbgVariableRecordGetExpression(record));
  bool plain = text && strcmp(text, "!DIExpression()") == 0;
  LLVMDisposeMessage(text);
  return plain;
}

static bool is_record_of_variable(LLVMDbgRecordRef record)
{
  return LLVMDbgRecordGetKind(record) != LLVMDbgRecordLabel;
}

/* The parameter number (from 1) that the record is about; 0: none. */
static unsigned parameter_plus_one_of_record_or_zero(LLVMContextRef context, LLVMValueRef function,
                                                     LLVMDbgRecordRef record)
{
  LLVMValueRef value = LLVMDbgVariableRecordGetValue(record, 0);
  bool assigns = LLVMDbgRecordGetKind(record) == LLVMDbgRecordAssign;
  for (unsigned i = 0; value && !assigns && i < LLVMCountParams(function); i++)
    if (LLVMGetParam(function, i) == value)
      return has_empty_expression(context, record) ? i + 1 : 0;
  return 0;
}

struct variable { /* a variable of the ramp, with all its records */
  LLVMDbgRecordRef record; /* the first record */
  unsigned parameter; /* the parameter that all records are about; 0: not a single one */
};
typedef CORO_VEC(struct variable) variables;

static bool add_variable_or_merge_parameter(struct pass_run *run, struct coro_map *known, variables *found,
                                            LLVMValueRef function, LLVMDbgRecordRef record)
{
  uint64_t place, key = coro_map_key(LLVMDbgVariableRecordGetVariable(record));
  unsigned parameter = parameter_plus_one_of_record_or_zero(run->context, function, record);
  if (!coro_map_get(known, key, &place))
    return coro_map_put(known, key, found->count) &&
           coro_vec_push(run->arena, found, ((struct variable){record, parameter}));
  if (found->items[place].parameter != parameter)
    found->items[place].parameter = 0;
  return true;
}

static bool find_variables_with_their_parameter(struct pass_run *run, LLVMValueRef function, variables *found)
{
  struct coro_map known;
  bool fine = true;
  coro_map_init(&known, run->arena);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(at); r && fine; r = LLVMGetNextDbgRecord(r))
        fine = !is_record_of_variable(r) || add_variable_or_merge_parameter(run, &known, found, function, r);
  return fine;
}

bool noalloc_debug_describe_parameters_and_loops(struct noalloc_debug *d, struct pass_run *run, LLVMValueRef function,
                                                 LLVMValueRef noalloc)
{
  variables found = {0};
  if (!d->call)
    return true;
  if (!find_variables_with_their_parameter(run, function, &found))
    return false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(noalloc); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (LLVMHasMetadata(at))
        ir_relocate_loop(run->arena, run->context, at, noalloc_debug_locate, d);
  LLVMDIBuilderRef builder = LLVMCreateDIBuilder(run->module);
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(noalloc));
  for (uint32_t i = 0; i < found.count; i++) {
    if (!found.items[i].parameter)
      continue;
    LLVMDbgRecordRef r = found.items[i].record;
    LLVMValueRef own = LLVMGetParam(noalloc, found.items[i].parameter - 1);
    ir_record_insert_copy(builder, r, own, LLVMDbgVariableRecordGetExpression(r),
                          noalloc_debug_locate(d, LLVMDbgRecordGetDebugLoc(r)), first);
  }
  LLVMDisposeDIBuilder(builder);
  return !coro_arena_failed(run->arena);
}
