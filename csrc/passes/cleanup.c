/* coro-cleanup: lowers the remaining coroutine intrinsics after splitting, inlining and elision.
   Requires: a module after coro-early and coro-split.
   Guarantees: no llvm.coro intrinsic is called or declared, and branches on its constant results are folded. */
#include "handles/elided_frame.h"
#include "handles/export_summaries.h"
#include "ir/async_pointer.h"
#include "ir/edit.h"
#include "passes/merge_destroy_cleanup.h"
#include "run/diagnose.h"
#include "run/intrinsic_calls.h"
#include "run/passes.h"
#include "transform/prune.h"

struct cleanup {
  struct pass_run *run;
  LLVMBuilderRef builder;
  LLVMValueRef function;
  CORO_VEC(struct clones) coroutines; /* as listed by their own coro.id */
};

typedef coro_status lower(struct cleanup *c, LLVMValueRef call);

static coro_status lower_to_function_operand(struct cleanup *c, LLVMValueRef call)
{
  (void)c;
  edit_replace_address_and_locate_its_calls(call, LLVMGetOperand(call, PREPARE_FUNCTION));
  return CORO_OK;
}

static coro_status lower_to_memory_operand(struct cleanup *c, LLVMValueRef call)
{
  (void)c;
  edit_replace_and_erase(call, LLVMGetOperand(call, BEGIN_MEMORY));
  return CORO_OK;
}

static coro_status lower_to_handle_operand(struct cleanup *c, LLVMValueRef call)
{
  (void)c;
  edit_replace_and_erase(call, LLVMGetOperand(call, FREE_HANDLE));
  return CORO_OK;
}

static coro_status lower_to_true(struct cleanup *c, LLVMValueRef call)
{
  edit_replace_and_erase(call, edit_bool_constant(c->run->context, true));
  return CORO_OK;
}

static coro_status lower_to_null(struct cleanup *c, LLVMValueRef call)
{
  (void)c;
  edit_replace_and_erase(call, LLVMConstNull(LLVMTypeOf(call)));
  return CORO_OK;
}

/* Loads from the frame header: resume, then destroy. */
static coro_status lower_to_header_load(struct cleanup *c, LLVMValueRef call)
{
  uint64_t slot;
  if (!edit_read_integer_constant(LLVMGetOperand(call, SUBFN_INDEX), &slot) || slot > 1)
    return pass_reject_instruction(c->run, "subfn-index", c->function, call,
                                   "coro.subfn.addr has an index for which a frame stores no address",
                                   "pass 0 for the resume function or 1 for the destroy function");
  LLVMTypeRef pointer = LLVMPointerTypeInContext(c->run->context, 0), fields[2] = {pointer, pointer};
  LLVMTypeRef header = LLVMStructTypeInContext(c->run->context, fields, 2, false);
  edit_position_builder_with_location(c->builder, call);
  LLVMValueRef address = LLVMGetOperand(call, SUBFN_HANDLE);
  address = LLVMBuildStructGEP2(c->builder, header, address, (unsigned)slot, "");
  edit_replace_and_erase(call, LLVMBuildLoad2(c->builder, pointer, address, ""));
  return CORO_OK;
}

static coro_status copy_context_size_to_target_pointer(struct cleanup *c, LLVMValueRef call)
{
  LLVMValueRef target = async_pointer(LLVMGetOperand(call, SIZE_REPLACE_TARGET));
  LLVMValueRef source = async_pointer(LLVMGetOperand(call, SIZE_REPLACE_SOURCE));
  if (!target || !source || LLVMTypeOf(async_pointer_size(target)) != LLVMTypeOf(async_pointer_size(source)))
    return pass_reject_instruction(c->run, "async-size-replace", c->function, call,
                                   "coro.async.size.replace does not name two async function pointers of one type",
                                   "pass two globals with an initializer of type {relative offset, context size}");
  async_pointer_set_context_size(target, async_pointer_size(source));
  LLVMInstructionEraseFromParent(call);
  return CORO_OK;
}

/* Loads the context size from an async function pointer at run time, since another module may define it. */
static LLVMValueRef load_async_context_size(struct cleanup *c, LLVMValueRef pointer)
{
  LLVMValueRef known = async_pointer(pointer);
  LLVMTypeRef word = LLVMInt32TypeInContext(c->run->context), fields[2] = {word, word};
  LLVMTypeRef type = known ? LLVMGlobalGetValueType(known) : LLVMStructTypeInContext(c->run->context, fields, 2, true);
  LLVMValueRef address = LLVMBuildStructGEP2(c->builder, type, pointer, 1, "context.size.addr");
  return LLVMBuildLoad2(c->builder, LLVMStructGetTypeAtIndex(type, 1), address, "context.size");
}

/* Lowers to malloc: frontends with a context allocator call that directly. */
static coro_status lower_context_alloc_to_malloc(struct cleanup *c, LLVMValueRef call)
{
  LLVMTypeRef word = LLVMIntPtrTypeInContext(c->run->context, c->run->layout);
  LLVMTypeRef type = LLVMFunctionType(LLVMPointerTypeInContext(c->run->context, 0), &word, 1, false);
  LLVMValueRef function = edit_declare_library_function(c->run->module, "malloc", type);
  edit_position_builder_with_location(c->builder, call);
  LLVMValueRef size =
      LLVMBuildIntCast2(c->builder, load_async_context_size(c, LLVMGetOperand(call, CONTEXT_POINTER)), word, false, "");
  LLVMValueRef context = LLVMBuildCall2(c->builder, type, function, &size, 1, "");
  edit_give_call_location_if_required(context);
  edit_replace_and_erase(call, context);
  return CORO_OK;
}

static coro_status lower_context_dealloc_to_free(struct cleanup *c, LLVMValueRef call)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(c->run->context, 0);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c->run->context), &pointer, 1, false);
  LLVMValueRef function = edit_declare_library_function(c->run->module, "free", type);
  LLVMValueRef context = LLVMGetOperand(call, CONTEXT_FREED);
  edit_position_builder_with_location(c->builder, call);
  edit_give_call_location_if_required(LLVMBuildCall2(c->builder, type, function, &context, 1, ""));
  LLVMInstructionEraseFromParent(call);
  return CORO_OK;
}

/* Collects coroutines from their own ramps; inlined copies list them again. */
static coro_status collect_coroutine_and_erase_id(struct cleanup *c, LLVMValueRef call)
{
  struct clones clones;
  if (clones_read_from_split_id(c->run, call, &clones) && clones.coroutine == c->function &&
      !coro_vec_push(c->run->arena, &c->coroutines, clones))
    return CORO_ENOMEM;
  edit_erase_instruction(call);
  return CORO_OK;
}

static coro_status erase_call_and_poison_its_uses(struct cleanup *c, LLVMValueRef call)
{
  (void)c;
  edit_erase_instruction(call);
  return CORO_OK;
}

static const struct {
  enum intrin intrin;
  lower *lower;
} table[] = {
    {INTRIN_ID, collect_coroutine_and_erase_id},
/* other ids; the first row of an intrinsic applies */
#define CORO_ID(name, kind) {INTRIN_##name, erase_call_and_poison_its_uses},
#include "llvm_coroutine_intrinsics.def"
    {INTRIN_ALLOC, lower_to_true},
    {INTRIN_BEGIN, lower_to_memory_operand},
    {INTRIN_BEGIN_CUSTOM_ABI, lower_to_memory_operand},
    {INTRIN_FREE, lower_to_handle_operand},
    {INTRIN_SUBFN_ADDR, lower_to_header_load},
    {INTRIN_PREPARE_RETCON, lower_to_function_operand},
    {INTRIN_PREPARE_ASYNC, lower_to_function_operand},
    {INTRIN_ASYNC_RESUME, lower_to_null},
    {INTRIN_ASYNC_SIZE_REPLACE, copy_context_size_to_target_pointer},
    {INTRIN_ASYNC_CONTEXT_ALLOC, lower_context_alloc_to_malloc},
    {INTRIN_ASYNC_CONTEXT_DEALLOC, lower_context_dealloc_to_free},
};

static coro_status reject_unlowered_intrinsic(struct cleanup *c, LLVMValueRef call, bool presplit)
{
  static const enum intrin early[] = {INTRIN_RESUME, INTRIN_DESTROY, INTRIN_DONE, INTRIN_PROMISE, INTRIN_NOOP};
  enum intrin intrin = intrin_of_call(c->run->intrin, call);
  for (size_t i = 0; i < sizeof early / sizeof *early; i++)
    if (early[i] == intrin)
      return pass_reject_instruction(
          c->run, "not-early", c->function, call, "the call should have been lowered by coro-early",
          "run coro-early before coro-cleanup; thinlto<..> requires the output of thinlto-pre-link<..>");
  if (presplit)
    return pass_reject_instruction(c->run, "not-split", c->function, call,
                                   "the function is a coroutine that has not been split",
                                   "run coro-split before coro-cleanup");
  return pass_reject_instruction(c->run, "outside-coroutine", c->function, call,
                                 "the intrinsic is valid in a coroutine only, and the function is not a coroutine",
                                 "call it in a function with a coro.id and the attribute presplitcoroutine");
}

static lower *lowering_of_intrinsic_or_null(struct cleanup *c, LLVMValueRef call)
{
  enum intrin intrin = intrin_of_call(c->run->intrin, call);
  for (size_t t = 0; t < sizeof table / sizeof *table; t++)
    if (table[t].intrin == intrin)
      return table[t].lower;
  return NULL;
}

/* An uncallable function may be inconsistent; it is erased instead of lowered. */
static bool is_external_or_used(LLVMValueRef function)
{
  return !edit_has_local_linkage(function) || LLVMGetFirstUse(function);
}

static coro_status lower_intrinsics_or_delete_function(struct cleanup *c, LLVMValueRef function, pass_values *calls)
{
  bool changed, presplit = edit_has_function_attribute(function, "presplitcoroutine");
  c->function = function;
  if (!pass_mark_modified(c->run, function) || !pass_list_coro_intrinsic_calls(c->run, function, calls))
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < calls->count; i++) {
    if (!presplit && lowering_of_intrinsic_or_null(c, calls->items[i]))
      continue;
    if (is_external_or_used(function))
      return reject_unlowered_intrinsic(c, calls->items[i], presplit);
    LLVMDeleteFunction(function);
    return CORO_OK;
  }
  coro_status status = CORO_OK;
  for (uint32_t i = 0; i < calls->count && !status; i++)
    status = lowering_of_intrinsic_or_null(c, calls->items[i])(c, calls->items[i]);
  if (!status && !prune_fold_and_delete_unreachable(c->run->arena, function, &changed))
    status = CORO_ENOMEM;
  return status;
}

/* True: there was one. */
static bool drop_unused_intrinsic_declarations(struct pass_run *run)
{
  bool dropped = false;
  for (LLVMValueRef next, f = LLVMGetFirstFunction(run->module); f; f = next) {
    next = LLVMGetNextFunction(f);
    enum intrin intrin = LLVMIsDeclaration(f) ? intrin_of_function(run->intrin, f) : INTRIN_NONE;
    if (!intrin_is_coro(intrin) || LLVMGetFirstUse(f))
      continue;
    LLVMDeleteFunction(f);
    dropped = true;
  }
  return dropped;
}

coro_status coro_pass_cleanup(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  (void)function;
  pass_values functions = {0}, calls = {0};
  run->lowered = true;
  if (!export_handle_summaries_as_aliases(run, changed) || !elided_frame_strip_metadata_of_module(run, changed) ||
      !pass_list_functions_with_coro_intrinsics(run, &functions))
    return CORO_ENOMEM;
  struct cleanup c = {.run = run, .builder = LLVMCreateBuilderInContext(run->context)};
  coro_status status = CORO_OK;
  for (uint32_t i = 0; i < functions.count && !status; i++)
    status = lower_intrinsics_or_delete_function(&c, functions.items[i], &calls);
  LLVMDisposeBuilder(c.builder);
  for (uint32_t i = 0; i < c.coroutines.count && !status; i++)
    status = merge_destroy_cleanup(run, &c.coroutines.items[i], changed) ? CORO_OK : CORO_ENOMEM;
  if (!status && (drop_unused_intrinsic_declarations(run) || functions.count))
    *changed = true;
  return status;
}
