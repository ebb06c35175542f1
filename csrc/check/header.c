/* Forward dataflow analysis of the header's content and of whether the coroutine has suspended; checks it at each
   suspend. */
#include "check/header.h"

#include "check/claim_list.h"
#include "check/dispatch.h"
#include "check/frame_overlap.h"
#include "check/own_clone.h"
#include "check/suspended.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "lowering/abi.h"

/* ---- Stores ---- */

static bool is_header_field(const struct check *c, coro_field_kind kind, uint64_t offset)
{
  uint64_t at;
  return find_offset_of_header_field(c, kind, &at) && at == offset;
}

static bool check_store_of_resume(struct check_walk *w, LLVMValueRef store)
{
  LLVMValueRef value = LLVMGetOperand(store, STORE_VALUE);
  uint32_t suspend = is_clone_of_suspend_in_resume_slot(w->c) ? suspend_of_own_clone_or_none(w->c, value) : IR_NONE;
  bool resume = (w->c->low->clone_count && value == w->c->low->clones[0]) || suspend != IR_NONE;
  w->header.clone = suspend == IR_NONE ? HEADER_UNKNOWN : (int32_t)suspend;
  if (!resume && !LLVMIsNull(value))
    return check_refute(w->c, w->k, store, "neither the resume function nor null is stored as the resume pointer");
  w->header.resume = resume;
  return true;
}

/* The first llvm.coro.alloc that the walk has met in the ramp; IR_NONE: none. */
static uint32_t first_executed_coro_alloc_or_none(const struct check_walk *w)
{
  for (uint32_t i = 0; i < w->c->low->fn.inst_count; i++)
    if (w->c->low->shape.intrin[i] == INTRIN_ALLOC && check_last_added_event_or_none(w->k, i) != IR_NONE)
      return i;
  return IR_NONE;
}

/* The destroy function if the coroutine's own code allocated the frame, else the cleanup function. */
static bool check_store_of_destroy(struct check_walk *w, uint32_t inst)
{
  const struct coro_lowering *low = w->c->low;
  LLVMValueRef store = w->k->fn.insts[inst], value = LLVMGetOperand(store, STORE_VALUE);
  uint32_t alloc = first_executed_coro_alloc_or_none(w);
  w->header.destroy = 1;
  if (low->clone_count < 3)
    return check_refute(w->c, w->k, store, "a destroy function is stored, but there is none");
  if (alloc == IR_NONE && !w->k->alloc_result)
    return value == low->clones[1] || check_refute(w->c, w->k, store, "the destroy function is not stored");
  LLVMValueRef alloc_result = edit_bool_constant(low->context, true);
  if (LLVMIsASelectInst(value) && LLVMGetOperand(value, SELECT_TRUE) == low->clones[1] &&
      LLVMGetOperand(value, SELECT_FALSE) == low->clones[2])
    alloc_result = LLVMGetOperand(value, SELECT_CONDITION);
  else if (value == low->clones[2])
    alloc_result = edit_bool_constant(low->context, false);
  else if (value != low->clones[1])
    return check_refute(w->c, w->k, store, "neither the destroy nor the cleanup function is stored");
  if (w->k->alloc_result) /* abi.alloc allocates */
    return alloc_result == w->k->alloc_result ||
           check_refute(w->c, w->k, store, "the destroy function does not depend on it");
  claim_carrier_before_inst(w->c, w->k, inst, alloc_result, ir_value_of_inst(&low->fn, alloc));
  return true;
}

static bool check_store_of_index(struct check_walk *w, LLVMValueRef store)
{
  LLVMValueRef value = LLVMGetOperand(store, STORE_VALUE);
  if (!LLVMIsAConstantInt(value) || LLVMTypeOf(value) != w->c->low->frame.header.index_type)
    return check_refute(w->c, w->k, store, "no constant is stored as the suspend index");
  w->header.index = (int32_t)LLVMConstIntGetZExtValue(value);
  return true;
}

bool header_check_store_and_record_access(struct check_walk *w, uint32_t inst, uint64_t offset)
{
  LLVMValueRef store = w->k->fn.insts[inst];
  (void)coro_vec_push(w->c->arena, &w->k->accesses, ((struct check_access){inst, w->header.suspended}));
  if (is_header_field(w->c, CORO_FIELD_RESUME, offset))
    return check_store_of_resume(w, store);
  if (is_header_field(w->c, CORO_FIELD_DESTROY, offset))
    return check_store_of_destroy(w, inst);
  if (is_header_field(w->c, CORO_FIELD_INDEX, offset))
    return check_store_of_index(w, store);
  return true;
}

/* ---- Flow ---- */

static int32_t apply_header_change(int32_t before, int32_t change)
{
  return change == HEADER_SAME ? before : change;
}

static struct check_header apply_block_to_header(const struct check_header *before, const struct check_header *change)
{
  return (struct check_header){apply_header_change(before->index, change->index),
                               apply_header_change(before->clone, change->clone),
                               (int8_t)apply_header_change(before->resume, change->resume),
                               (int8_t)apply_header_change(before->destroy, change->destroy),
                               change->suspended.is == SUSPENDED_SAME ? before->suspended : change->suspended};
}

static int32_t meet_header_fields(int32_t a, int32_t b)
{
  return a == HEADER_UNSET || a == b ? b : b == HEADER_UNSET ? a : HEADER_UNKNOWN;
}

static struct check_header header_at_landing(const struct check *c, uint32_t landing)
{
  int32_t index =
      landing_has_suspend_index(c, landing) ? (int32_t)suspend_index_of_landing(c, landing) : HEADER_UNKNOWN;
  return (struct check_header){
      index, (int32_t)landing, !coroutine_is_done_at_landing(c, landing), 1, {SUSPENDED_NO, IR_NONE}};
}

static struct check_header header_at_block(const struct check *c, const struct check_clone *k, uint32_t block)
{
  struct check_header in = check_header_of(HEADER_UNSET, SUSPENDED_UNSET);
  if (k->landing[block] != IR_NONE)
    return header_at_landing(c, k->landing[block]);
  if (block == k->rpo.order[0])
    return (struct check_header){
        HEADER_UNKNOWN, HEADER_UNKNOWN, HEADER_UNKNOWN, HEADER_UNKNOWN, {SUSPENDED_NO, IR_NONE}};
  for (uint32_t p = k->graph.pred_start[block]; p < k->graph.pred_start[block + 1]; p++) {
    uint32_t from = k->graph.pred[p];
    if (k->out[from].where == WHERE_LEFT)
      continue;
    struct check_header out = apply_block_to_header(&k->header_in[from], &k->header_out[from]);
    if (out.suspended.is != SUSPENDED_NO)
      out.suspended = suspended_meet_on_edges(c, k, from, block, out.suspended);
    if (k->graph.pred_start[block + 1] - k->graph.pred_start[block] == 1)
      return out;
    in = (struct check_header){meet_header_fields(in.index, out.index), meet_header_fields(in.clone, out.clone),
                               (int8_t)meet_header_fields(in.resume, out.resume),
                               (int8_t)meet_header_fields(in.destroy, out.destroy),
                               suspended_meet(in.suspended, out.suspended)};
  }
  return in;
}

static bool is_same_header(const struct check_header *a, const struct check_header *b)
{
  return a->index == b->index && a->clone == b->clone && a->resume == b->resume && a->destroy == b->destroy &&
         a->suspended.is == b->suspended.is && a->suspended.at == b->suspended.at;
}

static bool has_cycle(const struct check_clone *k)
{
  for (uint32_t b = 0; b < k->fn.block_count; b++)
    for (uint32_t s = k->graph.succ_start[b]; s < k->graph.succ_start[b + 1]; s++)
      if (k->rpo.number[k->graph.succ[s]] <= k->rpo.number[b])
        return true;
  return false;
}

/* The lattice has three levels, so that a few passes in reverse postorder reach the fixed point: one if there is no
   cycle. A block may depend on others than its predecessors, because of branches on phis; they precede it as well. */
static void propagate_headers(const struct check *c, struct check_clone *k)
{
  for (bool cyclic = has_cycle(k), changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < k->rpo.count; i++) {
      uint32_t block = k->rpo.order[i];
      struct check_header in = header_at_block(c, k, block);
      changed |= cyclic && !is_same_header(&in, &k->header_in[block]);
      k->header_in[block] = in;
    }
  }
}

/* ---- At suspends ---- */

static const char *name_of_exit_instruction(const struct check *c, const struct check_exit *exit)
{
  return presplit_value_text_for_message(c, ir_value_of_inst(&c->low->fn, exit->inst));
}

/* A suspended coroutine does not suspend again before it is resumed. If it has suspended on all paths to an exit, this
   exit is infeasible. If it has on some, the places from which it can only continue to the exit are not reached on
   these. */
static void mark_untaken_exits(struct check *c, struct check_clone *k)
{
  for (uint32_t i = k->first_exit; i < c->exits.count; i++) {
    struct check_exit *exit = &c->exits.items[i];
    struct check_suspended_at suspended = apply_block_to_header(&k->header_in[exit->block], &exit->header).suspended;
    exit->untaken = suspended_is_always_or_unreached(suspended);
    if (suspended.is != SUSPENDED_NO && coro_is_suspend(&c->low->shape, exit->inst))
      (void)coro_map_put(&k->suspends_in, (uint64_t)exit->block + 1, i + 1); /* the arena records failures */
  }
}

/* Whether control always continues after the instruction, without other code, to the next one. */
static bool always_continues_without_other_code(LLVMValueRef inst)
{
  return !LLVMIsATerminatorInst(inst) && !edit_is_call(inst) && !LLVMIsAFenceInst(inst) && !LLVMIsACallBrInst(inst) &&
         (!LLVMIsALoadInst(inst) || edit_is_simple_load(inst)) &&
         (!LLVMIsAStoreInst(inst) ||
          (!LLVMGetVolatile(inst) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic)) &&
         !LLVMIsAAtomicRMWInst(inst) && !LLVMIsAAtomicCmpXchgInst(inst);
}

/* Whether the clone suspends after the instruction, whatever happens. */
static bool always_leads_to_suspend_in_block(const struct check *c, const struct check_clone *k, uint32_t inst)
{
  uint64_t exit = 0;
  if (!coro_map_get(&k->suspends_in, (uint64_t)k->fn.inst_block[inst] + 1, &exit))
    return false;
  uint32_t end = check_inst_at(k, k->fn.inst_block[inst], c->exits.items[exit - 1].at);
  for (uint32_t i = inst; i < end; i++)
    if (!always_continues_without_other_code(k->fn.insts[i]))
      return false;
  return inst < end;
}

static bool check_header_at_exit(struct check *c, const struct check_clone *k, const struct check_exit *exit)
{
  struct check_header header = apply_block_to_header(&k->header_in[exit->block], &exit->header);
  LLVMValueRef at = k->fn.insts[check_inst_at(k, exit->block, exit->at)];
  bool done = exit->landing == IR_NONE || coroutine_is_done_at_landing(c, exit->landing);
  if (exit->untaken)
    return true;
  if (exit->landing != IR_NONE && dispatch_stores_indices_before_suspends(c) &&
      landing_has_suspend_index(c, exit->landing) &&
      header.index != (int32_t)suspend_index_of_landing(c, exit->landing))
    return check_refute(c, k, at, "the suspend index at '%s' is not %u, to which its landing belongs",
                        name_of_exit_instruction(c, exit), (unsigned)suspend_index_of_landing(c, exit->landing));
  if (header.resume == 0 && !done && c->low->shape.has_unwind_end)
    return check_unsupported(c, "a suspend after an end by an exception");
  if (header.resume != !done)
    return check_refute(c, k, at, "the resume pointer at '%s' must be %s", name_of_exit_instruction(c, exit),
                        done ? "null" : "the resume function");
  if (!done && is_clone_of_suspend_in_resume_slot(c) && header.clone != (int32_t)exit->landing)
    return check_refute(c, k, at, "the resume pointer at '%s' must be the clone of this suspend",
                        name_of_exit_instruction(c, exit));
  return header.destroy == 1 ||
         check_refute(c, k, at, "no destroy pointer is stored before '%s'", name_of_exit_instruction(c, exit));
}

/* Whether control may have suspended, or the frame may be freed, at the start of a block. */
static bool may_be_suspended_at_block_start(const struct check_clone *k, uint32_t block)
{
  return k->header_in[block].suspended.is == SUSPENDED_YES || k->header_in[block].suspended.is == SUSPENDED_MAYBE;
}

/* Whether a value is computed where control may have suspended, in the block or right before it. */
static bool is_computed_where_maybe_suspended(const struct check *c, const struct check_clone *k, uint32_t value,
                                              uint32_t block)
{
  uint32_t inst = ir_inst_of_value(&c->low->fn, value);
  struct check_event event;
  bool suspend = inst != IR_NONE && c->low->shape.intrin[inst] == INTRIN_SUSPEND;
  if (check_find_last_event_up_to(k, inst, block, UINT32_MAX, &event))
    return suspend || may_be_suspended_at_block_start(k, block);
  for (uint32_t p = k->graph.pred_start[block]; p < k->graph.pred_start[block + 1]; p++)
    if (check_find_last_event_up_to(k, inst, k->graph.pred[p], UINT32_MAX, &event))
      return suspend || may_be_suspended_at_block_start(k, k->graph.pred[p]);
  return false;
}

/* Whether the access is a spill: it stores a value to the value's frame field right after the value's definition.
   Claims that it is this value. */
static bool match_spill_where_maybe_suspended(struct check *c, struct check_clone *k, uint32_t inst)
{
  uint32_t value = k->entries[inst].of, field = IR_NONE;
  LLVMValueRef store = k->fn.insts[inst];
  uint64_t offset;
  if (k->entries[inst].kind == WITNESS_SPILL)
    field = c->low->frame.of_value[value];
  if (field == IR_NONE || c->low->frame.fields[field].kind != CORO_FIELD_SPILL ||
      !check_accesses_frame(k, inst, &offset) || offset != c->low->frame.fields[field].offset ||
      !is_computed_where_maybe_suspended(c, k, value, k->fn.inst_block[inst]))
    return false;
  claim_carrier_before_inst(c, k, inst, LLVMGetOperand(store, STORE_VALUE), value);
  return true;
}

/* Whether the access stores a part of the header. */
static bool is_header_store(const struct check *c, const struct check_clone *k, uint32_t inst)
{
  uint64_t offset;
  return k->fn.opcode[inst] == LLVMStore && check_accesses_frame(k, inst, &offset) &&
         (is_header_field(c, CORO_FIELD_RESUME, offset) || is_header_field(c, CORO_FIELD_DESTROY, offset) ||
          is_header_field(c, CORO_FIELD_INDEX, offset));
}

static bool check_frame_access_is_before_suspend(struct check *c, struct check_clone *k,
                                                 const struct check_access *access)
{
  struct check_suspended_at suspended = access->suspended;
  if (suspended.is == SUSPENDED_SAME)
    suspended = k->header_in[k->fn.inst_block[access->inst]].suspended;
  if ((suspended.is != SUSPENDED_YES && suspended.is != SUSPENDED_MAYBE) ||
      always_leads_to_suspend_in_block(c, k, access->inst))
    return true;
  if (is_header_store(c, k, access->inst))
    return check_unsupported(c, "the state that is stored where control may have suspended before");
  bool own = k->from->landing != IR_NONE; /* its only landing may be after this code */
  if ((suspended.is == SUSPENDED_MAYBE || own) && match_spill_where_maybe_suspended(c, k, access->inst))
    return check_unsupported(c, "a spill by code that runs both before control has suspended and after it");
  return check_refute(c, k, k->fn.insts[access->inst],
                      "it accesses the frame, which may be freed or in use by another thread here");
}

bool check_header_at_exits_and_frame_accesses(struct check *c, struct check_clone *k)
{
  propagate_headers(c, k);
  if (c->low->shape.abi != CORO_ABI_SWITCH)
    return true;
  mark_untaken_exits(c, k);
  for (uint32_t i = k->first_exit; i < c->exits.count; i++)
    if (!check_header_at_exit(c, k, &c->exits.items[i]))
      return false;
  for (uint32_t i = 0; i < k->saves.count; i++)
    if (!check_header_at_exit(c, k, &k->saves.items[i]))
      return false;
  for (uint32_t i = 0; i < k->accesses.count; i++)
    if (!check_frame_access_is_before_suspend(c, k, &k->accesses.items[i]))
      return false;
  return true;
}
