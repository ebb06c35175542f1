/* Inserts calls of a custom ABI's hooks at the points that only the switched-resume ABI has. A clone that returns a
   result keeps it in an alloca, because several suspends may share an exit block.
   Requires: emission in progress; a linked hook module, or none. */
#include "abi/common_hook_sites.h"
#include "abi/hook_call.h"
#include "abi/switch_internal.h"
#include "emit/copy.h"
#include "emit/lookup.h"
#include "ir/edit.h"
#include "lowering/abi.h"

/* Replaces a call that queries a parameter of the resumed clone. */
bool switch_lower_if_parameter_query(struct emit *e, uint32_t inst)
{
  unsigned parameter;
  LLVMValueRef source = e->low->fn.insts[inst];
  if (!e->low->abi->hook_module || !hook_module_is_parameter_query(source, &parameter))
    return false;
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(source));
  emit_define_and_spill(e, inst, e->clone_kind == CLONE_RESUME ? LLVMGetParam(e->function, parameter) : zero);
  return true;
}

static LLVMTypeRef hook_flag_type(const struct emit *e)
{
  return LLVMInt1TypeInContext(e->low->context);
}

static LLVMTypeRef resume_clone_result_type_or_null(const struct emit *e)
{
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(e->function));
  return e->clone_kind != CLONE_RESUME || LLVMGetTypeKind(type) == LLVMVoidTypeKind ? NULL : type;
}

void switch_create_hook_allocas(struct emit *e)
{
  struct switch_data *data = e->hooks->data;
  LLVMTypeRef type = resume_clone_result_type_or_null(e);
  data->needed = data->result = data->suspended = data->next_address = NULL;
  hook_site_create_frame_alloca_if_needed(e);
  LLVMPositionBuilderAtEnd(e->builder, e->entry);
  if (type)
    data->result = hook_site_create_zeroed_alloca(e, type, "result");
  if (abi_defines_hook(e, HOOK_end))
    data->suspended = hook_site_create_zeroed_alloca(e, hook_flag_type(e), "suspended");
}

LLVMValueRef switch_emit_alloc_hook_or_null(struct emit *e, uint32_t inst)
{
  struct switch_data *data = e->hooks->data;
  if (!abi_defines_hook(e, HOOK_alloc) || !data->elidable)
    return NULL;
  LLVMValueRef callee = intrin_declare(e->low->table, e->low->module, INTRIN_ALLOC, NULL, 0);
  LLVMValueRef id = emit_operand(e, inst, BEGIN_ID);
  LLVMBasicBlockRef allocate = emit_append_block(e, "abi.alloc"), allocated = emit_append_block(e, "abi.begin"),
                    before = LLVMGetInsertBlock(e->builder);
  data->needed = edit_build_call(e->builder, callee, &id, 1, "needed");
  LLVMBuildCondBr(e->builder, data->needed, allocate, allocated);
  LLVMPositionBuilderAtEnd(e->builder, allocate);
  LLVMValueRef returned = emit_hook_call(e, HOOK_alloc, &(struct hook_site){.inst = inst, .suspend = IR_NONE});
  LLVMValueRef values[2] = {LLVMConstNull(emit_pointer(e)), returned};
  LLVMBasicBlockRef blocks[2] = {before, LLVMGetInsertBlock(e->builder)};
  LLVMBuildBr(e->builder, allocated);
  LLVMPositionBuilderAtEnd(e->builder, allocated);
  LLVMValueRef memory = LLVMBuildPhi(e->builder, emit_pointer(e), "memory");
  LLVMAddIncoming(memory, values, blocks, 2);
  return memory;
}

void switch_emit_free_hook_unless_null(struct emit *e, uint32_t inst, LLVMValueRef memory)
{
  struct hook_site site = {.inst = inst, .suspend = IR_NONE, .memory = memory};
  if (memory == e->frame) {
    emit_hook_call(e, HOOK_free, &site);
    return;
  }
  LLVMBasicBlockRef free_memory = emit_append_block(e, "abi.free"), after = emit_append_block(e, "abi.freed");
  LLVMBuildCondBr(e->builder, LLVMBuildIsNull(e->builder, memory, ""), after, free_memory);
  LLVMPositionBuilderAtEnd(e->builder, free_memory);
  emit_hook_call(e, HOOK_free, &site);
  LLVMBuildBr(e->builder, after);
  LLVMPositionBuilderAtEnd(e->builder, after);
}

/* With one clone per suspend, stores the next clone into the resume slot, if its signature is that of the slot. */
void switch_store_resume_slot_and_call_save_hook(struct emit *e, uint32_t inst, uint32_t suspend, uint64_t index)
{
  const struct coro_abi *abi = e->low->abi;
  bool stores_clone =
      abi->clone_per_suspend && !(abi->hook_module && abi->hook_module->clone_prototype) && suspend != IR_NONE;
  if (stores_clone && !coro_is_done_at(&e->low->shape, suspend))
    LLVMBuildStore(e->builder, hook_resuming_clone_or_null_constant(e->low, suspend), e->frame);
  if (abi_defines_hook(e, HOOK_save))
    emit_hook_call(e, HOOK_save, &(struct hook_site){.inst = inst, .suspend = suspend, .index = index});
}

static void store_hook_result(struct emit *e, LLVMValueRef returned)
{
  const struct switch_data *data = e->hooks->data;
  if (data->result && returned)
    LLVMBuildStore(e->builder, returned, data->result);
}

/* Indexed by instruction: the suspend of the nearest llvm.coro.save that dominates it, IR_NONE if there is none. One
   walk in reverse postorder. */
const uint32_t *switch_last_saved_suspend_of_each_inst(const struct coro_lowering *low)
{
  const struct coro_cfg *cfg = &low->cfg;
  if (!hook_module_defines_hook(low->abi->hook_module, HOOK_suspend) ||
      !coro_shape_has_intrinsic(&low->shape, &low->fn, INTRIN_AWAIT_HANDLE))
    return NULL;
  uint32_t *awaited = CORO_NEW_ARRAY(low->arena, uint32_t, low->fn.inst_count);
  uint32_t *last = CORO_NEW_ARRAY(low->arena, uint32_t, cfg->node_count); /* indexed by node: at its end */
  if (!awaited || !last)
    return NULL;
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    awaited[i] = IR_NONE;
  for (uint32_t at = 0; at < cfg->rpo.count; at++) { /* reverse postorder: dominators come first */
    uint32_t node = cfg->rpo.order[at], parent = cfg->dom.idom[node];
    last[node] = parent == node ? IR_NONE : last[parent];
    for (uint32_t i = cfg->nodes[node].first; i < cfg->nodes[node].last; i++) {
      if (low->shape.intrin[i] == INTRIN_SAVE && low->shape.suspend_of[i] != IR_NONE)
        last[node] = low->shape.suspend_of[i];
      awaited[i] = last[node];
    }
  }
  return awaited;
}

uint32_t switch_suspend_of_await_or_none(const struct emit *e, uint32_t await)
{
  const struct switch_data *data = e->hooks->data;
  return data->awaited ? data->awaited[await] : IR_NONE;
}

void switch_call_suspend_hook(struct emit *e, uint32_t inst, uint32_t suspend)
{
  const struct switch_data *data = e->hooks->data;
  if (data->suspended)
    LLVMBuildStore(e->builder, LLVMConstInt(hook_flag_type(e), 1, false), data->suspended);
  if (abi_defines_hook(e, HOOK_suspend))
    store_hook_result(e, emit_hook_call(e, HOOK_suspend, &(struct hook_site){.inst = inst, .suspend = suspend}));
}

void switch_call_end_hook_unless_suspended(struct emit *e, uint32_t inst)
{
  const struct switch_data *data = e->hooks->data;
  bool may_suspend = data->suspended && e->pad == IR_NONE; /* a suspend does not throw */
  hook_site_emit_end_hook_if_frame(
      e, inst, may_suspend ? LLVMBuildLoad2(e->builder, hook_flag_type(e), data->suspended, "") : NULL, data->result);
}

void switch_build_return(struct emit *e, LLVMBuilderRef builder)
{
  const struct switch_data *data = e->hooks->data;
  LLVMTypeRef type = resume_clone_result_type_or_null(e);
  if (type)
    LLVMBuildRet(builder, LLVMBuildLoad2(builder, type, data->result, ""));
  else
    LLVMBuildRetVoid(builder);
}

/* ---- Contents of the frame's resume slot ---- */

static LLVMValueRef call_clone_of_this_coroutine(const struct coro_lowering *low, LLVMBuilderRef builder,
                                                 LLVMValueRef frame)
{
  LLVMValueRef own = hook_resuming_clone_or_null_constant(low, IR_NONE);
  unsigned count = LLVMCountParams(own);
  LLVMValueRef *arguments = CORO_NEW_ARRAY(low->arena, LLVMValueRef, count);
  if (!arguments)
    return NULL;
  arguments[0] = frame;
  for (unsigned i = 1; i < count; i++)
    arguments[i] = LLVMConstNull(LLVMTypeOf(LLVMGetParam(own, i)));
  LLVMValueRef call = edit_build_call(builder, own, arguments, count, "");
  edit_copy_convention_and_param_attributes(low->arena, own, call);
  return call;
}

/* Resumes by a call of the clone in the frame's first slot, which is that of the current suspend. */
static LLVMValueRef call_clone_in_slot(const struct coro_lowering *low, LLVMBuilderRef builder, LLVMValueRef frame)
{
  LLVMValueRef slot_adapter = low->clones[0], slot = LLVMBuildLoad2(builder, LLVMTypeOf(slot_adapter), frame, "clone");
  LLVMValueRef call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(slot_adapter), slot, &frame, 1, "");
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(slot_adapter));
  LLVMSetTailCallKind(call, LLVMTailCallKindTail);
  return call;
}

void switch_build_resume_slot_adapter_body(const struct coro_lowering *low)
{
  const struct hook_module *t = low->abi->hook_module;
  LLVMValueRef function = low->clones[0], frame = LLVMGetParam(function, 0);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(low->context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(low->context, function, "entry"));
  if (hook_module_defines_hook(t, HOOK_resume))
    hook_emit_resume_hook_call(low, builder, frame);
  else if (t && t->clone_prototype)
    call_clone_of_this_coroutine(low, builder, frame);
  else
    call_clone_in_slot(low, builder, frame);
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
}
