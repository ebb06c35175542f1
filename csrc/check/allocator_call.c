/* Compares the arguments of calls of allocators and deallocators; see allocator_call.h. */
#include "check/allocator_call.h"

#include <limits.h>

#include "check/call_rules.h"
#include "check/claim_list.h"
#include "check/heap_helpers.h"
#include "check/verdict.h"
#include "ir/operand.h"
#include "lowering/abi.h"
#include "lowering/allocation_operand.h"

enum { BUFFER_OF_CLONE, CONTEXT_OF_CLONE }; /* parameters of a dynamic coroutine's clones */

/* ---- The function ---- */

static LLVMValueRef allocator_or_deallocator_for(const struct check *c, uint32_t alloc, unsigned operand)
{
  bool own = check_is_dynamic(c) && allocation_is_marked_callee_frame(c->low, alloc) &&
             LLVMGetNumArgOperands(c->low->fn.insts[c->low->shape.id]) > DYNAMIC_FRAME_DEALLOCATOR;
  return own ? check_id_operand(c, operand == RETCON_ALLOCATOR ? DYNAMIC_FRAME_ALLOCATOR : DYNAMIC_FRAME_DEALLOCATOR)
             : check_retcon_operand(c, operand);
}

/* The number of pointers that precede the size, or the memory. */
static unsigned count_pointers_before_size_or_memory(LLVMValueRef function, unsigned operand)
{
  unsigned count = 0, parameters = LLVMCountParams(function);
  if (operand == RETCON_DEALLOCATOR)
    return parameters - 1;
  while (count < parameters && LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, count))) == LLVMPointerTypeKind)
    count++;
  return count;
}

bool allocator_call_is_of_id_operand(const struct check_walk *w, LLVMValueRef call, uint32_t alloc, unsigned operand)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  LLVMValueRef function =
      w->c->low->abi->end_frees_frame ? LLVMIsAFunction(allocator_or_deallocator_for(w->c, alloc, operand)) : NULL;
  if (!function || !LLVMCountParams(function))
    return false;
  unsigned pointers = count_pointers_before_size_or_memory(function, operand);
  return heap_helper_must_replace_null_allocator(w->c, pointers)
             ? heap_helper_replaces_null_allocator(w, callee, function, pointers)
             : callee == function;
}

/* ---- The arguments ---- */

/* The frame, and as the last of the pointers the caller's allocator. Clones are passed both. */
static bool passes_frame_and_allocator(const struct check_walk *w, LLVMValueRef call, unsigned count)
{
  const struct check *c = w->c;
  LLVMValueRef function = w->k->from->function;
  bool ramp = w->k->from->clone_kind == CLONE_RAMP;
  uint32_t context = CONTEXT_OF_CLONE, buffer = BUFFER_OF_CLONE;
  if (ramp && count) {
    context = ir_operand(&c->low->fn, c->low->shape.id, DYNAMIC_CONTEXT);
    buffer = ir_operand(&c->low->fn, c->low->shape.id, DYNAMIC_BUFFER);
  }
  if (count > (check_is_dynamic(c) ? 2u : 0u) ||
      (count && (context >= LLVMCountParams(function) || buffer >= LLVMCountParams(function))))
    return false;
  for (unsigned i = 0; i < count; i++)
    if (LLVMGetOperand(call, i) != LLVMGetParam(function, i + 1 == count ? context : buffer))
      return false;
  return true;
}

/* The value before the lowering has extended or truncated it to the type of a parameter. */
static LLVMValueRef strip_integer_cast(const struct check_clone *k, LLVMValueRef value)
{
  uint32_t inst = ir_inst(&k->fn, value);
  bool added = inst != IR_NONE && k->entries[inst].kind == WITNESS_NONE;
  bool extends = added && k->fn.opcode[inst] == LLVMZExt && !LLVMGetNNeg(value);
  bool truncates = added && k->fn.opcode[inst] == LLVMTrunc && !LLVMGetNUW(value) && !LLVMGetNSW(value);
  return extends || truncates ? LLVMGetOperand(value, CAST_SOURCE) : value;
}

static bool is_cast_of_constant(LLVMValueRef carrier, LLVMValueRef constant)
{
  unsigned to = LLVMGetIntTypeWidth(LLVMTypeOf(carrier)), from = LLVMGetIntTypeWidth(LLVMTypeOf(constant));
  uint64_t mask = to < 64 ? ((uint64_t)1 << to) - 1 : UINT64_MAX;
  return carrier == constant ||
         (LLVMIsAConstantInt(carrier) && LLVMIsAConstantInt(constant) && to <= 64 && from <= 64 &&
          LLVMConstIntGetZExtValue(carrier) == (LLVMConstIntGetZExtValue(constant) & mask));
}

/* Claims that the carrier is the type id of an allocation, or else of the coroutine's id, or else 0. */
static bool claim_type_id_argument(const struct check_walk *w, uint32_t inst, LLVMValueRef carrier, uint32_t alloc)
{
  const struct coro_lowering *low = w->c->low;
  unsigned operand = allocation_type_id_operand_or_max(low, alloc);
  if (operand == UINT_MAX)
    operand = allocation_type_id_operand_or_max(low, alloc = low->shape.id);
  if (operand == UINT_MAX)
    return LLVMIsNull(carrier);
  LLVMValueRef source = LLVMGetOperand(low->fn.insts[alloc], operand);
  if (ir_operand(&low->fn, alloc, operand) == IR_NONE)
    return is_cast_of_constant(carrier, source);
  if (LLVMTypeOf(carrier) != LLVMTypeOf(source))
    carrier = strip_integer_cast(w->k, carrier);
  return LLVMTypeOf(carrier) == LLVMTypeOf(source) && claim_presplit_operand(w->c, w->k, inst, carrier, alloc, operand);
}

bool allocator_call_check(struct check_walk *w, uint32_t inst, uint32_t alloc, unsigned operand, unsigned *index)
{
  LLVMValueRef call = check_walk_inst(w, inst);
  if (!check_type_and_attributes_of_added_call(w, call))
    return false;
  unsigned pointers = count_pointers_before_size_or_memory(allocator_or_deallocator_for(w->c, alloc, operand), operand);
  unsigned arguments = LLVMGetNumArgOperands(call);
  *index = pointers;
  if (arguments <= pointers || arguments > pointers + (operand == RETCON_ALLOCATOR ? 2u : 1u) ||
      !passes_frame_and_allocator(w, call, pointers))
    return check_refute(w->c, w->k, call, "it does not pass the frame and the allocator of the caller");
  return arguments == pointers + 1 || claim_type_id_argument(w, inst, LLVMGetOperand(call, pointers + 1), alloc) ||
         check_refute(w->c, w->k, call, "it passes another type id");
}
