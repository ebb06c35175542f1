/* The pieces of the async ABI.
   Needs: coro. Leaves: only abi/async*.c includes it. */
#ifndef CORO_ABI_ASYNC_PARTS_H
#define CORO_ABI_ASYNC_PARTS_H

#include "emit/emit.h"

coro_status async_check(const struct coro_lowering *low);
coro_status async_check_frame(const struct coro_lowering *low);
bool async_ends_clone(const struct coro_lowering *low, uint32_t call);
/* What a constant operand of the coroutine's id says; it passed the check. */
uint64_t async_id_number(const struct coro_lowering *low, unsigned operand);
uint64_t async_context_align(const struct coro_lowering *low);
uint64_t async_frame_offset(const struct coro_lowering *low); /* of the frame in the context */
uint64_t async_context_size(const struct coro_lowering *low); /* with the frame, as it is allocated */
/* The function behind an operand, or NULL. */
LLVMValueRef async_function(LLVMValueRef operand);
/* Parameters of a suspend's continuation, counted from 0: that of the context, and that of self (0: none). */
unsigned async_context_parameter(const struct coro_lowering *low, uint32_t suspend);
unsigned async_self_parameter(const struct coro_lowering *low, uint32_t suspend);
/* The coro.async.resume that a suspend names; IR_NONE: none. */
uint32_t async_resume_of(const struct coro_lowering *low, uint32_t inst);
/* By instruction: the suspend whose continuation a coro.async.resume stands for, or IR_NONE. NULL: memory ran out. What
   emit_hooks.data is. */
uint32_t *async_suspend_of_resume(const struct coro_lowering *low);

void async_describe(const struct coro_lowering *low, struct coro_arena *arena, coro_coroutine_info *info);
LLVMTypeRef async_type(const struct coro_lowering *low, uint32_t suspend); /* of its continuation; NULL: no memory */
LLVMValueRef async_declare(const struct coro_lowering *low, uint32_t suspend);
bool async_intrinsic(struct emit *e, uint32_t inst, enum intrin intrin);
LLVMValueRef async_suspend_result(struct emit *e, uint32_t suspend, uint32_t node);
bool async_debug_base(const struct emit *e, struct debug_base *base);
bool async_enter(struct emit *e);

#endif
