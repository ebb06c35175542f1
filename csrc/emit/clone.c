/* Drives the emission of one clone or the ramp: finds the nodes of a function, creates its blocks and entry, and copies
   the nodes. A clone entered at one landing finds its nodes by reachability, at a cost of its own size, because there
   may be one per suspend. Otherwise analysis/cfg.c has found them. */
#include "emit/clone.h"

#include <stdlib.h>

#include "check/witness.h"
#include "emit/copy_nodes.h"
#include "emit/debug.h"
#include "emit/declare.h"
#include "ir/edit.h"

static int compare_keys(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

static bool is_node_emitted_in_clone(const struct emit *e, uint32_t node)
{
  return e->low->cfg.nodes[node].clone_kinds & e->clone_kind && !e->low->cfg.nodes[node].folded;
}

static bool collect_all_nodes_of_clone(struct emit *e)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  e->order = CORO_NEW_ARRAY(e->low->arena, uint32_t, cfg->node_count);
  e->nodes = CORO_NEW_ARRAY(e->low->arena, uint32_t, cfg->node_count);
  if (!e->order || !e->nodes)
    return false;
  for (uint32_t i = 0; i < cfg->rpo.count; i++)
    if (is_node_emitted_in_clone(e, cfg->rpo.order[i]))
      e->order[e->node_count++] = cfg->rpo.order[i];
  for (uint32_t n = 0, count = 0; n < cfg->node_count; n++)
    if (is_node_emitted_in_clone(e, n) && cfg->rpo.number[n] != GRAPH_NONE)
      e->nodes[count++] = n;
  return true;
}

static bool collect_reachable_nodes(struct emit *e, uint32_t landing, coro_insts *reached)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  struct coro_map visited;
  coro_map_init(&visited, e->low->arena);
  if (!coro_map_put(&visited, landing, 1) || !coro_vec_push(e->low->arena, reached, landing))
    return false;
  for (uint32_t i = 0; i < reached->count; i++) {
    uint32_t node = reached->items[i];
    for (uint32_t k = cfg->nodes[node].edge_start; k < cfg->nodes[node + 1].edge_start; k++) {
      uint32_t to = cfg->edges[k].to;
      if (!(cfg->edges[k].clone_kinds & e->clone_kind) || coro_map_has(&visited, to))
        continue;
      if (!coro_map_put(&visited, to, 1) || !coro_vec_push(e->low->arena, reached, to))
        return false;
    }
  }
  return true;
}

static bool collect_nodes_from_landing(struct emit *e)
{
  coro_insts reached = {0};
  if (!collect_reachable_nodes(e, e->landing, &reached))
    return false;
  uint64_t *keys = CORO_NEW_ARRAY(e->low->arena, uint64_t, reached.count);
  e->order = CORO_NEW_ARRAY(e->low->arena, uint32_t, reached.count);
  e->nodes = reached.items;
  e->node_count = reached.count;
  if (!keys || !e->order)
    return false;
  for (uint32_t i = 0; i < e->node_count; i++)
    keys[i] = (uint64_t)e->low->cfg.rpo.number[reached.items[i]] << 32 | reached.items[i];
  qsort(keys, e->node_count, sizeof *keys, compare_keys);
  for (uint32_t i = 0; i < e->node_count; i++)
    keys[i] = e->order[i] = (uint32_t)keys[i];
  qsort(keys, e->node_count, sizeof *keys, compare_keys);
  for (uint32_t i = 0; i < e->node_count; i++)
    e->nodes[i] = (uint32_t)keys[i];
  return true;
}

static const char *name_of_emitted_block(const struct emit *e, uint32_t node)
{
  const struct cfg_node *n = &e->low->cfg.nodes[node];
  const char *source = LLVMGetBasicBlockName(e->low->fn.blocks[n->block]);
  const char *name = source;
  if (cfg_is_unwound_landing(&e->low->cfg, node))
    name = "destroy.done";
  else if (n->landing)
    name = coro_arena_append_number(e->low->arena, "resume.", e->low->shape.suspends[n->suspend].index);
  else if (*source)
    name = coro_arena_concatenate(e->low->arena, source, e->low->cfg.first_node[n->block] != node ? ".after" : "");
  return name ? name : "";
}

/* Creates the function's blocks. In the ramp they take the names of the presplit blocks. */
static bool make_emitted_blocks(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  const char **names = CORO_NEW_ARRAY(low->arena, const char *, e->node_count);
  if (!names)
    return false;
  for (uint32_t i = 0; i < e->node_count; i++)
    names[i] = name_of_emitted_block(e, e->nodes[i]);
  if (emit_in_place(e))
    for (uint32_t b = 0; b < low->fn.block_count; b++)
      LLVMSetValueName2(LLVMBasicBlockAsValue(low->fn.blocks[b]), "", 0);
  for (uint32_t i = 0; i < e->node_count; i++) {
    e->blocks[e->nodes[i]] = LLVMAppendBasicBlockInContext(low->context, e->function, names[i]);
    witness_record_block(low->witness, e->blocks[e->nodes[i]], e->nodes[i]);
  }
  return !coro_arena_failed(low->arena);
}

static struct emit_scratch *make_emit_scratch(const struct coro_lowering *low)
{
  uint32_t nodes = low->cfg.node_count, values = ir_value_count(&low->fn);
  struct emit_scratch *s = CORO_NEW(low->arena, struct emit_scratch);
  if (!s)
    return NULL;
  s->blocks = CORO_NEW_ARRAY(low->arena, LLVMBasicBlockRef, nodes);
  s->exits = CORO_NEW_ARRAY(low->arena, LLVMBasicBlockRef, nodes);
  s->normal_edge_blocks = CORO_NEW_ARRAY(low->arena, LLVMBasicBlockRef, nodes);
  s->anchors = CORO_NEW_ARRAY(low->arena, LLVMValueRef, nodes);
  s->values = CORO_NEW_ARRAY(low->arena, LLVMValueRef, values);
  s->slots = CORO_NEW_ARRAY(low->arena, LLVMValueRef, low->frame.field_count + 1);
  return coro_arena_failed(low->arena) ? NULL : s;
}

static bool start_emission(struct emit *e, struct coro_lowering *low, const struct emit_hooks *hooks,
                           unsigned clone_kind, LLVMValueRef function, uint32_t landing)
{
  *e = (struct emit){
      .low = low, .hooks = hooks, .clone_kind = clone_kind, .function = function, .landing = landing, .pad = IR_NONE};
  e->builder = LLVMCreateBuilderInContext(low->context);
  e->aside_builder = LLVMCreateBuilderInContext(low->context);
  low->scratch = low->scratch ? low->scratch : make_emit_scratch(low);
  if (!low->scratch)
    return false;
  e->blocks = low->scratch->blocks;
  e->exits = low->scratch->exits;
  e->normal_edge_blocks = low->scratch->normal_edge_blocks;
  e->anchors = low->scratch->anchors;
  e->values = low->scratch->values;
  e->slots = low->scratch->slots;
  coro_map_init(&e->materialized, low->arena);
  coro_map_init(&e->filled_phi_entries, low->arena);
  coro_map_init(&e->origins, low->arena);
  coro_map_init(&e->stack_marks, low->arena);
  return (landing == IR_NONE ? collect_all_nodes_of_clone(e) : collect_nodes_from_landing(e)) &&
         make_emitted_blocks(e) && emit_debug_start(e);
}

static void clear_emitted_values(struct emit *e, uint32_t node)
{
  const struct cfg_node *n = &e->low->cfg.nodes[node];
  for (uint32_t i = n->first; i < n->last; i++)
    e->values[ir_value_of_inst(&e->low->fn, i)] = NULL;
  if (n->landing)
    e->values[ir_value_of_inst(&e->low->fn, e->low->shape.suspends[n->suspend].inst)] = NULL;
}

static void clear_scratch_and_dispose_builders(struct emit *e)
{
  emit_debug_dispose_builder(e);
  for (uint32_t i = 0; i < e->node_count && e->low->scratch; i++) {
    uint32_t node = e->nodes[i];
    e->blocks[node] = e->exits[node] = e->normal_edge_blocks[node] = NULL;
    e->anchors[node] = NULL;
    clear_emitted_values(e, node);
  }
  for (uint32_t v = 0; v < e->local_allocas.count; v++)
    e->values[e->local_allocas.items[v]] = NULL;
  for (uint32_t f = 0; f < e->slots_used.count; f++)
    e->slots[e->slots_used.items[f]] = NULL;
  LLVMDisposeBuilder(e->builder);
  LLVMDisposeBuilder(e->aside_builder);
}

/* Deletes the presplit blocks as a function of their own, for which LLVM drops all uses at once. Debug records of the
   ramp may refer to presplit values, which poison replaces. */
void emit_delete_presplit_blocks_and_attribute(const struct coro_lowering *low)
{
  LLVMValueRef function = low->fn.function;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); low->debug && b != low->ramp_entry;
       b = LLVMGetNextBasicBlock(b))
    edit_make_block_unreachable_and_unused(b);
  LLVMBool discards_names = LLVMContextShouldDiscardValueNames(low->context);
  LLVMContextSetDiscardValueNames(low->context, true); /* a function without symbol table */
  LLVMValueRef discarded = LLVMAddFunction(low->module, "", LLVMGlobalGetValueType(function));
  LLVMContextSetDiscardValueNames(low->context, discards_names);
  for (LLVMBasicBlockRef block; (block = LLVMGetFirstBasicBlock(function)) != low->ramp_entry;) {
    LLVMRemoveBasicBlockFromParent(block);
    LLVMAppendExistingBasicBlock(discarded, block);
  }
  LLVMDeleteFunction(discarded);
  edit_remove_function_attribute(function, "presplitcoroutine");
}

static bool call_end_hook_and_finish_emission(struct emit *e, bool ok)
{
  if (ok && e->hooks->end)
    e->hooks->end(e);
  if (ok)
    witness_record_clone(e->low->witness,
                         &(struct witness_clone){e->function, e->entry, e->frame, e->clone_kind, e->landing});
  clear_scratch_and_dispose_builders(e);
  return ok;
}

bool emit_ramp(struct coro_lowering *low, const struct emit_hooks *hooks, LLVMValueRef function)
{
  struct emit e;
  bool ok = start_emission(&e, low, hooks, CLONE_RAMP, function, IR_NONE);
  if (ok) {
    e.entry = e.blocks[0];
    if (hooks->enter_ramp)
      hooks->enter_ramp(&e);
    ok = emit_nodes(&e);
  }
  if (ok && low->shape.suspend_count)
    declare_drop_captures_attributes(function);
  if (ok && emit_in_place(&e))
    low->ramp_entry = e.blocks[0];
  return call_end_hook_and_finish_emission(&e, ok);
}

static LLVMBasicBlockRef append_entry_block(const struct coro_lowering *low, unsigned clone_kind, LLVMValueRef function,
                                            uint32_t landing)
{
  static const char *const names[] = {
      [CLONE_RESUME] = "entry.resume", [CLONE_DESTROY] = "entry.destroy", [CLONE_CLEANUP] = "entry.cleanup"};
  const char *name = names[clone_kind];
  if (landing != IR_NONE)
    name = coro_arena_printf(low->arena, "%s.%u", name, (unsigned)low->cfg.nodes[landing].suspend);
  return LLVMAppendBasicBlockInContext(low->context, function, name ? name : "");
}

bool emit_clone(struct coro_lowering *low, const struct emit_hooks *hooks, unsigned clone_kind, LLVMValueRef function,
                uint32_t landing)
{
  struct emit e;
  LLVMBasicBlockRef entry = append_entry_block(low, clone_kind, function, landing);
  bool ok = start_emission(&e, low, hooks, clone_kind, function, landing);
  if (ok) {
    e.entry = entry;
    LLVMPositionBuilderAtEnd(e.builder, entry);
    ok = hooks->enter_clone(&e);
  }
  if (ok) {
    if (landing != IR_NONE)
      e.field_address_position = LLVMBuildBr(e.builder, e.blocks[landing]);
    emit_debug_frame_records(&e);
    ok = emit_nodes(&e);
  }
  return call_end_hook_and_finish_emission(&e, ok);
}
