/* A coroutine that awaits another one transfers control through the header of a frame that the ramp, now inlined, has
   just initialized. When the awaited coroutine g ends, it transfers to its awaiter f. If g is inlined into f.resume,
   this is f.resume calling itself.
     store ptr @g.resume, ptr %frame                    store ptr @g.resume, ptr %frame
     %fn = call ptr @llvm.coro.subfn.addr(%frame, 0)
     musttail call fastcc void %fn(ptr %frame)     =>   musttail call fastcc void @g.resume(ptr %frame)
   LLVM then inlines the call, and makes a loop of a transfer to itself. */
#include "handles/header_function.h"

#include "handles/elided_frame.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/offset.h"
#include "ir/operand.h"
#include "run/clones.h"

enum { MAX_INSTRUCTIONS = 64 }; /* that a search for a store visits */

/* ---- The own frame ---- */

/* Whether a coro.id lists the function as f.resume in the constant array. */
static bool lists_function_as_resume_clone(struct pass_run *run, LLVMValueRef list, LLVMValueRef function)
{
  struct clones clones;
  for (LLVMUseRef use = LLVMGetFirstUse(list); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef variable = LLVMGetUser(use);
    LLVMUseRef uses = LLVMIsAGlobalVariable(variable) ? LLVMGetFirstUse(variable) : NULL;
    for (; uses; uses = LLVMGetNextUse(uses))
      if (clones_read_from_split_id(run, LLVMGetUser(uses), &clones) && clones.address[CLONE_SLOT_RESUME] == function)
        return true;
  }
  return false;
}

static bool is_resume_clone(struct pass_run *run, LLVMValueRef function)
{
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
    if (LLVMIsAConstantArray(LLVMGetUser(use)) && lists_function_as_resume_clone(run, LLVMGetUser(use), function))
      return true;
  return false;
}

/* ---- Stores to the header ---- */

/* Whether the memory is an alloca, or is allocated by a call in this function. */
static bool is_alloca_or_noalias_call(LLVMValueRef base)
{
  return LLVMIsAAllocaInst(base) ||
         (edit_is_call(base) && edit_call_or_callee_has_attribute(base, LLVMAttributeReturnIndex, "noalias"));
}

/* Whether one value is memory that this function allocates, and the other is different memory. */
static bool are_distinct_objects(LLVMValueRef one, LLVMValueRef other)
{
  bool here = is_alloca_or_noalias_call(one), others_here = is_alloca_or_noalias_call(other);
  return one != other && ((here && (others_here || LLVMIsAArgument(other))) || (others_here && LLVMIsAArgument(one)));
}

struct slot_search {
  struct pass_run *run;
  struct ir_sizes sizes;
  struct ir_location slot;
  uint64_t size;       /* of a pointer */
  LLVMValueRef stored; /* what the slot holds; NULL: not known */
};

static bool is_disjoint_from_slot(const struct slot_search *s, struct ir_location written, uint64_t size)
{
  if (written.base != s->slot.base)
    return are_distinct_objects(written.base, s->slot.base);
  int64_t distance = ir_offset_from(s->slot.offset, written.offset);
  return distance >= 0 ? (uint64_t)distance >= s->size : 0 - (uint64_t)distance >= size;
}

/* Whether the search continues before a store. */
static bool skip_store_or_record_stored_value(struct slot_search *s, LLVMValueRef store)
{
  LLVMValueRef value = LLVMGetOperand(store, STORE_VALUE);
  struct ir_location written = ir_base_and_constant_offset(&s->sizes, LLVMGetOperand(store, STORE_ADDRESS));
  uint64_t size;
  if (!ir_size_of(&s->sizes, LLVMTypeOf(value), &size))
    return false;
  if (is_disjoint_from_slot(s, written, size))
    return true;
  if (written.base == s->slot.base && written.offset == s->slot.offset)
    s->stored = value;
  return false;
}

/* Whether an instruction that is not a store leaves the memory unchanged. */
static bool leaves_memory_unchanged(const struct slot_search *s, LLVMValueRef at)
{
  switch (LLVMGetInstructionOpcode(at)) {
  case LLVMCall: {
    enum intrin intrin = intrin_of_call(s->run->intrin, at);
    return intrin == INTRIN_SUBFN_ADDR || intrin_is_lifetime(intrin);
  }
  case LLVMAlloca:
  case LLVMGetElementPtr:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMICmp:
  case LLVMBr:
  case LLVMSwitch: return true;
  case LLVMLoad: return edit_is_simple_load(at);
  default: return LLVMIsABinaryOperator(at) || LLVMIsACastInst(at);
  }
}

static LLVMValueRef inst_before_or_in_predecessor_or_null(LLVMValueRef at)
{
  LLVMValueRef before = LLVMGetPreviousInstruction(at);
  LLVMBasicBlockRef block = before ? NULL : flow_single_predecessor(LLVMGetInstructionParent(at));
  return block ? LLVMGetBasicBlockTerminator(block) : before;
}

static LLVMValueRef find_function_stored_in_slot(struct pass_run *run, LLVMValueRef subfn_addr, uint64_t slot)
{
  struct slot_search s = {.run = run, .size = ir_pointer_size(run->context, run->layout)};
  ir_sizes_init(&s.sizes, run->arena, run->layout);
  s.slot = ir_base_and_constant_offset(&s.sizes, LLVMGetOperand(subfn_addr, SUBFN_HANDLE));
  s.slot.offset = ir_offset_sum(s.slot.offset, (int64_t)(slot * s.size));
  LLVMValueRef at = inst_before_or_in_predecessor_or_null(subfn_addr);
  for (int i = 0; i < MAX_INSTRUCTIONS && at && at != s.slot.base; i++, at = inst_before_or_in_predecessor_or_null(at))
    if (LLVMIsAStoreInst(at) ? !skip_store_or_record_stored_value(&s, at) : !leaves_memory_unchanged(&s, at))
      break;
  return s.stored && LLVMIsAFunction(s.stored) ? s.stored : NULL;
}

LLVMValueRef header_function(struct pass_run *run, LLVMValueRef function, LLVMValueRef subfn_addr)
{
  LLVMValueRef frame = edit_strip_casts_and_zero_geps(LLVMGetOperand(subfn_addr, SUBFN_HANDLE));
  LLVMValueRef known = elided_frame_clone_of_subfn_addr_or_null(run, subfn_addr);
  uint64_t slot;
  if (known || !edit_read_integer_constant(LLVMGetOperand(subfn_addr, SUBFN_INDEX), &slot) || slot > CLONE_SLOT_DESTROY)
    return known;
  if (slot == CLONE_SLOT_RESUME && LLVMIsAArgument(frame) && frame == LLVMGetParam(function, CLONE_PARAMETER_FRAME) &&
      is_resume_clone(run, function))
    return function;
  known = find_function_stored_in_slot(run, subfn_addr, slot);
  return known && LLVMTypeOf(known) == LLVMTypeOf(subfn_addr) ? known : NULL;
}
