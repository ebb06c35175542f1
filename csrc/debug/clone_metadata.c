/* Creates the debug metadata nodes of a clone. LLVM-C cannot create most of them, so all are written as one text and
   parsed when the clone starts.
   Guarantees: copies of the nodes of the coroutine's subprogram, expressions that lead into the frame, a variable for
   the frame, labels. */
#include "debug/clone_metadata.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/starts_with.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "llvm-c/DebugInfo.h"

enum { SUBPROGRAM_DECLARATION = 6 }; /* operand index */

static uint32_t number_of_metadata_copy_or_none(const struct debug_clone *p, LLVMMetadataRef node)
{
  uint64_t number = IR_NONE;
  return node && coro_map_get(&p->numbers, coro_map_key(node), &number) ? (uint32_t)number : IR_NONE;
}

LLVMMetadataRef debug_copy_of_node_or_itself(const struct debug_clone *p, LLVMMetadataRef node)
{
  uint32_t number = number_of_metadata_copy_or_none(p, node);
  return number == IR_NONE ? node : p->nodes.made[number];
}

LLVMMetadataRef debug_clone_subprogram(const struct debug_clone *p)
{
  return debug_is_ramp(p) ? p->low->debug->subprogram : debug_copy_of_node_or_itself(p, p->low->debug->subprogram);
}

/* Without optimization, an alloca holds the frame pointer for the debugger, because a parameter may be lost after
   its last use. With optimization, SROA would split this alloca and DWARF could no longer address the fields. */
bool debug_has_frame_alloca(const struct debug_clone *p)
{
  return p->clone_kind != CLONE_RAMP && !p->low->debug->optimised && !p->has_base;
}

/* With optimization, LLVM's code generator describes a declared variable at a parameter plus an offset in two forms. In
   the form for a copy of the parameter in another register, it loads from the parameter before it adds the offset. A
   value record that ends with a load says the same and is compiled correctly. Entry values are only valid in
   declarations. */
static bool frame_is_declared_by_value(const struct debug_clone *p)
{
  const struct coro_lowering *low = p->low;
  if (!low->debug->optimised || *p->base.operations || low->shape.begin == IR_NONE)
    return false;
  return p->clone_kind != CLONE_RAMP || low->frame_argument != IR_NONE ||
         LLVMIsAArgument(LLVMGetOperand(low->fn.insts[low->shape.begin], BEGIN_MEMORY));
}

/* ---- Records at the frame's start ---- */

static void add_inlined_at_nodes_of_location(struct debug_clone *p, LLVMMetadataRef location)
{
  LLVMMetadataRef at = location ? LLVMDILocationGetInlinedAt(location) : NULL;
  for (; at && !coro_map_has(&p->inlined_calls, coro_map_key(at)); at = LLVMDILocationGetInlinedAt(at))
    if (!coro_map_put(&p->inlined_calls, coro_map_key(at), 1))
      return; /* the arena records the failure */
}

/* The calls whose inlined code or records are in the clone: the inlinedAt nodes of its locations. */
static void find_inlined_at_nodes_of_clone(struct debug_clone *p)
{
  const struct coro_debug *debug = p->low->debug;
  for (uint32_t n = 0; n < p->node_count; n++) {
    const struct cfg_node *node = &p->low->cfg.nodes[p->nodes_of_clone[n]];
    for (uint32_t i = node->first; i < node->last; i++)
      add_inlined_at_nodes_of_location(p, LLVMInstructionGetDebugLoc(p->low->fn.insts[i]));
    for (uint32_t r = debug->record_start[node->first]; r < debug->record_start[node->last]; r++)
      add_inlined_at_nodes_of_location(p, debug->records[r].location);
  }
}

/* A variable of an inlined call is in scope only where the call's code is. Declared in every clone, the variables of a
   chain of coroutines that inline each other's clones would multiply at each of its links. */
static bool is_inlined_call_in_clone(const struct debug_clone *p, const struct debug_record *record)
{
  LLVMMetadataRef call = LLVMDILocationGetInlinedAt(record->location);
  return !call || coro_map_has(&p->inlined_calls, coro_map_key(call));
}

bool debug_emits_record_at_frame_start(const struct debug_clone *p, const struct debug_record *record)
{
  if (!is_inlined_call_in_clone(p, record))
    return false;
  if (p->clone_kind == CLONE_RAMP)
    return record->declares && record->in_frame;
  /* A record that the ramp executes once is repeated in the clones that do not contain its block. */
  return record->path && (record->declares || (record->in_all_clones && !p->blocks[record->node]));
}

/* Visits the records that a clone repeats after a suspend or a join; in the ramp, after coro.begin. */
static void visit_repeated_records(struct debug_clone *p, void (*visit)(struct debug_clone *p, uint32_t r))
{
  const struct coro_debug *debug = p->low->debug;
  for (uint32_t k = 0; k < debug->effective_at_begin.count && p->clone_kind == CLONE_RAMP; k++)
    visit(p, debug->effective_at_begin.items[k]);
  for (uint32_t n = 0; n < p->node_count && debug->repeated.count && p->clone_kind != CLONE_RAMP; n++)
    for (uint32_t k = debug->repeated_start[p->nodes_of_clone[n]]; k < debug->repeated_start[p->nodes_of_clone[n] + 1];
         k++)
      visit(p, debug->repeated.items[k]);
}

/* ---- Nodes to copy ---- */

static bool starts_after_one_suspend(const struct debug_clone *p)
{
  return p->clone_kind != CLONE_RAMP && p->low->cfg.returns;
}

static void assign_number_to_metadata_copy(struct debug_clone *p, LLVMMetadataRef node)
{
  if (!node || coro_map_has(&p->numbers, coro_map_key(node)))
    return;
  coro_map_put(&p->numbers, coro_map_key(node), ir_nodes_number(&p->nodes));
  (void)coro_vec_push(p->low->arena, &p->copied, node);
}

/* Numbers the scopes up to the coroutine's subprogram. Scopes of inlined functions are shared by all clones. */
static bool number_scopes_if_inside_subprogram(struct debug_clone *p, LLVMMetadataRef scope)
{
  LLVMMetadataRef top = scope;
  while (top && !coro_map_has(&p->numbers, coro_map_key(top))) {
    LLVMMetadataKind kind = LLVMGetMetadataKind(top);
    if (kind != LLVMDILexicalBlockMetadataKind && kind != LLVMDILexicalBlockFileMetadataKind)
      break;
    top = ir_node_operand(p->low->arena, p->low->context, top, NODE_BLOCK_SCOPE);
  }
  bool inside = number_of_metadata_copy_or_none(p, top) != IR_NONE;
  for (LLVMMetadataRef at = scope; at && at != top;
       at = ir_node_operand(p->low->arena, p->low->context, at, NODE_BLOCK_SCOPE)) {
    if (inside)
      assign_number_to_metadata_copy(p, at);
    else
      coro_map_put(&p->numbers, coro_map_key(at), IR_NONE);
  }
  return inside;
}

static void number_location_to_copy(struct debug_clone *p, LLVMMetadataRef location)
{
  if (!location || coro_map_has(&p->locations, coro_map_key(location)))
    return;
  coro_map_put(&p->locations, coro_map_key(location), 0); /* visited; created on first use */
  number_scopes_if_inside_subprogram(p, LLVMDILocationGetScope(location));
  if (p->low->debug->exact_lines)
    assign_number_to_metadata_copy(p, location);
  /* The inlinedAt nodes distinguish two calls inlined at the same line. */
  for (LLVMMetadataRef at = LLVMDILocationGetInlinedAt(location); at; at = LLVMDILocationGetInlinedAt(at)) {
    number_scopes_if_inside_subprogram(p, LLVMDILocationGetScope(at));
    assign_number_to_metadata_copy(p, at);
  }
}

static void number_metadata_to_copy_of_record(struct debug_clone *p, const struct debug_record *record)
{
  number_location_to_copy(p, record->location);
  if (number_scopes_if_inside_subprogram(p, LLVMDIVariableGetScope(record->variable)))
    assign_number_to_metadata_copy(p, record->variable);
}

/* Numbers the retained nodes of the subprogram. A clone that is one step of many retains only those it has records
   of. */
static void number_retained_nodes_to_copy(struct debug_clone *p)
{
  const struct coro_debug *debug = p->low->debug;
  if (debug->retained_count)
    assign_number_to_metadata_copy(p, debug->retained_list);
  for (uint32_t i = 0; i < debug->retained_count && !starts_after_one_suspend(p); i++) {
    LLVMMetadataRef scope = ir_node_operand(p->low->arena, p->low->context, debug->retained[i], 0);
    if (scope && number_scopes_if_inside_subprogram(p, scope))
      assign_number_to_metadata_copy(p, debug->retained[i]);
  }
}

static void number_metadata_to_copy_of_inst(struct debug_clone *p, uint32_t inst)
{
  number_location_to_copy(p, LLVMInstructionGetDebugLoc(p->low->fn.insts[inst]));
  for (uint32_t r = p->low->debug->record_start[inst]; r < p->low->debug->record_start[inst + 1]; r++)
    number_metadata_to_copy_of_record(p, &p->low->debug->records[r]);
}

/* Numbers the locations of instructions that the clone may rematerialize for an operand of `inst`. */
static void number_metadata_to_copy_of_remat(struct debug_clone *p, uint32_t inst, struct coro_map *seen)
{
  const struct ir_fn *fn = &p->low->fn;
  coro_insts pending = {0};
  for (uint32_t i = inst;; i = pending.items[--pending.count]) {
    for (uint32_t k = fn->operand_start[i]; k < fn->operand_start[i + 1]; k++) {
      uint32_t value = fn->operands[k];
      if (value == IR_NONE || value & IR_BLOCK || !coro_bits_get(&p->low->remat.rematerialized, value) ||
          coro_map_has(seen, (uint64_t)value + 1))
        continue;
      uint32_t made = ir_inst_of_value(fn, value);
      number_location_to_copy(p, LLVMInstructionGetDebugLoc(fn->insts[made]));
      if (!coro_map_put(seen, (uint64_t)value + 1, 1) || !coro_vec_push(p->low->arena, &pending, made))
        return; /* the arena records the failure */
    }
    if (!pending.count)
      return;
  }
}

static void number_metadata_to_copy_of_repeated(struct debug_clone *p, uint32_t r)
{
  number_metadata_to_copy_of_record(p, &p->low->debug->records[r]);
}

static void number_metadata_to_copy_of_clone(struct debug_clone *p)
{
  const struct coro_lowering *low = p->low;
  assign_number_to_metadata_copy(p, p->low->debug->subprogram);
  assign_number_to_metadata_copy(
      p, ir_node_operand(low->arena, low->context, p->low->debug->subprogram, SUBPROGRAM_DECLARATION));
  number_retained_nodes_to_copy(p);
  struct coro_map seen;
  coro_map_init(&seen, low->arena);
  for (uint32_t n = 0; n < p->node_count; n++)
    for (uint32_t i = low->cfg.nodes[p->nodes_of_clone[n]].first; i < low->cfg.nodes[p->nodes_of_clone[n]].last; i++) {
      number_metadata_to_copy_of_inst(p, i);
      number_metadata_to_copy_of_remat(p, i, &seen);
    }
  visit_repeated_records(p, number_metadata_to_copy_of_repeated);
  for (uint32_t k = 0; k < p->low->debug->at_frame_start.count; k++)
    if (debug_emits_record_at_frame_start(p, &p->low->debug->records[p->low->debug->at_frame_start.items[k]]))
      number_metadata_to_copy_of_record(p, &p->low->debug->records[p->low->debug->at_frame_start.items[k]]);
}

/* ---- New nodes ---- */

static void write_retained_nodes(struct debug_clone *p, uint32_t node_number)
{
  const char *between = "";
  ir_nodes_append_formatted(&p->nodes, "!%" PRIu32 " = !{", node_number);
  for (uint32_t n = 0; n < p->copied.count; n++)
    if (coro_map_has(&p->low->debug->retained_nodes, coro_map_key(p->copied.items[n]))) {
      ir_nodes_append_formatted(&p->nodes, "%s!%" PRIu32, between, n);
      between = ", ";
    }
  ir_nodes_append_formatted(&p->nodes, "}\n");
}

/* The source line of a clone that starts after one suspend: the first line after it, or else the line of the
   suspend. 0: unknown, or the clone starts after several. */
static unsigned source_line_after_suspend_or_0(const struct debug_clone *p)
{
  const struct coro_lowering *low = p->low;
  uint32_t landing =
      starts_after_one_suspend(p) ? p->nodes_of_clone[p->node_count - 1] : 0; /* landings are last in program order */
  if (!low->cfg.nodes[landing].landing)
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

static void write_copied_metadata(struct debug_clone *p)
{
  struct ir_node_change change = {edit_value_name(p->function), source_line_after_suspend_or_0(p)};
  for (uint32_t n = 0; n < p->copied.count; n++) {
    if (starts_after_one_suspend(p) && p->copied.items[n] == p->low->debug->retained_list) {
      write_retained_nodes(p, n);
      continue;
    }
    bool function = LLVMGetMetadataKind(p->copied.items[n]) == LLVMDISubprogramMetadataKind;
    ir_nodes_copy_with_change(&p->nodes, n, p->copied.items[n], &p->numbers, function ? &change : NULL);
  }
}

/* The path from the base parameter to the field. Constant offsets are added, as in LLVM. */
static const char *path_from_base_parameter(struct debug_clone *p, const char *path)
{
  static const char plus[] = "DW_OP_plus_uconst, ";
  uint64_t offset = p->base.offset;
  char *end = NULL;
  if (!offset)
    return path;
  if (coro_starts_with(path, plus)) {
    offset += strtoull(path + strlen(plus), &end, 10);
    path = *end ? end + strlen(", ") : "";
  }
  const char *whole = coro_arena_printf(p->low->arena, "%s%" PRIu64 "%s%s", plus, offset, *path ? ", " : "", path);
  return whole ? whole : "";
}

static void write_expression_node(struct debug_clone *p, struct coro_map *map, uint32_t r, const char *const pieces[5])
{
  struct ir_nodes *nodes = &p->nodes;
  uint32_t number = ir_nodes_number(nodes);
  const char *between = "";
  ir_nodes_append_formatted(nodes, "!%" PRIu32 " = !DIExpression(", number);
  for (unsigned i = 0; i < 5; i++)
    if (*pieces[i]) {
      ir_nodes_append_formatted(nodes, "%s%s", between, pieces[i]);
      between = ", ";
    }
  ir_nodes_append_formatted(nodes, ")\n");
  coro_map_put(map, (uint64_t)r + 1, number);
}

static void write_expression_in_clone(struct debug_clone *p, struct coro_map *map, uint32_t r, uint32_t node)
{
  const struct debug_record *record = &p->low->debug->records[r];
  struct debug_place place = debug_place_of_record_value(p->low, record, node, p->clone_kind);
  const char *base = debug_has_frame_alloca(p) ? "DW_OP_deref" : p->base.operations;
  if (place.kind == PLACE_FRAME)
    write_expression_node(p, map, r,
                          (const char *const[]){base, path_from_base_parameter(p, place.path), record->operations,
                                                record->declares && p->frame_declared_by_value ? "DW_OP_deref" : "",
                                                record->fragment});
  else if (place.kind == PLACE_LOST)
    write_expression_node(p, map, r, (const char *const[]){"", "", "", "", record->fragment});
}

static void write_expressions_of_repeated_record(struct debug_clone *p, uint32_t r)
{
  if (!coro_map_has(&p->repeated, (uint64_t)r + 1))
    write_expression_in_clone(p, &p->repeated, r, p->clone_kind == CLONE_RAMP ? p->low->cfg.begin_node : 0);
}

static void write_expressions_of_records(struct debug_clone *p)
{
  const struct coro_cfg *cfg = &p->low->cfg;
  for (uint32_t k = 0; k < p->low->debug->at_frame_start.count; k++)
    if (debug_emits_record_at_frame_start(p, &p->low->debug->records[p->low->debug->at_frame_start.items[k]]))
      write_expression_in_clone(p, &p->expressions, p->low->debug->at_frame_start.items[k],
                                p->clone_kind == CLONE_RAMP ? cfg->begin_node : 0);
  for (uint32_t n = 0; n < p->node_count; n++) {
    const struct cfg_node *node = &cfg->nodes[p->nodes_of_clone[n]];
    uint32_t first = p->low->debug->record_start[node->first], last = p->low->debug->record_start[node->last];
    for (uint32_t r = first; r < last; r++)
      if (!debug_emits_record_at_frame_start(p, &p->low->debug->records[r]))
        write_expression_in_clone(p, &p->expressions, r, p->nodes_of_clone[n]);
  }
  visit_repeated_records(p, write_expressions_of_repeated_record);
}

static void write_subprogram_reference(struct debug_clone *p, uint32_t node_number, uint32_t operand)
{
  if (debug_is_ramp(p))
    ir_nodes_append_reference(&p->nodes, node_number, operand, p->low->debug->subprogram);
  else
    ir_nodes_append_formatted(&p->nodes, "!%" PRIu32, number_of_metadata_copy_or_none(p, p->low->debug->subprogram));
}

/* The type of the frame in this clone, or NULL. */
static LLVMMetadataRef frame_type_of_clone_or_null(const struct debug_clone *p)
{
  bool any = p->clone_kind == CLONE_DESTROY || p->clone_kind == CLONE_CLEANUP;
  return p->low->debug->frame_types[any ? FRAME_ANY : FRAME_RESUMABLE];
}

static void write_frame_variable(struct debug_clone *p)
{
  struct ir_nodes *nodes = &p->nodes;
  LLVMMetadataRef subprogram = p->low->debug->subprogram;
  uint32_t number = p->frame_variable = ir_nodes_number(nodes);
  ir_nodes_append_formatted(nodes, "!%" PRIu32 " = !DILocalVariable(name: \"" FRAME_VARIABLE "\", scope: ", number);
  write_subprogram_reference(p, number, 0);
  ir_nodes_append_formatted(nodes, ", file: ");
  ir_nodes_append_reference(nodes, number, 2, LLVMDIScopeGetFile(subprogram));
  ir_nodes_append_formatted(nodes, ", line: %u, type: ", LLVMDISubprogramGetLine(subprogram));
  ir_nodes_append_reference(nodes, number, 3, frame_type_of_clone_or_null(p));
  ir_nodes_append_formatted(nodes, ", flags: DIFlagArtificial)\n");
}

/* Line 0 gets no label: LLVM prints such a label without a line and cannot parse it. */
static void write_suspend_label(struct debug_clone *p, uint32_t suspend)
{
  struct ir_nodes *nodes = &p->nodes;
  const struct coro_suspend *s = &p->low->shape.suspends[suspend];
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(p->low->fn.insts[s->inst]);
  if (!at || !LLVMDILocationGetLine(at))
    return;
  uint32_t number = ir_nodes_number(nodes);
  coro_map_put(&p->labels, (uint64_t)suspend + 1, number);
  ir_nodes_append_formatted(nodes, "!%" PRIu32 " = !DILabel(scope: ", number);
  write_subprogram_reference(p, number, 0);
  ir_nodes_append_formatted(nodes, ", name: \"__coro_resume_%u\", file: ", (unsigned)s->index);
  ir_nodes_append_reference(nodes, number, 2, LLVMDIScopeGetFile(LLVMDILocationGetScope(at)));
  ir_nodes_append_formatted(nodes, ", line: %u, column: %u, isArtificial: true, coroSuspendIdx: %u)\n",
                            LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at), (unsigned)s->index);
}

/* Optimizers may drop the frame's location. A retained node keeps the variable visible to debuggers. */
static void retain_frame_variable(struct debug_clone *p)
{
  const struct coro_lowering *low = p->low;
  LLVMMetadataRef subprogram = debug_clone_subprogram(p);
  LLVMMetadataRef old = ir_node_operand(low->arena, low->context, subprogram, DEBUG_SUBPROGRAM_RETAINED);
  unsigned count = old ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(low->context, old)) : 0;
  LLVMMetadataRef *nodes = CORO_NEW_ARRAY(low->arena, LLVMMetadataRef, count + 1);
  for (unsigned i = 0; nodes && i < count; i++)
    nodes[i] = ir_node_operand(low->arena, low->context, old, i);
  if (!nodes)
    return;
  nodes[count] = p->nodes.made[p->frame_variable];
  LLVMReplaceMDNodeOperandWith(LLVMMetadataAsValue(low->context, subprogram), DEBUG_SUBPROGRAM_RETAINED,
                               LLVMMDNodeInContext2(low->context, nodes, count + 1));
}

bool debug_clone_create_metadata(struct debug_clone *p)
{
  const struct coro_lowering *low = p->low;
  ir_nodes_init(&p->nodes, low->arena, low->context);
  coro_map_init(&p->numbers, low->arena);
  coro_map_init(&p->locations, low->arena);
  coro_map_init(&p->expressions, low->arena);
  coro_map_init(&p->repeated, low->arena);
  coro_map_init(&p->labels, low->arena);
  coro_map_init(&p->inlined_calls, low->arena);
  p->frame_variable = IR_NONE;
  p->frame_declared_by_value = frame_is_declared_by_value(p);
  find_inlined_at_nodes_of_clone(p);
  if (!debug_is_ramp(p)) {
    number_metadata_to_copy_of_clone(p);
    write_copied_metadata(p);
  }
  write_expressions_of_records(p);
  if (frame_type_of_clone_or_null(p))
    write_frame_variable(p);
  for (uint32_t n = 0; n < p->node_count && low->debug->full && p->clone_kind != CLONE_RAMP; n++)
    if (low->cfg.nodes[p->nodes_of_clone[n]].landing)
      write_suspend_label(p, low->cfg.nodes[p->nodes_of_clone[n]].suspend);
  if (p->nodes.count && !ir_nodes_parse(&p->nodes))
    return false;
  if (frame_type_of_clone_or_null(p))
    retain_frame_variable(p);
  p->builder = LLVMCreateDIBuilder(low->module);
  if (!debug_is_ramp(p))
    LLVMSetSubprogram(p->function, p->nodes.made[number_of_metadata_copy_or_none(p, low->debug->subprogram)]);
  return !coro_arena_failed(low->arena);
}
