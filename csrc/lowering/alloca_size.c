/* Sizes and alignments from types, data layout and attributes; a size too large is saturated to IR_MAX_BYTES. */
#include "lowering/alloca_size.h"

#include "ir/edit.h"
#include "ir/operand.h"
#include "lowering/lowering.h"

static void set_size_and_alignment_of_alloca(struct coro_alloca *a, LLVMValueRef inst,
                                             const struct coro_crossing *crossing, struct ir_sizes *sizes)
{
  LLVMValueRef count = LLVMGetOperand(inst, ALLOCA_COUNT);
  a->type = LLVMGetAllocatedType(inst);
  a->align = edit_alignment(inst);
  a->is_sized = ir_size_of(sizes, a->type, &a->size);
  a->per_iteration = coro_bits_get(&crossing->per_iteration, a->value);
  a->captured_before_begin = coro_bits_get(&crossing->captured_before_begin, a->value);
  a->is_static = LLVMIsAConstantInt(count) && !a->per_iteration && !a->captured_before_begin;
  if (a->is_static)
    a->size = ir_size_product_up_to_max_bytes(a->size, edit_integer_constant_or_maximum(count));
}

static void set_size_and_alignment_of_byval(struct coro_alloca *a, LLVMValueRef function, LLVMTypeRef type,
                                            struct ir_sizes *sizes)
{
  a->type = type;
  a->byval = a->is_static = true;
  a->is_sized = ir_size_of(sizes, type, &a->size);
  a->align = edit_enum_attribute_value_or_0(function, a->value + 1, "align");
  if (!a->align && a->is_sized)
    a->align = LLVMABIAlignmentOfType(sizes->layout, type);
}

static void set_size_and_alignment_of_swifterror(struct coro_alloca *a, LLVMTypeRef type, struct ir_sizes *sizes)
{
  a->type = type;
  a->is_static = true;
  a->is_sized = ir_size_of(sizes, type, &a->size);
  a->align = LLVMABIAlignmentOfType(sizes->layout, type);
}

void alloca_set_type_size_and_alignment(struct coro_alloca *a, const struct coro_lowering *low)
{
  const struct ir_fn *fn = &low->fn;
  if (a->value == low->shape.error)
    set_size_and_alignment_of_swifterror(a, LLVMTypeOf(ir_value(fn, a->value)), low->sizes);
  else if (a->value < fn->arg_count)
    set_size_and_alignment_of_byval(
        a, fn->function, LLVMGetTypeAttributeValue(edit_stack_argument_attribute(fn->function, a->value + 1)),
        low->sizes);
  else
    set_size_and_alignment_of_alloca(a, ir_value(fn, a->value), &low->crossing, low->sizes);
}
