/* Checks the ramp's copies of llvm.coro.id and llvm.coro.begin; see copied_intrinsic.h. */
#include "check/copied_intrinsic.h"

#include "check/call_rules.h"
#include "check/claim_list.h"
#include "check/hook_choice.h"
#include "check/hook_state.h"
#include "check/verdict.h"
#include "ir/edit.h"

/* llvm.coro.id of the ramp: it refers to the clones instead of the promise. */
static bool check_id_of_ramp(struct check_walk *w, uint32_t inst, LLVMValueRef source)
{
  const struct coro_lowering *low = w->c->low;
  LLVMValueRef id = check_walk_inst(w, inst), array = edit_strip_casts_and_zero_geps(LLVMGetOperand(id, ID_PARTS));
  LLVMValueRef clones = LLVMIsAGlobalVariable(array) ? LLVMGetInitializer(array) : NULL;
  bool found = clones && LLVMIsNull(LLVMGetOperand(id, ID_PROMISE)) && low->clone_count >= 3;
  for (unsigned i = 0; i < 3 && found; i++)
    found = LLVMGetAggregateElement(clones, i) == low->clones[i];
  if (!found)
    return check_refute(w->c, w->k, id, "it does not refer to the coroutine's clones");
  return (LLVMGetOperand(id, ID_ALIGN) == LLVMGetOperand(source, ID_ALIGN) &&
          LLVMGetOperand(id, ID_COROUTINE) == LLVMGetOperand(source, ID_COROUTINE)) ||
         check_refute(w->c, w->k, id, "it has another alignment, or another coroutine");
}

bool copied_intrinsic_check_id_or_begin(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  const struct ir_fn *fn = &w->c->low->fn;
  LLVMValueRef call = check_walk_inst(w, inst);
  bool id = w->c->low->shape.intrin[presplit] == INTRIN_ID;
  if (intrin_of_call(w->c->low->table, call) != (id ? INTRIN_ID : INTRIN_BEGIN) || w->c->low->shape.custom)
    return check_refute(w->c, w->k, call, "it is another intrinsic than '%s'",
                        presplit_value_text_for_message(w->c, ir_value_of_inst(fn, presplit)));
  if (!check_call_has_only_source_properties(w, call, fn->insts[presplit],
                                             LLVMGetInstructionCallConv(fn->insts[presplit])))
    return false;
  if (id)
    return check_id_of_ramp(w, inst, fn->insts[presplit]);
  bool allocates = hook_state_hooks_required_before(w->c, w->k, w->block, w->position, presplit) & hook_bit(HOOK_alloc);
  if (allocates && w->c->empty_hooks & hook_bit(HOOK_alloc))
    return check_unsupported(w->c, "the hook abi.alloc with no code");
  if (allocates && !hook_choice_is_memory_for_begin(w->c, w->k, LLVMGetOperand(call, BEGIN_MEMORY)))
    return check_refute(w->c, w->k, call, "its memory is not that of abi.alloc");
  for (unsigned i = 0; i <= (allocates ? BEGIN_ID : BEGIN_MEMORY); i++)
    if (!claim_presplit_operand(w->c, w->k, inst, LLVMGetOperand(call, i), presplit, i))
      return check_refute(w->c, w->k, call, "operand %u is not the presplit one", i);
  return true;
}
