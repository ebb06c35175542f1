/* Inserts calls of a custom ABI's hooks at the points that all ABIs share. The ramp may end before coro.begin, so an
   alloca holds the frame's address, null until then. */
#include "abi/common_hook_sites.h"

#include <string.h>

#include "abi/hook_call.h"
#include "ir/edit.h"
#include "lowering/abi.h"

LLVMValueRef hook_site_create_zeroed_alloca(struct emit *e, LLVMTypeRef type, const char *name)
{
  LLVMValueRef alloca_inst = LLVMBuildAlloca(e->builder, type, name);
  LLVMBuildStore(e->builder, LLVMConstNull(type), alloca_inst);
  e->last_alloca = alloca_inst;
  return alloca_inst;
}

static bool has_frame_at_inst(const struct emit *e, uint32_t inst)
{
  return cfg_has_frame(&e->low->cfg, e->clone_kind, e->low->cfg.node_of_inst[inst]);
}

void hook_site_create_frame_alloca_if_needed(struct emit *e)
{
  bool needed = false;
  e->frame_or_null = NULL;
  if (!abi_defines_hook(e, HOOK_end) || e->clone_kind != CLONE_RAMP)
    return;
  for (uint32_t n = 0; n < e->low->shape.ends.count && !needed; n++)
    needed = !has_frame_at_inst(e, e->low->shape.ends.items[n]);
  if (!needed)
    return;
  LLVMPositionBuilderAtEnd(e->builder, e->entry);
  e->frame_or_null = hook_site_create_zeroed_alloca(e, emit_pointer(e), "frame.or.null");
}

LLVMValueRef hook_site_global_of_name_or_null(LLVMModuleRef module, const char *name)
{
  LLVMValueRef function = LLVMGetNamedFunction(module, name), variable = LLVMGetNamedGlobal(module, name);
  if (function || variable)
    return function ? function : variable;
  return LLVMGetNamedGlobalAlias(module, name, strlen(name));
}

/* Stores the coroutine's own value into an ABI header field. */
static void store_header_value(struct emit *e, const struct coro_header_value *value)
{
  LLVMTypeRef header = e->low->abi->hook_module->header, i8 = LLVMInt8TypeInContext(e->low->context), type = header;
  LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(e->low->context), 0, false), stored_value;
  if (LLVMGetTypeKind(header) == LLVMStructTypeKind) {
    type = LLVMStructGetTypeAtIndex(header, value->element);
    offset = LLVMConstInt(LLVMTypeOf(offset), LLVMOffsetOfElement(e->low->layout, header, value->element), false);
  }
  if (value->kind == HEADER_NUMBER)
    stored_value = LLVMConstInt(
        type,
        LLVMGetIntTypeWidth(type) < 64 ? value->number & ~(UINT64_MAX << LLVMGetIntTypeWidth(type)) : value->number,
        false);
  else if (value->kind == HEADER_TEXT)
    stored_value = emit_hook_string_constant(e, value->text, "header");
  else
    stored_value = edit_cast_to_default_pointer(hook_site_global_of_name_or_null(e->low->module, value->text));
  LLVMValueRef at = LLVMBuildInBoundsGEP2(e->builder, i8, emit_abi_header_address_or_null_constant(e), &offset, 1, "");
  LLVMValueRef store = LLVMBuildStore(e->builder, stored_value, at);
  if (LLVMGetTypeKind(header) == LLVMStructTypeKind && LLVMIsPackedStruct(header))
    edit_set_alignment(store, 1);
}

bool hook_site_emit_header_and_begin_hook(struct emit *e)
{
  const struct hook_module *t = e->low->abi->hook_module;
  LLVMValueRef initial = t && t->header ? hook_module_linked_header_value_or_null(e->low) : NULL;
  if (e->frame_or_null)
    LLVMBuildStore(e->builder, e->frame, e->frame_or_null);
  if (initial)
    LLVMBuildStore(e->builder, initial, emit_abi_header_address_or_null_constant(e));
  for (const struct coro_header_value *value = e->low->header_values; value; value = value->next)
    store_header_value(e, value);
  if (abi_defines_hook(e, HOOK_begin))
    emit_hook_call(e, HOOK_begin, &(struct hook_site){.inst = e->low->shape.begin, .suspend = IR_NONE});
  return !coro_arena_failed(e->low->arena);
}

bool hook_site_emit_resumed_hook(struct emit *e, uint32_t suspend)
{
  struct hook_site site = {.inst = e->low->shape.suspends[suspend].inst, .suspend = suspend, .passed = true};
  if (abi_defines_hook(e, HOOK_resumed))
    emit_hook_call(e, HOOK_resumed, &site);
  return !coro_arena_failed(e->low->arena);
}

void hook_site_emit_save_and_suspend_hooks(struct emit *e, uint32_t inst, uint32_t suspend)
{
  struct hook_site site = {.inst = inst, .suspend = suspend};
  if (abi_defines_hook(e, HOOK_save))
    emit_hook_call(e, HOOK_save, &site);
  if (abi_defines_hook(e, HOOK_suspend))
    emit_hook_call(e, HOOK_suspend, &site);
}

static void emit_end_hook_and_store_result(struct emit *e, uint32_t inst, LLVMValueRef result_alloca)
{
  LLVMValueRef returned = emit_hook_call(e, HOOK_end, &(struct hook_site){.inst = inst, .suspend = IR_NONE});
  if (result_alloca && returned)
    LLVMBuildStore(e->builder, returned, result_alloca);
}

void hook_site_emit_end_hook_if_frame(struct emit *e, uint32_t inst, LLVMValueRef skip_if_true,
                                      LLVMValueRef result_alloca)
{
  LLVMValueRef frame = e->frame;
  if (!abi_defines_hook(e, HOOK_end))
    return;
  if (e->clone_kind == CLONE_RAMP && !has_frame_at_inst(e, inst)) {
    if (e->pad != IR_NONE || !e->frame_or_null)
      return; /* a funclet pad cannot contain branches */
    e->frame = LLVMBuildLoad2(e->builder, emit_pointer(e), e->frame_or_null, "frame");
    LLVMValueRef no_frame = LLVMBuildIsNull(e->builder, e->frame, "");
    skip_if_true = skip_if_true ? LLVMBuildOr(e->builder, skip_if_true, no_frame, "") : no_frame;
  }
  if (!skip_if_true || e->pad != IR_NONE) { /* an end inside a pad is always reached by an exception */
    emit_end_hook_and_store_result(e, inst, result_alloca);
  } else {
    LLVMBasicBlockRef call_block = emit_append_block(e, "abi.end"), after = emit_append_block(e, "abi.ended");
    LLVMBuildCondBr(e->builder, skip_if_true, after, call_block);
    LLVMPositionBuilderAtEnd(e->builder, call_block);
    emit_end_hook_and_store_result(e, inst, result_alloca);
    LLVMBuildBr(e->builder, after);
    LLVMPositionBuilderAtEnd(e->builder, after);
  }
  e->frame = frame;
}
