/* Internal declarations of the returned-continuation ABIs.
   Requires: lowering.h. Only abi/retcon*.c and abi/dynamic.c include it. */
#pragma once

#include "abi/split.h"

/* Whether it is the dynamic ABI of Swift's LLVM: the caller allocates the whole frame, and the functions that allocate
   memory get an allocator object of the caller as argument. */
static inline bool retcon_is_dynamic(const struct coro_lowering *low)
{
  return low->shape.intrin[low->shape.id] == INTRIN_ID_RETCON_DYNAMIC;
}
/* The index of an operand of the coroutine's id. A dynamic id has two more operands before its buffer. */
static inline unsigned retcon_index(const struct coro_lowering *low, unsigned operand)
{
  return retcon_is_dynamic(low) && operand >= RETCON_BUFFER ? operand + (DYNAMIC_BUFFER - RETCON_BUFFER) : operand;
}
/* An operand of the coroutine's id: RETCON_SIZE and so on. */
static inline LLVMValueRef retcon_id_operand(const struct coro_lowering *low, unsigned operand)
{
  return LLVMGetOperand(low->fn.insts[low->shape.id], retcon_index(low, operand));
}
/* Whether a pointer type has the address space of the buffer, and hence of the frame. */
static inline bool retcon_is_frame_address(const struct coro_lowering *low, LLVMTypeRef type)
{
  return type == LLVMTypeOf(retcon_id_operand(low, RETCON_BUFFER));
}
static inline uint64_t retcon_id_number(const struct coro_lowering *low, unsigned operand)
{
  return LLVMConstIntGetZExtValue(retcon_id_operand(low, operand));
}
/* Whether the frame is in the caller's buffer; otherwise the buffer holds its address. */
static inline bool retcon_frame_is_in_buffer(const struct coro_lowering *low)
{
  return retcon_is_dynamic(low) || (low->frame.size <= retcon_id_number(low, RETCON_SIZE) &&
                                    low->frame.align <= retcon_id_number(low, RETCON_ALIGN));
}
static inline bool retcon_is_once(const struct coro_lowering *low)
{
  return low->shape.intrin[low->shape.id] != INTRIN_ID_RETCON;
}
static inline coro_status reject_id(const struct coro_lowering *low, const char *rule, const char *message,
                                    const char *hint)
{
  return coro_reject(low, rule, low->shape.id, message, hint);
}
uint64_t retcon_buffer_size(const struct coro_lowering *low); /* bytes that the caller provides */
/* The llvm.coro.end.results of an end; IR_NONE: no results. */
uint32_t retcon_end_results_inst_or_none(const struct coro_lowering *low, uint32_t end);
/* The type of a returned value: of the element `index` of a struct, or the return type itself. */
LLVMTypeRef retcon_element_type_if_struct(LLVMTypeRef type, unsigned index);
/* The function type of operand `index` of the id; NULL: the operand is not a function. */
LLVMTypeRef retcon_function_type_of_operand_or_null(const struct coro_lowering *low, unsigned index);
/* Whether the parameter is memory that function and caller share. */
bool retcon_parameter_is_not_copy_nor_swifterror(LLVMValueRef function, unsigned parameter);

/* Members of struct coro_abi that all these ABIs share. */
#define RETCON_COMMON                                                                                                  \
  .suspend_returns = true, .end_frees_frame = true, .has_allocator = true, .check_flow = retcon_check_flow,            \
  .frame_argument = retcon_buffer_parameter_or_none, .passes_error = retcon_passes_error,                              \
  .header = retcon_fill_header_layout, .describe = retcon_describe_coroutine, .clones = &retcon_clones

coro_status retcon_check(const struct coro_lowering *low);
/* The checks that all these ABIs share: alignment, prototype, suspends, ends, and intrinsics of other ABIs. */
coro_status retcon_check_buffer_alignment(const struct coro_lowering *low);
coro_status retcon_check_prototype_suspends_and_ends(const struct coro_lowering *low);
/* Checks that the id and each llvm.coro.alloca.alloc have one integer as type id at most. */
coro_status retcon_check_type_ids(const struct coro_lowering *low);
coro_status retcon_check_allocator(const struct coro_lowering *low, unsigned index);
coro_status retcon_check_deallocator(const struct coro_lowering *low, unsigned index);
LLVMTypeRef
retcon_size_type_of_allocator(const struct coro_lowering *low); /* integer type of the allocator's size parameter */
void retcon_describe_coroutine(const struct coro_lowering *low, struct coro_arena *arena, coro_coroutine_info *info);
coro_status retcon_check_flow(const struct coro_lowering *low);
coro_status retcon_check_frame_fits_allocator(const struct coro_lowering *low);
LLVMValueRef retcon_emit_allocator_call(struct emit *e, uint32_t inst, LLVMValueRef bytes);
void retcon_emit_deallocator_call(struct emit *e, uint32_t inst, LLVMValueRef block);
bool retcon_lower_intrinsic(struct emit *e, uint32_t inst, enum intrin intrin);
LLVMValueRef retcon_emit_suspend_result_or_null(struct emit *e, uint32_t suspend, uint32_t node);
bool retcon_emit_frame_from_buffer(struct emit *e);
void retcon_fill_header_layout(const struct coro_lowering *low, struct coro_frame_header *header);
uint32_t retcon_buffer_parameter_or_none(const struct coro_lowering *low);
bool retcon_passes_error(const struct coro_lowering *low);
extern const struct abi_clones retcon_clones;
