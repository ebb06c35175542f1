/* Emission: the nodes of a part's debug information, all made at its start from one text.
   Needs: low->debug. Leaves: copies of what belongs to the coroutine's subprogram, expressions that lead into the
   frame, a variable for the frame, labels. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coro/emit_debug_parts.h"
#include "llvm-c/DebugInfo.h"

enum { SUBPROGRAM_DECLARATION = 6, SUBPROGRAM_RETAINED = 7 }; /* operands */

/* The parameter of a clone may be forgotten once nothing uses it, so that without optimisation a variable keeps it.
   Optimisers would take that variable apart, and could not say any more where a field of the frame is. */
bool emit_debug_keeps_frame(const struct emit *e)
{
  return e->part != PART_RAMP && !source(e)->optimised && !e->debug->has_base;
}

bool emit_debug_is_early(const struct emit *e, const struct debug_record *record)
{
  if (e->part == PART_RAMP)
    return record->declares && record->in_frame;
  /* A value that the ramp gave a variable once and for all has to be said in the parts that never come by there. */
  bool by_ramp = record->only && e->low->cfg.nodes[record->node].parts & PART_RAMP && !e->blocks[record->node];
  if (!record->declares && !by_ramp)
    return false;
  return debug_place(e->low, record, 0, e->part).kind == PLACE_FRAME;
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
  bool inside = number_of(d, top) != IR_NONE;
  for (LLVMMetadataRef at = scope; at && at != top;
       at = ir_node_operand(e->low->arena, e->low->context, at, BLOCK_SCOPE)) {
    if (inside)
      number_copy(e, at);
    else
      coro_map_put(&d->numbers, key(at), IR_NONE);
  }
  return inside;
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
    if (emit_debug_is_early(e, &source(e)->records[r]))
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

/* From the base to where `path` leads from the frame. Offsets are added up, as LLVM does it. */
static const char *path_from_base(struct emit *e, const char *path)
{
  static const char plus[] = "DW_OP_plus_uconst, ";
  uint64_t offset = e->debug->base.offset;
  char *end = NULL;
  if (!offset)
    return path;
  if (!strncmp(path, plus, strlen(plus))) {
    offset += strtoull(path + strlen(plus), &end, 10);
    path = *end ? end + strlen(", ") : "";
  }
  const char *whole = coro_arena_printf(e->low->arena, "%s%" PRIu64 "%s%s", plus, offset, *path ? ", " : "", path);
  return whole ? whole : "";
}

static uint32_t write_operations(struct emit *e, const char *const pieces[4])
{
  struct ir_nodes *nodes = &e->debug->nodes;
  uint32_t number = ir_nodes_number(nodes);
  const char *between = "";
  ir_nodes_print(nodes, "!%" PRIu32 " = !DIExpression(", number);
  for (unsigned i = 0; i < 4; i++)
    if (*pieces[i]) {
      ir_nodes_print(nodes, "%s%s", between, pieces[i]);
      between = ", ";
    }
  ir_nodes_print(nodes, ")\n");
  return number;
}

static void write_expression(struct emit *e, uint32_t r, uint32_t node)
{
  const struct debug_record *record = &source(e)->records[r];
  struct debug_place place = debug_place(e->low, record, node, e->part);
  const char *base = emit_debug_keeps_frame(e) ? "DW_OP_deref" : e->debug->base.operations;
  if (place.kind == PLACE_FRAME)
    e->debug->expressions[r] = write_operations(
        e, (const char *const[]){base, path_from_base(e, place.path), record->operations, record->fragment});
  else if (place.kind == PLACE_LOST)
    e->debug->expressions[r] = write_operations(e, (const char *const[]){"", "", "", record->fragment});
}

static void write_expressions(struct emit *e)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  for (uint32_t r = 0; r < source(e)->record_count; r++) {
    const struct debug_record *record = &source(e)->records[r];
    if (emit_debug_is_early(e, record))
      write_expression(e, r, e->part == PART_RAMP ? cfg->begin_node : 0);
    else if (e->blocks[record->node] && !cfg->nodes[record->node].folded)
      write_expression(e, r, record->node);
  }
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

/* Optimisers may leave no place where the frame is; a debugger then still knows of it. */
static void retain_frame_variable(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  LLVMMetadataRef subprogram = own_subprogram(e);
  LLVMMetadataRef old = ir_node_operand(low->arena, low->context, subprogram, SUBPROGRAM_RETAINED);
  unsigned count = old ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(low->context, old)) : 0;
  LLVMMetadataRef *nodes = CORO_NEW_ARRAY(low->arena, LLVMMetadataRef, count + 1);
  for (unsigned i = 0; nodes && i < count; i++)
    nodes[i] = ir_node_operand(low->arena, low->context, old, i);
  if (!nodes)
    return;
  nodes[count] = e->debug->nodes.made[e->debug->frame_variable];
  LLVMReplaceMDNodeOperandWith(LLVMMetadataAsValue(low->context, subprogram), SUBPROGRAM_RETAINED,
                               LLVMMDNodeInContext2(low->context, nodes, count + 1));
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
  if (!d->expressions || !d->labels || !coro_bits_init(&d->variables, low->arena, low->debug->record_count))
    return false;
  memset(d->expressions, 0xff, low->debug->record_count * sizeof *d->expressions);
  memset(d->labels, 0xff, low->shape.suspend_count * sizeof *d->labels);
  d->frame_variable = IR_NONE;
  d->base.operations = "";
  d->has_base = e->hooks->debug_base && e->hooks->debug_base(e, &d->base);
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
  if (low->debug->frame_type)
    retain_frame_variable(e);
  d->builder = LLVMCreateDIBuilder(low->module);
  if (!emit_in_place(e))
    LLVMSetSubprogram(e->function, d->nodes.made[number_of(d, low->debug->subprogram)]);
  return !coro_arena_failed(low->arena);
}
