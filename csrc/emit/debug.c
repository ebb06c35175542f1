/* Emits the debug records, labels and locations of the function. */
#include "emit/debug.h"

#include <string.h>

#include "debug/clone_metadata.h"
#include "emit/block_head.h"
#include "emit/lookup.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"

bool emit_debug_start(struct emit *e)
{
  if (!e->low->debug)
    return true;
  struct debug_clone *d = e->debug = CORO_NEW(e->low->arena, struct debug_clone);
  if (!d)
    return false;
  *d = (struct debug_clone){.low = e->low,
                            .clone_kind = e->clone_kind,
                            .function = e->function,
                            .nodes_of_clone = e->nodes,
                            .node_count = e->node_count,
                            .blocks = e->blocks,
                            .base.operations = ""};
  d->has_base = e->hooks->debug_base && e->hooks->debug_base(e, &d->base);
  return debug_clone_create_metadata(d);
}

void emit_debug_dispose_builder(struct emit *e)
{
  if (e->debug && e->debug->builder)
    LLVMDisposeDIBuilder(e->debug->builder);
}

/* Declares the allocas that the function uses, at their creation. */
static void declare_used_stack_variables(struct emit *e)
{
  struct debug_clone *d = e->debug;
  for (uint32_t v = 0; v < d->variables.count; v++) {
    const struct debug_record *record = &e->low->debug->records[d->variables.items[v]];
    LLVMValueRef variable = e->values[ir_id(&e->low->fn, record->value)];
    if (variable)
      LLVMDIBuilderInsertDeclareRecordBefore(
          d->builder, variable, debug_copy_of_node_or_itself(e->debug, record->variable), record->expression,
          debug_location_in_clone(e->debug, record->location), LLVMGetNextInstruction(variable));
  }
}

/* The reload or rematerialization of a value for the node; NULL: the function has none. */
static LLVMValueRef reload_for_node_or_null(const struct emit *e, uint32_t value, uint32_t node)
{
  uint64_t materialized = 0;
  uint32_t place = e->low->crossing.reload_region[node],
           at = coro_reload_point_or_region_for_node(e->low, value, place, node, e->clone_kind);
  if (!coro_map_get(&e->materialized, coro_map_pair(value, at), &materialized))
    coro_map_get(&e->materialized, coro_map_pair(value, place), &materialized);
  return (LLVMValueRef)(uintptr_t)materialized;
}

/* Replaces each placeholder by the reload, or by poison if the function does not reload the value. */
static void replace_record_placeholders(struct emit *e)
{
  for (uint32_t i = 0; i < e->debug->placeholders.count; i++) {
    const struct debug_reload_placeholder *s = &e->debug->placeholders.items[i];
    LLVMValueRef materialized = reload_for_node_or_null(e, s->value, s->node);
    if (materialized)
      LLVMReplaceAllUsesWith(s->inst, materialized);
    LLVMInstructionEraseFromParent(s->inst);
  }
}

/* Emits the records valid at a node's head after the reload of their value, before the node's own records. */
static void insert_records_after_reloads(struct emit *e)
{
  const struct coro_debug *debug = e->low->debug;
  for (uint32_t n = 0; n < e->node_count && debug->repeated.count && e->clone_kind != CLONE_RAMP; n++)
    for (uint32_t k = debug->repeated_start[e->nodes[n]]; k < debug->repeated_start[e->nodes[n] + 1]; k++) {
      uint32_t r = debug->repeated.items[k], id = ir_id(&e->low->fn, debug->records[r].value);
      LLVMValueRef materialized =
                       debug->records[r].path || id == IR_NONE ? NULL : reload_for_node_or_null(e, id, e->nodes[n]),
                   after;
      if (!materialized)
        continue;
      after = LLVMIsAInstruction(materialized) && LLVMGetInstructionParent(materialized) == e->blocks[e->nodes[n]]
                  ? LLVMGetNextInstruction(materialized)
                  : LLVMGetFirstInstruction(e->blocks[e->nodes[n]]);
      while (LLVMIsAPHINode(after))
        after = LLVMGetNextInstruction(after);
      LLVMDIBuilderInsertDbgValueRecordBefore(
          e->debug->builder, materialized, debug_copy_of_node_or_itself(e->debug, debug->records[r].variable),
          debug->records[r].expression, debug_location_in_clone(e->debug, debug->records[r].location), after);
    }
}

void emit_debug_complete_records(struct emit *e)
{
  if (!e->debug)
    return;
  declare_used_stack_variables(e);
  replace_record_placeholders(e);
  insert_records_after_reloads(e);
  debug_set_locations_in_clone(e->debug);
}

static LLVMMetadataRef debug_expression_in_clone(struct emit *e, const struct coro_map *map, uint32_t r)
{
  uint64_t number;
  return coro_map_get(map, (uint64_t)r + 1, &number) ? e->debug->nodes.made[number]
                                                     : e->low->debug->records[r].expression;
}

/* A placeholder for the value in the node: a later use may still request a reload there. */
static LLVMValueRef add_record_placeholder(struct emit *e, uint32_t value, uint32_t node)
{
  LLVMTypeRef type = LLVMTypeOf(ir_value(&e->low->fn, value));
  LLVMValueRef placeholder = LLVMBuildFreeze(e->builder, LLVMGetPoison(type), "");
  (void)coro_vec_push(e->low->arena, &e->debug->placeholders,
                      ((struct debug_reload_placeholder){placeholder, value, node}));
  return placeholder;
}

/* The value to use in a record; NULL: not available. */
static LLVMValueRef value_for_record_or_null(struct emit *e, const struct debug_record *record, uint32_t node)
{
  struct debug_place place = debug_place_of_record_value(e->low, record, node, e->clone_kind);
  switch (place.kind) {
  case PLACE_CONSTANT: return record->value;
  case PLACE_FRAME: return e->debug->base.parameter;
  case PLACE_RELOAD: return record->declares ? NULL : add_record_placeholder(e, place.value, node);
  case PLACE_COPY: break;
  default: return NULL;
  }
  if (place.value == e->low->frame_argument)
    return emit_frame_argument(e);
  if (place.value < e->low->fn.arg_count)
    return e->clone_kind == CLONE_RAMP ? LLVMGetParam(e->function, place.value) : NULL;
  uint32_t a = e->low->allocas.of_value[place.value];
  if (a != IR_NONE && e->low->allocas.items[a].is_static)
    return emit_value_at_node(e, place.value, node);
  return e->values[place.value];
}

/* Whether the record declares an alloca that the function creates in its entry on first use. */
static bool declares_alloca_created_on_first_use(const struct emit *e, const struct debug_record *record, uint32_t node)
{
  struct debug_place place = debug_place_of_record_value(e->low, record, node, e->clone_kind);
  uint32_t a = place.kind == PLACE_COPY && record->declares ? e->low->allocas.of_value[place.value] : IR_NONE;
  if (a == IR_NONE || place.value < e->low->fn.arg_count || !e->low->allocas.items[a].is_static)
    return false;
  return e->low->allocas.items[a].in_frame || e->low->fn.inst_block[ir_inst_of_value(&e->low->fn, place.value)] == 0;
}

void emit_debug_records(struct emit *e, uint32_t inst, uint32_t node)
{
  struct debug_clone *d = e->debug;
  if (!d)
    return;
  LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
  uint32_t first = e->low->debug->record_start[inst], last = e->low->debug->record_start[inst + 1];
  if (first < last && e->clone_kind != CLONE_RAMP)
    head_fix_first_load_position(e, node);
  for (uint32_t r = first; r < last; r++) {
    const struct debug_record *record = &e->low->debug->records[r];
    if (debug_emits_record_at_frame_start(e->debug, record))
      continue;
    if (declares_alloca_created_on_first_use(e, record, node)) {
      (void)coro_vec_push(e->low->arena, &d->variables, r); /* the arena records the failure */
      continue;
    }
    LLVMValueRef value = value_for_record_or_null(e, record, node);
    LLVMMetadataRef variable = debug_copy_of_node_or_itself(e->debug, record->variable),
                    at = debug_location_in_clone(e->debug, record->location);
    if (!value && record->declares)
      continue;
    if (!value)
      value = LLVMGetPoison(record->value ? LLVMTypeOf(record->value) : LLVMInt1TypeInContext(e->low->context));
    struct debug_place place = debug_place_of_record_value(e->low, record, node, e->clone_kind);
    if (record->declares && !(place.kind == PLACE_FRAME && d->frame_declared_by_value))
      LLVMDIBuilderInsertDeclareRecordAtEnd(d->builder, value, variable,
                                            debug_expression_in_clone(e, &d->expressions, r), at, block);
    else
      LLVMDIBuilderInsertDbgValueRecordAtEnd(d->builder, value, variable,
                                             debug_expression_in_clone(e, &d->expressions, r), at, block);
  }
}

/* Stores the frame's address in an alloca; *store_inst is the store. */
static LLVMValueRef store_frame_address_in_debug_alloca(struct emit *e, LLVMValueRef *store_inst)
{
  const char *name = edit_value_name(e->frame);
  LLVMPositionBuilderBefore(e->aside_builder, LLVMGetFirstInstruction(e->entry));
  LLVMSetCurrentDebugLocation2(e->aside_builder, NULL); /* before the function's first line */
  LLVMValueRef address_alloca = LLVMBuildAlloca(e->aside_builder, LLVMTypeOf(e->frame), "");
  char *full = coro_arena_printf(e->low->arena, "%s.debug", name);
  if (full)
    LLVMSetValueName2(address_alloca, full, strlen(full));
  if (LLVMIsAInstruction(e->frame))
    LLVMPositionBuilderBefore(e->aside_builder, e->field_address_position);
  *store_inst = LLVMBuildStore(e->aside_builder, e->frame, address_alloca);
  LLVMInstructionSetDebugLoc(*store_inst, NULL);
  return e->last_alloca = address_alloca;
}

static void declare_frame_variable(struct emit *e, LLVMValueRef before)
{
  struct debug_clone *d = e->debug;
  uint64_t deref = 0x06; /* DW_OP_deref */
  LLVMMetadataRef expression_of_base =
      LLVMDIBuilderCreateExpression(d->builder, &deref, debug_has_frame_alloca(e->debug));
  LLVMMetadataRef scope = debug_clone_subprogram(e->debug);
  LLVMMetadataRef at =
      LLVMDIBuilderCreateDebugLocation(e->low->context, LLVMDISubprogramGetLine(scope), 1, scope, NULL);
  LLVMDIBuilderInsertDeclareRecordBefore(d->builder, d->has_base ? e->frame : d->base.parameter,
                                         d->nodes.made[d->frame_variable], expression_of_base, at, before);
}

/* Inserts declarations before `before`, values after `after`. */
static void insert_record_at_frame_start(struct emit *e, uint32_t record_index, LLVMValueRef before, LLVMValueRef after)
{
  struct debug_clone *d = e->debug;
  const struct debug_record *record = &e->low->debug->records[record_index];
  LLVMMetadataRef variable = debug_copy_of_node_or_itself(e->debug, record->variable),
                  at = debug_location_in_clone(e->debug, record->location);
  if (record->declares && !d->frame_declared_by_value)
    LLVMDIBuilderInsertDeclareRecordBefore(d->builder, d->base.parameter, variable,
                                           debug_expression_in_clone(e, &d->expressions, record_index), at, before);
  else
    LLVMDIBuilderInsertDbgValueRecordBefore(d->builder, d->base.parameter, variable,
                                            debug_expression_in_clone(e, &d->expressions, record_index), at, after);
}

void emit_debug_frame_records(struct emit *e)
{
  struct debug_clone *d = e->debug;
  if (d && e->clone_kind != CLONE_RAMP)
    debug_set_location_of_dispatch(d);
  if (!d || (d->frame_variable == IR_NONE && !d->expressions.count && !d->repeated.count))
    return;
  LLVMValueRef before = e->field_address_position, after = e->field_address_position;
  if (debug_has_frame_alloca(e->debug)) {
    d->base.parameter = store_frame_address_in_debug_alloca(e, &before);
    after = LLVMGetNextInstruction(before);
  } else if (!d->has_base) {
    d->base.parameter = e->frame;
  }
  if (d->frame_variable != IR_NONE)
    declare_frame_variable(e, before);
  for (uint32_t k = 0; k < e->low->debug->at_frame_start.count; k++)
    if (debug_emits_record_at_frame_start(e->debug, &e->low->debug->records[e->low->debug->at_frame_start.items[k]]))
      insert_record_at_frame_start(e, e->low->debug->at_frame_start.items[k], before, after);
  for (uint32_t k = 0; k < e->low->debug->effective_at_begin.count && e->clone_kind == CLONE_RAMP; k++) {
    uint32_t r = e->low->debug->effective_at_begin.items[k];
    LLVMDIBuilderInsertDbgValueRecordBefore(
        d->builder, d->base.parameter, debug_copy_of_node_or_itself(e->debug, e->low->debug->records[r].variable),
        debug_expression_in_clone(e, &d->repeated, r),
        debug_location_in_clone(e->debug, e->low->debug->records[r].location), after);
  }
}

/* Whether a record at the entry is valid in the whole function. Code generators drop such a record in blocks where
   the variable's scope begins. */
static bool is_valid_in_whole_function(const struct emit *e, const struct debug_record *record)
{
  return debug_emits_record_at_frame_start(e->debug, record) && !LLVMDILocationGetInlinedAt(record->location) &&
         LLVMDIVariableGetScope(record->variable) == e->low->debug->subprogram;
}

/* Repeats records at the head of a block after a suspend, before the block's own records. */
static void repeat_records_at_block_head(struct emit *e, uint32_t node, LLVMBasicBlockRef block)
{
  const struct coro_debug *debug = e->low->debug;
  for (uint32_t k = debug->repeated_start[node]; k < debug->repeated_start[node + 1]; k++) {
    uint32_t r = debug->repeated.items[k];
    const struct debug_record *record = &debug->records[r];
    if ((record->path || LLVMIsConstant(record->value)) && !is_valid_in_whole_function(e, record))
      LLVMDIBuilderInsertDbgValueRecordAtEnd(e->debug->builder, record->path ? e->debug->base.parameter : record->value,
                                             debug_copy_of_node_or_itself(e->debug, record->variable),
                                             debug_expression_in_clone(e, &e->debug->repeated, r),
                                             debug_location_in_clone(e->debug, record->location), block);
  }
}

static void add_suspend_label(struct emit *e, uint32_t suspend, LLVMMetadataRef node, LLVMBasicBlockRef block)
{
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(e->low->fn.insts[e->low->shape.suspends[suspend].inst]);
  for (LLVMMetadataRef outer = at; outer; outer = LLVMDILocationGetInlinedAt(at))
    at = outer;
  at = LLVMDIBuilderCreateDebugLocation(e->low->context, LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at),
                                        debug_clone_subprogram(e->debug), NULL);
  LLVMDIBuilderInsertLabelAtEnd(e->debug->builder, node, at, block);
}

void emit_debug_label_and_repeated_records(struct emit *e, uint32_t node)
{
  struct debug_clone *d = e->debug;
  uint32_t suspend = e->low->cfg.nodes[node].suspend;
  uint64_t number;
  if (!d || e->clone_kind == CLONE_RAMP)
    return;
  if (e->low->cfg.nodes[node].landing && coro_map_get(&d->labels, (uint64_t)suspend + 1, &number))
    add_suspend_label(e, suspend, d->nodes.made[number], e->blocks[node]);
  if (e->low->debug->repeated.count)
    repeat_records_at_block_head(e, node, e->blocks[node]);
}
