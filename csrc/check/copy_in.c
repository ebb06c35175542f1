/* Checks copies of allocas and arguments into the frame; see copy_in.h. */
#include "check/copy_in.h"

#include "check/begin.h"
#include "check/chosen_address.h"
#include "check/frame_overlap.h"
#include "check/memory_uses.h"
#include "check/verdict.h"
#include "ir/attribute_kind.h"
#include "ir/edit.h"
#include "ir/operand.h"

/* ---- The copies ---- */

/* Whether the address is that of the memory on the ramp's stack. */
static bool is_ramp_stack_address_of(const struct check_walk *w, LLVMValueRef address, uint32_t value)
{
  uint32_t inst = ir_inst(&w->k->fn, address);
  if (inst == IR_NONE)
    return value < w->c->low->fn.arg_count && address == LLVMGetParam(w->k->from->function, value);
  struct witness_entry entry = w->k->entries[inst];
  return (entry.kind == WITNESS_ALLOCA && entry.of == value) ||
         (entry.kind == WITNESS_COPY && entry.of == ir_inst_of_value(&w->c->low->fn, value));
}

/* The alloca or argument with this address on the stack of the ramp, and this offset in the frame; IR_NONE: none. */
static uint32_t copied_memory_or_none(const struct check_walk *w, LLVMValueRef address, uint64_t offset, uint64_t align)
{
  const struct coro_frame *frame = &w->c->low->frame;
  for (uint32_t f = 0; f < frame->field_count; f++)
    if (frame->fields[f].value != IR_NONE && frame->fields[f].size && f != frame->heap_field &&
        is_ramp_stack_address_of(w, address, frame->fields[f].value) &&
        frame_overlap_is_address_of_fitting_field(w->c, frame->fields[f].value, &frame->fields[f], offset, align))
      return frame->fields[f].value;
  return IR_NONE;
}

bool copy_in_is_byval_argument_address(const struct check_walk *w, LLVMValueRef address)
{
  uint32_t id = ir_id(&w->k->fn, address);
  return w->k->from->clone_kind == CLONE_RAMP && LLVMIsAArgument(address) && id < w->c->low->fn.arg_count &&
         w->c->low->shape.byval[id];
}

bool copy_in_skip_to_right_after_begin(struct check_walk *w)
{
  uint32_t begin = w->c->low->shape.begin;
  if (begin == IR_NONE)
    return false;
  if (check_last_added_event_or_none(w->k, begin) == IR_NONE)
    skip_droppable_insts_until_past_inst(w, begin);
  return w->state.where == WHERE_INST && w->state.inst == begin + 1;
}

static void mark_copied(const struct check_walk *w, uint32_t inst, uint32_t value)
{
  struct check *c = w->c;
  (void)coro_map_put(&w->k->copied_in, (uint64_t)inst + 1, (uint64_t)value + 1); /* the arena records failures */
  record_use_of_memory_address(c, value, 0);
  if (check_memory_of(c, value))
    check_memory_of(c, value)->copied = true;
}

static bool is_size_of_memory(const struct check *c, uint32_t value, uint64_t bytes)
{
  uint64_t size;
  return find_size_of_memory(c, value, &size) && bytes == size;
}

static LLVMAttributeRef align_attribute_of_argument(LLVMValueRef call, unsigned argument)
{
  return LLVMGetCallSiteEnumAttribute(call, argument + 1, attribute_kind("align"));
}

static uint64_t argument_alignment(LLVMValueRef call, unsigned argument)
{
  LLVMAttributeRef align = align_attribute_of_argument(call, argument);
  return align ? LLVMGetEnumAttributeValue(align) : 1;
}

/* The alignment of the memory on the stack. That of an argument is at least the type's if there is no attribute. */
static uint64_t alignment_of_stack_memory(const struct check *c, uint32_t value)
{
  LLVMValueRef memory = ir_value(&c->low->fn, value);
  if (LLVMIsAAllocaInst(memory))
    return edit_alignment(memory);
  LLVMAttributeRef align = LLVMGetEnumAttributeAtIndex(c->low->fn.function, value + 1, attribute_kind("align"));
  return align ? LLVMGetEnumAttributeValue(align)
               : LLVMABIAlignmentOfType(c->low->layout, LLVMGetTypeAttributeValue(edit_stack_argument_attribute(
                                                            c->low->fn.function, value + 1)));
}

/* Whether the call has no attributes but the alignments of its arguments. */
static bool has_only_argument_align_attributes(LLVMValueRef call)
{
  unsigned count = LLVMGetCallSiteAttributeCount(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
  for (unsigned p = 0; p < LLVMGetNumArgOperands(call); p++)
    count += LLVMGetCallSiteAttributeCount(call, p + 1) - (align_attribute_of_argument(call, p) != NULL);
  return !count;
}

/* The alignments and flags of a copy from the stack to a byte of the frame, rounded down to a multiple of `mask`. */
static bool is_plain_aligned_copy(const struct check_walk *w, LLVMValueRef call, uint32_t value, uint64_t offset,
                                  uint64_t mask)
{
  uint64_t into = argument_alignment(call, MEMORY_TO);
  bool known = argument_alignment(call, MEMORY_FROM) <= alignment_of_stack_memory(w->c, value);
  bool aligned = into <= mask || (into <= w->c->low->frame.align && offset % into == 0);
  return known && aligned && LLVMIsNull(LLVMGetOperand(call, MEMORY_VOLATILE)) &&
         has_only_argument_align_attributes(call) && LLVMGetInstructionCallConv(call) == LLVMCCallConv &&
         LLVMGetTailCallKind(call) == LLVMTailCallKindNone;
}

bool copy_in_check_memcpy(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef call = w->k->fn.insts[inst], length = LLVMGetOperand(call, MEMORY_LENGTH);
  uint64_t offset, align;
  bool frame = frame_overlap_is_frame_address(w->k, LLVMGetOperand(call, MEMORY_TO), &offset, &align);
  uint32_t value = frame ? copied_memory_or_none(w, LLVMGetOperand(call, MEMORY_FROM), offset, align) : IR_NONE;
  bool whole = value != IR_NONE && copy_in_skip_to_right_after_begin(w) && LLVMIsAConstantInt(length) &&
               is_size_of_memory(w->c, value, LLVMConstIntGetZExtValue(length));
  if (whole && !is_plain_aligned_copy(w, call, value, offset, align))
    return check_refute(w->c, w->k, call, "it is volatile, is not aligned, or has an attribute");
  if (whole)
    mark_copied(w, inst, value);
  return whole || check_unsupported(w->c, "a copy into the frame");
}

bool copy_in_accepts_store(struct check_walk *w, uint32_t inst, uint64_t offset)
{
  LLVMValueRef load = LLVMGetOperand(w->k->fn.insts[inst], STORE_VALUE);
  bool loads = w->k->from->clone_kind == CLONE_RAMP && LLVMIsALoadInst(load);
  uint32_t value = loads ? copied_memory_or_none(w, LLVMGetOperand(load, LOAD_ADDRESS), offset, 1) : IR_NONE;
  uint64_t size = 0;
  bool whole = value != IR_NONE && copy_in_skip_to_right_after_begin(w) &&
               ir_size_of(w->c->low->sizes, LLVMTypeOf(load), &size) && is_size_of_memory(w->c, value, size);
  if (whole)
    mark_copied(w, inst, value);
  return whole;
}

/* ---- Addresses computed before llvm.coro.begin ---- */

/* Whether the ramp executes the event before llvm.coro.begin, on paths that lead there. */
static bool may_event_precede_begin(const struct check *c, const struct check_clone *ramp,
                                    const struct check_event *event)
{
  return begin_may_follow(c, ramp, event->block, event->at) &&
         (begin_is_executed_on_no_path(c, ramp, event->block, event->at) || /* which is cheaper to know */
          !begin_is_executed_on_all_paths(c, ramp, event->block, event->at));
}

/* Whether an instruction uses a value before llvm.coro.begin; a phi uses it at the ends of the blocks that it comes
   from. */
static bool is_every_use_before_begin(const struct check *c, const struct check_clone *ramp, uint32_t user,
                                      LLVMValueRef value)
{
  const struct ir_fn *fn = &ramp->fn;
  if (fn->opcode[user] != LLVMPHI)
    return begin_is_executed_on_no_path(c, ramp, fn->inst_block[user], 2 * check_position(ramp, user) + 1);
  uint32_t count = ir_phi_count(fn, user);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t operand = ir_operand(fn, user, count + i), from = operand & ~IR_BLOCK;
    if (operand != IR_NONE && LLVMGetIncomingValue(fn->insts[user], i) == value &&
        !begin_is_executed_on_no_path(c, ramp, from, 2 * (fn->block_start[from + 1] - fn->block_start[from])))
      return false;
  }
  return true;
}

/* Whether the clone's copy of an address of the memory is computed after llvm.coro.begin, or only used before it and
   to compute the address in the frame. */
static bool is_address_late_or_unused_after_begin(const struct check *c, const struct check_clone *ramp,
                                                  const struct check_event *event, uint32_t memory,
                                                  const struct memory_uses *uses)
{
  const struct ir_fn *fn = &ramp->fn;
  if (event->at % 2 == 0 || !may_event_precede_begin(c, ramp, event))
    return true;
  LLVMValueRef value = fn->insts[check_inst_at(ramp, event->block, event->at)];
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    uint32_t user = ir_inst(fn, LLVMGetUser(use));
    if (user != IR_NONE && !is_every_use_before_begin(c, ramp, user, value) &&
        !chosen_address_is_step_for_memory(ramp, user, memory, uses))
      return false;
  }
  return true;
}

/* Whether a clone executes the presplit instruction before llvm.coro.begin. */
static bool is_any_execution_before_begin(const struct check *c, const struct check_clone *ramp, uint32_t inst)
{
  bool before = false;
  for (uint32_t e = check_last_added_event_or_none(ramp, inst); e != IR_NONE && !before; e = ramp->events.items[e].next)
    before = may_event_precede_begin(c, ramp, &ramp->events.items[e]);
  return before;
}

/* Whether a ramp uses an address of the memory after llvm.coro.begin that it has computed before. */
static bool is_early_address_used_after_begin(const struct check *c, uint32_t value, uint32_t memory,
                                              const struct memory_uses *uses)
{
  uint32_t made = ir_inst_of_value(&c->low->fn, value);
  for (uint32_t n = 0; n < c->clone_count; n++) {
    const struct check_clone *k = c->clones[n];
    uint32_t e = k->from->clone_kind == CLONE_RAMP ? check_last_added_event_or_none(k, made) : IR_NONE;
    for (; e != IR_NONE; e = k->events.items[e].next)
      if (!is_address_late_or_unused_after_begin(c, k, &k->events.items[e], memory, uses))
        return true;
  }
  return false;
}

/* The effects of all instructions that a ramp executes before llvm.coro.begin. */
static unsigned effects_before_begin(const struct check *c, const struct memory_uses *uses)
{
  unsigned effects = 0;
  for (uint32_t n = 0; n < c->clone_count; n++)
    for (uint32_t i = 0; i < uses->items.count && c->clones[n]->from->clone_kind == CLONE_RAMP; i++)
      if (is_any_execution_before_begin(c, c->clones[n], uses->items.items[i].inst))
        effects |= uses->items.items[i].effects;
  return effects;
}

bool check_memory_used_before_begin(struct check *c, struct check_memory *memory)
{
  struct memory_uses uses = {0};
  if (!memory_uses_find(c, memory->value, &uses))
    return false;
  uint32_t direct = uses.derived.count;
  if (!memory_uses_add_uses_of_call_results(c, memory->value, &uses))
    return false;
  bool moves = memory->places & PLACE_IN_FRAME;
  for (uint32_t d = 1; d < uses.derived.count; d++) {
    if (!is_early_address_used_after_begin(c, uses.derived.items[d], memory->value, &uses))
      continue;
    if (moves || d >= direct)
      return check_unsupported(c, "an address computed before llvm.coro.begin");
    memory->places |= PLACE_ON_STACK;
  }
  unsigned effects = effects_before_begin(c, &uses);
  if (effects & MEMORY_STORED) /* a callee is assumed not to store the address, which LLVM assumes too */
    return check_unsupported(c, "an address that is stored before llvm.coro.begin");
  if (!moves || memory->copied)
    return true;
  if (memory->value < c->low->fn.arg_count)
    return check_refute(c, c->clones[0], NULL, "the memory of '%s' is not copied into the frame",
                        presplit_value_text_for_message(c, memory->value));
  return !(effects & MEMORY_WRITES) ||
         check_refute(c, c->clones[0], NULL, "'%s' is written before llvm.coro.begin, but not copied into the frame",
                      presplit_value_text_for_message(c, memory->value));
}
