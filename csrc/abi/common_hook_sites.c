/* Hook call sites common to all ABIs. The ramp may end before coro.begin, so an alloca holds the frame's address, null
   until then.
   Requires: emission in progress; a linked hook module, or none. */
#include "abi/common_hook_sites.h"

#include <string.h>

#include "abi/hook_call.h"
#include "coro/abi.h"
#include "ir/edit.h"

LLVMValueRef hook_site_alloca(struct emit *e, LLVMTypeRef type, const char *name)
{
  LLVMValueRef made = LLVMBuildAlloca(e->builder, type, name);
  LLVMBuildStore(e->builder, LLVMConstNull(type), made);
  e->last_alloca = made;
  return made;
}

static bool has_frame_at(const struct emit *e, uint32_t inst)
{
  return cfg_has_frame(&e->low->cfg, e->part, e->low->cfg.node_of_inst[inst]);
}

void hook_site_entry(struct emit *e)
{
  bool asked = false;
  e->begun = NULL;
  if (!hook_has(e, HOOK_end) || e->part != CLONE_RAMP)
    return;
  for (uint32_t n = 0; n < e->low->shape.ends.count && !asked; n++)
    asked = !has_frame_at(e, e->low->shape.ends.items[n]);
  if (!asked)
    return;
  LLVMPositionBuilderAtEnd(e->builder, e->entry);
  e->begun = hook_site_alloca(e, emit_pointer(e), "begun");
}

static LLVMValueRef named(LLVMModuleRef module, const char *name)
{
  LLVMValueRef function = LLVMGetNamedFunction(module, name), variable = LLVMGetNamedGlobal(module, name);
  if (function || variable)
    return function ? function : variable;
  return LLVMGetNamedGlobalAlias(module, name, strlen(name));
}

/* Stores the coroutine's own value into an ABI header field. */
static void store_value(struct emit *e, const struct coro_header_value *value)
{
  LLVMTypeRef header = e->low->abi->hook_module->header, i8 = LLVMInt8TypeInContext(e->low->context), type = header;
  LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(e->low->context), 0, false), stored;
  if (LLVMGetTypeKind(header) == LLVMStructTypeKind) {
    type = LLVMStructGetTypeAtIndex(header, value->element);
    offset = LLVMConstInt(LLVMTypeOf(offset), LLVMOffsetOfElement(e->low->layout, header, value->element), false);
  }
  if (value->kind == HEADER_NUMBER)
    stored = LLVMConstInt(type,
                          LLVMGetIntTypeWidth(type) < 64 ? value->number & ~(UINT64_MAX << LLVMGetIntTypeWidth(type))
                                                         : value->number,
                          false);
  else if (value->kind == HEADER_TEXT)
    stored = hook_string_constant(e, value->text, "header");
  else
    stored = edit_cast_to_default_pointer(named(e->low->module, value->text));
  LLVMValueRef at = LLVMBuildInBoundsGEP2(e->builder, i8, hook_header(e), &offset, 1, "");
  LLVMValueRef store = LLVMBuildStore(e->builder, stored, at);
  if (LLVMGetTypeKind(header) == LLVMStructTypeKind && LLVMIsPackedStruct(header))
    edit_set_alignment(store, 1);
}

bool hook_site_begin(struct emit *e)
{
  const struct hook_module *t = e->low->abi->hook_module;
  LLVMValueRef first = t && t->header ? hook_module_header_value(e->low) : NULL;
  if (e->begun)
    LLVMBuildStore(e->builder, e->frame, e->begun);
  if (first)
    LLVMBuildStore(e->builder, first, hook_header(e));
  for (const struct coro_header_value *value = e->low->header_values; value; value = value->next)
    store_value(e, value);
  if (hook_has(e, HOOK_begin))
    hook_call(e, HOOK_begin, &(struct hook_site){.inst = e->low->shape.begin, .suspend = IR_NONE});
  return !coro_arena_failed(e->low->arena);
}

bool hook_site_landing(struct emit *e, uint32_t suspend)
{
  struct hook_site site = {.inst = e->low->shape.suspends[suspend].inst, .suspend = suspend, .passed = true};
  if (hook_has(e, HOOK_resumed))
    hook_call(e, HOOK_resumed, &site);
  return !coro_arena_failed(e->low->arena);
}

void hook_site_suspend(struct emit *e, uint32_t inst, uint32_t suspend)
{
  struct hook_site site = {.inst = inst, .suspend = suspend};
  if (hook_has(e, HOOK_save))
    hook_call(e, HOOK_save, &site);
  if (hook_has(e, HOOK_suspend))
    hook_call(e, HOOK_suspend, &site);
}

static LLVMBasicBlockRef append_block(const struct emit *e, const char *name)
{
  return LLVMAppendBasicBlockInContext(e->low->context, e->function, name);
}

static void call_end(struct emit *e, uint32_t inst, LLVMValueRef result)
{
  LLVMValueRef given = hook_call(e, HOOK_end, &(struct hook_site){.inst = inst, .suspend = IR_NONE});
  if (result && given)
    LLVMBuildStore(e->builder, given, result);
}

void hook_site_end(struct emit *e, uint32_t inst, LLVMValueRef over, LLVMValueRef result)
{
  LLVMValueRef frame = e->frame;
  if (!hook_has(e, HOOK_end))
    return;
  if (e->part == CLONE_RAMP && !has_frame_at(e, inst)) {
    if (e->pad != IR_NONE || !e->begun)
      return; /* a funclet pad cannot contain branches */
    e->frame = LLVMBuildLoad2(e->builder, emit_pointer(e), e->begun, "frame");
    LLVMValueRef none = LLVMBuildIsNull(e->builder, e->frame, "");
    over = over ? LLVMBuildOr(e->builder, over, none, "") : none;
  }
  if (!over || e->pad != IR_NONE) { /* an end inside a pad is always reached by an exception */
    call_end(e, inst, result);
  } else {
    LLVMBasicBlockRef ended = append_block(e, "abi.end"), after = append_block(e, "abi.ended");
    LLVMBuildCondBr(e->builder, over, after, ended);
    LLVMPositionBuilderAtEnd(e->builder, ended);
    call_end(e, inst, result);
    LLVMBuildBr(e->builder, after);
    LLVMPositionBuilderAtEnd(e->builder, after);
  }
  e->frame = frame;
}
