/* Copies the ramp's cleanup after an unwind llvm.coro.end for a coroutine that is destroyed after an exception. */
#include "passes/destroy_cleanup.h"

#include "ir/clone.h"
#include "ir/constant_fold.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"

/* ---- Blocks that only propagate the exception ---- */

/* Whether the instruction can be erased if its result is unused. */
static bool is_erasable_if_unused(LLVMValueRef inst)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMPHI:
  case LLVMExtractValue:
  case LLVMInsertValue:
  case LLVMFreeze: return true;
  case LLVMLoad: return edit_is_simple_load(inst);
  default: return false;
  }
}

/* Whether the block, or the next one after a jump, only propagates the exception. */
static bool only_propagates_exception(const struct destroy_cleanup *d, LLVMBasicBlockRef block)
{
  for (unsigned jumps = 0; jumps < 2; jumps++) {
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (is_erasable_if_unused(i) || intrin_of_call(d->run->intrin, i) == INTRIN_LIFETIME_END)
      i = LLVMGetNextInstruction(i);
    if (LLVMGetInstructionOpcode(i) == LLVMResume)
      return true;
    if (!flow_is_jump(i))
      return false;
    block = LLVMGetSuccessor(i, 0);
  }
  return false;
}

/* ---- Which blocks to copy ---- */

static bool enqueue_block_or_freed_exit(struct destroy_cleanup *d, LLVMBasicBlockRef block, enum frame_state state)
{
  uint64_t states = 0, key = coro_map_key(LLVMBasicBlockAsValue(block));
  if (only_propagates_exception(d, block))
    return state && (coro_map_has(&d->states, key) ||
                     (coro_map_put(&d->states, key, 0) && coro_vec_push(d->run->arena, &d->exits, block)));
  d->reentered |= block == d->start && d->items.count;
  coro_map_get(&d->states, key, &states);
  if (states >> state & 1)
    return true;
  return (states || coro_vec_push(d->run->arena, &d->blocks, block)) &&
         coro_map_put(&d->states, key, states | (uint64_t)1 << state) &&
         coro_vec_push(d->run->arena, &d->items, ((struct destroy_cleanup_item){block, state}));
}

/* Whether the copy can contain the instruction. It is not a terminator. */
static bool can_copy_in_cleanup(const struct destroy_cleanup *d, LLVMValueRef inst)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  switch (intrin_of_call(d->run->intrin, inst)) {
  case INTRIN_FREE:
  case INTRIN_FRAME:
  case INTRIN_SIZE:
  case INTRIN_ALIGN:
  case INTRIN_PROMISE:
  case INTRIN_SUBFN_ADDR: return true;
  default:
    return !intrin_is_coro(intrin_of_call(d->run->intrin, inst)) && opcode != LLVMAlloca && opcode != LLVMCatchPad;
  }
}

static bool is_fallthrough_end(const struct destroy_cleanup *d, LLVMValueRef inst)
{
  return intrin_of_call(d->run->intrin, inst) == INTRIN_END &&
         !edit_is_nonzero_integer_constant(LLVMGetOperand(inst, END_UNWINDS));
}

/* The successor that a value known at the cleanup's start selects; CONSTANT_SUCCESSOR_UNKNOWN: any. */
static unsigned successor_by_phi_of_start_or_unknown(struct destroy_cleanup *d, LLVMValueRef terminator)
{
  LLVMValueRef phi = constant_successor_single_source_or_null(terminator);
  if (d->reentered || !phi || !LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != d->start)
    return CONSTANT_SUCCESSOR_UNKNOWN;
  LLVMValueRef value = edit_incoming_near(phi, d->from, &d->position);
  if (!value || !LLVMIsAConstantInt(value))
    return CONSTANT_SUCCESSOR_UNKNOWN;
  d->depends_on_edge = true;
  return constant_successor_or_unknown(terminator, phi, value);
}

/* ---- The frame's memory ---- */

static bool is_result_of_coro_free(const struct destroy_cleanup *d, LLVMValueRef value)
{
  return intrin_of_call(d->run->intrin, value) == INTRIN_FREE;
}

/* Whether the instruction is a call that releases the frame's memory. */
static bool is_call_with_memory_to_free(const struct destroy_cleanup *d, LLVMValueRef inst)
{
  bool found = false;
  for (unsigned i = 0; edit_is_call(inst) && i < LLVMGetNumArgOperands(inst) && !found; i++)
    found = is_result_of_coro_free(d, LLVMGetOperand(inst, i));
  return found;
}

/* The state after the instruction. */
static enum frame_state frame_state_after(const struct destroy_cleanup *d, LLVMValueRef inst, enum frame_state state)
{
  if (intrin_of_call(d->run->intrin, inst) == INTRIN_FREE)
    return FRAME_FREED;
  return state == FRAME_FREED && is_call_with_memory_to_free(d, inst) ? FRAME_RELEASED : state;
}

/* The state after an edge of a branch: there is nothing to release if the memory is null. */
static enum frame_state frame_state_after_edge(const struct destroy_cleanup *d, LLVMValueRef branch, unsigned successor,
                                               enum frame_state state)
{
  LLVMValueRef compare = flow_branch_condition(branch);
  if (state != FRAME_FREED || !compare || !LLVMIsAICmpInst(compare) ||
      !is_result_of_coro_free(d, LLVMGetOperand(compare, COMPARE_LEFT)) ||
      !LLVMIsNull(LLVMGetOperand(compare, COMPARE_RIGHT)))
    return state;
  LLVMIntPredicate null_edge = successor ? LLVMIntNE : LLVMIntEQ;
  return LLVMGetICmpPredicate(compare) == null_edge ? FRAME_RELEASED : state;
}

bool destroy_cleanup_find_parameter_allocas(LLVMValueRef function, struct coro_map *memory)
{
  bool fine = true;
  for (LLVMValueRef p = LLVMGetFirstParam(function); p; p = LLVMGetNextParam(p))
    for (LLVMUseRef use = LLVMGetFirstUse(p); use && fine; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, STORE_VALUE) == p)
        fine = coro_map_put(memory, coro_map_key(edit_strip_geps(LLVMGetOperand(user, STORE_ADDRESS))), 1);
    }
  return fine;
}

/* Whether the pointer is a parameter of the ramp, or its alloca. */
static bool is_parameter_or_its_alloca(const struct destroy_cleanup *d, LLVMValueRef value)
{
  LLVMValueRef base = edit_strip_geps(edit_strip_casts_and_zero_geps(value));
  return LLVMIsAArgument(base) || (LLVMIsAAllocaInst(base) && coro_map_has(d->parameters, coro_map_key(base)));
}

/* Whether the coroutine ends before the instruction. If a callee destroys its arguments, as on Windows or for classes
   with trivial_abi, the ramp destroys its parameters after the frame. */
static bool is_fallthrough_end_or_parameter_destructor(const struct destroy_cleanup *d, LLVMValueRef inst,
                                                       enum frame_state state)
{
  bool leaves = is_fallthrough_end(d, inst), calls = edit_is_call(inst) && state == FRAME_RELEASED;
  for (unsigned i = 0; calls && i < LLVMGetNumArgOperands(inst) && !leaves; i++) {
    LLVMValueRef argument = LLVMGetOperand(inst, i);
    leaves = edit_is_pointer(LLVMTypeOf(argument)) && !intrin_is_lifetime(intrin_of_call(d->run->intrin, inst)) &&
             is_parameter_or_its_alloca(d, argument);
  }
  return leaves;
}

/* False: the cleanup cannot be copied because of the invoke, or out of memory. */
static bool queue_invoke_successors_if_copyable(struct destroy_cleanup *d, LLVMValueRef invoke, enum frame_state state)
{
  return !d->left_pad && !intrin_is_coro(intrin_of_call(d->run->intrin, invoke)) && !LLVMGetNumOperandBundles(invoke) &&
         coro_vec_push(d->run->arena, &d->handlers,
                       ((struct destroy_cleanup_item){LLVMGetUnwindDest(invoke), state})) &&
         enqueue_block_or_freed_exit(d, LLVMGetNormalDest(invoke), frame_state_after(d, invoke, state));
}

/* False: the cleanup cannot be copied because of this terminator, or out of memory. */
static bool check_and_enqueue_successors(struct destroy_cleanup *d, LLVMValueRef terminator, enum frame_state state)
{
  unsigned known = successor_by_phi_of_start_or_unknown(d, terminator);
  switch (LLVMGetInstructionOpcode(terminator)) {
  case LLVMUnreachable: return !d->left_pad || !state; /* a pad that terminates because the exception arrives */
  case LLVMResume: return state;
  case LLVMInvoke: return queue_invoke_successors_if_copyable(d, terminator, state);
  case LLVMCleanupRet: {
    LLVMBasicBlockRef to = LLVMGetUnwindDest(terminator);
    return LLVMGetOperand(terminator, LEFT_PAD) == d->left_pad ||
           (to ? enqueue_block_or_freed_exit(d, to, state) : state);
  }
  default:
    if (!flow_is_branch(terminator))
      return false;
  }
  for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++)
    if ((known == CONSTANT_SUCCESSOR_UNKNOWN || known == i) &&
        !enqueue_block_or_freed_exit(d, LLVMGetSuccessor(terminator, i),
                                     frame_state_after_edge(d, terminator, i, state)))
      return false;
  return true;
}

/* False: an instruction cannot be copied, or out of memory. */
static bool check_block_can_be_copied(struct destroy_cleanup *d, LLVMBasicBlockRef block, enum frame_state state)
{
  LLVMValueRef i = LLVMGetFirstInstruction(block);
  for (; !LLVMIsATerminatorInst(i) && !is_fallthrough_end_or_parameter_destructor(d, i, state);
       i = LLVMGetNextInstruction(i)) {
    if (!can_copy_in_cleanup(d, i))
      return false;
    state = frame_state_after(d, i, state);
  }
  return is_fallthrough_end_or_parameter_destructor(d, i, state) ? state : check_and_enqueue_successors(d, i, state);
}

/* ---- Exceptions of the cleanup itself ---- */

#define SEARCH_SUCCEEDED UINT32_MAX

static bool is_in_cleanup(const struct destroy_cleanup *d, LLVMBasicBlockRef block)
{
  return coro_map_has(&d->states, coro_map_key(LLVMBasicBlockAsValue(block)));
}

/* Whether an earlier search from the block failed, and no block was added to the cleanup since. */
static bool is_search_known_to_fail(const struct destroy_cleanup *d, LLVMBasicBlockRef block)
{
  uint64_t search;
  return coro_map_get(&d->searched, coro_map_key(block), &search) &&
         d->searches.items[search] == d->blocks.count + d->exits.count;
}

/* Finds out whether control returns from the handler to the cleanup, or to where the ramp propagates the exception.
   False: out of memory. */
static bool search_return_to_cleanup(struct destroy_cleanup *d, LLVMBasicBlockRef handler, bool *returns)
{
  CORO_VEC(LLVMBasicBlockRef) reached = {0};
  uint32_t search = d->searches.count, size = d->blocks.count + d->exits.count;
  bool fine = coro_vec_push(d->run->arena, &d->searches, SEARCH_SUCCEEDED) &&
              coro_map_put(&d->searched, coro_map_key(handler), search) &&
              coro_vec_push(d->run->arena, &reached, handler);
  *returns = false;
  for (uint32_t b = 0; b < reached.count && fine && !*returns; b++) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(reached.items[b]);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator) && fine; i++) {
      LLVMBasicBlockRef to = LLVMGetSuccessor(terminator, i);
      uint64_t seen = UINT64_MAX;
      coro_map_get(&d->searched, coro_map_key(to), &seen);
      *returns |= is_in_cleanup(d, to);
      if (seen != search && !is_search_known_to_fail(d, to))
        fine = coro_map_put(&d->searched, coro_map_key(to), search) && coro_vec_push(d->run->arena, &reached, to);
    }
  }
  if (fine && !*returns)
    d->searches.items[search] = size;
  return fine;
}

/* Enters a handler that catches the exception and then continues in the cleanup. One that only cleans up is not copied:
   the original then propagates the new exception. False: the handler may do either, or out of memory. */
static bool enqueue_handler_if_it_returns(struct destroy_cleanup *d, const struct destroy_cleanup_item *handler)
{
  LLVMValueRef pad = edit_first_after_phis(handler->block);
  uint64_t states;
  bool returns = false;
  if (!LLVMIsALandingPadInst(pad))
    return false;
  if (coro_map_get(&d->states, coro_map_key(LLVMBasicBlockAsValue(handler->block)), &states))
    return !states || enqueue_block_or_freed_exit(d, handler->block, handler->state);
  if (!LLVMGetNumClauses(pad) || is_search_known_to_fail(d, handler->block))
    return true;
  return search_return_to_cleanup(d, handler->block, &returns) &&
         (!returns || (!LLVMIsCleanup(pad) && enqueue_block_or_freed_exit(d, handler->block, handler->state)));
}

static bool check_queued_blocks_can_be_copied(struct destroy_cleanup *d, uint32_t *next_item)
{
  bool fine = true;
  for (; *next_item < d->items.count && fine; ++*next_item)
    fine = check_block_can_be_copied(d, d->items.items[*next_item].block, d->items.items[*next_item].state);
  return fine;
}

/* Whether no block is entered both with the frame and after llvm.coro.free. */
static bool are_states_consistent(const struct destroy_cleanup *d)
{
  bool fine = true;
  for (uint32_t b = 0; b < d->blocks.count && fine; b++) {
    uint64_t states = 0;
    coro_map_get(&d->states, coro_map_key(LLVMBasicBlockAsValue(d->blocks.items[b])), &states);
    fine = !(states >> FRAME_ALLOCATED & 1) || states == UINT64_C(1) << FRAME_ALLOCATED;
  }
  return fine;
}

/* Finds all blocks of the cleanup, and the handlers that return to it. */
static bool find_blocks_of_cleanup(struct destroy_cleanup *d)
{
  uint32_t visited = 0;
  coro_map_init(&d->states, d->run->arena);
  coro_map_init(&d->searched, d->run->arena);
  d->items.count = d->blocks.count = d->exits.count = d->handlers.count = d->searches.count = 0;
  d->depends_on_edge = false;
  bool fine = !only_propagates_exception(d, d->start) && enqueue_block_or_freed_exit(d, d->start, FRAME_ALLOCATED) &&
              check_queued_blocks_can_be_copied(d, &visited);
  for (uint32_t before = 0; before != visited && fine;) {
    before = visited;
    for (uint32_t h = 0; h < d->handlers.count && fine; h++)
      fine = enqueue_handler_if_it_returns(d, &d->handlers.items[h]) && check_queued_blocks_can_be_copied(d, &visited);
  }
  return fine && are_states_consistent(d);
}

bool destroy_cleanup_find_if_copyable(struct destroy_cleanup *d)
{
  bool fine = find_blocks_of_cleanup(d);
  if (d->reentered) /* so the values at the start are not known */
    fine = find_blocks_of_cleanup(d);
  return fine;
}

/* ---- Copying ---- */

struct copying {
  struct destroy_cleanup *d;
  struct clone clone;
  LLVMBasicBlockRef leave;
};

/* The target of the branch that replaces the terminator; NULL: it is copied. */
static LLVMBasicBlockRef successor_replacing_terminator_or_null(const struct copying *c, LLVMValueRef terminator)
{
  unsigned known = successor_by_phi_of_start_or_unknown(c->d, terminator);
  if (LLVMGetInstructionOpcode(terminator) == LLVMResume)
    return c->leave;
  if (known != CONSTANT_SUCCESSOR_UNKNOWN)
    return clone_of_block(&c->clone, LLVMGetSuccessor(terminator, known));
  if (LLVMGetInstructionOpcode(terminator) != LLVMCleanupRet)
    return NULL;
  LLVMBasicBlockRef to = LLVMGetUnwindDest(terminator);
  return to ? clone_of_block(&c->clone, to) : c->leave;
}

static bool copy_cleanup_terminator(struct copying *c, LLVMValueRef terminator)
{
  LLVMBuilderRef builder = c->d->builder;
  LLVMBasicBlockRef to = successor_replacing_terminator_or_null(c, terminator);
  if (LLVMGetInstructionOpcode(terminator) == LLVMCleanupRet &&
      LLVMGetOperand(terminator, LEFT_PAD) == c->d->left_pad) /* the ramp has left that pad already */
    return LLVMBuildUnreachable(builder);
  return to ? LLVMBuildBr(builder, to) : clone_insert_copy(&c->clone, builder, terminator, "");
}

static bool copy_cleanup_instruction(struct copying *c, LLVMValueRef source)
{
  struct destroy_cleanup *d = c->d;
  if (LLVMIsACleanupPadInst(source))
    return true;
  if (LLVMIsAPHINode(source) && LLVMGetInstructionParent(source) == d->start && !d->reentered)
    return clone_record_copy(&c->clone, source, edit_incoming_near(source, d->from, &d->position));
  if (!edit_is_call(source) || !LLVMGetNumOperandBundles(source))
    return clone_insert_copy(&c->clone, d->builder, source, "");
  LLVMValueRef copy = clone_call_without_bundles(d->run->arena, d->builder, source);
  return copy && clone_record_inserted_copy(&c->clone, source, copy, "");
}

/* The last state in which the block is entered: where the memory is released on one path, the parameters do not exist
   on any. */
static enum frame_state last_frame_state_at_start(const struct destroy_cleanup *d, LLVMBasicBlockRef block)
{
  uint64_t states = 0;
  coro_map_get(&d->states, coro_map_key(LLVMBasicBlockAsValue(block)), &states);
  return states >> FRAME_RELEASED & 1 ? FRAME_RELEASED : states >> FRAME_FREED & 1 ? FRAME_FREED : FRAME_ALLOCATED;
}

static bool copy_cleanup_block(struct copying *c, LLVMBasicBlockRef block)
{
  LLVMValueRef i = LLVMGetFirstInstruction(block);
  enum frame_state state = last_frame_state_at_start(c->d, block);
  LLVMPositionBuilderAtEnd(c->d->builder, clone_of_block(&c->clone, block));
  for (; !LLVMIsATerminatorInst(i) && !is_fallthrough_end_or_parameter_destructor(c->d, i, state);
       i = LLVMGetNextInstruction(i)) {
    if (!copy_cleanup_instruction(c, i))
      return false;
    state = frame_state_after(c->d, i, state);
  }
  return is_fallthrough_end_or_parameter_destructor(c->d, i, state) ? LLVMBuildBr(c->d->builder, c->leave) != NULL
                                                                    : copy_cleanup_terminator(c, i);
}

/* Adds the copy of an invoke to the predecessors of its handler, if that is not copied. */
static void add_invoke_copy_to_handler_phis(const struct clone *c, LLVMValueRef invoke)
{
  LLVMBasicBlockRef from = LLVMGetInstructionParent(invoke), by = clone_of_block(c, from);
  LLVMBasicBlockRef handler = LLVMGetUnwindDest(invoke);
  if (clone_of_block(c, handler) != handler)
    return;
  for (LLVMValueRef i = LLVMGetFirstInstruction(handler); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    LLVMValueRef value = clone_copy_or_itself(c, edit_incoming_from(i, from));
    LLVMAddIncoming(i, &value, &by, 1);
  }
}

/* Erases copies that only served the propagation of the exception. Their sources then stand for themselves. False: out
   of memory. */
static bool erase_unused_copies(struct clone *c)
{
  bool fine = true;
  for (uint32_t i = c->sources.count; i-- > 0;) {
    LLVMValueRef source = c->sources.items[i], copy = clone_copy_or_itself(c, source);
    if (is_erasable_if_unused(copy) && !LLVMGetFirstUse(copy)) {
      LLVMInstructionEraseFromParent(copy);
      fine &= clone_record_copy(c, source, source);
    }
  }
  return fine;
}

/* Whether the copy uses a value of the start's phi. */
static bool copy_uses_phi_of_start(const struct clone *c, LLVMValueRef phi)
{
  bool used = false;
  for (LLVMUseRef use = LLVMGetFirstUse(phi); use && !used; use = LLVMGetNextUse(use))
    used = clone_copy_or_itself(c, LLVMGetUser(use)) != LLVMGetUser(use);
  return used;
}

LLVMBasicBlockRef destroy_cleanup_copy(struct destroy_cleanup *d, LLVMBasicBlockRef entered_from,
                                       LLVMBasicBlockRef leave)
{
  struct copying c = {.d = d, .leave = leave};
  clone_init(&c.clone, d->run->arena);
  bool fine = clone_record_block_copy(&c.clone, d->from, entered_from);
  for (uint32_t b = 0; b < d->exits.count && fine; b++)
    fine = clone_record_block_copy(&c.clone, d->exits.items[b], leave);
  for (uint32_t b = 0; b < d->blocks.count && fine; b++) {
    LLVMBasicBlockRef block = d->blocks.items[b];
    const char *name = coro_arena_concatenate(d->run->arena, LLVMGetBasicBlockName(block), ".unwound");
    fine =
        name && clone_record_block_copy(&c.clone, block, LLVMInsertBasicBlockInContext(d->run->context, leave, name));
  }
  for (uint32_t b = 0; b < d->blocks.count && fine; b++)
    fine = copy_cleanup_block(&c, d->blocks.items[b]);
  if (!fine)
    return NULL;
  clone_replace_operands_by_copies(&c.clone);
  for (uint32_t i = 0; i < c.clone.sources.count; i++)
    if (LLVMIsAInvokeInst(c.clone.sources.items[i]))
      add_invoke_copy_to_handler_phis(&c.clone, c.clone.sources.items[i]);
  fine = erase_unused_copies(&c.clone);
  for (LLVMValueRef i = LLVMGetFirstInstruction(d->start); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
    d->depends_on_edge |= copy_uses_phi_of_start(&c.clone, i);
  return fine ? clone_of_block(&c.clone, d->start) : NULL;
}
