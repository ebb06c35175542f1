/* Emission: the nodes of a part's debug information, all made at its start from one text.
   Needs: low->debug. Leaves: copies of what belongs to the coroutine's subprogram, expressions that lead into the
   frame, a variable for the frame, labels. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emit/debug_parts.h"
#include "llvm-c/DebugInfo.h"

enum { SUBPROGRAM_DECLARATION = 6 }; /* which operand it is */

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
  /* What the ramp said once and for all has to be said in the parts that never come by there. */
  return record->path && (record->declares || (record->for_all && !e->blocks[record->node]));
}

/* Records that hold where the part gets control back; in the ramp where there is a frame. */
static void each_said_again(struct emit *e, void (*visit)(struct emit *e, uint32_t r))
{
  const struct coro_debug *debug = source(e);
  for (uint32_t k = 0; k < debug->moved.count && e->part == PART_RAMP; k++)
    visit(e, debug->moved.items[k]);
  for (uint32_t n = 0; n < e->node_count && debug->again.count; n++) {
    const struct cfg_node *node = &e->low->cfg.nodes[e->nodes[n]];
    if (!node->landing || node->suspend == IR_NONE)
      continue;
    for (uint32_t k = debug->again_start[node->suspend]; k < debug->again_start[node->suspend + 1]; k++)
      visit(e, debug->again.items[k]);
  }
}

/* ---- What is copied ---- */

static bool is_step(const struct emit *e)
{
  return e->part != PART_RAMP && e->low->cfg.returns;
}

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

/* What the subprogram lists whether or not a record is left of it. A part that is one step of many lists what it has
   records of. */
static void number_retained(struct emit *e)
{
  const struct coro_debug *debug = source(e);
  if (debug->retained_count)
    number_copy(e, debug->retained_list);
  for (uint32_t i = 0; i < debug->retained_count && !is_step(e); i++) {
    LLVMMetadataRef scope = ir_node_operand(e->low->arena, e->low->context, debug->retained[i], 0);
    if (scope && number_scope(e, scope))
      number_copy(e, debug->retained[i]);
  }
}

static void number_instruction(struct emit *e, uint32_t inst)
{
  number_location(e, LLVMInstructionGetDebugLoc(e->low->fn.insts[inst]));
  for (uint32_t r = source(e)->record_start[inst]; r < source(e)->record_start[inst + 1]; r++)
    number_record(e, &source(e)->records[r]);
}

/* Instructions that may be made again in this part, for an instruction that is in it. */
static void number_made_again(struct emit *e, uint32_t inst, struct coro_map *seen)
{
  const struct ir_fn *fn = &e->low->fn;
  coro_insts pending = {0};
  uint64_t known;
  for (uint32_t i = inst;; i = pending.items[--pending.count]) {
    for (uint32_t k = fn->operand_start[i]; k < fn->operand_start[i + 1]; k++) {
      uint32_t value = fn->operands[k];
      if (value == IR_NONE || value & IR_BLOCK || !coro_bits_get(&e->low->remat.again, value) ||
          coro_map_get(seen, (uint64_t)value + 1, &known))
        continue;
      uint32_t made = ir_inst_of_value(fn, value);
      number_location(e, LLVMInstructionGetDebugLoc(fn->insts[made]));
      if (!coro_map_put(seen, (uint64_t)value + 1, 1) || !coro_vec_push(e->low->arena, &pending, made))
        return; /* the arena remembers that it failed */
    }
    if (!pending.count)
      return;
  }
}

static void number_again(struct emit *e, uint32_t r)
{
  number_record(e, &source(e)->records[r]);
}

static void number_part(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  number_copy(e, source(e)->subprogram);
  number_copy(e, ir_node_operand(low->arena, low->context, source(e)->subprogram, SUBPROGRAM_DECLARATION));
  number_retained(e);
  struct coro_map made_again;
  coro_map_init(&made_again, low->arena);
  for (uint32_t n = 0; n < e->node_count; n++)
    for (uint32_t i = low->cfg.nodes[e->nodes[n]].first; i < low->cfg.nodes[e->nodes[n]].last; i++) {
      number_instruction(e, i);
      number_made_again(e, i, &made_again);
    }
  each_said_again(e, number_again);
  for (uint32_t k = 0; k < source(e)->early.count; k++)
    if (emit_debug_is_early(e, &source(e)->records[source(e)->early.items[k]]))
      number_record(e, &source(e)->records[source(e)->early.items[k]]);
}

/* ---- What is new ---- */

static void write_retained(struct emit *e, uint32_t number)
{
  struct emit_debug *d = e->debug;
  const char *between = "";
  uint64_t known;
  ir_nodes_print(&d->nodes, "!%" PRIu32 " = !{", number);
  for (uint32_t n = 0; n < d->copied.count; n++)
    if (coro_map_get(&source(e)->is_retained, key(d->copied.items[n]), &known)) {
      ir_nodes_print(&d->nodes, "%s!%" PRIu32, between, n);
      between = ", ";
    }
  ir_nodes_print(&d->nodes, "}\n");
}

/* Where a part that is one step of many begins in the source: the first line behind its suspend, or that of the suspend
   itself; 0: it is not known, or the part is no step. */
static unsigned line_after_suspend(const struct emit *e)
{
  const struct coro_lowering *low = e->low;
  uint32_t landing = is_step(e) ? e->nodes[e->node_count - 1] : 0; /* landings come last in program order */
  if (!low->cfg.nodes[landing].landing || low->cfg.nodes[landing].suspend == IR_NONE)
    return 0;
  uint32_t suspend = low->shape.suspends[low->cfg.nodes[landing].suspend].inst;
  LLVMMetadataRef from = LLVMInstructionGetDebugLoc(low->fn.insts[suspend]);
  for (uint32_t i = suspend + 1; from && i < low->fn.block_start[low->fn.inst_block[suspend] + 1]; i++) {
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(low->fn.insts[i]);
    if (at && LLVMDILocationGetLine(at) && !LLVMDILocationGetInlinedAt(at) &&
        LLVMDIScopeGetFile(LLVMDILocationGetScope(at)) == LLVMDIScopeGetFile(LLVMDILocationGetScope(from)))
      return LLVMDILocationGetLine(at);
  }
  return from && !LLVMDILocationGetInlinedAt(from) ? LLVMDILocationGetLine(from) : 0;
}

static void write_copies(struct emit *e)
{
  struct emit_debug *d = e->debug;
  struct ir_node_change change = {LLVMGetValueName2(e->function, &(size_t){0}), line_after_suspend(e)};
  for (uint32_t n = 0; n < d->copied.count; n++) {
    if (is_step(e) && d->copied.items[n] == source(e)->retained_list) {
      write_retained(e, n);
      continue;
    }
    bool function = LLVMGetMetadataKind(d->copied.items[n]) == LLVMDISubprogramMetadataKind;
    ir_nodes_copy(&d->nodes, n, d->copied.items[n], &d->numbers, function ? &change : NULL);
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

static void put_expression(struct emit *e, struct coro_map *map, uint32_t r, const char *const pieces[4])
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
  coro_map_put(map, (uint64_t)r + 1, number);
}

static void write_expression(struct emit *e, struct coro_map *map, uint32_t r, uint32_t node)
{
  const struct debug_record *record = &source(e)->records[r];
  struct debug_place place = debug_place(e->low, record, node, e->part);
  const char *base = emit_debug_keeps_frame(e) ? "DW_OP_deref" : e->debug->base.operations;
  if (place.kind == PLACE_FRAME)
    put_expression(e, map, r,
                   (const char *const[]){base, path_from_base(e, place.path), record->operations, record->fragment});
  else if (place.kind == PLACE_LOST)
    put_expression(e, map, r, (const char *const[]){"", "", "", record->fragment});
}

static void write_again(struct emit *e, uint32_t r)
{
  uint64_t known;
  if (!coro_map_get(&e->debug->again, (uint64_t)r + 1, &known))
    write_expression(e, &e->debug->again, r, e->part == PART_RAMP ? e->low->cfg.begin_node : 0);
}

static void write_expressions(struct emit *e)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  for (uint32_t k = 0; k < source(e)->early.count; k++)
    if (emit_debug_is_early(e, &source(e)->records[source(e)->early.items[k]]))
      write_expression(e, &e->debug->expressions, source(e)->early.items[k],
                       e->part == PART_RAMP ? cfg->begin_node : 0);
  for (uint32_t n = 0; n < e->node_count; n++) {
    const struct cfg_node *node = &cfg->nodes[e->nodes[n]];
    uint32_t first = source(e)->record_start[node->first], last = source(e)->record_start[node->last];
    for (uint32_t r = first; r < last; r++)
      if (!emit_debug_is_early(e, &source(e)->records[r]))
        write_expression(e, &e->debug->expressions, r, e->nodes[n]);
  }
  each_said_again(e, write_again);
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
  uint32_t number = ir_nodes_number(nodes);
  coro_map_put(&e->debug->labels, (uint64_t)suspend + 1, number);
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
  LLVMMetadataRef old = ir_node_operand(low->arena, low->context, subprogram, DEBUG_SUBPROGRAM_RETAINED);
  unsigned count = old ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(low->context, old)) : 0;
  LLVMMetadataRef *nodes = CORO_NEW_ARRAY(low->arena, LLVMMetadataRef, count + 1);
  for (unsigned i = 0; nodes && i < count; i++)
    nodes[i] = ir_node_operand(low->arena, low->context, old, i);
  if (!nodes)
    return;
  nodes[count] = e->debug->nodes.made[e->debug->frame_variable];
  LLVMReplaceMDNodeOperandWith(LLVMMetadataAsValue(low->context, subprogram), DEBUG_SUBPROGRAM_RETAINED,
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
  coro_map_init(&d->expressions, low->arena);
  coro_map_init(&d->again, low->arena);
  coro_map_init(&d->labels, low->arena);
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
  for (uint32_t n = 0; n < e->node_count && low->debug->full && e->part != PART_RAMP; n++)
    if (low->cfg.nodes[e->nodes[n]].landing && low->cfg.nodes[e->nodes[n]].suspend != IR_NONE)
      write_label(e, low->cfg.nodes[e->nodes[n]].suspend);
  if (d->nodes.count && !ir_nodes_make(&d->nodes))
    return false;
  if (low->debug->frame_type)
    retain_frame_variable(e);
  d->builder = LLVMCreateDIBuilder(low->module);
  if (!emit_in_place(e))
    LLVMSetSubprogram(e->function, d->nodes.made[number_of(d, low->debug->subprogram)]);
  return !coro_arena_failed(low->arena);
}
