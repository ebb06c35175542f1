/* Visits the uses of each alloca and of its aliases, and compares the epochs of the accesses; see alloca.h. */
#include <string.h>

#include "analysis/lifetime.h"
#include "analysis/origin.h"
#include "analysis/pointer_walk.h"
#include "analysis/stack_only_allocas.h"
#include "lowering/abi.h"
#include "lowering/alloca_size.h"
#include "lowering/begin_joins.h"
#include "lowering/content_liveness.h"
#include "lowering/lowering.h"
#include "lowering/placement_policy.h"
#include "transform/swifterror.h"

struct visitor {
  const struct coro_lowering *low;
  struct coro_allocas *allocas;
  struct coro_arena *arena;
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  const struct coro_cfg *cfg;
  const struct coro_crossing *crossing;
  struct graph_scc scc;
  struct content_walk content;
  struct placement placement;
  coro_status status; /* result of the ABI's policy */
  struct pointer_walk uses; /* of the current alloca */
  struct lifetime life; /* lifetime of the current alloca */
};

/* Summary of the uses of one alloca and its aliases. */
struct summary {
  uint32_t epoch; /* epoch of all accesses so far, IR_NONE before the first */
  uint32_t needed; /* the use that forces it into the frame, or IR_NONE */
  uint32_t escape; /* a use that lets its address escape before a suspend, or IR_NONE */
  const char *why;
  bool escapes; /* its address escapes */
  bool before_begin; /* written, or escaping, before coro.begin */
  bool escapes_early; /* escaping before coro.begin */
  bool alias_live_across_suspend; /* a derived address that cannot be rematerialized is live across a suspend */
};

/* The epoch (crossing.h) of an access. Accesses in ramp-only code are all in one epoch, whatever path leads there. */
static uint32_t epoch_or_0_if_ramp_only(const struct visitor *v, uint32_t inst)
{
  uint32_t node = cfg_node_of(v->cfg, inst);
  return v->cfg->nodes[node].clone_kinds & CLONE_ALL_BUT_RAMP ? v->crossing->epoch[node] : 0;
}

static bool is_strictly_dominated_by_begin(const struct visitor *v, uint32_t inst)
{
  return v->shape->begin != IR_NONE && v->shape->begin != inst && cfg_inst_dominates(v->cfg, v->shape->begin, inst);
}

/* Whether the frame may exist here: coro.begin is on some path. */
static bool may_frame_exist_at(const struct visitor *v, uint32_t inst)
{
  return is_strictly_dominated_by_begin(v, inst) ||
         coro_begin_join_of(v->allocas, cfg_node_of(v->cfg, inst)) != IR_NONE;
}

static void record_first_need_of_frame(struct summary *s, uint32_t inst, const char *why)
{
  if (s->needed != IR_NONE)
    return;
  s->needed = inst;
  s->why = why;
}

static void need_frame_if_epochs_differ_or_repeat(struct visitor *v, struct summary *s, uint32_t inst)
{
  uint32_t epoch = epoch_or_0_if_ramp_only(v, inst);
  if (s->epoch == IR_NONE)
    s->epoch = epoch;
  if (s->epoch != epoch)
    record_first_need_of_frame(s, inst, "it is accessed on both sides of a suspend");
  else if (epoch && v->scc.cyclic[v->scc.component[epoch]])
    record_first_need_of_frame(s, inst, "a loop through a suspend leads back to this access");
}

static void set_remat_depth_or_need_frame(struct visitor *v, struct summary *s, uint32_t alias, uint32_t base_value)
{
  uint32_t value = ir_value_of_inst(v->fn, alias);
  unsigned char steps = v->allocas->remat_depth[base_value];
  if (steps && steps <= ALLOCA_MAX_REMAT_DEPTH && pointer_is_constant_alias(v->fn->insts[alias])) {
    v->allocas->remat_depth[value] = steps + 1;
  } else if (coro_bits_get(&v->crossing->live_across_suspend, value)) {
    s->alias_live_across_suspend = true;
    record_first_need_of_frame(s, v->crossing->use[value], "an address that may point to it is live across a suspend");
  }
}

static bool record_use_of_alloca(struct visitor *v, struct summary *s, const struct pointer_visit *use)
{
  uint32_t inst = use->inst;
  switch (use->effect) {
  case POINTER_IGNORED: return true;
  case POINTER_LIFETIME_START: return coro_vec_push(v->arena, &v->life.starts, inst);
  case POINTER_LIFETIME_END: return coro_vec_push(v->arena, &v->life.ends, inst);
  case POINTER_ALIAS: set_remat_depth_or_need_frame(v, s, inst, use->address); return true;
  case POINTER_READ:
    need_frame_if_epochs_differ_or_repeat(v, s, inst);
    return coro_vec_push(v->arena, &v->life.accesses, inst);
  case POINTER_ESCAPES:
    s->escapes = true;
    if (!coro_vec_push(v->arena, &v->life.escapes, inst))
      return false;
    s->escapes_early |= !is_strictly_dominated_by_begin(v, inst);
    if (coro_bits_get(&v->allocas->suspends_ahead, cfg_node_of(v->cfg, inst)) && s->escape == IR_NONE)
      s->escape = inst;
    break;
  case POINTER_WRITTEN: break;
  }
  s->before_begin |= !is_strictly_dominated_by_begin(v, inst);
  need_frame_if_epochs_differ_or_repeat(v, s, inst);
  return coro_vec_push(v->arena, &v->life.accesses, inst);
}

static bool record_all_uses_of_alloca(struct visitor *v, struct summary *s, const struct coro_alloca *a)
{
  v->allocas->remat_depth[a->value] = a->is_static;
  v->life.accesses.count = v->life.starts.count = v->life.ends.count = v->life.escapes.count = 0;
  pointer_walk_start(&v->uses, a->value);
  for (struct pointer_visit use; pointer_walk_next(&v->uses, &use);)
    if (!record_use_of_alloca(v, s, &use))
      return false;
  return true;
}

/* An alloca with lifetime markers lives in the frame if a lifetime spans a suspend and, unless its address escapes,
   accesses are on both sides of it. All lifetimes share one address: an escaped address may be used in a later
   lifetime, and optimizers may hoist code that depends on the address. */
static void recompute_need_of_frame_by_lifetimes(struct visitor *v, struct coro_alloca *a, struct summary *s)
{
  coro_insts_sort(&v->life.starts);
  coro_insts_sort(&v->life.ends);
  a->starts_empty = lifetime_starts_undefined(&v->life);
  if (s->alias_live_across_suspend)
    return;
  for (uint32_t i = 0; i < v->life.starts.count && !a->starts_empty; i++)
    need_frame_if_epochs_differ_or_repeat(v, s, v->life.starts.items[i]); /* by a use of the escaped address */
  uint32_t again = s->escapes && a->is_static && a->is_sized ? s->needed : IR_NONE;
  bool seen = s->needed != IR_NONE || s->escape != IR_NONE;
  uint32_t crossing =
      seen ? find_inst_before_suspend_in_lifetime(&v->life, a->starts_empty ? &v->life.accesses : &v->life.starts)
           : IR_NONE;
  s->needed = IR_NONE;
  if (crossing != IR_NONE)
    record_first_need_of_frame(s, crossing, "its lifetime spans a suspend");
  else if (again != IR_NONE)
    record_first_need_of_frame(s, again, "its address escapes, and a lifetime after a suspend uses the same address");
  a->lifetime_spans_suspend =
      crossing != IR_NONE || find_inst_before_suspend_in_lifetime(&v->life, &v->life.starts) != IR_NONE;
}

static bool is_alias_of_alloca(const void *user, uint32_t value)
{
  const struct visitor *v = user;
  uint32_t inst = ir_inst_of_value(v->fn, value);
  return inst != IR_NONE && worklist_has_entered(&v->uses.aliases, inst);
}

/* Whether the address can be recomputed from the same operands. A freeze of a partly poison operand may give another
   value each time, which does not matter for an address. The operands of a phi are not available after it, unless all
   are one value. */
static bool compute_can_rematerialize(struct visitor *v, uint32_t alias, bool *is_possible)
{
  if (v->fn->opcode[alias] == LLVMPHI)
    return (*is_possible = origin_phi_has_one_value(v->fn, alias)) ||
           origin_check_phi_is_of_alloca(v->fn, v->arena, alias, is_alias_of_alloca, v, is_possible);
  *is_possible = v->fn->opcode[alias] != LLVMFreeze || origin_operands(v->fn, alias).count;
  return true;
}

/* Marks addresses that are computed before coro.begin and recomputed after it from the alloca's address in the frame.
   An address that cannot be recomputed must not be used there. */
static bool mark_aliases_rematerialized_after_begin(struct visitor *v)
{
  for (uint32_t a = 0; a < v->uses.aliases.count; a++) {
    uint32_t alias = v->uses.aliases.items[a];
    bool known = true;
    if (is_strictly_dominated_by_begin(v, alias))
      continue;
    if (!compute_can_rematerialize(v, alias, &known))
      return false;
    coro_bits_set(&v->allocas->rematerialized_aliases, ir_value_of_inst(v->fn, alias));
    for (LLVMUseRef use = LLVMGetFirstUse(v->fn->insts[alias]); use && !known; use = LLVMGetNextUse(use)) {
      uint32_t user = ir_id(v->fn, LLVMGetUser(use));
      if (user == IR_NONE || user & IR_BLOCK)
        continue;
      uint32_t by = ir_inst_of_value(v->fn, user);
      if (is_strictly_dominated_by_begin(v, by) || is_alias_of_alloca(v, user) ||
          (may_frame_exist_at(v, by) && !may_frame_exist_at(v, alias)))
        v->allocas->unrematerializable = alias;
    }
  }
  return true;
}

static bool append_instructions(struct visitor *v, coro_insts *to, const coro_insts *from)
{
  for (uint32_t i = 0; i < from->count; i++)
    if (!coro_vec_push(v->arena, to, from->items[i]))
      return false;
  return true;
}

/* An alloca that is only loaded and stored as a whole lives in the frame only if a stored value is live across a
   suspend. */
static bool recompute_need_of_frame_by_content(struct visitor *v, struct coro_alloca *a, struct summary *s)
{
  bool plain = a->is_static && a->is_sized && !a->byval && !s->escapes && !v->uses.aliases.count;
  if (!plain || !content_has_only_loads_and_whole_stores(&v->content, a->value, a->size, &v->life.accesses))
    return true;
  a->accessed_as_whole = true;
  s->why = "a value stored before a suspend is loaded after it";
  return content_find_load_of_value_before_suspend(&v->content, &v->life.accesses, &s->needed);
}

/* A swifterror has no address, so only accesses count. If clones have a swifterror parameter, that one replaces it. */
static void decide_spill_of_swifterror(struct visitor *v, struct coro_alloca *a, const struct summary *s)
{
  bool passed = a->value < v->fn->arg_count && v->low->passes_error;
  a->use = s->needed;
  a->use_node = s->needed == IR_NONE ? IR_NONE : cfg_node_of(v->cfg, s->needed);
  a->why = "a swifterror cannot be shared between functions, so the frame holds its content across suspends";
  a->spilled = s->needed != IR_NONE && v->shape->suspend_count > 0 && !passed;
  a->copy_in = a->spilled && s->before_begin;
  v->allocas->spills_error |= a->spilled;
}

/* Whether a clone contains a use but not the alloca instruction. */
static bool is_used_outside_epoch_of_alloca(const struct visitor *v, const struct coro_alloca *a)
{
  const coro_insts *const lists[] = {&v->life.accesses, &v->life.starts, &v->life.ends};
  if (a->value < v->fn->arg_count)
    return false;
  uint32_t made = epoch_or_0_if_ramp_only(v, ir_inst_of_value(v->fn, a->value));
  for (uint32_t i = 0; i < v->uses.aliases.count; i++)
    if (epoch_or_0_if_ramp_only(v, v->uses.aliases.items[i]) != made)
      return true;
  for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
    for (uint32_t i = 0; i < lists[l]->count; i++)
      if (epoch_or_0_if_ramp_only(v, lists[l]->items[i]) != made)
        return true;
  return false;
}

/* Queries the ABI's policy about an alloca of known size. False: rejected, or out of memory. */
static bool query_policy_for_alloca(struct visitor *v, struct coro_alloca *a, const struct summary *s)
{
  if (!v->low->abi->policies.keep_in_frame || a->promise || !a->is_static || !a->is_sized || !v->shape->suspend_count)
    return true;
  uint32_t made = a->value < v->fn->arg_count ? 0 : cfg_node_of(v->cfg, ir_inst_of_value(v->fn, a->value));
  coro_insts_sort(&v->life.ends);
  struct placement_uses uses = {.accesses = &v->life.accesses,
                                .starts = &v->life.starts,
                                .ends = &v->life.ends,
                                .escapes = s->escapes,
                                .escapes_early = s->escapes_early,
                                .is_repeated = v->scc.cyclic[v->scc.component[made]],
                                .outside =
                                    !a->byval && stack_only_is_required_by_pad_or_metadata(ir_value(v->fn, a->value))};
  v->status = placement_apply_policy_to_alloca(&v->placement, a, &uses);
  return v->status == CORO_OK;
}

static bool decide_place_of_alloca(struct visitor *v, struct coro_alloca *a)
{
  /* The caller initializes a parameter's memory before the ramp starts. */
  bool parameter = a->value < v->fn->arg_count;
  struct summary s = {
      .epoch = parameter ? 0 : IR_NONE, .needed = IR_NONE, .escape = IR_NONE, .why = "", .before_begin = parameter};
  LLVMValueRef value = ir_value(v->fn, a->value);
  if (!record_all_uses_of_alloca(v, &s, a))
    return false;
  a->swifterror = ir_is_swifterror(value);
  if (a->swifterror) {
    decide_spill_of_swifterror(v, a, &s);
    return true;
  }
  a->promise = value == v->shape->promise;
  if (!parameter)
    a->stack_only_reason = coro_bits_get(&v->crossing->for_arguments, a->value)
                               ? "a call passes its arguments in it by inalloca"
                               : stack_only_reason(v->low->arena, v->low->table, value);
  if (a->stack_only_reason) {
    a->used_in_other_epoch = a->promise || is_used_outside_epoch_of_alloca(v, a);
    return true;
  }
  if (v->life.starts.count)
    recompute_need_of_frame_by_lifetimes(v, a, &s);
  else if (s.escape != IR_NONE)
    record_first_need_of_frame(&s, s.escape, "its address escapes, and may be used while the coroutine is suspended");
  if (s.needed != IR_NONE && !a->promise && !recompute_need_of_frame_by_content(v, a, &s))
    return false;
  a->heap = !a->is_static && v->shape->suspend_count > 0 &&
            (s.needed != IR_NONE || coro_bits_get(&v->crossing->live_across_suspend, a->value));
  if (a->heap) {
    a->why = a->captured_before_begin
                 ? "its address from before llvm.coro.begin may be used after it, so that it is on the heap and never "
                   "moves; the frame has the list of blocks to free with it"
             : a->per_iteration
                 ? "each execution of the alloca must allocate distinct memory, so that it is on the heap; the "
                   "frame has the list "
                   "of blocks to free with it"
                 : "its size is not constant, so it is on the heap; the frame has the list of blocks to free "
                   "with it";
    a->use = s.needed != IR_NONE ? s.needed : v->crossing->use[a->value];
    v->allocas->heap_before_begin |=
        !may_frame_exist_at(v, ir_inst_of_value(v->fn, a->value)) && v->shape->begin != IR_NONE;
    return true;
  }
  a->in_frame = a->promise || (s.needed != IR_NONE && v->shape->suspend_count > 0 &&
                               (a->byval || !stack_only_is_required_by_pad_or_metadata(value)));
  a->use = a->promise ? IR_NONE : s.needed;
  a->use_node = a->use == IR_NONE ? IR_NONE : cfg_node_of(v->cfg, a->use);
  a->why = a->promise ? "the promise is stored after the frame's header" : s.why;
  if (!query_policy_for_alloca(v, a, &s))
    return false;
  a->copy_in = a->in_frame && s.before_begin;
  a->lifetime_spans_suspend = !a->in_frame && a->lifetime_spans_suspend;
  a->used_in_other_epoch = !a->in_frame && is_used_outside_epoch_of_alloca(v, a);
  if (!a->in_frame)
    return true;
  if (!mark_aliases_rematerialized_after_begin(v))
    return false;
  a->escapes = s.escapes;
  a->alias_live_across_suspend = s.alias_live_across_suspend;
  coro_insts_sort(&v->life.accesses);
  return append_instructions(v, &a->accesses, &v->life.accesses) &&
         append_instructions(v, &a->starts, &v->life.starts) && append_instructions(v, &a->ends, &v->life.ends);
}

/* Removes from suspends_ahead the ramp-only nodes from which the ramp cannot suspend, such as code after an
   exception: the ramp reaches a landing only through its suspend, and the frame may already be freed there. */
static bool exclude_nodes_where_ramp_cannot_suspend(struct visitor *v)
{
  const struct coro_cfg *cfg = v->cfg;
  struct worklist ahead; /* nodes from which the ramp may suspend */
  if (!worklist_init(&ahead, v->arena, cfg->node_count))
    return false;
  for (uint32_t k = 0; k < v->shape->suspend_count; k++)
    worklist_enter(&ahead, cfg_node_of(cfg, v->shape->suspends[k].inst));
  for (uint32_t n; worklist_take(&ahead, &n);)
    for (uint32_t p = cfg->graph.pred_start[n]; p < cfg->graph.pred_start[n + 1]; p++)
      if (cfg_has_edge(cfg, cfg->graph.pred[p], n, CLONE_RAMP))
        worklist_enter(&ahead, cfg->graph.pred[p]);
  for (uint32_t n = 0; n < cfg->node_count; n++)
    if (cfg->nodes[n].clone_kinds == CLONE_RAMP && !worklist_has_entered(&ahead, n))
      coro_bits_unset(&v->allocas->suspends_ahead, n);
  return true;
}

static bool init_visitor_and_suspends_ahead(struct visitor *v)
{
  uint32_t landings = v->cfg->node_count - v->cfg->fragment_count;
  uint32_t *starts = CORO_NEW_ARRAY(v->arena, uint32_t, landings);
  v->allocas->value_count = ir_value_count(v->fn);
  v->allocas->of_value = CORO_NEW_ARRAY(v->arena, uint32_t, v->allocas->value_count);
  v->allocas->remat_depth = CORO_NEW_ARRAY(v->arena, unsigned char, v->allocas->value_count);
  if (coro_arena_failed(v->arena) || !pointer_walk_init(&v->uses, v->arena, v->fn, v->shape, v->cfg) ||
      !coro_bits_init(&v->allocas->suspends_ahead, v->arena, v->cfg->node_count) ||
      !coro_bits_init(&v->allocas->rematerialized_aliases, v->arena, ir_value_count(v->fn)))
    return false;
  for (uint32_t k = 0; k < landings; k++)
    starts[k] = v->cfg->fragment_count + k;
  return graph_mark_reachable_nodes(&v->allocas->suspends_ahead, v->arena, &v->cfg->graph, starts, landings, true) &&
         exclude_nodes_where_ramp_cannot_suspend(v) &&
         graph_strongly_connected_components(&v->scc, v->arena, &v->cfg->graph) &&
         coro_find_begin_join_of_each_node(v->low, &v->allocas->begin_joins) &&
         lifetime_init(&v->life, v->arena, v->cfg, &v->scc, &v->allocas->suspends_ahead);
}

static bool is_alloca_byval_or_swifterror_argument(const struct ir_fn *fn, const struct coro_shape *shape,
                                                   uint32_t value)
{
  if (value < fn->arg_count)
    return shape->byval[value] || shape->error == value;
  return fn->opcode[ir_inst_of_value(fn, value)] == LLVMAlloca;
}

coro_status coro_run_frame_allocas_stage(struct coro_lowering *low)
{
  struct coro_allocas *allocas = &low->allocas;
  uint32_t values = ir_value_count(&low->fn), n = 0;
  *allocas = (struct coro_allocas){.unrematerializable = IR_NONE};
  struct visitor visitor = {.low = low,
                            .allocas = allocas,
                            .arena = low->arena,
                            .fn = &low->fn,
                            .shape = &low->shape,
                            .cfg = &low->cfg,
                            .crossing = &low->crossing,
                            .placement = {.low = low}};
  for (uint32_t v = 0; v < values; v++)
    allocas->count += is_alloca_byval_or_swifterror_argument(&low->fn, &low->shape, v);
  allocas->items = CORO_NEW_ARRAY(low->arena, struct coro_alloca, allocas->count);
  if (!allocas->items || !init_visitor_and_suspends_ahead(&visitor) || !content_walk_init(&visitor.content, low))
    return CORO_ENOMEM;
  for (uint32_t v = 0; v < values; v++) {
    allocas->of_value[v] = IR_NONE;
    if (!is_alloca_byval_or_swifterror_argument(&low->fn, &low->shape, v))
      continue;
    struct coro_alloca *a = &allocas->items[n];
    a->value = v;
    alloca_set_type_size_and_alignment(a, low);
    if (!decide_place_of_alloca(&visitor, a))
      return visitor.status ? visitor.status : CORO_ENOMEM;
    allocas->of_value[v] = n++;
  }
  return CORO_OK;
}
