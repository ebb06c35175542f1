/* Whether two paths of the presplit function execute the same code until control leaves the coroutine. Both are
   followed to the first common block. From there on they execute the same blocks. A data-flow analysis finds the values
   that differ between them.
   Requires: numbered clones. */
#include "check/path_equivalence.h"

#include "check/dispatch.h"
#include "check/evaluate.h"
#include "check/steps.h"
#include "graph/worklist.h"
#include "ir/constant_fold.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "lowering/abi.h"

/* A value on each path; NULL: unknown. `known` is set for values that may differ, and for known constants. */
struct path_value {
  LLVMValueRef on[PATH_SIDES];
  bool known;
};

/* Which code a walk accepts. */
enum path_purpose {
  COMPARE_PATHS,  /* both paths */
  FOLLOW_CLEANUP, /* the ramp's path only, which must be a plain cleanup */
  FOLLOW_TO_FREE  /* the same as far as llvm.coro.free */
};

struct path_walk {
  const struct check *c;
  const struct ir_fn *fn;
  enum path_purpose purpose;
  uint32_t join; /* the first common block */
  struct path_edge edges[PATH_SIDES]; /* into it */
  struct path_value *values; /* by instruction */
  struct worklist blocks;
  bool changed;
  uint32_t at; /* the instruction that is being compared */
};

static uint32_t terminator_of_block(const struct ir_fn *fn, uint32_t block)
{
  return fn->block_start[block + 1] - 1;
}

static uint32_t final_suspend(const struct check *c)
{
  uint32_t suspend = dispatch_final_suspend(c);
  return suspend == IR_NONE ? IR_NONE : c->low->shape.suspends[suspend].inst;
}

/* Whether a path may pass the instruction without the other. */
static bool has_no_effect(const struct check *c, uint32_t inst)
{
  enum intrin intrin = (enum intrin)c->low->shape.intrin[inst];
  struct check_walk any = {.c = (struct check *)c, .k = c->clones[0]};
  return !coro_is_suspend(&c->low->shape, inst) && intrin != INTRIN_END && step_is_droppable(&any, inst);
}

/* The result of llvm.coro.is_in_ramp. */
static LLVMValueRef is_in_ramp(const struct path_walk *w, enum path_side side)
{
  return edit_bool(w->c->low->context, side == PATH_EXCEPTION || w->purpose != COMPARE_PATHS);
}

/* ---- Straight paths ---- */

static LLVMValueRef constant_or_null(LLVMValueRef value)
{
  return value && LLVMIsAConstantInt(value) ? value : NULL;
}

/* The constant that a value is on the edge into the block that uses it; NULL: unknown. */
static LLVMValueRef constant_on_edge(const struct path_walk *w, enum path_side side, struct path_edge edge,
                                     LLVMValueRef value)
{
  uint32_t inst = value ? ir_inst(w->fn, value) : IR_NONE;
  if (inst == IR_NONE)
    return NULL;
  if (inst == final_suspend(w->c) && side == PATH_FINAL)
    return LLVMConstInt(LLVMTypeOf(value), 1, false);
  if (w->c->low->shape.intrin[inst] == INTRIN_IS_IN_RAMP)
    return is_in_ramp(w, side);
  if (w->values[inst].known)
    return w->values[inst].on[side];
  bool here = w->fn->opcode[inst] == LLVMPHI && w->fn->inst_block[inst] == edge.to && edge.from != IR_NONE;
  return here ? constant_or_null(edit_incoming_from(value, w->fn->blocks[edge.from])) : NULL;
}

/* Moves to the next edge of a path without effects. False: there is none, or it is not known. */
static bool follow_edge(const struct path_walk *w, enum path_side side, struct path_edge *edge, uint32_t first)
{
  uint32_t last = terminator_of_block(w->fn, edge->to);
  for (uint32_t i = first; i < last; i++)
    if (!has_no_effect(w->c, i))
      return false;
  LLVMValueRef terminator = w->fn->insts[last], source = constant_successor_source(terminator);
  unsigned successor = flow_is_jump(terminator) ? 0
                       : flow_is_branch(terminator)
                           ? evaluate_successor(terminator, source, constant_on_edge(w, side, *edge, source))
                           : CONSTANT_SUCCESSOR_UNKNOWN;
  if (successor == CONSTANT_SUCCESSOR_UNKNOWN)
    return false;
  *edge = (struct path_edge){edge->to, flow_successor(w->fn, terminator, successor)};
  return true;
}

static bool follow_block(const struct path_walk *w, enum path_side side, struct path_edge *edge)
{
  return follow_edge(w, side, edge, w->fn->block_start[edge->to]);
}

/* Whether control leaves the coroutine, before any effect: by an end or a return, or, after an exception, by its
   propagation. */
static bool only_leaves_coroutine(const struct path_walk *w, enum path_side side, struct path_edge edge)
{
  for (uint32_t steps = 0; steps < w->fn->block_count; steps++) {
    uint32_t i = w->fn->block_start[edge.to];
    while (has_no_effect(w->c, i))
      i++;
    if (w->c->low->shape.intrin[i] == INTRIN_END)
      return !coro_is_unwind_end(w->fn, i);
    if (w->fn->opcode[i] == LLVMRet || w->fn->opcode[i] == LLVMResume)
      return w->fn->opcode[i] == LLVMRet || side == PATH_EXCEPTION;
    if (!follow_block(w, side, &edge))
      return false;
  }
  return false;
}

/* ---- Values ---- */

static void set_known_value(struct path_walk *w, uint32_t inst, LLVMValueRef final, LLVMValueRef exception)
{
  struct path_value *value = &w->values[inst];
  if (value->known) { /* values only become unknown, so that the analysis ends */
    final = final == value->on[PATH_FINAL] ? final : NULL;
    exception = exception == value->on[PATH_EXCEPTION] ? exception : NULL;
  }
  w->changed |= !value->known || value->on[PATH_FINAL] != final || value->on[PATH_EXCEPTION] != exception;
  *value = (struct path_value){{final, exception}, true};
}

static bool value_differs_between_paths(const struct path_walk *w, uint32_t inst)
{
  const struct path_value *value = inst == IR_NONE ? NULL : &w->values[inst];
  return value && value->known && (!value->on[0] || value->on[0] != value->on[1]) && w->purpose == COMPARE_PATHS;
}

/* Phis of the first common block: the only source of differences besides llvm.coro.is_in_ramp. */
static void find_values_at_join(struct path_walk *w)
{
  for (uint32_t i = w->fn->block_start[w->join]; w->fn->opcode[i] == LLVMPHI; i++) {
    LLVMValueRef phi = w->fn->insts[i], value[PATH_SIDES];
    for (unsigned side = 0; side < PATH_SIDES; side++)
      value[side] = edit_incoming_from(phi, w->fn->blocks[w->edges[side].from]);
    if (value[0] != value[1] || constant_or_null(value[0]))
      set_known_value(w, i, constant_or_null(value[PATH_FINAL]), constant_or_null(value[PATH_EXCEPTION]));
  }
}

/* The result of an instruction: known if it only depends on one value that is. */
static void find_known_value(struct path_walk *w, uint32_t inst)
{
  uint32_t count = w->fn->operand_start[inst + 1] - w->fn->operand_start[inst], source = IR_NONE;
  bool several = w->fn->opcode[inst] == LLVMPHI;
  for (uint32_t o = 0; o < count; o++) {
    uint32_t operand = ir_operand_inst(w->fn, inst, o);
    if (operand == IR_NONE || !w->values[operand].known)
      continue;
    several |= source != IR_NONE && source != operand;
    source = operand;
  }
  if (source == IR_NONE)
    return;
  const struct path_value *value = &w->values[source];
  LLVMValueRef found[PATH_SIDES] = {0};
  for (unsigned side = 0; side < PATH_SIDES; side++)
    if (!several && value->on[side])
      found[side] = evaluate_value(w->fn->insts[inst], w->fn->insts[source], value->on[side]);
  set_known_value(w, inst, found[PATH_FINAL], found[PATH_EXCEPTION]);
}

static bool has_differing_operand(const struct path_walk *w, uint32_t inst)
{
  uint32_t count = w->fn->operand_start[inst + 1] - w->fn->operand_start[inst];
  for (uint32_t o = 0; o < count; o++)
    if (value_differs_between_paths(w, ir_operand_inst(w->fn, inst, o)))
      return true;
  return false;
}

/* ---- Common blocks ---- */

static bool enter_block_pair(struct path_walk *w, uint32_t block)
{
  if (block == w->join && w->blocks.count)
    return false; /* its phis would have further values */
  worklist_enter(&w->blocks, block);
  return true;
}

/* Whether the propagated exception is thrown by the common blocks themselves. */
static bool is_thrown_here(const struct path_walk *w, uint32_t resume)
{
  uint32_t inst = ir_operand_inst(w->fn, resume, FIRST_OPERAND);
  while (inst != IR_NONE && w->fn->opcode[inst] == LLVMInsertValue)
    inst = ir_operand_inst(w->fn, inst, INSERTED);
  while (inst != IR_NONE && w->fn->opcode[inst] == LLVMExtractValue)
    inst = ir_operand_inst(w->fn, inst, AGGREGATE);
  return inst != IR_NONE && w->fn->opcode[inst] == LLVMLandingPad &&
         worklist_has_entered(&w->blocks, w->fn->inst_block[inst]);
}

static bool visit_branch(struct path_walk *w, uint32_t block, LLVMValueRef terminator)
{
  LLVMValueRef chosen = flow_branch_operand(terminator);
  uint32_t inst = chosen ? ir_inst(w->fn, chosen) : IR_NONE;
  const struct path_value *value = inst == IR_NONE || !w->values[inst].known ? NULL : &w->values[inst];
  if (value && value->on[0] && value->on[1]) {
    struct path_edge edge[PATH_SIDES];
    for (unsigned side = 0; side < PATH_SIDES; side++)
      edge[side] = (struct path_edge){
          block, flow_successor(w->fn, terminator, evaluate_successor(terminator, chosen, value->on[side]))};
    if (edge[0].to == edge[1].to)
      return enter_block_pair(w, edge[0].to);
    return only_leaves_coroutine(w, PATH_FINAL, edge[PATH_FINAL]) &&
           only_leaves_coroutine(w, PATH_EXCEPTION, edge[PATH_EXCEPTION]);
  }
  for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++)
    if (!enter_block_pair(w, flow_successor(w->fn, terminator, i)))
      return false;
  return !value_differs_between_paths(w, inst);
}

static bool visit_terminator(struct path_walk *w, uint32_t block, uint32_t inst)
{
  LLVMValueRef terminator = w->fn->insts[inst];
  bool compares = w->purpose == COMPARE_PATHS;
  if (flow_is_branch(terminator))
    return visit_branch(w, block, terminator);
  if (has_differing_operand(w, inst))
    return false;
  switch (w->fn->opcode[inst]) {
  case LLVMUnreachable: return true;
  case LLVMRet: return compares;
  case LLVMResume: return compares ? is_thrown_here(w, inst) : w->purpose == FOLLOW_CLEANUP;
  case LLVMInvoke:
    return compares && enter_block_pair(w, flow_successor(w->fn, terminator, 0)) &&
           enter_block_pair(w, flow_successor(w->fn, terminator, 1));
  default: return false;
  }
}

/* Whether both paths execute the block equally. */
static bool compare_block_on_paths(struct path_walk *w, uint32_t block)
{
  uint32_t last = terminator_of_block(w->fn, block);
  for (w->at = w->fn->block_start[block]; w->at < last; w->at++) {
    uint32_t i = w->at;
    enum intrin intrin = (enum intrin)w->c->low->shape.intrin[i];
    bool joins = w->fn->opcode[i] == LLVMPHI && block == w->join;
    if (intrin == INTRIN_END && !coro_is_unwind_end(w->fn, i))
      return w->purpose == COMPARE_PATHS; /* destroy and, if an exception was handled, the ramp return */
    if (coro_is_suspend(&w->c->low->shape, i) || intrin == INTRIN_END || LLVMIsACatchPadInst(w->fn->insts[i]) ||
        LLVMIsACleanupPadInst(w->fn->insts[i]))
      return false;
    if (intrin == INTRIN_FREE && w->purpose == FOLLOW_TO_FREE)
      return true;
    if (intrin == INTRIN_IS_IN_RAMP)
      set_known_value(w, i, is_in_ramp(w, PATH_FINAL), is_in_ramp(w, PATH_EXCEPTION));
    else if (!joins)
      find_known_value(w, i);
    if (!has_no_effect(w->c, i) && has_differing_operand(w, i))
      return false;
  }
  return visit_terminator(w, block, last);
}

/* Visits all blocks that both paths execute, until the set of differing values is complete. */
static bool compare_blocks_on_paths(struct path_walk *w)
{
  if (!worklist_init(&w->blocks, w->c->arena, w->fn->block_count))
    return false;
  find_values_at_join(w);
  worklist_enter(&w->blocks, w->join);
  do {
    w->changed = false;
    for (uint32_t i = 0; i < w->blocks.count; i++)
      if (!compare_block_on_paths(w, w->blocks.items[i]))
        return false;
  } while (w->changed);
  return true;
}

static bool init_path_comparison(struct path_walk *w, const struct check *c, enum path_purpose purpose)
{
  *w = (struct path_walk){.c = c, .fn = &c->low->fn, .purpose = purpose, .at = IR_NONE};
  w->values = CORO_NEW_ARRAY(c->arena, struct path_value, w->fn->inst_count);
  return w->values != NULL;
}

/* ---- Ends ---- */

bool path_edge_after_end(const struct check *c, uint32_t end, struct path_edge *edge)
{
  const struct ir_fn *fn = &c->low->fn;
  uint32_t block = fn->inst_block[end], last = terminator_of_block(fn, block);
  LLVMValueRef condition = flow_condition(fn->insts[last]);
  uint32_t query = condition ? ir_inst(fn, condition) : IR_NONE;
  if (query == IR_NONE || c->low->shape.intrin[query] != INTRIN_IS_IN_RAMP || fn->inst_block[query] != block)
    return false;
  *edge = (struct path_edge){block, flow_successor(fn, fn->insts[last], 0)};
  return true;
}

/* Follows both paths to the first common block. */
static bool find_first_common_block(struct path_walk *w, struct path_edge after_end)
{
  uint32_t suspend = final_suspend(w->c);
  struct path_edge edge = {IR_NONE, suspend == IR_NONE ? IR_NONE : w->fn->inst_block[suspend]};
  uint32_t *from = CORO_NEW_ARRAY(w->c->arena, uint32_t, w->fn->block_count); /* predecessor + 1 on the first path */
  if (suspend == IR_NONE || !from || !follow_edge(w, PATH_FINAL, &edge, suspend + 1))
    return false;
  do
    from[edge.to] = edge.from + 1;
  while (follow_block(w, PATH_FINAL, &edge) && !from[edge.to]);
  edge = after_end;
  for (uint32_t steps = 0; !from[edge.to]; steps++)
    if (steps == w->fn->block_count || !follow_block(w, PATH_EXCEPTION, &edge))
      return false;
  w->join = edge.to;
  w->edges[PATH_FINAL] = (struct path_edge){from[edge.to] - 1, edge.to};
  w->edges[PATH_EXCEPTION] = edge;
  return true;
}

bool path_is_as_at_final(const struct check *c, uint32_t end, uint32_t *at)
{
  struct path_walk w;
  struct path_edge after_end;
  *at = IR_NONE;
  if (!path_edge_after_end(c, end, &after_end) || !init_path_comparison(&w, c, COMPARE_PATHS) ||
      !find_first_common_block(&w, after_end))
    return false;
  bool same = compare_blocks_on_paths(&w);
  *at = w.at;
  return same;
}

bool path_is_plain_cleanup(const struct check *c, uint32_t end)
{
  struct path_edge edge;
  if (!path_edge_after_end(c, end, &edge))
    return false;
  for (enum path_purpose purpose = FOLLOW_CLEANUP; purpose <= FOLLOW_TO_FREE; purpose++) {
    struct path_walk w;
    if (!init_path_comparison(&w, c, purpose))
      return false;
    for (uint32_t steps = 0; steps < w.fn->block_count && follow_block(&w, PATH_EXCEPTION, &edge); steps++)
      ;
    w.join = edge.to;
    w.edges[PATH_FINAL] = w.edges[PATH_EXCEPTION] = edge;
    if (!compare_blocks_on_paths(&w))
      return false;
  }
  return true;
}
