/* Marks functions by a string attribute, and optimizes the loops of marked ones: see elided_loops.h. */
#include "loops/elided_loops.h"

#include <string.h>

#include "ir/edit.h"
#include "loops/carried_sum.h"
#include "loops/predictable_select.h"

static const char mark_attribute[] = "pycoro-drives-elided";

void mark_function_for_loop_optimization(LLVMValueRef function)
{
  if (edit_has_string_attribute(function, mark_attribute))
    return;
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(context, mark_attribute, (unsigned)strlen(mark_attribute), "", 0));
}

/* Sums first: selects that become branches split the block of the loop. */
bool optimize_loops_of_marked_function(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  if (!edit_has_string_attribute(function, mark_attribute))
    return true;
  *changed = true;
  LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, mark_attribute,
                                   (unsigned)strlen(mark_attribute));
  if (edit_has_function_attribute(function, "optsize") || edit_has_function_attribute(function, "minsize") ||
      edit_has_function_attribute(function, "optnone"))
    return true;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(run->context);
  bool fine = carried_sums_shorten(run->arena, builder, function) &&
              predictable_selects_to_branches(run->arena, builder, function);
  LLVMDisposeBuilder(builder);
  return fine;
}
