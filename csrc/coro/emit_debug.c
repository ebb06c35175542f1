/* Emission: debug information of one part. All nodes that it needs are made at its start, from one text.
   Needs: low->debug. Leaves: a subprogram for a function that is not the coroutine's own, records and labels in the
   copies, every location inside of the part's own subprogram. */
#include "coro/emit_debug.h"

#include <inttypes.h>
#include <string.h>

#include "coro/debug.h"
#include "ir/nodes.h"
#include "llvm-c/DebugInfo.h"

enum { SUBPROGRAM_DECLARATION = 6, SUBPROGRAM_RETAINED = 7 }; /* operands */

struct emit_debug {
  LLVMDIBuilderRef builder;
  struct ir_nodes nodes;
  struct coro_map numbers; /* node of the source -> number of its copy, or IR_NONE: it serves all parts */
  CORO_VEC(LLVMMetadataRef) copied; /* the nodes that have a number, in its order */
  struct coro_map locations;        /* location of the source -> this part's */
  uint32_t *expressions; /* by record: number of its expression here, or IR_NONE: as it is in the source */
  uint32_t *labels;      /* by suspend, or IR_NONE */
  uint32_t frame_variable;
  LLVMValueRef base; /* the frame's address, or the variable that holds it */
};

static uint64_t key(LLVMMetadataRef node)
{
  return (uint64_t)(uintptr_t)node;
}

static const struct coro_debug *source(const struct emit *e)
{
  return e->low->debug;
}

static uint32_t number_of(const struct emit_debug *d, LLVMMetadataRef node)
{
  uint64_t number = IR_NONE;
  return node && coro_map_get(&d->numbers, key(node), &number) ? (uint32_t)number : IR_NONE;
}

/* ---- What is copied ---- */

static void number_copy(struct emit *e, LLVMMetadataRef node)
{
  struct emit_debug *d = e->debug;
  uint64_t known;
  if (!node || coro_map_get(&d->numbers, key(node), &known))
    return;
  coro_map_put(&d->numbers, key(node), ir_nodes_number(&d->nodes));
  (void)coro_vec_push(e->low->arena, &d->copied, node);
}

/* The scopes from here up to the coroutine's subprogram; those of functions that were inlined serve all parts. */
static bool number_scope(struct emit *e, LLVMMetadataRef scope)
{
  enum { BLOCK_SCOPE = 1 };
  struct emit_debug *d = e->debug;
  uint64_t known;
  LLVMMetadataRef top = scope;
  while (top && !coro_map_get(&d->numbers, key(top), &known)) {
    LLVMMetadataKind kind = LLVMGetMetadataKind(top);
    if (kind != LLVMDILexicalBlockMetadataKind && kind != LLVMDILexicalBlockFileMetadataKind)
      break;
    top = ir_node_operand(e->low->arena, e->low->context, top, BLOCK_SCOPE);
  }
  bool own = number_of(d, top) != IR_NONE;
  for (LLVMMetadataRef at = scope; at && at != top;
       at = ir_node_operand(e->low->arena, e->low->context, at, BLOCK_SCOPE)) {
    if (own)
      number_copy(e, at);
    else
      coro_map_put(&d->numbers, key(at), IR_NONE);
  }
  return own;
}

static void number_location(struct emit *e, LLVMMetadataRef location)
{
  struct emit_debug *d = e->debug;
  uint64_t known;
  if (!location || coro_map_get(&d->locations, key(location), &known))
    return;
  coro_map_put(&d->locations, key(location), 0); /* seen; made when it is asked for */
  number_scope(e, LLVMDILocationGetScope(location));
  if (source(e)->exact_lines)
    number_copy(e, location);
  /* Two calls that were inlined at one place are told apart by their nodes. */
  for (LLVMMetadataRef at = LLVMDILocationGetInlinedAt(location); at; at = LLVMDILocationGetInlinedAt(at)) {
    number_scope(e, LLVMDILocationGetScope(at));
    number_copy(e, at);
  }
}

static void number_record(struct emit *e, const struct debug_record *record)
{
  number_location(e, record->location);
  if (number_scope(e, LLVMDIVariableGetScope(record->variable)))
    number_copy(e, record->variable);
}

/* Variables that the subprogram lists whether or not a record is left of them. */
static void number_retained(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  LLVMMetadataRef list = ir_node_operand(low->arena, low->context, source(e)->subprogram, SUBPROGRAM_RETAINED);
  unsigned count = list ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(low->context, list)) : 0;
  if (!count)
    return;
  number_copy(e, list);
  for (unsigned i = 0; i < count; i++) {
    LLVMMetadataRef node = ir_node_operand(low->arena, low->context, list, i);
    LLVMMetadataRef scope = node ? ir_node_operand(low->arena, low->context, node, 0) : NULL;
    if (scope && number_scope(e, scope))
      number_copy(e, node);
  }
}

/* Whether the part has this record where its frame begins, instead of where the source has it. */
static bool declared_early(const struct emit *e, const struct debug_record *record)
{
  if (!record->declares)
    return false;
  return e->part == PART_RAMP ? record->in_frame : debug_place(e->low, record, 0, e->part).kind == PLACE_FRAME;
}

static void number_instruction(struct emit *e, uint32_t inst)
{
  number_location(e, LLVMInstructionGetDebugLoc(e->low->fn.insts[inst]));
  for (uint32_t r = source(e)->record_start[inst]; r < source(e)->record_start[inst + 1]; r++)
    number_record(e, &source(e)->records[r]);
}

static void number_part(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  number_copy(e, source(e)->subprogram);
  number_copy(e, ir_node_operand(low->arena, low->context, source(e)->subprogram, SUBPROGRAM_DECLARATION));
  number_retained(e);
  for (uint32_t node = 0; node < low->cfg.fragment_count; node++)
    for (uint32_t i = low->cfg.nodes[node].first; e->blocks[node] && i < low->cfg.nodes[node].last; i++)
      number_instruction(e, i);
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (coro_bits_get(&low->remat.again, ir_value_of_inst(&low->fn, i)))
      number_location(e, LLVMInstructionGetDebugLoc(low->fn.insts[i]));
  for (uint32_t r = 0; r < source(e)->record_count; r++)
    if (declared_early(e, &source(e)->records[r]))
      number_record(e, &source(e)->records[r]);
}

/* ---- What is new ---- */

static void write_copies(struct emit *e)
{
  struct emit_debug *d = e->debug;
  const char *name = LLVMGetValueName2(e->function, &(size_t){0});
  for (uint32_t n = 0; n < d->copied.count; n++) {
    bool function = LLVMGetMetadataKind(d->copied.items[n]) == LLVMDISubprogramMetadataKind;
    ir_nodes_copy(&d->nodes, n, d->copied.items[n], &d->numbers, function ? name : NULL);
  }
}

static void write_expression(struct emit *e, uint32_t r, uint32_t node)
{
  struct emit_debug *d = e->debug;
  const struct debug_record *record = &source(e)->records[r];
  struct debug_place place = debug_place(e->low, record, node, e->part);
  if (d->expressions[r] != IR_NONE || place.kind == PLACE_SAME || place.kind == PLACE_COPY)
    return;
  d->expressions[r] = ir_nodes_number(&d->nodes);
  const char *base = e->part == PART_RAMP ? "" : "DW_OP_deref, ", *path = place.path, *operations = record->operations;
  if (place.kind == PLACE_LOST) {
    base = path = "";
    operations = debug_fragment(record);
  }
  size_t length = strlen(base) + strlen(path);
  ir_nodes_print(&d->nodes, "!%" PRIu32 " = !DIExpression(%s%.*s%s)\n", d->expressions[r], base,
                 (int)(strlen(path) - (length && !*operations && *path ? 2 : 0)), path, operations);
}

static void write_expressions(struct emit *e)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  for (uint32_t node = 0; node < cfg->fragment_count; node++)
    for (uint32_t i = cfg->nodes[node].first; e->blocks[node] && i < cfg->nodes[node].last; i++)
      for (uint32_t r = source(e)->record_start[i]; r < source(e)->record_start[i + 1]; r++)
        if (!declared_early(e, &source(e)->records[r]))
          write_expression(e, r, node);
  for (uint32_t r = 0; r < source(e)->record_count; r++)
    if (declared_early(e, &source(e)->records[r]))
      write_expression(e, r, e->part == PART_RAMP ? cfg->begin_node : 0);
}

static void write_subprogram_reference(struct emit *e, uint32_t number, uint32_t operand)
{
  if (emit_in_place(e))
    ir_nodes_outside(&e->debug->nodes, number, operand, source(e)->subprogram);
  else
    ir_nodes_print(&e->debug->nodes, "!%" PRIu32, number_of(e->debug, source(e)->subprogram));
}

static void write_frame_variable(struct emit *e)
{
  struct ir_nodes *nodes = &e->debug->nodes;
  LLVMMetadataRef subprogram = source(e)->subprogram;
  uint32_t number = e->debug->frame_variable = ir_nodes_number(nodes);
  ir_nodes_print(nodes, "!%" PRIu32 " = !DILocalVariable(name: \"__coro_frame\", scope: ", number);
  write_subprogram_reference(e, number, 0);
  ir_nodes_print(nodes, ", file: ");
  ir_nodes_outside(nodes, number, 2, LLVMDIScopeGetFile(subprogram));
  ir_nodes_print(nodes, ", line: %u, type: ", LLVMDISubprogramGetLine(subprogram));
  ir_nodes_outside(nodes, number, 3, source(e)->frame_type);
  ir_nodes_print(nodes, ", flags: DIFlagArtificial)\n");
}

static void write_label(struct emit *e, uint32_t suspend)
{
  struct ir_nodes *nodes = &e->debug->nodes;
  const struct coro_suspend *s = &e->low->shape.suspends[suspend];
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(e->low->fn.insts[s->inst]);
  if (!at)
    return;
  uint32_t number = e->debug->labels[suspend] = ir_nodes_number(nodes);
  ir_nodes_print(nodes, "!%" PRIu32 " = !DILabel(scope: ", number);
  write_subprogram_reference(e, number, 0);
  ir_nodes_print(nodes, ", name: \"__coro_resume_%u\", file: ", (unsigned)s->index);
  ir_nodes_outside(nodes, number, 2, LLVMDIScopeGetFile(LLVMDILocationGetScope(at)));
  ir_nodes_print(nodes, ", line: %u, column: %u, isArtificial: true, coroSuspendIdx: %u)\n", LLVMDILocationGetLine(at),
                 LLVMDILocationGetColumn(at), (unsigned)s->index);
}

bool emit_debug_start(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  if (!low->debug)
    return true;
  struct emit_debug *d = e->debug = CORO_NEW(low->arena, struct emit_debug);
  if (!d)
    return false;
  ir_nodes_init(&d->nodes, low->arena, low->context);
  coro_map_init(&d->numbers, low->arena);
  coro_map_init(&d->locations, low->arena);
  d->expressions = CORO_NEW_ARRAY(low->arena, uint32_t, low->debug->record_count);
  d->labels = CORO_NEW_ARRAY(low->arena, uint32_t, low->shape.suspend_count);
  if (!d->expressions || !d->labels)
    return false;
  memset(d->expressions, 0xff, low->debug->record_count * sizeof *d->expressions);
  memset(d->labels, 0xff, low->shape.suspend_count * sizeof *d->labels);
  d->frame_variable = IR_NONE;
  if (!emit_in_place(e)) {
    number_part(e);
    write_copies(e);
  }
  write_expressions(e);
  if (low->debug->frame_type)
    write_frame_variable(e);
  for (uint32_t k = 0; k < low->shape.suspend_count; k++)
    if (low->debug->full && e->part != PART_RAMP && e->blocks[cfg_landing(&low->cfg, k)])
      write_label(e, k);
  if (d->nodes.count && !ir_nodes_make(&d->nodes))
    return false;
  d->builder = LLVMCreateDIBuilder(low->module);
  if (!emit_in_place(e))
    LLVMSetSubprogram(e->function, d->nodes.made[number_of(d, low->debug->subprogram)]);
  return !coro_arena_failed(low->arena);
}

void emit_debug_finish(struct emit *e)
{
  if (e->debug && e->debug->builder)
    LLVMDisposeDIBuilder(e->debug->builder);
}

/* ---- Locations ---- */

static LLVMMetadataRef own(struct emit *e, LLVMMetadataRef node)
{
  uint32_t number = number_of(e->debug, node);
  return number == IR_NONE ? node : e->debug->nodes.made[number];
}

static LLVMMetadataRef own_subprogram(struct emit *e)
{
  return emit_in_place(e) ? source(e)->subprogram : own(e, source(e)->subprogram);
}

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

void emit_debug_end(struct emit *e)
{
  if (!e->debug || emit_in_place(e))
    return;
  unsigned loop = LLVMGetMDKindIDInContext(e->low->context, "llvm.loop", strlen("llvm.loop"));
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(e->function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i);
      if (at)
        LLVMInstructionSetDebugLoc(i, location(e, at));
    }
    if (last && LLVMHasMetadata(last))
      own_loop(e, last, loop);
  }
}

/* ---- Records ---- */

static LLVMMetadataRef expression(struct emit *e, uint32_t r)
{
  uint32_t number = e->debug->expressions[r];
  return number == IR_NONE ? source(e)->records[r].expression : e->debug->nodes.made[number];
}

/* NULL: lost. */
static LLVMValueRef value_of(struct emit *e, const struct debug_record *record, uint32_t node)
{
  struct debug_place place = debug_place(e->low, record, node, e->part);
  switch (place.kind) {
  case PLACE_SAME: return record->value;
  case PLACE_FRAME: return e->debug->base;
  case PLACE_COPY: break;
  default: return NULL;
  }
  if (place.value < e->low->fn.arg_count)
    return e->part == PART_RAMP ? LLVMGetParam(e->function, place.value) : NULL;
  if (e->low->allocas.of_value[place.value] != IR_NONE)
    return emit_lookup(e, place.value, node);
  return e->values[place.value];
}

void emit_debug_records(struct emit *e, uint32_t inst, uint32_t node)
{
  struct emit_debug *d = e->debug;
  if (!d)
    return;
  LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
  for (uint32_t r = source(e)->record_start[inst]; r < source(e)->record_start[inst + 1]; r++) {
    const struct debug_record *record = &source(e)->records[r];
    if (declared_early(e, record))
      continue;
    LLVMValueRef value = value_of(e, record, node);
    LLVMMetadataRef variable = own(e, record->variable), at = location(e, record->location);
    if (!value && record->declares)
      continue;
    if (!value)
      value = LLVMGetPoison(record->value ? LLVMTypeOf(record->value) : LLVMInt1TypeInContext(e->low->context));
    if (record->declares)
      LLVMDIBuilderInsertDeclareRecordAtEnd(d->builder, value, variable, expression(e, r), at, block);
    else
      LLVMDIBuilderInsertDbgValueRecordAtEnd(d->builder, value, variable, expression(e, r), at, block);
  }
}

/* The parameter of a clone is free to be forgotten once nothing uses it; a variable keeps it. */
static LLVMValueRef keep_frame(struct emit *e)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(e->frame, &length);
  LLVMPositionBuilderBefore(e->aside, LLVMGetFirstInstruction(e->entry));
  LLVMValueRef keeper = LLVMBuildAlloca(e->aside, LLVMTypeOf(e->frame), "");
  char *full = coro_arena_printf(e->low->arena, "%s.debug", name);
  if (full)
    LLVMSetValueName2(keeper, full, strlen(full));
  LLVMBuildStore(e->aside, e->frame, keeper);
  return e->last_alloca = keeper;
}

static void declare_frame(struct emit *e, LLVMValueRef before)
{
  struct emit_debug *d = e->debug;
  uint64_t deref = 0x06; /* DW_OP_deref */
  LLVMMetadataRef expression_of_base = LLVMDIBuilderCreateExpression(d->builder, &deref, e->part != PART_RAMP);
  LLVMMetadataRef scope = own_subprogram(e);
  LLVMMetadataRef at =
      LLVMDIBuilderCreateDebugLocation(e->low->context, LLVMDISubprogramGetLine(scope), 1, scope, NULL);
  LLVMDIBuilderInsertDeclareRecordBefore(d->builder, d->base, d->nodes.made[d->frame_variable], expression_of_base, at,
                                         before);
}

void emit_debug_frame(struct emit *e)
{
  struct emit_debug *d = e->debug;
  bool any = d && d->frame_variable != IR_NONE;
  for (uint32_t r = 0; d && r < source(e)->record_count && !any; r++)
    any = d->expressions[r] != IR_NONE;
  if (!any)
    return;
  d->base = e->part == PART_RAMP ? e->frame : keep_frame(e);
  LLVMValueRef before = e->part == PART_RAMP ? e->head : LLVMGetNextInstruction(d->base);
  for (uint32_t r = 0; r < source(e)->record_count; r++) {
    const struct debug_record *record = &source(e)->records[r];
    if (declared_early(e, record))
      LLVMDIBuilderInsertDeclareRecordBefore(d->builder, d->base, own(e, record->variable), expression(e, r),
                                             location(e, record->location), before);
  }
  if (d->frame_variable != IR_NONE)
    declare_frame(e, before);
}

void emit_debug_landing(struct emit *e, uint32_t node)
{
  struct emit_debug *d = e->debug;
  uint32_t suspend = e->low->cfg.nodes[node].suspend;
  if (!d || d->labels[suspend] == IR_NONE)
    return;
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(e->low->fn.insts[e->low->shape.suspends[suspend].inst]);
  for (LLVMMetadataRef outer = at; outer; outer = LLVMDILocationGetInlinedAt(at))
    at = outer;
  at = LLVMDIBuilderCreateDebugLocation(e->low->context, LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at),
                                        own_subprogram(e), NULL);
  LLVMDIBuilderInsertLabelAtEnd(d->builder, d->nodes.made[d->labels[suspend]], at, e->blocks[node]);
}
