/* Rules for claims about addresses of memory; see memory_address.h. */
#include "check/memory_address.h"

#include "check/begin.h"
#include "check/frame_overlap.h"
#include "check/memory_uses.h"
#include "ir/edit.h"
#include "ir/operand.h"

/* Whether the ramp has not executed llvm.coro.begin at the claim. */
static bool is_before_begin(const struct check *c, const struct check_claim *of)
{
  const struct check_clone *k = c->clones[of->clone];
  return k->from->clone_kind == CLONE_RAMP && c->low->shape.suspend_count &&
         begin_is_executed_on_no_path(c, k, of->block, of->at);
}

/* Whether the frame exists on all paths to the claim. */
static bool does_frame_exist_at_claim(const struct check *c, const struct check_claim *of)
{
  const struct check_clone *k = c->clones[of->clone];
  return !is_before_begin(c, of) && (k->from->clone_kind != CLONE_RAMP || !c->low->shape.suspend_count ||
                                     !begin_is_executed_on_some_paths_only(c, k, of->block, of->at));
}

/* The place of memory that is not in the frame at the claim. */
static unsigned place_of_stack_memory_at_claim(const struct check *c, const struct check_claim *claim)
{
  return is_before_begin(c, claim) ? PLACE_BEFORE_BEGIN : PLACE_ON_STACK;
}

/* Whether `size` bytes at an alignment can contain the memory of an alloca or byval-like argument. */
static bool is_large_and_aligned_enough_for_memory(const struct check *c, uint32_t value, uint64_t size, uint64_t align)
{
  LLVMValueRef source = ir_value(&c->low->fn, value);
  uint64_t needed;
  return find_size_of_memory(c, value, &needed) && size >= needed &&
         (!LLVMIsAAllocaInst(source) || align % edit_alignment(source) == 0);
}

/* Whether the clone's own alloca has the size and alignment of the memory that it replaces. */
static bool is_alloca_large_enough_for_memory(const struct check *c, uint32_t value, LLVMValueRef alloca)
{
  LLVMValueRef source = ir_value(&c->low->fn, value);
  uint64_t size = 0;
  if (LLVMIsAAllocaInst(source) && LLVMGetOperand(alloca, ALLOCA_COUNT) == LLVMGetOperand(source, ALLOCA_COUNT) &&
      LLVMGetAllocatedType(alloca) == LLVMGetAllocatedType(source))
    return edit_alignment(alloca) >= edit_alignment(source);
  LLVMTypeRef type = check_single_alloca_type(alloca);
  return type && ir_size_of(c->low->sizes, type, &size) &&
         is_large_and_aligned_enough_for_memory(c, value, size, edit_alignment(alloca));
}

/* Whether the memory's field of the frame is at these bytes, and large enough. */
static bool match_field_of_memory_and_record_use(struct check *c, uint32_t value, uint64_t offset, uint64_t align)
{
  const struct coro_field *field = frame_overlap_field(c, value);
  const struct check_memory *memory = check_memory_of(c, value);
  bool fits =
      field && (memory && memory->fits ? frame_overlap_is_start_of_alloca_field(field, offset, align)
                                       : frame_overlap_is_address_of_fitting_field(c, value, field, offset, align));
  if (fits && record_use_of_memory_address(c, value, PLACE_IN_FRAME) && check_memory_of(c, value))
    check_memory_of(c, value)->fits = true;
  return fits;
}

/* Whether instruction `inst` of the clone is the alloca for a presplit alloca or byval-like argument. `*copy`: it is a
   copy of the alloca, for which the clone need not have one alloca only. */
static bool is_alloca_for_memory(const struct check *c, const struct check_clone *k, uint32_t inst, uint32_t value,
                                 bool *copy)
{
  struct witness_entry entry = k->entries[inst];
  *copy = entry.kind == WITNESS_COPY && entry.of == ir_inst_of_value(&c->low->fn, value);
  return *copy ||
         (entry.kind == WITNESS_ALLOCA && entry.of == value &&
          (k->address_of[inst] == value + 1 || is_alloca_large_enough_for_memory(c, value, k->fn.insts[inst])));
}

bool memory_address_prove_claim(struct check *c, const struct check_claim *claim)
{
  const struct check_fact *fact = &claim->fact;
  struct check_clone *k = c->clones[claim->clone];
  uint32_t inst = ir_inst(&k->fn, fact->carrier);
  uint64_t offset, align;
  bool copy, alloca = inst != IR_NONE && k->fn.opcode[inst] == LLVMAlloca && fact->carrier != k->from->frame;
  if (!alloca && inst != IR_NONE && k->address_of[inst] == fact->value + 1)
    return k->begins || does_frame_exist_at_claim(c, claim);
  if (!alloca && frame_overlap_is_frame_address(k, fact->carrier, &offset, &align)) {
    bool there = match_field_of_memory_and_record_use(c, fact->value, offset, align);
    if (there && inst != IR_NONE)
      k->address_of[inst] = fact->value + 1;
    return there && (k->begins || does_frame_exist_at_claim(c, claim));
  }
  if (inst == IR_NONE)
    return k->from->clone_kind == CLONE_RAMP && fact->value < c->low->fn.arg_count &&
           fact->carrier == LLVMGetParam(k->from->function, fact->value) &&
           record_use_of_memory_address(c, fact->value, place_of_stack_memory_at_claim(c, claim));
  if (!is_alloca_for_memory(c, k, inst, fact->value, &copy))
    return false;
  k->address_of[inst] = fact->value + 1;
  return record_use_of_memory_address(
      c, fact->value, place_of_stack_memory_at_claim(c, claim) | (copy ? 0u : (unsigned)PLACE_SHARED_BY_ALL));
}

bool memory_address_prove_claim_anywhere(struct check *c, const struct check_claim *claim)
{
  const struct check_clone *k = c->clones[claim->clone];
  uint32_t inst = ir_inst_of_value(&c->low->fn, claim->fact.value);
  if (inst == IR_NONE || c->low->fn.opcode[inst] != LLVMAlloca || c->errors.count)
    return false;
  bool anywhere = k->from->clone_kind != CLONE_RAMP ||
                  (k->begins && LLVMIsAGetElementPtrInst(claim->fact.carrier)); /* llvm.coro.begin dominates it */
  if (!anywhere || !memory_address_prove_claim(c, claim))
    return false;
  if (k->carrier_array) /* where the claim is made matters neither to the proof nor to the place of the memory */
    k->carrier_array[inst] = claim->fact.carrier;
  return true;
}
