/* Reads the clones of a split coroutine from the constant array of its coro.id. */
#include "run/clones.h"

#include "ir/edit.h"
#include "transform/tailcall.h"

LLVMValueRef clones_find_id(struct pass_run *run, LLVMValueRef coroutine, LLVMValueRef function, unsigned most,
                            struct clones *clones)
{
  LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
  for (; at && most; at = LLVMGetNextInstruction(at), most--)
    if (clones_read_from_split_id(run, at, clones) && clones->coroutine == coroutine)
      return at;
  return NULL;
}

void clones_read_frame_size_and_align(LLVMValueRef function, unsigned parameter, uint64_t *size, uint64_t *align)
{
  *size = edit_enum_attribute_value_or_0(function, parameter + 1, "dereferenceable");
  *align = edit_enum_attribute_value_or_0(function, parameter + 1, "align");
  *align = *align ? *align : 1;
}

/* Whether it takes the frame's address. */
static bool has_no_abi_attribute_on_frame_parameter(LLVMValueRef clone_address)
{
  LLVMValueRef clone = edit_strip_casts_and_zero_geps(clone_address);
  return !LLVMIsAFunction(clone) || !LLVMCountParams(clone) ||
         !tailcall_has_abi_attribute(clone, CLONE_PARAMETER_FRAME);
}

bool clones_read_from_split_id(struct pass_run *run, LLVMValueRef id, struct clones *clones)
{
  if (intrin_of_call(run->intrin, id) != INTRIN_ID)
    return false;
  LLVMValueRef info = edit_strip_casts_and_zero_geps(LLVMGetOperand(id, ID_PARTS));
  LLVMValueRef list = LLVMIsAGlobalVariable(info) ? LLVMGetInitializer(info) : NULL;
  if (!list || LLVMGetTypeKind(LLVMTypeOf(list)) != LLVMArrayTypeKind || LLVMIsNull(list))
    return false;
  uint64_t count = LLVMGetArrayLength2(LLVMTypeOf(list));
  if (count < CLONE_SLOT_COUNT)
    return false;
  *clones = (struct clones){.coroutine = edit_strip_casts_and_zero_geps(LLVMGetOperand(id, ID_COROUTINE))};
  if (count > CLONE_SLOT_COUNT)
    clones->noalloc = edit_strip_casts_and_zero_geps(LLVMGetAggregateElement(list, CLONE_SLOT_COUNT));
  bool called = true;
  for (unsigned slot = 0; slot < CLONE_SLOT_COUNT; slot++) {
    clones->address[slot] = LLVMGetAggregateElement(list, slot);
    called &= has_no_abi_attribute_on_frame_parameter(clones->address[slot]);
  }
  LLVMValueRef resume = edit_strip_casts_and_zero_geps(clones->address[CLONE_SLOT_RESUME]);
  if (LLVMIsAFunction(resume) && LLVMCountParams(resume))
    clones_read_frame_size_and_align(resume, 0, &clones->frame_size, &clones->frame_align);
  return called && LLVMIsAFunction(clones->coroutine) &&
         LLVMTypeOf(clones->address[0]) == LLVMTypeOf(LLVMGetOperand(id, ID_PARTS));
}

bool clones_is_id_of_function(struct pass_run *run, LLVMValueRef function, LLVMValueRef id)
{
  struct clones clones;
  return !clones_read_from_split_id(run, id, &clones) || clones.coroutine == function;
}
