/* Assertions of what each stage guarantees; see stage_postconditions.h. */
#include "lowering/stage_postconditions.h"

#include "base/invariant.h"
#include "lowering/abi.h"

#define HOLDS(condition) (void)CORO_INVARIANT(low->arena, condition)

/* ---- Shape ---- */

void coro_number_postcondition(const struct coro_lowering *low)
{
  const struct ir_fn *fn = &low->fn;
  HOLDS(fn->block_count > 0 && fn->block_start[0] == 0 && fn->block_start[fn->block_count] == fn->inst_count);
  for (uint32_t b = 0; b < fn->block_count; b++) {
    HOLDS(fn->block_start[b] < fn->block_start[b + 1]);
    HOLDS(LLVMIsATerminatorInst(fn->insts[fn->block_start[b + 1] - 1]));
    for (uint32_t i = fn->block_start[b]; i < fn->block_start[b + 1]; i++)
      HOLDS(fn->inst_block[i] == b);
  }
  for (uint32_t o = 0; o < fn->operand_start[fn->inst_count]; o++)
    HOLDS(fn->operands[o] == IR_NONE || (fn->operands[o] & IR_BLOCK ? (fn->operands[o] & ~IR_BLOCK) < fn->block_count
                                                                    : fn->operands[o] < ir_value_count(fn)));
}

/* Resumed suspends come first, then those after an unwind end, then the final one; each group is in program order. */
static bool are_suspends_in_group_order(const struct coro_suspend *one, const struct coro_suspend *two)
{
  int of_one = one->final ? 2 : one->unwound, of_two = two->final ? 2 : two->unwound;
  return of_one == of_two ? one->inst < two->inst : of_one < of_two;
}

void coro_shape_postcondition(const struct coro_lowering *low)
{
  const struct coro_shape *shape = &low->shape;
  HOLDS(shape->begin == IR_NONE || shape->intrin[shape->begin] == INTRIN_BEGIN);
  HOLDS((shape->begin == IR_NONE) == !shape->begin_count);
  for (uint32_t k = 0; k < shape->suspend_count; k++) {
    const struct coro_suspend *suspend = &shape->suspends[k];
    HOLDS(coro_is_suspend(shape, suspend->inst) && shape->suspend_of[suspend->inst] == k);
    HOLDS(!k || are_suspends_in_group_order(suspend - 1, suspend));
    HOLDS(coro_is_done_at(shape, k) == (suspend->final || suspend->unwound));
  }
  for (uint32_t e = 1; e < shape->ends.count; e++)
    HOLDS(shape->ends.items[e - 1] < shape->ends.items[e]);
}

void coro_select_abi_postcondition(const struct coro_lowering *low)
{
  HOLDS(low->abi->ids & 1u << low->shape.abi);
  HOLDS(low->frame_argument == IR_NONE || low->frame_argument < low->fn.arg_count);
  HOLDS(!low->passes_error || low->shape.error != IR_NONE);
}

/* ---- Control flow ---- */

static void assert_edges_of_node(const struct coro_lowering *low, uint32_t node)
{
  const struct coro_cfg *cfg = &low->cfg;
  HOLDS(cfg->nodes[node].edge_start <= cfg->nodes[node + 1].edge_start);
  for (uint32_t e = cfg->nodes[node].edge_start; e < cfg->nodes[node + 1].edge_start; e++) {
    HOLDS(cfg->edges[e].to < cfg->node_count);
    /* A function that has an edge and its source also has its target. */
    HOLDS(!(cfg->edges[e].clone_kinds & cfg->nodes[node].clone_kinds & ~cfg->nodes[cfg->edges[e].to].clone_kinds));
  }
}

void coro_cfg_postcondition(const struct coro_lowering *low)
{
  const struct coro_cfg *cfg = &low->cfg;
  HOLDS(cfg->fragment_count + low->shape.suspend_count == cfg->node_count);
  HOLDS(cfg->nodes[0].first == 0 && cfg->rpo.order[0] == 0);
  for (uint32_t n = 0, next = 0; n < cfg->node_count; n++) {
    const struct cfg_node *node = &cfg->nodes[n];
    HOLDS(node->landing == (n >= cfg->fragment_count));
    if (!node->landing) { /* fragments partition the instructions in order */
      HOLDS(node->first == next && node->last > node->first);
      HOLDS(cfg->node_of_inst[node->first] == n && cfg->node_of_inst[node->last - 1] == n);
      next = node->last;
    } else {
      HOLDS(node->suspend == n - cfg->fragment_count && !(node->clone_kinds & CLONE_RAMP));
    }
    assert_edges_of_node(low, n);
  }
}

/* ---- Liveness across suspends ---- */

void coro_crossing_postcondition(const struct coro_lowering *low)
{
  const struct coro_crossing *crossing = &low->crossing;
  for (uint32_t n = 0; n < low->cfg.node_count; n++) {
    uint32_t epoch = crossing->epoch[n], region = crossing->reload_region[n];
    if (low->cfg.rpo.number[n] == GRAPH_NONE)
      continue;
    HOLDS(epoch < low->cfg.node_count && crossing->epoch[epoch] == epoch);
    HOLDS(region < low->cfg.node_count && crossing->reload_region[region] == region);
    HOLDS(!low->cfg.nodes[n].landing || epoch == n);
  }
  for (uint32_t v = 0; v < ir_value_count(&low->fn); v++)
    if (coro_bits_get(&crossing->live_across_suspend, v)) {
      HOLDS(crossing->use[v] < low->fn.inst_count && crossing->use_node[v] < low->cfg.node_count);
      HOLDS(low->cfg.nodes[crossing->use_node[v]].clone_kinds & CLONE_ALL_BUT_RAMP);
      HOLDS(!coro_value_is_in_every_clone(low, v));
    }
}

void coro_frame_allocas_postcondition(const struct coro_lowering *low)
{
  const struct coro_allocas *allocas = &low->allocas;
  for (uint32_t a = 0; a < allocas->count; a++) {
    const struct coro_alloca *item = &allocas->items[a];
    HOLDS(allocas->of_value[item->value] == a && (!a || item[-1].value < item->value));
    HOLDS(item->in_frame + item->heap + item->spilled <= 1);
    HOLDS(item->promise || !(item->in_frame || item->heap) || low->shape.suspend_count);
    HOLDS(!item->promise || item->in_frame || item->stack_only_reason);
    HOLDS(!item->copy_in || item->in_frame || item->spilled);
    HOLDS(!item->used_in_other_epoch || !item->in_frame);
    HOLDS(!item->spilled || (item->swifterror && allocas->spills_error));
    HOLDS(item->in_frame || (!item->accesses.count && !item->starts.count));
  }
}

void coro_alloca_intrinsics_postcondition(const struct coro_lowering *low)
{
  const struct coro_alloca_intrinsics *storage = &low->alloca_intrinsics;
  HOLDS(storage->first == IR_NONE || coro_bits_get(&storage->outlives, storage->first));
  HOLDS(storage->first != IR_NONE || !storage->list);
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    HOLDS(!coro_bits_get(&storage->outlives, i) ||
          (low->shape.intrin[i] == INTRIN_ALLOCA_ALLOC && storage->first <= i));
}

void coro_remat_postcondition(const struct coro_lowering *low)
{
  const struct coro_remat *remat = &low->remat;
  for (uint32_t v = 0; v < ir_value_count(&low->fn); v++) {
    bool again = coro_bits_get(&remat->rematerialized, v), kept = coro_bits_get(&remat->spilled, v);
    HOLDS(!(again && kept));
    HOLDS(again || kept || !coro_bits_get(&low->crossing.live_across_suspend, v));
    HOLDS(!again || ir_inst_of_value(&low->fn, v) != IR_NONE);
    HOLDS(!kept || remat->use[v] < low->fn.inst_count);
  }
}

/* ---- The frame ---- */

void coro_fields_postcondition(const struct coro_lowering *low)
{
  const struct coro_frame *frame = &low->frame;
  HOLDS(frame->header.count <= frame->field_count);
  for (uint32_t f = 0; f < frame->field_count; f++) {
    const struct coro_field *field = &frame->fields[f];
    HOLDS(field->align && !(field->align & (field->align - 1)));
    HOLDS(field->value == IR_NONE || f == frame->heap_field || frame->of_value[field->value] == f);
    HOLDS(f >= frame->header.count || field->offset + field->size <= frame->header.end);
  }
  for (uint32_t v = 0; v < ir_value_count(&low->fn); v++)
    HOLDS(frame->of_value[v] == IR_NONE || frame->of_value[v] < frame->field_count);
}

void coro_reload_points_postcondition(const struct coro_lowering *low)
{
  for (uint32_t i = 0; i < low->reload_points.items.count; i++) {
    const struct coro_reload *read = &low->reload_points.items.items[i];
    for (unsigned r = 0; r < CORO_RELOAD_CLONE_KINDS; r++)
      HOLDS(read->at[r] == IR_NONE || (graph_dominates(&low->cfg.dom, read->region, read->at[r]) &&
                                       low->crossing.reload_region[read->at[r]] == read->region));
  }
}

void coro_field_liveness_postcondition(const struct coro_lowering *low)
{
  const struct coro_field_liveness *live = &low->field_liveness;
  for (uint32_t f = 0; live->start && f < low->frame.field_count; f++)
    for (uint32_t r = live->start[f]; r < live->start[f + 1]; r++) {
      HOLDS(live->ranges[r].first < live->ranges[r].end);
      HOLDS(r == live->start[f] || live->ranges[r - 1].end < live->ranges[r].first);
    }
}

void coro_layout_postcondition(const struct coro_lowering *low)
{
  const struct coro_frame *frame = &low->frame;
  uint32_t pair[2];
  HOLDS(frame->align && frame->size == coro_frame_round_up_size(frame, frame->size));
  for (uint32_t f = 0; f < frame->field_count; f++)
    HOLDS(frame->fields[f].offset % frame->fields[f].align == 0 &&
          frame->fields[f].offset + frame->fields[f].size <= frame->size);
  HOLDS(!coro_frame_find_live_overlap(low, pair) || pair[0] == IR_NONE);
}
