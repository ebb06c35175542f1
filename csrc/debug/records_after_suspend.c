/* Finds the debug records that a clone must repeat after a suspend. A clone starts without any debug record, so a
   variable with a value from before the suspend would be unknown there. A forward must-analysis over the CFG finds,
   for each landing and each join after one, the single record that reaches it on all paths; the clone repeats that
   record at the block's head.
   Requires: low->debug's records.
   Guarantees: their variables are numbered; debug->repeated, debug->effective_at_begin and debug->in_scope are filled.
   */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compare.h"
#include "debug/records.h"
#include "llvm-c/DebugInfo.h"
#include "transform/debug_nodes.h"

enum { MOST_AT_LANDING = 128 }; /* limit of variables inspected per landing, from the innermost scope outwards */

struct search {
  struct coro_lowering *low;
  struct coro_debug *debug;
  struct coro_map nodes, variables, pieces, fragments;
  uint32_t node_count, variable_count, fragment_count;
  CORO_VEC(struct debug_piece) all; /* indexed by number */
  struct coro_map first_in; /* (scope, inlinedAt) -> the first variable + 1 there */
  uint32_t *next_in; /* indexed by variable: the next one in the same scope + 1, or 0 */
  uint32_t *piece_start, *piece_of; /* indexed by variable: its pieces */
  uint32_t *first; /* indexed by variable: its first record + 1 */
  uint32_t *sole; /* indexed by variable: its first record + 1 if all others are equal to it, else 0 */
  struct coro_bits unclear; /* set of variables that are declared, or have overlapping pieces */
  CORO_VEC(struct graph_def) defs;
  CORO_VEC(uint32_t) record_of_def;
  CORO_VEC(struct graph_query) queries;
};

static uint32_t find_or_assign_number_of_key(struct coro_map *map, uint64_t name, uint32_t *count)
{
  uint64_t number = *count;
  if (!coro_map_get(map, name, &number) && coro_map_put(map, name, number))
    ++*count;
  return (uint32_t)number;
}

static uint32_t node_number(struct search *s, LLVMMetadataRef node) /* NULL has a number, too */
{
  return find_or_assign_number_of_key(&s->nodes, node ? (uint64_t)(uintptr_t)node : 1, &s->node_count);
}

static uint64_t key_of_scope_and_inlining(struct search *s, LLVMMetadataRef scope, LLVMMetadataRef inlined)
{
  return coro_map_pair(node_number(s, scope), node_number(s, inlined));
}

static bool number_variable_and_piece_of_record(struct search *s, struct debug_record *record)
{
  uint32_t offset = 0, size = UINT32_MAX, pieces = s->all.count;
  if (*record->fragment && sscanf(record->fragment, "DW_OP_LLVM_fragment, %" SCNu32 ", %" SCNu32, &offset, &size) != 2)
    size = UINT32_MAX;
  LLVMMetadataRef inlined = LLVMDILocationGetInlinedAt(record->location);
  uint32_t fragment = find_or_assign_number_of_key(&s->fragments, coro_map_pair(offset, size), &s->fragment_count);
  record->whole = find_or_assign_number_of_key(&s->variables, key_of_scope_and_inlining(s, record->variable, inlined),
                                               &s->variable_count);
  record->piece = find_or_assign_number_of_key(&s->pieces, coro_map_pair(record->whole, fragment), &pieces);
  if (record->piece < s->all.count)
    return true;
  return coro_vec_push(s->low->arena, &s->all, ((struct debug_piece){record->whole, record->piece, offset, size}));
}

/* For each variable, its first record + 1 if all others are equal to it, else 0. Whether it reaches a place is not
   known. */
static bool find_sole_records_of_variables(struct search *s)
{
  struct coro_debug *debug = s->debug;
  uint32_t *first = s->first = CORO_NEW_ARRAY(s->low->arena, uint32_t, s->variable_count);
  s->sole = CORO_NEW_ARRAY(s->low->arena, uint32_t, s->variable_count);
  if (!first || !s->sole)
    return false;
  for (uint32_t r = 0; r < debug->record_count; r++) {
    const struct debug_record *record = &debug->records[r];
    if (!first[record->whole]) {
      s->sole[record->whole] = first[record->whole] = r + 1;
      continue;
    }
    const struct debug_record *known = &debug->records[first[record->whole] - 1];
    if (known->value != record->value || known->expression != record->expression)
      s->sole[record->whole] = 0;
  }
  return true;
}

/* Marks the records at the start of the frame that dominate every suspend, if all records of their variable are
   equal. */
static void mark_records_valid_in_all_clones(struct search *s)
{
  const struct coro_cfg *cfg = &s->low->cfg;
  uint32_t common = GRAPH_NONE; /* nearest common dominator of all suspends */
  for (uint32_t k = 0; k < s->low->shape.suspend_count; k++) {
    uint32_t landing = cfg_landing(cfg, k);
    if (cfg->rpo.number[landing] == GRAPH_NONE)
      continue;
    common = common == GRAPH_NONE ? landing : common;
    while (!graph_dominates(&cfg->dom, common, landing))
      common = cfg->dom.idom[common];
  }
  for (uint32_t k = 0; k < s->debug->at_frame_start.count; k++) {
    struct debug_record *record = &s->debug->records[s->debug->at_frame_start.items[k]];
    record->in_all_clones = !record->declares && !record->copies_memory &&
                            s->sole[record->whole] == s->debug->at_frame_start.items[k] + 1 && common != GRAPH_NONE &&
                            graph_dominates(&cfg->dom, record->node, common);
  }
}

static int compare_pieces(const void *a, const void *b)
{
  const struct debug_piece *x = a, *y = b;
  int order = compare_numbers(x->variable, y->variable);
  return order ? order : compare_numbers(x->offset, y->offset);
}

static bool group_pieces_and_mark_unclear_variables(struct search *s)
{
  struct coro_arena *arena = s->low->arena;
  struct debug_piece *sorted = CORO_NEW_ARRAY(arena, struct debug_piece, s->all.count);
  s->piece_start = CORO_NEW_ARRAY(arena, uint32_t, s->variable_count + 1);
  s->piece_of = CORO_NEW_ARRAY(arena, uint32_t, s->all.count);
  if (!sorted || !s->piece_start || !s->piece_of || !coro_bits_init(&s->unclear, arena, s->variable_count))
    return false;
  for (uint32_t p = 0; p < s->all.count; p++)
    sorted[p] = s->all.items[p];
  qsort(sorted, s->all.count, sizeof *sorted, compare_pieces);
  for (uint32_t p = 0; p < s->all.count; p++) {
    s->piece_start[sorted[p].variable + 1] = p + 1;
    s->piece_of[p] = sorted[p].number;
    if (p && sorted[p].variable == sorted[p - 1].variable &&
        sorted[p].offset - sorted[p - 1].offset < sorted[p - 1].size)
      coro_bits_set(&s->unclear, sorted[p].variable);
  }
  for (uint32_t r = 0; r < s->debug->record_count; r++)
    if (s->debug->records[r].declares)
      coro_bits_set(&s->unclear, s->debug->records[r].whole);
  return true;
}

static bool group_variables_by_scope(struct search *s)
{
  struct coro_bits seen;
  s->next_in = CORO_NEW_ARRAY(s->low->arena, uint32_t, s->variable_count);
  if (!s->next_in || !coro_bits_init(&seen, s->low->arena, s->variable_count))
    return false;
  for (uint32_t r = s->debug->record_count; r--;) { /* backwards, so that the lists are in program order */
    const struct debug_record *record = &s->debug->records[r];
    uint64_t next = 0, place = key_of_scope_and_inlining(s, LLVMDIVariableGetScope(record->variable),
                                                         LLVMDILocationGetInlinedAt(record->location));
    if (coro_bits_get(&seen, record->whole))
      continue;
    coro_bits_set(&seen, record->whole);
    coro_map_get(&s->first_in, place, &next);
    s->next_in[record->whole] = (uint32_t)next;
    if (!coro_map_put(&s->first_in, place, (uint64_t)record->whole + 1))
      return false;
  }
  return true;
}

/* The first record of a variable if it is a declaration and all others are equal to it, else IR_NONE. */
static uint32_t declaration_if_only_record_of_variable(const struct search *s, uint32_t variable)
{
  uint32_t sole = s->sole[variable];
  return sole && s->debug->records[sole - 1].declares ? sole - 1 : IR_NONE;
}

/* Queries the pieces of a variable at a node, which is the landing of `suspend`, or of none. */
static bool add_queries_of_variable(struct search *s, uint32_t variable, uint32_t node, uint32_t suspend)
{
  if (coro_bits_get(&s->unclear, variable)) {
    struct debug_in_scope found = {s->piece_of[s->piece_start[variable]], suspend,
                                   declaration_if_only_record_of_variable(s, variable)};
    return suspend == IR_NONE || coro_vec_push(s->low->arena, &s->debug->in_scope, found);
  }
  for (uint32_t p = s->piece_start[variable]; p < s->piece_start[variable + 1]; p++)
    if (!coro_vec_push(s->low->arena, &s->queries, ((struct graph_query){.variable = s->piece_of[p], .node = node})))
      return false;
  return true;
}

/* Queries the variables that a debugger would show at `location`, from the innermost scope outwards. */
static bool add_queries_of_variables_in_scope(struct search *s, LLVMMetadataRef location, uint32_t node,
                                              uint32_t suspend)
{
  uint32_t left = MOST_AT_LANDING;
  if (!location && suspend != IR_NONE)
    coro_bits_set(&s->debug->scope_unknown, suspend);
  for (LLVMMetadataRef at = location; at; at = LLVMDILocationGetInlinedAt(at))
    for (LLVMMetadataRef scope = LLVMDILocationGetScope(at); scope;) {
      uint64_t variable = 0;
      coro_map_get(&s->first_in, key_of_scope_and_inlining(s, scope, LLVMDILocationGetInlinedAt(at)), &variable);
      for (; variable; variable = s->next_in[variable - 1], left--) {
        if (!left && suspend != IR_NONE)
          coro_bits_set(&s->debug->scope_unknown, suspend);
        if (!left || !add_queries_of_variable(s, (uint32_t)variable - 1, node, suspend))
          return !coro_arena_failed(s->low->arena);
      }
      LLVMMetadataKind kind = LLVMGetMetadataKind(scope);
      bool block = kind == LLVMDILexicalBlockMetadataKind || kind == LLVMDILexicalBlockFileMetadataKind;
      scope = block ? ir_node_operand(s->low->arena, s->low->context, scope, NODE_BLOCK_SCOPE) : NULL;
    }
  return true;
}

/* The record names an address in the frame but is placed before coro.begin. It takes effect at coro.begin. */
static bool takes_effect_at_begin(const struct search *s, const struct debug_record *record)
{
  return !record->declares && record->in_frame && !cfg_has_frame(&s->low->cfg, CLONE_RAMP, record->node);
}

/* Lists the records that are definitions of their variables, and queries which one reaches llvm.coro.begin. */
static bool collect_record_definitions(struct search *s)
{
  for (uint32_t r = 0; r < s->debug->record_count; r++) {
    const struct debug_record *record = &s->debug->records[r];
    if (!record->declares &&
        (!coro_vec_push(s->low->arena, &s->record_of_def, r) ||
         !coro_vec_push(s->low->arena, &s->defs, ((struct graph_def){record->piece, record->node}))))
      return false;
    if (takes_effect_at_begin(s, record) && !add_queries_of_variable(s, record->whole, s->low->cfg.begin_node, IR_NONE))
      return false;
  }
  return true;
}

static bool may_repeat_record_after_suspend(const struct debug_record *record)
{
  return !record->copies_memory && record->value && record->operations && !LLVMIsUndef(record->value);
}

/* The record that is valid at the node, or IR_NONE. */
static uint32_t record_answering_query_or_none(const struct search *s, const struct graph_query *asked)
{
  uint32_t variable = s->all.items[asked->variable].variable, home = s->debug->frame_records[variable];
  if (home) { /* the address in the frame is valid whatever the value is */
    uint32_t node = s->debug->records[s->first[variable] - 1].node;
    return graph_dominates(&s->low->cfg.dom, node, asked->node) ? home - 1 : IR_NONE;
  }
  if (asked->def == GRAPH_NONE)
    return IR_NONE;
  /* such a record may also be emitted at the start of the clone */
  return s->sole[variable] ? s->sole[variable] - 1 : s->record_of_def.items[asked->def];
}

/* The suspend with this landing, or IR_NONE. */
static uint32_t suspend_of_landing_or_none(const struct search *s, uint32_t node)
{
  const struct coro_cfg *cfg = &s->low->cfg;
  return cfg->nodes[node].landing && cfg->rpo.number[node] != GRAPH_NONE ? cfg->nodes[node].suspend : IR_NONE;
}

static bool store_reaching_records(struct search *s, uint32_t first_query)
{
  struct coro_debug *debug = s->debug;
  uint32_t nodes = s->low->cfg.node_count;
  struct coro_bits effective_at_begin; /* indexed by record */
  debug->repeated_start = CORO_NEW_ARRAY(s->low->arena, uint32_t, nodes + 1);
  if (!debug->repeated_start || !coro_bits_init(&effective_at_begin, s->low->arena, debug->record_count))
    return false;
  for (uint32_t a = 0; a < s->queries.count; a++) {
    const struct graph_query *asked = &s->queries.items[a];
    uint32_t r = record_answering_query_or_none(s, asked), suspend = suspend_of_landing_or_none(s, asked->node);
    if (r != IR_NONE && !may_repeat_record_after_suspend(&debug->records[r]))
      r = IR_NONE;
    struct debug_in_scope found = {asked->variable, suspend, r};
    if (suspend != IR_NONE && a >= first_query && !coro_vec_push(s->low->arena, &debug->in_scope, found))
      return false;
    if (r == IR_NONE)
      continue;
    if (a >= first_query) {
      if (!coro_vec_push(s->low->arena, &debug->repeated, r))
        return false;
      debug->repeated_start[asked->node + 1] = debug->repeated.count;
    } else if (takes_effect_at_begin(s, &debug->records[r]) && !coro_bits_get(&effective_at_begin, r)) {
      coro_bits_set(&effective_at_begin, r);
      if (!coro_vec_push(s->low->arena, &debug->effective_at_begin, r))
        return false;
    }
  }
  for (uint32_t n = 0; n < nodes; n++)
    if (debug->repeated_start[n + 1] < debug->repeated_start[n])
      debug->repeated_start[n + 1] = debug->repeated_start[n];
  return true;
}

/* For each node, the suspend + 1 if it is a landing or starts a reload region directly after one, else 0. NULL: out
   of memory. */
static uint32_t *suspend_plus_one_before_each_node(const struct search *s)
{
  const struct coro_cfg *cfg = &s->low->cfg;
  uint32_t *suspend_at = CORO_NEW_ARRAY(s->low->arena, uint32_t, cfg->node_count);
  for (uint32_t k = 0; suspend_at && k < s->low->shape.suspend_count; k++) {
    uint32_t landing = cfg_landing(cfg, k);
    suspend_at[landing] = k + 1;
    for (uint32_t e = cfg->nodes[landing].edge_start; e < cfg->nodes[landing + 1].edge_start; e++) {
      uint32_t to = cfg->edges[e].to;
      bool begins = s->low->crossing.reload_region[to] == to && !coro_bits_get(&s->low->crossing.maybe_freed, to) &&
                    !cfg_is_catchswitch(cfg, &s->low->fn, to);
      if (begins && !suspend_at[to])
        suspend_at[to] = k + 1;
    }
  }
  return suspend_at;
}

static bool answer_reaching_record_queries(struct search *s)
{
  const struct coro_lowering *low = s->low;
  uint32_t first_query = s->queries.count;
  uint32_t *suspend_at = suspend_plus_one_before_each_node(s);
  if (!suspend_at)
    return false;
  for (uint32_t n = 0; n < low->cfg.node_count; n++)
    if (suspend_at[n] && !add_queries_of_variables_in_scope(
                             s, LLVMInstructionGetDebugLoc(low->fn.insts[low->shape.suspends[suspend_at[n] - 1].inst]),
                             n, suspend_of_landing_or_none(s, n)))
      return false;
  struct graph_reaching question = {s->defs.items, s->queries.items, s->defs.count, s->queries.count, s->all.count};
  return graph_find_unique_reaching_definitions(&question, s->low->arena, &s->low->cfg.graph, &s->low->cfg.dom) &&
         store_reaching_records(s, first_query);
}

bool debug_find_records_after_suspend(struct coro_lowering *low, struct coro_debug *debug)
{
  struct search s = {.low = low, .debug = debug};
  struct coro_map *maps[] = {&s.nodes, &s.variables, &s.pieces, &s.fragments, &s.first_in};
  for (size_t m = 0; m < sizeof maps / sizeof *maps; m++)
    coro_map_init(maps[m], low->arena);
  for (uint32_t r = 0; r < debug->record_count; r++)
    if (!number_variable_and_piece_of_record(&s, &debug->records[r]))
      return false;
  if (!find_sole_records_of_variables(&s) || !debug_find_memory_copies(low, debug, s.variable_count))
    return false;
  if (low->cfg.begin_node == IR_NONE)
    return true; /* no record outlives a suspend */
  mark_records_valid_in_all_clones(&s);
  debug->pieces = s.all.items;
  return coro_bits_init(&debug->scope_unknown, low->arena, low->shape.suspend_count) &&
         group_pieces_and_mark_unclear_variables(&s) && group_variables_by_scope(&s) &&
         collect_record_definitions(&s) && answer_reaching_record_queries(&s);
}
