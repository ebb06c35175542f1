/* Moves the simulation over presplit instructions that a clone lacks; see skipped_code.h. */
#include "check/skipped_code.h"

#include "check/begin.h"
#include "check/claim_list.h"
#include "check/dispatch.h"
#include "check/evaluate.h"
#include "check/heap_state.h"
#include "check/hook_state.h"
#include "check/own_clone.h"
#include "check/phi_choice.h"
#include "check/verdict.h"
#include "ir/constant_fold.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "lowering/abi.h"

static LLVMValueRef inst_at_position(const struct check_walk *w)
{
  return w->k->fn.insts[w->k->fn.block_start[w->block] + w->position];
}

/* In the ramp of a switched-resume coroutine an end has no effect. An unwind end outside of a pad continues. */
static bool is_droppable_end(const struct check_walk *w, uint32_t inst)
{
  bool continues = coro_is_unwind_end(&w->c->low->fn, inst) && !LLVMGetNumOperandBundles(w->c->low->fn.insts[inst]);
  if (w->c->low->abi->suspend_returns)
    return continues && (!w->c->low->abi->end_frees_frame ||
                         begin_frame_is_freed_or_need_not_be(w->c, w->k, w->block, w->position, w->state.freed, inst));
  return w->k->from->clone_kind == CLONE_RAMP || continues;
}

/* An llvm.coro.alloca.free of memory from the allocator; other memory is on the stack, which the clone gives back. */
static bool frees_memory_of_allocator(const struct check *c, uint32_t free)
{
  uint32_t alloc = ir_operand_inst(&c->low->fn, free, ALLOCA_TOKEN);
  return alloc != IR_NONE && coro_bits_get(&c->from_allocator, alloc);
}

/* Intrinsics of the coroutine itself. */
static bool is_droppable_intrinsic(const struct check_walk *w, uint32_t inst)
{
  switch (w->c->low->shape.intrin[inst]) {
  case INTRIN_LIFETIME_START:
  case INTRIN_LIFETIME_END: /* dropping a marker only keeps the content longer */
  case INTRIN_STACKRESTORE: /* dropping it only keeps the memory longer */
  case INTRIN_STACKSAVE:
  case INTRIN_ID:
  case INTRIN_ID_RETCON:
  case INTRIN_ID_RETCON_ONCE:
  case INTRIN_ID_RETCON_DYNAMIC:
  case INTRIN_ID_ASYNC:
  case INTRIN_ALLOC:
  case INTRIN_BEGIN:
  case INTRIN_FREE:
  case INTRIN_FRAME:
  case INTRIN_SIZE:
  case INTRIN_ALIGN:
  case INTRIN_PROMISE:
  case INTRIN_IS_IN_RAMP:
  case INTRIN_END_RESULTS:
  case INTRIN_ALLOCA_GET:
  case INTRIN_SAVE:
  case INTRIN_SUSPEND: return true;
  case INTRIN_ASYNC_RESUME: return coro_map_has(&w->c->async_resumes, (uint64_t)inst + 1);
  case INTRIN_ALLOCA_FREE: return !frees_memory_of_allocator(w->c, inst);
  case INTRIN_END:
  case INTRIN_END_ASYNC: return is_droppable_end(w, inst);
  default: return false;
  }
}

bool presplit_inst_is_droppable(const struct check_walk *w, uint32_t inst)
{
  LLVMValueRef value = w->c->low->fn.insts[inst];
  unsigned parameter;
  switch (w->c->low->fn.opcode[inst]) {
  case LLVMStore:
  case LLVMFence:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case LLVMVAArg:
  case LLVMCatchPad:
  case LLVMCleanupPad: return false;
  case LLVMLoad: return edit_is_simple_load(value);
  case LLVMCall:
    return is_droppable_intrinsic(w, inst) || constant_fold_supports_instruction(value) ||
           is_abi_passed_marker(w->c, inst, &parameter);
  default: return !LLVMIsATerminatorInst(value);
  }
}

/* Whether the rules for the frame and for memory need one place in a clone: they accept each copy of an address without
   a proof that it is the last one. */
static bool must_be_copied_once(const struct check_walk *w, uint32_t inst)
{
  enum intrin intrin = (enum intrin)w->c->low->shape.intrin[inst];
  return w->c->low->fn.opcode[inst] == LLVMAlloca || intrin == INTRIN_BEGIN || intrin == INTRIN_ALLOCA_ALLOC;
}

void record_execution_of_inst(struct check_walk *w, uint32_t inst, bool by_instruction)
{
  if (check_add_event_and_return_is_only(w->k, w->c->arena, inst, w->block, 2 * w->position + by_instruction) ||
      !must_be_copied_once(w, inst))
    return;
  bool coded = by_instruction;
  for (uint32_t e = check_last_added_event_or_none(w->k, inst); e != IR_NONE && !coded; e = w->k->events.items[e].next)
    coded = w->k->events.items[e].at % 2;
  if (coded)
    check_unsupported(w->c, "the memory of '%s', which a clone executes at two places",
                      presplit_value_text_for_message(w->c, ir_value_of_inst(&w->c->low->fn, inst)));
}

bool move_hook_and_heap_state_past_inst(struct check_walk *w, uint32_t inst)
{
  return (!w->c->low->abi->hook_module ||
          hook_state_move_past_inst(w->c, w->k, &w->state, w->block, w->position, inst)) &&
         (!heap_state_has_list(w->c) ||
          heap_state_check_blocks_are_freed_before(w->c, w->k, &w->state, w->block, w->position, inst));
}

void execute_and_skip_inst(struct check_walk *w, uint32_t inst)
{
  (void)move_hook_and_heap_state_past_inst(w, inst);
  record_execution_of_inst(w, inst, true);
  w->state.inst = inst + 1;
}

/* An exit of the clone at the position. */
static struct check_exit make_exit_at_position(const struct check_walk *w, uint32_t inst, uint32_t landing)
{
  return (struct check_exit){.clone = w->k->number,
                             .block = w->block,
                             .at = 2 * w->position,
                             .landing = landing,
                             .next = IR_NONE,
                             .inst = inst,
                             .markers = w->k->markers.count,
                             .header = w->header};
}

void record_exit_at_inst(struct check_walk *w, uint32_t inst, uint32_t landing)
{
  struct check *c = w->c;
  struct check_exit exit = make_exit_at_position(w, inst, landing);
  if (landing != IR_NONE)
    exit.next = c->exits_of[landing];
  if (coro_vec_push(c->arena, &c->exits, exit) && landing != IR_NONE)
    c->exits_of[landing] = c->exits.count - 1;
}

static void record_suspend_at_inst(struct check_walk *w, uint32_t inst)
{
  uint32_t s = check_suspend_of(w->c, inst);
  record_exit_at_inst(w, inst, s);
  w->state.suspend = s;
  w->state.result = -1;
  w->header.suspended = (struct check_suspended_at){SUSPENDED_YES, s};
}

/* An exception ends the coroutine here. It is destroyed at a suspend that follows, or as at the final suspend; if there
   is neither, what destroy does is not defined. */
void record_end_by_exception_unless_before_suspend(struct check_walk *w, uint32_t inst)
{
  if (!coro_bits_get(&w->c->low->shape.before_suspend, inst))
    record_exit_at_inst(w, inst, dispatch_landing_after_exception_end_or_none(w->c, inst));
}

/* Notes a lifetime marker, or an alloca, which ends the content although the clone has no code for it. */
static void record_skipped_marker(struct check_walk *w, uint32_t inst)
{
  uint32_t at = w->k->fn.block_start[w->block] + w->position;
  if (!w->k->skipped) {
    w->k->skipped = CORO_NEW_ARRAY(w->c->arena, uint32_t, w->k->fn.inst_count);
    w->k->skipped_last = CORO_NEW_ARRAY(w->c->arena, uint32_t, w->k->fn.inst_count);
  }
  if (!w->k->skipped || !w->k->skipped_last ||
      !coro_vec_push(w->c->arena, &w->k->markers, ((struct check_marker){inst, IR_NONE})))
    return;
  if (w->k->skipped[at])
    w->k->markers.items[w->k->skipped_last[at] - 1].next = w->k->markers.count - 1;
  else
    w->k->skipped[at] = w->k->markers.count;
  w->k->skipped_last[at] = w->k->markers.count;
}

/* Another thread may resume the coroutine after llvm.coro.save. */
static void record_coro_save(struct check_walk *w, uint32_t inst)
{
  uint32_t s = check_suspend_of(w->c, inst);
  if (s != IR_NONE)
    (void)coro_vec_push(w->c->arena, &w->k->saves, make_exit_at_position(w, inst, s));
}

/* Whether the copy of the phi has been executed: the presplit block was entered with the clone's block, which has
   one. */
static bool has_executed_copy_of_phi(const struct check_walk *w, uint32_t inst)
{
  struct check_event event;
  return w->c->low->fn.opcode[inst] == LLVMPHI && w->state.from == IR_NONE &&
         check_find_last_event_up_to(w->k, inst, w->block, 2 * w->position + 1, &event) && event.at % 2;
}

/* The frame of a coroutine that never suspends may be the memory that it is given. */
static void claim_or_refute_begin_memory(struct check_walk *w, uint32_t inst)
{
  uint32_t user = w->k->fn.block_start[w->block] + w->position;
  if (begin_frame_is_given_memory_without_suspends(w->c, w->k) &&
      !claim_presplit_operand(w->c, w->k, user, w->k->from->frame, inst, BEGIN_MEMORY))
    check_refute(w->c, w->k, inst_at_position(w), "the frame is not the memory that llvm.coro.begin is given");
}

static void record_skipped_end(struct check_walk *w, uint32_t inst)
{
  if (w->c->low->abi->suspend_returns)
    w->state.freed = IR_NONE;
  else if (w->k->from->clone_kind != CLONE_RAMP)
    record_end_by_exception_unless_before_suspend(w, inst);
}

static void skip_presplit_instruction(struct check_walk *w, uint32_t inst)
{
  (void)move_hook_and_heap_state_past_inst(w, inst);
  if (!has_executed_copy_of_phi(w, inst))
    record_execution_of_inst(w, inst, false);
  if (w->c->low->fn.opcode[inst] == LLVMAlloca && w->c->low->fn.inst_block[inst])
    record_skipped_marker(w, inst);
  switch (w->c->low->shape.intrin[inst]) {
  case INTRIN_BEGIN: claim_or_refute_begin_memory(w, inst); break;
  case INTRIN_SUSPEND: record_suspend_at_inst(w, inst); break;
  case INTRIN_END:
  case INTRIN_END_ASYNC: record_skipped_end(w, inst); break;
  case INTRIN_SAVE: record_coro_save(w, inst); break;
  case INTRIN_FREE: w->header.suspended = (struct check_suspended_at){SUSPENDED_YES, IR_NONE}; break;
  case INTRIN_LIFETIME_START:
  case INTRIN_LIFETIME_END:
  case INTRIN_STACKRESTORE:
  case INTRIN_ALLOCA_FREE: record_skipped_marker(w, inst); break;
  default: break;
  }
  w->state.inst = inst + 1;
}

/* Moves into the block of an edge. False: what the state requires next has not been executed. */
static bool enter_block_of_edge(struct check_walk *w)
{
  if (w->state.transfer != IR_NONE)
    return check_refute(w->c, w->k, inst_at_position(w), "the coroutine that '%s' returns must be resumed before",
                        presplit_value_text_for_message(w->c, ir_value_of_inst(&w->c->low->fn, w->state.transfer)));
  if (w->state.where == WHERE_EDGE) {
    w->state.where = WHERE_INST;
    w->state.inst = w->c->low->fn.block_start[w->state.to];
  }
  return true;
}

static bool refute_skip_to_inst(struct check_walk *w, uint32_t wanted)
{
  const struct ir_fn *fn = &w->c->low->fn;
  if (w->state.where != WHERE_INST)
    return check_refute(w->c, w->k, inst_at_position(w), "expected code of the dispatch, but it stands for '%s'",
                        presplit_value_text_for_message(w->c, ir_value_of_inst(fn, wanted)));
  const char *missing = presplit_value_text_for_message(w->c, ir_value_of_inst(fn, w->state.inst));
  return check_refute(w->c, w->k, inst_at_position(w), "it stands for '%s', but '%s' must be executed first",
                      presplit_value_text_for_message(w->c, ir_value_of_inst(fn, wanted)), missing);
}

bool skip_to_presplit_inst(struct check_walk *w, uint32_t inst)
{
  const struct ir_fn *fn = &w->c->low->fn;
  if (!enter_block_of_edge(w))
    return false;
  if (w->state.where != WHERE_INST || fn->inst_block[inst] != fn->inst_block[w->state.inst] || inst < w->state.inst)
    return refute_skip_to_inst(w, inst);
  while (w->state.inst < inst) {
    if (!presplit_inst_is_droppable(w, w->state.inst))
      return refute_skip_to_inst(w, inst);
    skip_presplit_instruction(w, w->state.inst);
  }
  return true;
}

void skip_droppable_insts_until_past_inst(struct check_walk *w, uint32_t inst)
{
  const struct ir_fn *fn = &w->c->low->fn;
  if (w->state.where == WHERE_EDGE && w->state.to != fn->inst_block[inst])
    return;
  if (!enter_block_of_edge(w) || w->state.where != WHERE_INST || fn->inst_block[inst] != fn->inst_block[w->state.inst])
    return;
  while (w->state.inst <= inst && presplit_inst_is_droppable(w, w->state.inst))
    skip_presplit_instruction(w, w->state.inst);
}

uint32_t skip_droppable_insts_to_intrinsic_or_none(struct check_walk *w, enum intrin intrin)
{
  if (!enter_block_of_edge(w) || w->state.where != WHERE_INST)
    return IR_NONE;
  while (w->c->low->shape.intrin[w->state.inst] != intrin && presplit_inst_is_droppable(w, w->state.inst))
    skip_presplit_instruction(w, w->state.inst);
  return w->c->low->shape.intrin[w->state.inst] == intrin ? w->state.inst : IR_NONE;
}

/* Whether the walk's presplit position is a suspend or an end of the coroutine. */
static bool is_presplit_suspend_or_end(const struct check_walk *w)
{
  return coro_is_suspend(&w->c->low->shape, w->state.inst) || w->c->low->shape.intrin[w->state.inst] == INTRIN_END;
}

uint32_t skip_droppable_insts_to_exit_or_none(struct check_walk *w)
{
  if (w->state.transfer != IR_NONE && w->k->from->clone_kind != CLONE_RAMP)
    return find_suspend_along_jumps_or_none(w);
  if (!enter_block_of_edge(w) || w->state.where != WHERE_INST)
    return IR_NONE;
  while (!is_presplit_suspend_or_end(w) && presplit_inst_is_droppable(w, w->state.inst))
    skip_presplit_instruction(w, w->state.inst);
  return is_presplit_suspend_or_end(w) ? w->state.inst : IR_NONE;
}

uint32_t skip_past_next_alloca_free_or_none(struct check_walk *w)
{
  uint32_t free = skip_droppable_insts_to_intrinsic_or_none(w, INTRIN_ALLOCA_FREE);
  if (free != IR_NONE)
    skip_presplit_instruction(w, free);
  return free;
}

uint32_t skip_droppable_insts_return_next_or_none(struct check_walk *w)
{
  if (!enter_block_of_edge(w) || w->state.where != WHERE_INST)
    return IR_NONE;
  while (presplit_inst_is_droppable(w, w->state.inst))
    skip_presplit_instruction(w, w->state.inst);
  return w->state.inst;
}

/* The index of the successor that the terminator takes if a suspend's known result decides it; else
   CONSTANT_SUCCESSOR_UNKNOWN. */
static unsigned successor_by_known_suspend_result_or_unknown(const struct check_walk *w, LLVMValueRef terminator)
{
  if (flow_is_jump(terminator))
    return 0;
  if (w->state.suspend == IR_NONE)
    return evaluate_successor(terminator, NULL, NULL);
  LLVMValueRef source = w->c->low->fn.insts[w->c->low->shape.suspends[w->state.suspend].inst];
  LLVMValueRef *constant = &w->c->suspend_results[w->state.result + 1];
  if (!*constant || LLVMTypeOf(*constant) != LLVMTypeOf(source))
    *constant = LLVMConstInt(LLVMTypeOf(source), (unsigned long long)(long long)w->state.result, true);
  return evaluate_successor(terminator, source, *constant);
}

/* A branch on llvm.coro.is_in_ramp in the same execution. */
static unsigned successor_by_is_in_ramp_or_unknown(const struct check_walk *w, LLVMValueRef terminator)
{
  const struct ir_fn *fn = &w->c->low->fn;
  LLVMValueRef condition = flow_branch_condition(terminator);
  uint32_t inst = condition ? ir_inst(fn, condition) : IR_NONE;
  if (inst == IR_NONE || w->c->low->shape.intrin[inst] != INTRIN_IS_IN_RAMP ||
      fn->inst_block[inst] != fn->inst_block[w->state.inst] || check_last_added_event_or_none(w->k, inst) == IR_NONE)
    return CONSTANT_SUCCESSOR_UNKNOWN;
  for (uint32_t i = inst; i < w->state.inst; i++)
    if (coro_is_suspend(&w->c->low->shape, i))
      return CONSTANT_SUCCESSOR_UNKNOWN;
  return w->k->from->clone_kind == CLONE_RAMP ? 0 : 1;
}

static void take_presplit_edge(struct check_walk *w, uint32_t terminator, uint32_t to)
{
  (void)move_hook_and_heap_state_past_inst(w, terminator);
  record_execution_of_inst(w, terminator, false);
  w->state = check_state_on_edge(w->c->low->fn.inst_block[terminator], to);
}

uint32_t skip_droppable_and_jumps_return_next_or_none(struct check_walk *w)
{
  const struct ir_fn *fn = &w->c->low->fn;
  uint32_t next = skip_droppable_insts_return_next_or_none(w);
  for (uint32_t steps = 0; next != IR_NONE && flow_is_jump(fn->insts[next]) && steps < fn->block_count; steps++) {
    take_presplit_edge(w, next, flow_successor(fn, fn->insts[next], 0));
    next = skip_droppable_insts_return_next_or_none(w);
  }
  return next;
}

uint32_t find_suspend_along_jumps_or_none(const struct check_walk *w)
{
  const struct ir_fn *fn = &w->c->low->fn;
  uint32_t i = w->state.where == WHERE_EDGE ? fn->block_start[w->state.to] : w->state.inst;
  for (uint32_t steps = 0; steps < fn->inst_count && w->c->low->shape.intrin[i] != INTRIN_SUSPEND; steps++) {
    if (!LLVMIsATerminatorInst(fn->insts[i]))
      i++;
    else if (flow_is_jump(fn->insts[i]))
      i = fn->block_start[flow_successor(fn, fn->insts[i], 0)];
    else
      return IR_NONE;
  }
  return w->c->low->shape.intrin[i] == INTRIN_SUSPEND ? i : IR_NONE;
}

bool skip_past_suspend_after_transfer(struct check_walk *w, uint16_t hooks)
{
  const struct ir_fn *fn = &w->c->low->fn;
  uint32_t suspend = skip_droppable_insts_to_intrinsic_or_none(w, INTRIN_SUSPEND);
  for (uint32_t steps = 0; suspend == IR_NONE && steps < fn->block_count; steps++) {
    if (w->state.where != WHERE_INST || !flow_is_jump(fn->insts[w->state.inst]))
      break;
    take_presplit_edge(w, w->state.inst, flow_successor(fn, fn->insts[w->state.inst], 0));
    suspend = skip_droppable_insts_to_intrinsic_or_none(w, INTRIN_SUSPEND);
  }
  if (w->state.where != WHERE_INST)
    return check_refute(w->c, w->k, inst_at_position(w), "the clone is left where no suspend follows");
  if (suspend == IR_NONE)
    return check_unsupported(w->c, "'%s' between a symmetric transfer and its suspend",
                             presplit_value_text_for_message(w->c, ir_value_of_inst(fn, w->state.inst)));
  w->state.hooks |= hooks;
  skip_presplit_instruction(w, suspend);
  return true;
}

bool skip_to_edge_or_refute(struct check_walk *w, uint32_t block)
{
  const struct ir_fn *fn = &w->c->low->fn;
  if (w->state.where == WHERE_EDGE && w->state.to == block)
    return true;
  uint32_t next = skip_droppable_insts_return_next_or_none(w);
  LLVMValueRef terminator = next == IR_NONE ? NULL : fn->insts[next];
  if (!terminator || !flow_is_branch(terminator))
    return refute_skip_to_inst(w, fn->block_start[block]);
  unsigned successor = successor_by_known_suspend_result_or_unknown(w, terminator);
  if (successor == CONSTANT_SUCCESSOR_UNKNOWN)
    successor = successor_by_is_in_ramp_or_unknown(w, terminator);
  if (successor == CONSTANT_SUCCESSOR_UNKNOWN)
    successor = phi_choice_successor_or_unknown(w, next);
  if (successor == CONSTANT_SUCCESSOR_UNKNOWN)
    return check_refute(w->c, w->k, inst_at_position(w),
                        "the branch '%s' was removed although its condition is not known here",
                        presplit_value_text_for_message(w->c, ir_value_of_inst(fn, next)));
  uint32_t to = flow_successor(fn, terminator, successor);
  take_presplit_edge(w, next, to);
  return to == block || check_refute(w->c, w->k, inst_at_position(w),
                                     "it continues in the copy of another block than '%s' chooses here",
                                     presplit_value_text_for_message(w->c, ir_value_of_inst(fn, next)));
}
