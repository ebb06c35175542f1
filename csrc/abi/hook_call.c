/* Emits calls of ABI hooks: computes each argument and inlines a copy of the hook's body into the clone. In a
   funclet pad the call is not inlined, because each inlined call would have to name the pad. */
#include "abi/hook_call.h"

#include <string.h>

#include "check/witness.h"
#include "debug/clone_metadata.h"
#include "emit/call.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "lowering/abi.h"
#include "transform/inline.h"

bool abi_defines_hook(const struct emit *e, enum hook hook)
{
  return hook_module_defines_hook(e->low->abi->hook_module, hook);
}

static LLVMValueRef emit_frame_header_address_or_null_constant(const struct coro_lowering *low, LLVMBuilderRef builder,
                                                               LLVMValueRef frame)
{
  LLVMTypeRef i8 = LLVMInt8TypeInContext(low->context), i64 = LLVMInt64TypeInContext(low->context);
  for (uint32_t f = 0; f < low->frame.field_count; f++)
    if (low->frame.fields[f].kind == CORO_FIELD_HEADER) {
      LLVMValueRef offset = LLVMConstInt(i64, low->frame.fields[f].offset, false);
      return LLVMBuildInBoundsGEP2(builder, i8, frame, &offset, 1, "header");
    }
  return LLVMConstNull(LLVMPointerTypeInContext(low->context, 0));
}

LLVMValueRef emit_abi_header_address_or_null_constant(struct emit *e)
{
  return emit_frame_header_address_or_null_constant(e->low, e->builder, e->frame);
}

LLVMValueRef emit_hook_string_constant(const struct emit *e, const char *text, const char *suffix)
{
  unsigned length = (unsigned)strlen(text);
  const char *function = edit_value_name(e->low->fn.function);
  const char *own = coro_arena_printf(e->low->arena, "%s.%s", function, suffix);
  LLVMValueRef value = LLVMConstStringInContext2(e->low->context, text, length, false);
  LLVMValueRef global = LLVMAddGlobal(e->low->module, LLVMTypeOf(value), own ? own : "");
  LLVMSetInitializer(global, value);
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
  return edit_cast_to_default_pointer(global); /* globals may have an address space of their own */
}

LLVMValueRef hook_resuming_clone_or_null_constant(const struct coro_lowering *low, uint32_t suspend)
{
  if (!low->clone_count)
    return LLVMConstNull(LLVMPointerTypeInContext(low->context, 0));
  if (low->abi->suspend_returns)
    return edit_cast_to_default_pointer(low->clones[suspend]);
  uint32_t clone = HOOK_OF_SLOTS;
  if (low->abi->clone_per_suspend)
    clone = suspend == IR_NONE ? 0 : clone + suspend;
  return low->clones[clone < low->clone_count ? clone : 0];
}

static uint64_t stored_index_of_hook_site(const struct emit *e, const struct hook_site *site)
{
  return site->suspend == IR_NONE ? site->index : e->low->shape.suspends[site->suspend].index;
}

static uint64_t clone_kind_number(unsigned clone_kind)
{
  uint64_t number = 0;
  for (; clone_kind > 1; clone_kind >>= 1)
    number++;
  return number;
}

static LLVMValueRef emit_hook_argument(struct emit *e, enum hook_argument kind, const struct hook_site *site)
{
  LLVMTypeRef i1 = LLVMInt1TypeInContext(e->low->context), i32 = LLVMInt32TypeInContext(e->low->context);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(e->low->context);
  bool final = site->suspend != IR_NONE && e->low->shape.suspends[site->suspend].final;
  switch (kind) {
  case ARG_FRAME: return e->frame;
  case ARG_HEADER: return emit_abi_header_address_or_null_constant(e);
  case ARG_NAME: return emit_hook_string_constant(e, edit_value_name(e->low->fn.function), "name");
  case ARG_MEMORY: return site->memory;
  case ARG_SIZE: return LLVMConstInt(i64, e->low->frame.size, false);
  case ARG_ALIGN: return LLVMConstInt(i64, e->low->frame.align, false);
  case ARG_INDEX: return LLVMConstInt(i32, stored_index_of_hook_site(e, site), false);
  case ARG_FINAL: return LLVMConstInt(i1, final, false);
  case ARG_CLONE: return hook_resuming_clone_or_null_constant(e->low, site->suspend);
  case ARG_DESTROYED: return LLVMConstInt(i1, e->clone_kind != CLONE_RESUME, false);
  case ARG_CLONE_KIND: return LLVMConstInt(i32, clone_kind_number(e->clone_kind), false);
  default: return NULL;
  }
}

/* Trailing arguments of a hook: the coroutine's arguments, or the clone's parameters after the frame. */
static LLVMValueRef emit_trailing_hook_argument(struct emit *e, unsigned index, LLVMTypeRef type,
                                                const struct hook_site *site)
{
  if (!site->passed)
    return LLVMGetParam(e->function, index);
  bool own = e->low->abi->hook_module->clone_prototype && e->clone_kind == CLONE_RESUME;
  return own ? LLVMGetParam(e->function, index + 1) : LLVMConstNull(type);
}

struct inlined_call {
  struct emit *e;
  LLVMMetadataRef at;
};

static LLVMMetadataRef inlined_location(void *user, LLVMMetadataRef at)
{
  const struct inlined_call *inlined_call = user;
  (void)at; /* no location: lines of the hook module do not belong to the coroutine */
  return inlined_call->e->debug ? inlined_call->at : NULL;
}

LLVMValueRef emit_hook_call(struct emit *e, enum hook hook, const struct hook_site *site)
{
  LLVMValueRef function = hook_module_linked_function_or_null(e->low, hook), result = NULL;
  unsigned count = function ? LLVMCountParams(function) : 0, fixed = hook_defined_argument_count(hook);
  LLVMValueRef *arguments = CORO_NEW_ARRAY(e->low->arena, LLVMValueRef, count + 1);
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(e->low->abi->hook_module->hooks[hook]));
  bool has_result = LLVMGetTypeKind(type) != LLVMVoidTypeKind;
  if (!function || !arguments)
    return has_result ? LLVMGetPoison(type) : NULL; /* the arena records the failure */
  for (unsigned i = 0; i < count; i++)
    arguments[i] = i < fixed ? emit_hook_argument(e, hook_argument_kind(hook, i), site)
                             : emit_trailing_hook_argument(e, i - fixed, LLVMTypeOf(LLVMGetParam(function, i)), site);
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(e->low->fn.insts[site->inst]);
  if (!at && e->debug)
    at = debug_location_without_line(e->debug);
  struct inlined_call inlined_call = {e, at};
  if (e->pad == IR_NONE && inline_is_possible(e->low->table, e->function, function)) {
    struct inline_call call = {
        .callee = function, .arguments = arguments, .locate = inlined_location, .user = &inlined_call};
    (void)emit_inlined_body(e, site->inst, &call, &result); /* the arena records the failure */
    return has_result && !result ? LLVMGetPoison(LLVMGetReturnType(LLVMGlobalGetValueType(function))) : result;
  }
  witness_record_body(e->low->witness, &(struct witness_body){function, e->function, site->inst, false});
  result = emit_call(e, function, arguments, count);
  witness_record_call_of_last_body(e->low->witness, result);
  LLVMInstructionSetDebugLoc(result, at);
  return has_result ? result : NULL;
}

void hook_emit_resume_hook_call(const struct coro_lowering *low, LLVMBuilderRef builder, LLVMValueRef frame)
{
  LLVMValueRef function = hook_module_linked_function_or_null(low, HOOK_resume), none;
  LLVMValueRef arguments[3] = {frame, emit_frame_header_address_or_null_constant(low, builder, frame),
                               hook_resuming_clone_or_null_constant(low, IR_NONE)};
  LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder));
  struct inline_call call = {.builder = builder, .callee = function, .arguments = arguments};
  if (!function)
    return; /* the arena records the failure */
  if (inline_is_possible(low->table, caller, function))
    (void)inline_body_at_builder_position(low->arena, &call, &none); /* the arena records the failure */
  else
    edit_copy_convention_and_param_attributes(
        low->arena, function, edit_build_call(builder, function, arguments, LLVMCountParams(function), ""));
}
