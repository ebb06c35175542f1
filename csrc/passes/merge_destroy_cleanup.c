/* Removes the uses of f.cleanup if no frame can be elided, or else merges f.destroy into it: if f.destroy begins with
   the code of f.cleanup, and then frees the frame, a call replaces that code. */
#include "passes/merge_destroy_cleanup.h"

#include "base/map.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "llvm-c/DebugInfo.h"
#include "run/intrinsic_calls.h"
#include "transform/function_prefix.h"
#include "transform/prune.h"

/* Minimal length of the merged code. The call, and keeping the frame's address across it, cost about six machine
   instructions. */
enum { MIN_MERGED_LENGTH = 6 };

/* ---- Conditions ---- */

/* Whether a user is a select that never chooses the value: its condition is true, as coro.alloc is for frames that are
   always on the heap, and the value is the other alternative. */
static bool is_select_that_never_chooses(LLVMValueRef user, LLVMValueRef value)
{
  return LLVMIsASelectInst(user) && LLVMGetOperand(user, SELECT_FALSE) == value &&
         edit_is_nonzero_integer_constant(LLVMGetOperand(user, SELECT_CONDITION));
}

/* Whether a user only compares a frame's destroy function with f.cleanup, which tells whether the frame is elided. */
static bool is_equality_comparison(LLVMValueRef user)
{
  return LLVMIsAICmpInst(user) && LLVMGetICmpPredicate(user) == LLVMIntEQ;
}

/* Whether the clone has uses other than comparisons, selects of another value and unused constants, such as the
   array of clones of a coroutine that is never elided. Constants may be cyclic. On memory exhaustion the result is
   false and the arena has failed. */
static bool has_use_that_needs_clone(struct coro_arena *arena, LLVMValueRef clone)
{
  struct coro_map seen;
  pass_values named_by = {0};
  coro_map_init(&seen, arena);
  bool fine = coro_vec_push(arena, &named_by, clone);
  for (uint32_t i = 0; i < named_by.count; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(named_by.items[i]); use && fine; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      bool constant = !edit_is_instruction(user);
      if (constant ? LLVMIsAGlobalValue(user) && !edit_has_local_linkage(user)
                   : !is_select_that_never_chooses(user, named_by.items[i]) && !is_equality_comparison(user))
        return true;
      if (constant && !coro_map_has(&seen, coro_map_key(user)))
        fine = coro_map_put(&seen, coro_map_key(user), 1) && coro_vec_push(arena, &named_by, user);
    }
  return false;
}

/* Whether it is a clone as created by coro-split, with a body that cannot be replaced. */
static bool is_private_clone(LLVMValueRef clone)
{
  return LLVMIsAFunction(clone) && !LLVMIsDeclaration(clone) && edit_has_local_linkage(clone) &&
         LLVMCountParams(clone) == 1 && !edit_has_function_attribute(clone, "optnone") &&
         !edit_has_function_attribute(clone, "naked") && edit_permits_generated_calls(clone);
}

/* Compares the attributes of the frame parameter. Other parameter attributes were inferred from the body and hold
   for any frame. */
static bool has_same_frame_attributes(LLVMValueRef destroy, LLVMValueRef cleanup)
{
  uint64_t size[2], align[2];
  unsigned at = CLONE_PARAMETER_FRAME + 1;
  clones_read_frame_size_and_align(destroy, CLONE_PARAMETER_FRAME, &size[0], &align[0]);
  clones_read_frame_size_and_align(cleanup, CLONE_PARAMETER_FRAME, &size[1], &align[1]);
  return size[0] == size[1] && align[0] == align[1] &&
         edit_has_attribute(destroy, at, "noalias") == edit_has_attribute(cleanup, at, "noalias");
}

static LLVMValueRef personality_of_function(LLVMValueRef function)
{
  return LLVMHasPersonalityFn(function) ? LLVMGetPersonalityFn(function) : NULL;
}

static bool may_call_cleanup_from_destroy(LLVMValueRef destroy, LLVMValueRef cleanup)
{
  return destroy != cleanup && is_private_clone(destroy) && is_private_clone(cleanup) &&
         LLVMGlobalGetValueType(destroy) == LLVMGlobalGetValueType(cleanup) &&
         LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(cleanup))) == LLVMVoidTypeKind &&
         personality_of_function(destroy) == personality_of_function(cleanup) &&
         has_same_frame_attributes(destroy, cleanup);
}

/* ---- Transformation ---- */

/* A call between functions with debug information needs a location, or it cannot be inlined. */
static void set_builder_location_in_destroy(struct pass_run *run, LLVMBuilderRef builder, LLVMValueRef destroy)
{
  LLVMMetadataRef subprogram = LLVMGetSubprogram(destroy), place = NULL;
  if (subprogram)
    place = LLVMDIBuilderCreateDebugLocation(run->context, LLVMDISubprogramGetLine(subprogram), 0, subprogram, NULL);
  LLVMSetCurrentDebugLocation2(builder, place);
}

/* Erases the instructions before `rest` in its block; remaining uses of their values become poison. */
static void erase_instructions_before(LLVMValueRef rest)
{
  for (LLVMValueRef at; (at = LLVMGetPreviousInstruction(rest)) != NULL;)
    edit_erase_instruction(at);
}

static bool replace_code_by_cleanup_call(struct pass_run *run, LLVMValueRef destroy, LLVMValueRef cleanup,
                                         LLVMValueRef rest, bool *changed)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(run->context);
  LLVMBasicBlockRef entry =
      LLVMInsertBasicBlockInContext(run->context, LLVMGetEntryBasicBlock(destroy), "entry.destroy");
  LLVMValueRef frame = LLVMGetParam(destroy, CLONE_PARAMETER_FRAME);
  LLVMPositionBuilderAtEnd(builder, entry);
  set_builder_location_in_destroy(run, builder, destroy);
  edit_copy_convention_and_param_attributes(run->arena, cleanup, edit_build_call(builder, cleanup, &frame, 1, ""));
  LLVMBuildBr(builder, LLVMGetInstructionParent(rest));
  LLVMDisposeBuilder(builder);
  erase_instructions_before(rest);
  *changed = true;
  return prune_fold_and_delete_unreachable(run->arena, destroy, changed);
}

/* ---- Coroutines that are never elided ---- */

/* Replaces a comparison with f.cleanup, or a selection of f.destroy instead of it. */
static void remove_use_of_cleanup(struct pass_run *run, LLVMValueRef user)
{
  if (LLVMIsASelectInst(user)) {
    edit_replace_and_erase(user, LLVMGetOperand(user, SELECT_TRUE));
    return;
  }
  LLVMValueRef loaded = LLVMGetOperand(user, COMPARE_LEFT);
  for (LLVMUseRef use = LLVMGetFirstUse(user), next; use; use = next) {
    LLVMValueRef select = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    if (LLVMIsASelectInst(select) && LLVMGetOperand(select, SELECT_CONDITION) == user)
      edit_replace_and_erase(select, LLVMGetOperand(select, SELECT_FALSE));
  }
  edit_replace_and_erase(user, edit_bool_constant(run->context, false));
  if (edit_is_simple_load(loaded) && !LLVMGetFirstUse(loaded)) {
    LLVMValueRef address = LLVMGetOperand(loaded, LOAD_ADDRESS);
    LLVMInstructionEraseFromParent(loaded);
    if (LLVMIsAGetElementPtrInst(address) && !LLVMGetFirstUse(address))
      LLVMInstructionEraseFromParent(address);
  }
}

/* Removes the uses of f.cleanup if no frame can be elided, so that LLVM's globaldce deletes it. */
static bool remove_uses_of_cleanup(struct pass_run *run, LLVMValueRef cleanup, bool *changed)
{
  pass_values users = {0}, functions = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(cleanup); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use), function = edit_is_instruction(user) ? edit_function_of(user) : NULL;
    bool listed = functions.count && functions.items[functions.count - 1] == function;
    if (function && (!pass_mark_modified(run, function) || !coro_vec_push(run->arena, &users, user) ||
                     (!listed && !coro_vec_push(run->arena, &functions, function))))
      return false;
  }
  for (uint32_t i = 0; i < users.count; i++)
    remove_use_of_cleanup(run, users.items[i]);
  for (uint32_t i = 0; i < functions.count; i++) /* last, because a user may be in a block that another one leads to */
    if (!prune_fold_and_delete_unreachable(run->arena, functions.items[i], changed))
      return false;
  *changed |= users.count;
  return true;
}

bool merge_destroy_cleanup(struct pass_run *run, const struct clones *clones, bool *changed)
{
  LLVMValueRef destroy = edit_strip_casts_and_zero_geps(clones->address[CLONE_SLOT_DESTROY]);
  LLVMValueRef cleanup = edit_strip_casts_and_zero_geps(clones->address[CLONE_SLOT_CLEANUP]);
  struct function_prefix found;
  if (LLVMIsAFunction(cleanup) && cleanup != destroy && edit_has_local_linkage(cleanup) &&
      !has_use_that_needs_clone(run->arena, cleanup))
    return remove_uses_of_cleanup(run, cleanup, changed) && !coro_arena_failed(run->arena);
  if (!may_call_cleanup_from_destroy(destroy, cleanup) || !has_use_that_needs_clone(run->arena, destroy) ||
      !is_function_prefix(run->arena, destroy, cleanup, &found) || found.weight < MIN_MERGED_LENGTH)
    return !coro_arena_failed(run->arena);
  return pass_mark_modified(run, destroy) && replace_code_by_cleanup_call(run, destroy, cleanup, found.rest, changed) &&
         !coro_arena_failed(run->arena);
}
