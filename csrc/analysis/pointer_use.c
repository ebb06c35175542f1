/* Classifies what an instruction does with a pointer operand (capture analysis of one use). */
#include "analysis/pointer_use.h"

#include <string.h>

#include "ir/edit.h"
#include "ir/operand.h"

/* The callee gets a copy of the memory. */
static bool is_byval(LLVMValueRef call, unsigned argument)
{
  return edit_call_or_callee_has_attribute(call, argument + 1, "byval");
}

/* The base name of the intrinsic that the call calls, such as llvm.memcpy; empty for other calls. */
static const char *intrinsic_of(LLVMValueRef call)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  unsigned id = LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
  size_t length = 0;
  return id ? LLVMIntrinsicGetName(id, &length) : "";
}

static bool is_memory_intrinsic(const char *name)
{
  return strncmp(name, "llvm.memcpy", 11) == 0 || strncmp(name, "llvm.memmove", 12) == 0 ||
         strncmp(name, "llvm.memset", 11) == 0;
}

/* Intrinsics that return an address computed from their operand, and do nothing else. */
static bool is_address_intrinsic(const char *name)
{
  return strcmp(name, "llvm.ptrmask") == 0 || strcmp(name, "llvm.launder.invariant.group") == 0 ||
         strcmp(name, "llvm.strip.invariant.group") == 0;
}

static enum pointer_use use_by_call(LLVMValueRef call, LLVMValueRef address)
{
  unsigned arguments = LLVMGetNumArgOperands(call), seen = 0;
  int operands = LLVMGetNumOperands(call), total = 0;
  const char *intrinsic = intrinsic_of(call);
  if (is_address_intrinsic(intrinsic))
    return POINTER_ALIAS;
  for (int i = 0; i < operands; i++)
    total += LLVMGetOperand(call, (unsigned)i) == address;
  for (unsigned a = 0; a < arguments; a++) {
    if (LLVMGetOperand(call, a) != address)
      continue;
    seen++;
    if (!is_memory_intrinsic(intrinsic) && !edit_is_nocapture(call, a) && !is_byval(call, a))
      return POINTER_ESCAPES;
  }
  return (int)seen == total ? POINTER_WRITTEN : POINTER_ESCAPES; /* other operands are bundles or the callee */
}

/* Whether an atomic update stores or compares with the address as a value. */
static bool is_updated_with(LLVMValueRef update, LLVMValueRef address)
{
  for (int i = UPDATE_ADDRESS + 1; i < LLVMGetNumOperands(update); i++)
    if (LLVMGetOperand(update, (unsigned)i) == address)
      return true;
  return false;
}

enum pointer_use pointer_use_of(const struct ir_fn *fn, const struct coro_shape *shape, uint32_t inst,
                                LLVMValueRef address)
{
  LLVMValueRef user = fn->insts[inst];
  if (LLVMIsABinaryOperator(user))
    return POINTER_ALIAS;
  switch (shape->intrin[inst]) {
  case INTRIN_NONE: break;
  case INTRIN_LIFETIME_START: return POINTER_LIFETIME_START;
  case INTRIN_LIFETIME_END: return POINTER_LIFETIME_END;
  case INTRIN_ID: return POINTER_IGNORED;
  default: return POINTER_ESCAPES;
  }
  switch (fn->opcode[inst]) {
  case LLVMLoad:
  case LLVMICmp: return POINTER_READ;
  case LLVMStore: return LLVMGetOperand(user, STORE_VALUE) == address ? POINTER_ESCAPES : POINTER_WRITTEN;
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg: return is_updated_with(user, address) ? POINTER_ESCAPES : POINTER_WRITTEN;
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMPtrToInt:
  case LLVMIntToPtr:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMFreeze:
  case LLVMInsertValue:
  case LLVMInsertElement:
  case LLVMShuffleVector:
  case LLVMExtractValue:
  case LLVMExtractElement: return POINTER_ALIAS;
  case LLVMCall:
  case LLVMInvoke: return use_by_call(user, address);
  default: return POINTER_ESCAPES;
  }
}

bool pointer_is_constant_alias(LLVMValueRef inst)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  if (opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast)
    return true;
  if (opcode != LLVMGetElementPtr)
    return false;
  int count = LLVMGetNumOperands(inst);
  for (int i = 1; i < count; i++)
    if (!LLVMIsAConstantInt(LLVMGetOperand(inst, (unsigned)i)))
      return false;
  return true;
}
