/* Internal declarations of the returned-continuation ABIs.
   Requires: coro. Only abi/retcon*.c includes it. */
#ifndef CORO_ABI_RETCON_PARTS_H
#define CORO_ABI_RETCON_PARTS_H

#include "emit/emit.h"

/* An operand of the coroutine's id: RETCON_SIZE and so on. */
static inline LLVMValueRef retcon_operand(const struct coro_lowering *low, unsigned operand)
{
  return LLVMGetOperand(low->fn.insts[low->shape.id], operand);
}
static inline uint64_t retcon_number(const struct coro_lowering *low, unsigned operand)
{
  return LLVMConstIntGetZExtValue(retcon_operand(low, operand));
}
/* Whether the frame is in the caller's buffer; otherwise the buffer holds its address. */
static inline bool retcon_frame_fits(const struct coro_lowering *low)
{
  return low->frame.size <= retcon_number(low, RETCON_SIZE) && low->frame.align <= retcon_number(low, RETCON_ALIGN);
}
static inline bool retcon_is_once(const struct coro_lowering *low)
{
  return low->shape.intrin[low->shape.id] == INTRIN_ID_RETCON_ONCE;
}
/* The llvm.coro.end.results of an end; IR_NONE: no results. */
uint32_t retcon_results(const struct coro_lowering *low, uint32_t end);
/* The type of the index-th value in a return type. */
LLVMTypeRef retcon_value_type(LLVMTypeRef type, unsigned index);

coro_status retcon_check(const struct coro_lowering *low);
LLVMValueRef retcon_declare(const struct coro_lowering *low, uint32_t suspend);
void retcon_describe(const struct coro_lowering *low, struct coro_arena *arena, coro_coroutine_info *info);
coro_status retcon_check_flow(const struct coro_lowering *low);
coro_status retcon_check_frame(const struct coro_lowering *low);
LLVMValueRef retcon_allocate(struct emit *e, LLVMValueRef bytes);
void retcon_deallocate(struct emit *e, LLVMValueRef block);
bool retcon_intrinsic(struct emit *e, uint32_t inst, enum intrin intrin);
LLVMValueRef retcon_suspend_result(struct emit *e, uint32_t suspend, uint32_t node);
bool retcon_enter(struct emit *e);

#endif
