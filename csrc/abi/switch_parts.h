/* The pieces of the switched-resume ABI.
   Needs: coro. Leaves: only abi/switch*.c includes it. */
#ifndef CORO_ABI_SWITCH_PARTS_H
#define CORO_ABI_SWITCH_PARTS_H

#include "emit/emit.h"

struct switch_data {
  LLVMValueRef noalloc;   /* f.noalloc, or NULL */
  LLVMValueRef resumers;  /* what coro.id names; NULL where there is no suspend */
  LLVMValueRef on_stack;  /* a coroutine that never suspends has its frame in a variable of the ramp */
  LLVMValueRef caller;    /* the parameter with the caller's memory, in f.noalloc only */
  LLVMValueRef transfer;  /* f.transfer; NULL before it is needed */
  LLVMValueRef place;     /* in f.resume: where who called it looks for the next handle; NULL before it is needed */
  LLVMValueRef needed;    /* coro.alloc where a hook allocates, in the ramp; else NULL */
  LLVMValueRef result;    /* variable: what the part returns; NULL: nothing */
  LLVMValueRef suspended; /* variable: it has suspended since it was entered; NULL where nobody asks */
  const uint32_t *awaited; /* by instruction, of awaits: what switch_awaited gives; NULL where nobody asks */
  bool elidable;          /* it asks coro.alloc, so that its frame may be part of a caller's */
  bool when_complete;     /* destroyed at the final suspend only */
};

coro_status switch_check(const struct coro_lowering *low);
bool switch_ends_clone(const struct coro_lowering *low, uint32_t call);
void switch_header(const struct coro_lowering *low, struct coro_frame_header *h);
coro_status switch_check_frame(const struct coro_lowering *low);
bool switch_has_final(const struct coro_lowering *low);
bool switch_has_alloc(const struct coro_lowering *low); /* asks whether memory is needed */
bool switch_numbers_final(const struct coro_lowering *low);   /* the final suspend has a number like all others */
bool switch_numbers_unwound(const struct coro_lowering *low); /* so have the landings of unwound coroutines */
void switch_dispatch(struct emit *e);                         /* fills e->entry and sets e->head */
bool switch_intrinsic(struct emit *e, uint32_t inst, enum intrin intrin);
LLVMValueRef switch_suspend_result(struct emit *e, uint32_t suspend, uint32_t node);
bool switch_frame_ready(struct emit *e);
/* A caller that is not split yet has a call of the coroutine that may do without an allocation. */
bool switch_wants_noalloc(const struct coro_lowering *low);
/* There is a place to say whom a loop is about to resume. */
bool switch_can_loop(const struct emit *e);
/* Goes on with the coroutine `next` when the clone returns, which it must do right behind the call that this gives. */
LLVMValueRef switch_transfer(struct emit *e, LLVMValueRef next);
/* What an ABI with a template adds: the calls of its hooks, all of which do nothing where it has none. */
void switch_enter_hooks(struct emit *e); /* the part's variables, in its entry */
LLVMValueRef switch_allocate(struct emit *e, uint32_t inst); /* memory for coro.begin */
void switch_free(struct emit *e, uint32_t inst, LLVMValueRef memory); /* which may be null */
bool switch_call(struct emit *e, uint32_t inst);
void switch_saved(struct emit *e, uint32_t inst, uint32_t suspend, uint64_t index);
void switch_suspended(struct emit *e, uint32_t inst, uint32_t suspend);
void switch_end(struct emit *e, uint32_t inst);
/* What switch_data.awaited is; NULL where no hook is told, or memory ran out. */
const uint32_t *switch_find_awaited(const struct coro_lowering *low);
/* The suspend that an await which names the next coroutine belongs to; IR_NONE: none. */
uint32_t switch_awaited(const struct emit *e, uint32_t await);
void switch_leave(struct emit *e, LLVMBuilderRef builder);
/* A part that the frame's slots hold where the ABI's own is called in another way: calls that. */
void switch_fill_entry(const struct coro_lowering *low);
LLVMValueRef switch_declare_clone(const struct coro_lowering *low, const char *suffix);
/* A part that resumes, as the ABI's template declares it; of one suspend, or of all (IR_NONE). */
LLVMValueRef switch_declare_own(const struct coro_lowering *low, uint32_t suspend);
bool switch_has_own_parts(const struct coro_lowering *low); /* behind the three that the slots are for */
LLVMValueRef switch_declare_noalloc(const struct coro_lowering *low); /* NULL: memory ran out */

#endif
