/* Internal declarations of the switched-resume ABI.
   Requires: lowering.h. Only abi/switch*.c includes it. */
#pragma once

#include "emit/emit.h"

struct switch_data {
  LLVMValueRef noalloc; /* f.noalloc, or NULL */
  LLVMValueRef resumers; /* the array that coro.id refers to; NULL without a suspend */
  LLVMValueRef on_stack; /* alloca with the frame of a coroutine that never suspends */
  LLVMValueRef caller; /* parameter with the caller's memory, in f.noalloc only */
  LLVMValueRef transfer; /* f.transfer; NULL until it is needed */
  LLVMValueRef next_address; /* in f.resume: where a transfer loop reads the next handle; NULL until it is needed */
  LLVMValueRef needed; /* in the ramp: coro.alloc, if a hook allocates; else NULL */
  LLVMValueRef result; /* alloca of the clone's return value, or NULL */
  LLVMValueRef suspended; /* alloca: it has suspended since its entry; NULL if unused */
  const uint32_t *awaited; /* by instruction: switch_suspend_of_await_or_none; NULL if unused */
  bool elidable; /* it uses coro.alloc, so its frame may be in a caller */
  bool when_complete; /* only ever destroyed at the final suspend */
};

coro_status switch_check(const struct coro_lowering *low);
bool switch_musttail_can_end_clone(const struct coro_lowering *low, uint32_t call);
void switch_fill_header_layout(const struct coro_lowering *low, struct coro_frame_header *h);
coro_status switch_check_frame_alignment(const struct coro_lowering *low);
bool switch_uses_coro_alloc(const struct coro_lowering *low); /* uses coro.alloc */
bool switch_final_suspend_stores_index(const struct coro_lowering *low);
bool switch_exception_landings_have_index(const struct coro_lowering *low);
/* fills e->entry and sets e->field_address_position */
void switch_emit_dispatch(struct emit *e);
bool switch_lower_intrinsic(struct emit *e, uint32_t inst, enum intrin intrin);
LLVMValueRef switch_emit_suspend_result(struct emit *e, uint32_t suspend, uint32_t node);
bool switch_store_resume_and_destroy_slots(struct emit *e);
/* Whether a call in an unsplit caller may elide this coroutine's allocation. */
bool switch_needs_noalloc(const struct coro_lowering *low);
/* Calls the function of an await, which returns `result`. `normal`: where an invoke continues. */
LLVMValueRef switch_emit_call_of_await_function(struct emit *e, uint32_t inst, LLVMTypeRef result,
                                                LLVMBasicBlockRef normal);
/* Symmetric transfer: the awaiter returned the coroutine to resume. The ramp cannot transfer, because it must return
   to its caller. */
bool switch_lower_await_handle(struct emit *e, uint32_t inst);
/* Call sites of hooks. A hook that the ABI does not define is not called. */
void switch_create_hook_allocas(struct emit *e); /* the clone's allocas, in its entry */
LLVMValueRef switch_emit_alloc_hook_or_null(struct emit *e, uint32_t inst); /* memory for coro.begin */
void switch_emit_free_hook_unless_null(struct emit *e, uint32_t inst, LLVMValueRef memory); /* the memory may be null */
bool switch_lower_if_parameter_query(struct emit *e, uint32_t inst);
void switch_store_resume_slot_and_call_save_hook(struct emit *e, uint32_t inst, uint32_t suspend, uint64_t index);
void switch_call_suspend_hook(struct emit *e, uint32_t inst, uint32_t suspend);
void switch_call_end_hook_unless_suspended(struct emit *e, uint32_t inst);
/* Computes switch_data.awaited; NULL if no hook uses it, or out of memory. */
const uint32_t *switch_last_saved_suspend_of_each_inst(const struct coro_lowering *low);
/* The suspend of an await that returns the next coroutine; IR_NONE: none. */
uint32_t switch_suspend_of_await_or_none(const struct emit *e, uint32_t await);
void switch_build_return(struct emit *e, LLVMBuilderRef builder);
/* Fills the adapter stored in the frame's slots if the ABI's own clone has another signature. */
void switch_build_resume_slot_adapter_body(const struct coro_lowering *low);
LLVMTypeRef switch_clone_type(LLVMContextRef context); /* void (ptr) */
LLVMValueRef switch_declare_fastcc_clone(const struct coro_lowering *low, const char *suffix);
/* Declares the clone that resumes at `suspend`, or at every suspend (IR_NONE), with the hook module's prototype. */
LLVMValueRef switch_declare_custom_clone(const struct coro_lowering *low, uint32_t suspend);
bool switch_has_custom_clones(const struct coro_lowering *low); /* besides the three stored in the slots */
LLVMValueRef switch_declare_noalloc(const struct coro_lowering *low); /* NULL: out of memory */
