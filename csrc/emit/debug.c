/* Emission: debug information of one part: its records, labels and locations.
   Needs: low->debug. Leaves: a subprogram for a function that is not the coroutine's own, records and labels in the
   copies, every location inside of the part's own subprogram. */
#include "emit/debug.h"

#include <string.h>

#include "emit/debug_parts.h"
#include "emit/lookup.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"

void emit_debug_finish(struct emit *e)
{
  if (e->debug && e->debug->builder)
    LLVMDisposeDIBuilder(e->debug->builder);
}

/* ---- Locations ---- */

/* Somewhere in the part: for what came from where the part itself does not reach. */
static LLVMMetadataRef no_line(struct emit *e)
{
  return LLVMDIBuilderCreateDebugLocation(e->low->context, 0, 0, own_subprogram(e), NULL);
}

static LLVMMetadataRef location(struct emit *e, LLVMMetadataRef at)
{
  struct emit_debug *d = e->debug;
  uint64_t made = 0;
  if (emit_in_place(e))
    return at;
  if (!coro_map_get(&d->locations, key(at), &made))
    return no_line(e);
  if (!made) {
    LLVMMetadataRef inlined = LLVMDILocationGetInlinedAt(at), copy = own(e, at);
    if (copy == at)
      copy = LLVMDIBuilderCreateDebugLocation(e->low->context, LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at),
                                              own(e, LLVMDILocationGetScope(at)), inlined ? own(e, inlined) : NULL);
    coro_map_put(&d->locations, key(at), key(copy));
    return copy;
  }
  return (LLVMMetadataRef)(uintptr_t)made;
}

LLVMMetadataRef emit_debug_inlined(struct emit *e, LLVMMetadataRef site, LLVMMetadataRef at)
{
  CORO_VEC(LLVMMetadataRef) chain = {0};
  if (!e->debug)
    return NULL;
  LLVMMetadataRef made = site ? location(e, site) : no_line(e);
  for (LLVMMetadataRef inner = at; inner; inner = LLVMDILocationGetInlinedAt(inner))
    if (!coro_vec_push(e->low->arena, &chain, inner))
      return made; /* the arena remembers that it failed */
  while (chain.count) {
    LLVMMetadataRef inner = chain.items[--chain.count];
    made = LLVMDIBuilderCreateDebugLocation(e->low->context, LLVMDILocationGetLine(inner),
                                            LLVMDILocationGetColumn(inner), LLVMDILocationGetScope(inner), made);
  }
  coro_map_put(&e->debug->locations, key(made), key(made));
  return made;
}

/* A loop's metadata says where the loop is; its first operand is the node itself. */
static void own_loop(struct emit *e, LLVMValueRef terminator, unsigned kind)
{
  LLVMValueRef old = LLVMGetMetadata(terminator, kind);
  unsigned count = old ? LLVMGetMDNodeNumOperands(old) : 0;
  LLVMValueRef *operands = CORO_NEW_ARRAY(e->low->arena, LLVMValueRef, count);
  LLVMMetadataRef *copies = CORO_NEW_ARRAY(e->low->arena, LLVMMetadataRef, count);
  if (!count || !operands || !copies)
    return;
  LLVMGetMDNodeOperands(old, operands);
  for (unsigned i = 1; i < count; i++) {
    copies[i] = operands[i] ? LLVMValueAsMetadata(operands[i]) : NULL;
    if (copies[i] && LLVMGetMetadataKind(copies[i]) == LLVMDILocationMetadataKind)
      copies[i] = location(e, copies[i]);
  }
  LLVMMetadataRef self = copies[0] = LLVMTemporaryMDNode(e->low->context, NULL, 0);
  LLVMMetadataRef node = LLVMMDNodeInContext2(e->low->context, copies, count);
  LLVMMetadataReplaceAllUsesWith(self, node); /* which disposes of the temporary one */
  LLVMSetMetadata(terminator, kind, LLVMMetadataAsValue(e->low->context, node));
}

/* Those that are used after all are declared where they are made. */
static void declare_variables(struct emit *e)
{
  struct emit_debug *d = e->debug;
  for (uint32_t v = 0; v < d->variables.count; v++) {
    const struct debug_record *record = &source(e)->records[d->variables.items[v]];
    LLVMValueRef variable = e->values[ir_id(&e->low->fn, record->value)];
    if (variable)
      LLVMDIBuilderInsertDeclareRecordBefore(d->builder, variable, own(e, record->variable), record->expression,
                                             location(e, record->location), LLVMGetNextInstruction(variable));
  }
}

/* A call of the lowering's own: inlined it would leave calls without a place, which LLVM's verifier refuses. */
static bool lacks_place(LLVMValueRef inst)
{
  LLVMValueRef callee = edit_is_call(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
  return callee && !LLVMGetIntrinsicID(callee) && !LLVMInstructionGetDebugLoc(inst);
}

void emit_debug_end(struct emit *e)
{
  if (!e->debug)
    return;
  declare_variables(e);
  if (emit_in_place(e))
    return;
  unsigned loop = LLVMGetMDKindIDInContext(e->low->context, "llvm.loop", strlen("llvm.loop"));
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(e->function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i);
      if (at || lacks_place(i))
        LLVMInstructionSetDebugLoc(i, at ? location(e, at) : no_line(e));
    }
    if (last && LLVMHasMetadata(last))
      own_loop(e, last, loop);
  }
}

/* ---- Records ---- */

static LLVMMetadataRef expression(struct emit *e, const struct coro_map *map, uint32_t r)
{
  uint64_t number;
  return coro_map_get(map, (uint64_t)r + 1, &number) ? e->debug->nodes.made[number] : source(e)->records[r].expression;
}

/* NULL: lost. */
static LLVMValueRef value_of(struct emit *e, const struct debug_record *record, uint32_t node)
{
  struct debug_place place = debug_place(e->low, record, node, e->part);
  switch (place.kind) {
  case PLACE_SAME: return record->value;
  case PLACE_FRAME: return e->debug->base.parameter;
  case PLACE_COPY: break;
  default: return NULL;
  }
  if (place.value == e->low->home)
    return emit_home(e);
  if (place.value < e->low->fn.arg_count)
    return e->part == PART_RAMP ? LLVMGetParam(e->function, place.value) : NULL;
  uint32_t a = e->low->allocas.of_value[place.value];
  if (a != IR_NONE && e->low->allocas.items[a].is_static)
    return emit_lookup(e, place.value, node);
  return e->values[place.value];
}

/* One that its part makes once, in its entry, if it is used there. */
static bool is_stack_variable(const struct emit *e, const struct debug_record *record, uint32_t node)
{
  struct debug_place place = debug_place(e->low, record, node, e->part);
  uint32_t a = place.kind == PLACE_COPY && record->declares ? e->low->allocas.of_value[place.value] : IR_NONE;
  if (a == IR_NONE || place.value < e->low->fn.arg_count || !e->low->allocas.items[a].is_static)
    return false;
  return e->low->allocas.items[a].in_frame || e->low->fn.inst_block[ir_inst_of_value(&e->low->fn, place.value)] == 0;
}

void emit_debug_records(struct emit *e, uint32_t inst, uint32_t node)
{
  struct emit_debug *d = e->debug;
  if (!d)
    return;
  LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
  for (uint32_t r = source(e)->record_start[inst]; r < source(e)->record_start[inst + 1]; r++) {
    const struct debug_record *record = &source(e)->records[r];
    if (emit_debug_is_early(e, record))
      continue;
    if (is_stack_variable(e, record, node)) {
      (void)coro_vec_push(e->low->arena, &d->variables, r); /* the arena remembers that it failed */
      continue;
    }
    LLVMValueRef value = value_of(e, record, node);
    LLVMMetadataRef variable = own(e, record->variable), at = location(e, record->location);
    if (!value && record->declares)
      continue;
    if (!value)
      value = LLVMGetPoison(record->value ? LLVMTypeOf(record->value) : LLVMInt1TypeInContext(e->low->context));
    if (record->declares)
      LLVMDIBuilderInsertDeclareRecordAtEnd(d->builder, value, variable, expression(e, &d->expressions, r), at, block);
    else
      LLVMDIBuilderInsertDbgValueRecordAtEnd(d->builder, value, variable, expression(e, &d->expressions, r), at, block);
  }
}

/* In a variable; *store is where it is filled. */
static LLVMValueRef keep_frame(struct emit *e, LLVMValueRef *store)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(e->frame, &length);
  LLVMPositionBuilderBefore(e->aside, LLVMGetFirstInstruction(e->entry));
  LLVMSetCurrentDebugLocation2(e->aside, NULL); /* before the function's first line */
  LLVMValueRef keeper = LLVMBuildAlloca(e->aside, LLVMTypeOf(e->frame), "");
  char *full = coro_arena_printf(e->low->arena, "%s.debug", name);
  if (full)
    LLVMSetValueName2(keeper, full, strlen(full));
  if (LLVMIsAInstruction(e->frame))
    LLVMPositionBuilderBefore(e->aside, e->head);
  *store = LLVMBuildStore(e->aside, e->frame, keeper);
  LLVMInstructionSetDebugLoc(*store, NULL);
  return e->last_alloca = keeper;
}

static void declare_frame(struct emit *e, LLVMValueRef before)
{
  struct emit_debug *d = e->debug;
  uint64_t deref = 0x06; /* DW_OP_deref */
  LLVMMetadataRef expression_of_base = LLVMDIBuilderCreateExpression(d->builder, &deref, emit_debug_keeps_frame(e));
  LLVMMetadataRef scope = own_subprogram(e);
  LLVMMetadataRef at =
      LLVMDIBuilderCreateDebugLocation(e->low->context, LLVMDISubprogramGetLine(scope), 1, scope, NULL);
  LLVMDIBuilderInsertDeclareRecordBefore(d->builder, d->has_base ? e->frame : d->base.parameter,
                                         d->nodes.made[d->frame_variable], expression_of_base, at, before);
}

/* Before `before` where a variable is, behind it what it is. */
static void insert_early(struct emit *e, uint32_t r, LLVMValueRef before, LLVMValueRef behind)
{
  struct emit_debug *d = e->debug;
  const struct debug_record *record = &source(e)->records[r];
  LLVMMetadataRef variable = own(e, record->variable), at = location(e, record->location);
  if (record->declares)
    LLVMDIBuilderInsertDeclareRecordBefore(d->builder, d->base.parameter, variable, expression(e, &d->expressions, r),
                                           at, before);
  else
    LLVMDIBuilderInsertDbgValueRecordBefore(d->builder, d->base.parameter, variable, expression(e, &d->expressions, r),
                                            at, behind);
}

/* A clone holds nothing but its dispatch yet. With a line of its own it is where a debugger stops that was told to stop
   at the function: behind the store that keeps the frame. */
static void locate_dispatch(struct emit *e)
{
  LLVMMetadataRef scope = own_subprogram(e);
  LLVMMetadataRef at =
      LLVMDIBuilderCreateDebugLocation(e->low->context, LLVMDISubprogramGetLine(scope), 0, scope, NULL);
  coro_map_put(&e->debug->locations, key(at), key(at));
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(e->function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      LLVMInstructionSetDebugLoc(i, at);
}

void emit_debug_frame(struct emit *e)
{
  struct emit_debug *d = e->debug;
  if (d && e->part != PART_RAMP)
    locate_dispatch(e);
  if (!d || (d->frame_variable == IR_NONE && !d->expressions.count && !d->again.count))
    return;
  LLVMValueRef before = e->head, behind = e->head;
  if (emit_debug_keeps_frame(e)) {
    d->base.parameter = keep_frame(e, &before);
    behind = LLVMGetNextInstruction(before);
  } else if (!d->has_base) {
    d->base.parameter = e->frame;
  }
  if (d->frame_variable != IR_NONE)
    declare_frame(e, before);
  for (uint32_t k = 0; k < source(e)->early.count; k++)
    if (emit_debug_is_early(e, &source(e)->records[source(e)->early.items[k]]))
      insert_early(e, source(e)->early.items[k], before, behind);
  for (uint32_t k = 0; k < source(e)->moved.count && e->part == PART_RAMP; k++) {
    uint32_t r = source(e)->moved.items[k];
    LLVMDIBuilderInsertDbgValueRecordBefore(d->builder, d->base.parameter, own(e, source(e)->records[r].variable),
                                            expression(e, &d->again, r), location(e, source(e)->records[r].location),
                                            behind);
  }
}

/* What is said where the part begins holds in all of it for a variable of the whole function only: code generators
   forget it on the way into a block that the variable belongs to. */
static bool is_said_for_good(const struct emit *e, const struct debug_record *record)
{
  return emit_debug_is_early(e, record) && !LLVMDILocationGetInlinedAt(record->location) &&
         LLVMDIVariableGetScope(record->variable) == source(e)->subprogram;
}

/* What holds here is the debugger's to know before it comes by the next record. */
static void say_again(struct emit *e, uint32_t suspend, LLVMBasicBlockRef block)
{
  const struct coro_debug *debug = source(e);
  for (uint32_t k = debug->again.count ? debug->again_start[suspend] : 0;
       debug->again.count && k < debug->again_start[suspend + 1]; k++) {
    uint32_t r = debug->again.items[k];
    const struct debug_record *record = &debug->records[r];
    if (!is_said_for_good(e, record))
      LLVMDIBuilderInsertDbgValueRecordAtEnd(e->debug->builder, record->path ? e->debug->base.parameter : record->value,
                                             own(e, record->variable), expression(e, &e->debug->again, r),
                                             location(e, record->location), block);
  }
}

static void label(struct emit *e, uint32_t suspend, LLVMMetadataRef node, LLVMBasicBlockRef block)
{
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(e->low->fn.insts[e->low->shape.suspends[suspend].inst]);
  for (LLVMMetadataRef outer = at; outer; outer = LLVMDILocationGetInlinedAt(at))
    at = outer;
  at = LLVMDIBuilderCreateDebugLocation(e->low->context, LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at),
                                        own_subprogram(e), NULL);
  LLVMDIBuilderInsertLabelAtEnd(e->debug->builder, node, at, block);
}

void emit_debug_landing(struct emit *e, uint32_t node)
{
  struct emit_debug *d = e->debug;
  uint32_t suspend = e->low->cfg.nodes[node].suspend;
  uint64_t number;
  if (!d || suspend == IR_NONE)
    return;
  if (coro_map_get(&d->labels, (uint64_t)suspend + 1, &number))
    label(e, suspend, d->nodes.made[number], e->blocks[node]);
  say_again(e, suspend, e->blocks[node]);
}
