/* Copies the phis of the presplit function, and fills in their incoming values. */
#include "emit/phis.h"

#include "check/witness.h"
#include "emit/block_head.h"
#include "emit/deferred_spill.h"
#include "emit/edges.h"
#include "emit/frame_address.h"
#include "emit/heap_allocas.h"
#include "emit/lookup.h"
#include "emit/name.h"
#include "emit/origin.h"
#include "ir/flow.h"

static bool begins_with_pad(const struct emit *e, uint32_t node)
{
  uint32_t first = head_first_inst_after_phis_or_none(e, node);
  return first != IR_NONE && head_is_pad_opcode_not_catchswitch((LLVMOpcode)e->low->fn.opcode[first]);
}

uint32_t copy_and_spill_phis_without_incoming(struct emit *e, uint32_t node)
{
  const struct ir_fn *fn = &e->low->fn;
  uint32_t first = e->low->cfg.nodes[node].first, last = e->low->cfg.nodes[node].last, i = first;
  for (; i < last && fn->opcode[i] == LLVMPHI; i++) {
    LLVMValueRef copy = LLVMBuildPhi(e->builder, LLVMTypeOf(fn->insts[i]), "");
    move_or_copy_name_from_source(e, copy, fn->insts[i]);
    e->values[ir_value_of_inst(fn, i)] = copy;
    witness_record_counterpart(e->low->witness, copy, WITNESS_COPY, i);
  }
  bool spill_now = !cfg_is_catchswitch(&e->low->cfg, fn, node) && !begins_with_pad(e, node);
  for (uint32_t p = first; p < i && spill_now; p++)
    emit_or_defer_spill_of_definition(e, ir_value_of_inst(fn, p), node);
  return i;
}

/* The incoming edges of a phi at the head of `node`; `key` identifies the phi. */
struct open_phi {
  LLVMValueRef phi;
  uint32_t key, node;
};

/* Adds the incoming value for the edge from `from`, which the clone has: `value`, or `constant` if that is IR_NONE. */
static bool add_phi_entry_for_edge(struct emit *e, const struct open_phi *open_phi, uint32_t from, uint32_t value,
                                   LLVMValueRef constant)
{
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(emit_get_or_append_exit_block(e, from));
  bool single_edge = flow_is_jump(terminator);
  if (single_edge && coro_map_has(&e->filled_phi_entries, coro_map_pair(open_phi->key, from)))
    return true;
  if (single_edge && !coro_map_put(&e->filled_phi_entries, coro_map_pair(open_phi->key, from), 1))
    return false;
  LLVMValueRef copy = value == IR_NONE ? constant : emit_value_at_node(e, value, from);
  LLVMBasicBlockRef block = emit_get_or_append_exit_block(e, from);
  if (e->normal_edge_blocks[from] &&
      LLVMGetSuccessor(LLVMGetBasicBlockTerminator(e->normal_edge_blocks[from]), 0) == e->blocks[open_phi->node])
    block = e->normal_edge_blocks[from];
  LLVMAddIncoming(open_phi->phi, &copy, &block, 1);
  return true;
}

/* Adds incoming value `k` of a presplit phi for the edge from `from`. */
typedef bool add_incoming_fn(struct emit *e, const struct open_phi *open_phi, uint32_t phi, uint32_t from, uint32_t k);

static bool add_phi_entry(struct emit *e, const struct open_phi *open_phi, uint32_t phi, uint32_t from, uint32_t k)
{
  const struct ir_fn *fn = &e->low->fn;
  return add_phi_entry_for_edge(e, open_phi, from, fn->operands[fn->operand_start[phi] + k],
                                LLVMGetIncomingValue(fn->insts[phi], k));
}

static bool add_alloca_number_phi_entry(struct emit *e, const struct open_phi *open_phi, uint32_t phi, uint32_t from,
                                        uint32_t k)
{
  return add_phi_entry_for_edge(e, open_phi, from, IR_NONE,
                                emit_alloca_number_of_address(e, ir_operand(&e->low->fn, phi, k)));
}

/* Adds the incoming values for those edges of a presplit phi that the clone has. */
static bool add_presplit_phi_entries(struct emit *e, const struct open_phi *open_phi, uint32_t phi,
                                     add_incoming_fn *add)
{
  const struct ir_fn *fn = &e->low->fn;
  const struct coro_cfg *cfg = &e->low->cfg;
  uint32_t count = ir_phi_count(fn, phi);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t block = fn->operands[fn->operand_start[phi] + count + k], from[2];
    uint32_t from_count = block == IR_NONE ? 0 : cfg_exit_nodes_of_block(cfg, block & ~IR_BLOCK, from);
    for (uint32_t s = 0; s < from_count; s++)
      if (e->blocks[from[s]] && cfg_has_edge(cfg, from[s], open_phi->node, e->clone_kind) &&
          !add(e, open_phi, phi, from[s], k))
        return false;
  }
  return true;
}

static bool fill_presplit_phis(struct emit *e, uint32_t node)
{
  const struct ir_fn *fn = &e->low->fn;
  for (uint32_t i = e->low->cfg.nodes[node].first; i < e->low->cfg.nodes[node].last && fn->opcode[i] == LLVMPHI; i++) {
    struct open_phi open_phi = {e->values[ir_value_of_inst(fn, i)], i, node};
    if (!add_presplit_phi_entries(e, &open_phi, i, add_phi_entry))
      return false;
  }
  return true;
}

static void spill_phis_at_head_of_node(struct emit *e, uint32_t node, uint32_t to)
{
  for (uint32_t i = e->low->cfg.nodes[node].first; e->low->fn.opcode[i] == LLVMPHI; i++) {
    uint32_t value = ir_value_of_inst(&e->low->fn, i), field = e->low->frame.of_value[value];
    if (field == IR_NONE)
      continue;
    emit_address_of_frame_field(e, field); /* emits at `aside_builder`, so call it before `aside_builder` moves */
    head_position_aside_builder(e, to);
    emit_store_spill_if_field(e, e->aside_builder, value);
  }
}

/* A catchswitch block has no room for stores. Its phis are spilled in the successor pads, and in those of a nested
   catchswitch. */
static void spill_phis_in_handler_pads(struct emit *e, uint32_t node)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  for (uint32_t at = node, next = IR_NONE; at != IR_NONE; at = next, next = IR_NONE)
    for (uint32_t k = cfg->nodes[at].edge_start; k < cfg->nodes[at + 1].edge_start; k++) {
      uint32_t to = cfg->edges[k].to;
      if (!graph_dominates(&cfg->dom, node, to))
        continue;
      if (cfg_is_catchswitch(cfg, &e->low->fn, to))
        next = to;
      else
        spill_phis_at_head_of_node(e, node, to);
    }
}

/* Fills the phi of numbers next to a phi of addresses. */
static bool fill_alloca_number_phi(struct emit *e, uint32_t index)
{
  uint32_t inst = e->origin_phis.items[index];
  uint64_t phi = 0;
  coro_map_get(&e->origins, inst, &phi);
  struct open_phi open_phi = {(LLVMValueRef)(uintptr_t)phi, IR_BLOCK | index, cfg_node_of(&e->low->cfg, inst)};
  return add_presplit_phi_entries(e, &open_phi, inst, add_alloca_number_phi_entry) && !coro_arena_failed(e->low->arena);
}

static bool fill_merge_phi(struct emit *e, uint32_t index)
{
  const struct graph *graph = &e->low->cfg.graph;
  struct emit_merge merge = e->merges.items[index]; /* a lookup may append more merges */
  struct open_phi open_phi = {merge.phi, e->low->fn.inst_count + index, merge.node};
  for (uint32_t p = graph->pred_start[merge.node]; p < graph->pred_start[merge.node + 1]; p++)
    if (e->blocks[graph->pred[p]] && cfg_has_edge(&e->low->cfg, graph->pred[p], merge.node, e->clone_kind) &&
        !add_phi_entry_for_edge(e, &open_phi, graph->pred[p], merge.value,
                                merge.value == IR_NONE ? emit_address_of_heap_list(e, graph->pred[p]) : NULL))
      return false;
  return !coro_arena_failed(e->low->arena);
}

bool add_incoming_values_of_phis(struct emit *e)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  for (uint32_t i = 0; i < e->node_count; i++)
    if (!fill_presplit_phis(e, e->nodes[i]))
      return false;
  for (uint32_t i = 0; i < e->node_count; i++) {
    uint32_t node = e->nodes[i];
    if (!cfg_may_spill(cfg, e->clone_kind, node))
      continue;
    if (cfg_is_catchswitch(cfg, &e->low->fn, node))
      spill_phis_in_handler_pads(e, node);
    else if (begins_with_pad(e, node))
      spill_phis_at_head_of_node(e, node, node);
  }
  for (uint32_t m = 0; m < e->merges.count; m++)
    if (!fill_merge_phi(e, m))
      return false;
  for (uint32_t o = 0; o < e->origin_phis.count; o++) /* which may add more */
    if (!fill_alloca_number_phi(e, o))
      return false;
  return true;
}
