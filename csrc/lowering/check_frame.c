/* The checks `check_fields` and `check_layout`: the frame's size and offsets fit the integer types that hold them. */
#include "lowering/abi.h"
#include "lowering/check.h"

static coro_status reject_frame_too_large(const struct coro_lowering *low)
{
  return coro_reject(low, "frame-too-large", low->shape.begin, "the frame is larger than the address space",
                     "store large data outside of the coroutine, or on the heap");
}

/* Whether a field holds the result of a callbr. The result exists on every successor edge and would have to be
   stored on each. */
static bool is_spilled_callbr(const struct coro_lowering *low, const struct coro_field *field)
{
  uint32_t inst = field->kind == CORO_FIELD_SPILL ? ir_inst_of_value(&low->fn, field->value) : IR_NONE;
  return inst != IR_NONE && low->fn.opcode[inst] == LLVMCallBr;
}

/* Checks that no layout can overflow an offset. */
coro_status coro_run_check_fields_stage(struct coro_lowering *low)
{
  uint64_t left = IR_MAX_BYTES - 1; /* a saturated size may stand for a larger one */
  for (uint32_t f = 0; f < low->frame.field_count; f++) {
    const struct coro_field *field = &low->frame.fields[f];
    if (is_spilled_callbr(low, field))
      return coro_reject(low, "callbr-live-across-suspend", ir_inst_of_value(&low->fn, field->value),
                         "the result of a callbr is live across a suspend", "store it in an alloca in the successors");
    if (field->size > left || field->align > left - field->size)
      return reject_frame_too_large(low);
    left -= field->size + field->align;
  }
  return CORO_OK;
}

bool coro_fits_unsigned_integer(uint64_t value, LLVMTypeRef type)
{
  unsigned width = LLVMGetIntTypeWidth(type);
  return width >= 64 || value >> width == 0;
}

coro_status coro_run_check_layout_stage(struct coro_lowering *low)
{
  if (!coro_fits_unsigned_integer(low->frame.size, LLVMIntPtrTypeInContext(low->context, low->layout)))
    return reject_frame_too_large(low);
  for (uint32_t i = 0; i < low->fn.inst_count; i++) {
    uint64_t asked = low->shape.intrin[i] == INTRIN_SIZE    ? low->frame.size
                     : low->shape.intrin[i] == INTRIN_ALIGN ? low->frame.align
                                                            : 0;
    if (asked && !coro_fits_unsigned_integer(asked, LLVMTypeOf(low->fn.insts[i])))
      return coro_reject(low, "frame-size-fits", i, "the frame's size or alignment does not fit the result type",
                         "use a wider integer type, as in llvm.coro.size.i64");
  }
  const struct coro_policies *policies = &low->abi->policies;
  coro_status status = low->abi->check_frame ? low->abi->check_frame(low) : CORO_OK;
  return status == CORO_OK && policies->check_frame ? policies->check_frame(policies, low) : status;
}
