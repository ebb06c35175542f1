/* Internal declarations of the async ABI.
   Requires: lowering.h. Only abi/async*.c includes it. */
#pragma once

#include "emit/emit.h"

coro_status async_check(const struct coro_lowering *low);
coro_status async_check_context_size_and_header(const struct coro_lowering *low);
bool async_musttail_can_end_clone(const struct coro_lowering *low, uint32_t call);
/* The value of a constant operand of the coroutine's id, after the check. */
uint64_t async_id_number(const struct coro_lowering *low, unsigned operand);
uint64_t async_context_align(const struct coro_lowering *low);
uint64_t async_frame_offset(const struct coro_lowering *low); /* bytes, from the context to the frame */
uint64_t async_context_size(const struct coro_lowering *low); /* bytes to allocate, including the frame */
/* The function that an operand refers to, or NULL. */
LLVMValueRef async_function_of_operand_or_null(LLVMValueRef operand);
/* Zero-based index of the context parameter in a suspend's continuation, and of the self parameter (0: none). */
unsigned async_context_parameter_index(const struct coro_lowering *low, uint32_t suspend);
unsigned async_self_parameter_index_or_0(const struct coro_lowering *low, uint32_t suspend);
/* The coro.async.resume of a suspend; IR_NONE: none. */
uint32_t async_resume_inst_of_suspend_or_none(const struct coro_lowering *low, uint32_t suspend_inst);
/* Indexed by instruction: the suspend whose continuation a coro.async.resume denotes, or IR_NONE. This is
   emit_hooks.data. NULL: out of memory. */
uint32_t *async_suspend_index_of_each_resume(const struct coro_lowering *low);

/* type of its continuation; NULL: out of memory */
LLVMTypeRef async_continuation_type(const struct coro_lowering *low, uint32_t suspend);
LLVMValueRef async_declare_continuation(const struct coro_lowering *low, uint32_t suspend);
bool async_lower_intrinsic(struct emit *e, uint32_t inst, enum intrin intrin);
LLVMValueRef async_emit_suspend_result(struct emit *e, uint32_t suspend, uint32_t node);
bool async_find_debug_base(const struct emit *e, struct debug_base *base);
bool async_emit_frame_by_projection(struct emit *e);
