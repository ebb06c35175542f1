/* Inserts calls of a custom ABI's hooks (IR functions such as abi.alloc) at the points that all ABIs share. Without
   a hook module no hook is called.
   Requires: emission in progress; a linked hook module, or none. */
#pragma once

#include "emit/emit.h"

LLVMValueRef hook_site_global_of_name_or_null(LLVMModuleRef module, const char *name);
/* Creates emit.frame_or_null, an alloca with the frame's address, null before coro.begin: only in a ramp that can
   reach a call of abi.end without a frame. It is emit_hooks.enter_ramp of ABIs without a `suspended` alloca. */
void hook_site_create_frame_alloca_if_needed(struct emit *e);
LLVMValueRef hook_site_create_zeroed_alloca(struct emit *e, LLVMTypeRef type,
                                            const char *name); /* initialized with zero */
bool hook_site_emit_header_and_begin_hook(struct emit *e); /* implements emit_hooks.after_begin */
bool hook_site_emit_resumed_hook(struct emit *e, uint32_t suspend); /* implements emit_hooks.after_landing */
/* Calls abi.save, then abi.suspend, at a suspend where the clone returns. */
void hook_site_emit_save_and_suspend_hooks(struct emit *e, uint32_t inst, uint32_t suspend);
/* Calls abi.end at an end, if there is a frame. If `skip_if_true` (NULL: never) is true at run time, the hook is
   skipped. The hook's result is stored to the alloca `result_alloca`, or dropped (NULL). */
void hook_site_emit_end_hook_if_frame(struct emit *e, uint32_t inst, LLVMValueRef skip_if_true,
                                      LLVMValueRef result_alloca);
