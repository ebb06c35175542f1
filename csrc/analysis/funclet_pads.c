/* Finds the funclet pad that contains each block, and the remaining exits of a cleanuppad with an llvm.coro.end. */
#include "analysis/funclet_pads.h"

#include "graph/dataflow.h"
#include "graph/graph.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/number.h"
#include "ir/operand.h"

struct funclets {
  struct coro_pads *pads;
  const struct ir_fn *fn;
  uint32_t *end_in; /* indexed by instruction: the end in this pad, else IR_NONE */
  uint32_t *around; /* indexed by instruction: an end in a pad nested in this one, else IR_NONE */
};

/* The pad named by a call's funclet bundle; IR_NONE: none. */
static uint32_t pad_of_call_bundle_or_none(const struct ir_fn *fn, uint32_t call)
{
  return ir_inst(fn, edit_funclet_pad(fn->insts[call]));
}

uint32_t cleanuppad_of_end_or_none(const struct ir_fn *fn, uint32_t end)
{
  uint32_t pad = pad_of_call_bundle_or_none(fn, end);
  return pad != IR_NONE && fn->opcode[pad] == LLVMCleanupPad ? pad : IR_NONE;
}

/* The pad around a pad, cleanupret or invoke; IR_NONE: none, and for all other instructions, such as a catchret. */
static uint32_t parent_pad_or_none(const struct ir_fn *fn, uint32_t inst)
{
  LLVMValueRef value = fn->insts[inst];
  switch (fn->opcode[inst]) {
  case LLVMCleanupPad:
  case LLVMCatchPad: return ir_inst(fn, LLVMGetOperand(value, (unsigned)LLVMGetNumOperands(value) - 1));
  case LLVMCatchSwitch:
  case LLVMCleanupRet: return ir_inst(fn, LLVMGetOperand(value, LEFT_PAD));
  case LLVMInvoke: return pad_of_call_bundle_or_none(fn, inst);
  default: return IR_NONE;
  }
}

static uint32_t first_inst_after_phis(const struct ir_fn *fn, uint32_t block)
{
  uint32_t inst = fn->block_start[block];
  while (fn->opcode[inst] == LLVMPHI)
    inst++;
  return inst;
}

/* The pad at the unwind destination of a terminator; IR_NONE: it has none in this function. */
static uint32_t inst_at_unwind_destination_or_none(const struct ir_fn *fn, uint32_t terminator)
{
  unsigned char opcode = fn->opcode[terminator];
  if (opcode != LLVMInvoke && opcode != LLVMCleanupRet && opcode != LLVMCatchSwitch)
    return IR_NONE;
  LLVMBasicBlockRef block = LLVMGetUnwindDest(fn->insts[terminator]);
  uint32_t id = block ? ir_block_id(fn, block) : IR_NONE;
  return id == IR_NONE ? IR_NONE : first_inst_after_phis(fn, id);
}

static bool is_pad_within(const struct ir_fn *fn, uint32_t pad, uint32_t outer)
{
  while (pad != IR_NONE && pad != outer)
    pad = parent_pad_or_none(fn, pad);
  return pad == outer;
}

/* Visits the pads that an exception leaves, from the innermost to the first that contains an end. */
static void record_pads_exited_by_terminator(struct funclets *f, uint32_t terminator)
{
  uint32_t to = inst_at_unwind_destination_or_none(f->fn, terminator);
  if (to == IR_NONE)
    return;
  if (f->around[terminator] != IR_NONE) /* a handler unwinds where its catchswitch does */
    f->pads->nested = f->around[terminator];
  for (uint32_t pad = parent_pad_or_none(f->fn, terminator); pad != IR_NONE; pad = parent_pad_or_none(f->fn, pad)) {
    if (is_pad_within(f->fn, to, pad))
      return;
    uint32_t end = f->end_in[pad];
    if (end != IR_NONE && ir_block_of(f->fn, end) != ir_block_of(f->fn, terminator))
      f->pads->end[terminator] = f->pads->end[end] = end;
    if (end != IR_NONE)
      return; /* even after the end, like the pad's own exit */
    if (f->around[pad] != IR_NONE)
      f->pads->nested = f->around[pad];
  }
}

static bool record_cleanuppads_with_ends(struct funclets *f, const struct coro_shape *shape)
{
  bool found = false;
  for (uint32_t i = 0; i < f->fn->inst_count; i++)
    f->end_in[i] = f->around[i] = f->pads->end[i] = IR_NONE;
  for (uint32_t e = 0; e < shape->ends.count; e++) {
    uint32_t end = shape->ends.items[e];
    uint32_t pad = coro_is_unwind_end(f->fn, end) ? cleanuppad_of_end_or_none(f->fn, end) : IR_NONE;
    if (pad == IR_NONE)
      continue;
    found = true;
    f->end_in[pad] = end;
    for (pad = parent_pad_or_none(f->fn, pad); pad != IR_NONE; pad = parent_pad_or_none(f->fn, pad))
      f->around[pad] = end;
  }
  return found;
}

bool pads_is_funclet_pad(const struct ir_fn *fn, uint32_t inst)
{
  return fn->opcode[inst] == LLVMCleanupPad || fn->opcode[inst] == LLVMCatchPad || fn->opcode[inst] == LLVMCatchSwitch;
}

/* The pad after a block's terminator. Only a catchret changes it: to the pad around the catchswitch of its handler. */
static uint32_t pad_after_terminator(const struct ir_fn *fn, uint32_t block, uint32_t pad)
{
  uint32_t last = fn->block_start[block + 1] - 1;
  if (fn->opcode[last] != LLVMCatchRet)
    return pad;
  uint32_t handler = ir_inst(fn, LLVMGetOperand(fn->insts[last], LEFT_PAD));
  return handler == IR_NONE ? IR_NONE : parent_pad_or_none(fn, parent_pad_or_none(fn, handler));
}

#define UNVISITED (IR_NONE - 1)

/* A dataflow problem: the pad of a block is the one that it starts, or that all its predecessors leave it in. A block
   reached in two pads counts as in none, since it cannot use a pad's token. */
struct pad_flow {
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  struct graph graph;
  uint32_t *of; /* indexed by block: its pad, IR_NONE if none, UNVISITED */
};

/* Whether the edge is the resume or destroy edge of a suspend, in its switch: all but the default. A coroutine that
   is resumed or destroyed continues outside of all pads. */
static bool is_resume_or_destroy_edge(const struct pad_flow *flow, uint32_t from, uint32_t to)
{
  LLVMValueRef terminator = flow->fn->insts[flow->fn->block_start[from + 1] - 1],
               result = flow_switch_operand(terminator);
  uint32_t suspend = result ? ir_inst(flow->fn, result) : IR_NONE;
  return suspend != IR_NONE && flow->shape->intrin[suspend] == INTRIN_SUSPEND &&
         flow_successor(flow->fn, terminator, 0) != to;
}

static bool update_pad_of_block(void *user, uint32_t block)
{
  const struct pad_flow *flow = user;
  uint32_t first = first_inst_after_phis(flow->fn, block), before = flow->of[block], pad = block ? UNVISITED : IR_NONE;
  for (uint32_t p = flow->graph.pred_start[block]; p < flow->graph.pred_start[block + 1]; p++) {
    uint32_t from = flow->graph.pred[p];
    if (flow->of[from] == UNVISITED)
      continue;
    uint32_t left =
        is_resume_or_destroy_edge(flow, from, block) ? IR_NONE : pad_after_terminator(flow->fn, from, flow->of[from]);
    pad = pad == UNVISITED || pad == left ? left : IR_NONE;
  }
  flow->of[block] = pads_is_funclet_pad(flow->fn, first) ? first : pad;
  return flow->of[block] != before;
}

static bool propagate_pads(struct coro_pads *pads, struct coro_arena *arena, const struct ir_fn *fn,
                           const struct coro_shape *shape)
{
  struct pad_flow flow = {.fn = fn, .shape = shape, .of = CORO_NEW_ARRAY(arena, uint32_t, fn->block_count)};
  struct graph_rpo rpo;
  const struct dataflow problem = {&flow.graph, &rpo, false, update_pad_of_block, &flow};
  if (!flow.of || !ir_build_block_graph(&flow.graph, arena, fn) ||
      !graph_compute_reverse_postorder(&rpo, arena, &flow.graph, 0))
    return false;
  for (uint32_t b = 0; b < fn->block_count; b++)
    flow.of[b] = UNVISITED;
  if (!dataflow_solve_by_worklist(&problem, arena))
    return false;
  for (uint32_t b = 0; b < fn->block_count; b++)
    flow.of[b] = flow.of[b] == IR_NONE ? IR_NONE : ir_value_of_inst(fn, flow.of[b]);
  pads->of_block = flow.of;
  return true;
}

static bool has_funclet_pads(const struct ir_fn *fn)
{
  for (uint32_t b = 0; b < fn->block_count; b++)
    if (pads_is_funclet_pad(fn, first_inst_after_phis(fn, b)))
      return true;
  return false;
}

bool find_pads_of_ends_and_blocks(struct coro_pads *pads, struct coro_arena *arena, const struct ir_fn *fn,
                                  const struct coro_shape *shape)
{
  struct funclets f = {.pads = pads, .fn = fn};
  bool bundles = false;
  *pads = (struct coro_pads){.nested = IR_NONE};
  if (has_funclet_pads(fn) && !propagate_pads(pads, arena, fn, shape))
    return false;
  for (uint32_t e = 0; e < shape->ends.count; e++)
    bundles |= LLVMGetNumOperandBundles(fn->insts[shape->ends.items[e]]) > 0;
  if (!bundles)
    return true;
  f.end_in = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  f.around = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  pads->end = CORO_NEW_ARRAY(arena, uint32_t, fn->inst_count);
  if (!f.end_in || !f.around || !pads->end)
    return false;
  if (record_cleanuppads_with_ends(&f, shape))
    for (uint32_t b = 0; b < fn->block_count; b++)
      record_pads_exited_by_terminator(&f, fn->block_start[b + 1] - 1);
  return true;
}
