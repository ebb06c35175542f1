/* Tells what an instruction does with an address: reads, writes, derives another address, captures it. */
#include "ir/pointer_use.h"

#include <string.h>

#include "ir/intrin.h"
#include "ir/operand.h"

/* Whether the callee is a sanitizer handler, which receives the address as an integer. The names are reserved. */
static bool is_ubsan_handler(LLVMValueRef callee)
{
  static const char prefix[] = "__ubsan_handle_";
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);
  return LLVMIsDeclaration(callee) && length > sizeof prefix - 1 && memcmp(name, prefix, sizeof prefix - 1) == 0 &&
         LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(callee))) == LLVMVoidTypeKind;
}

static bool is_call_without_effect_on_pointer(LLVMValueRef call)
{
  static const char *const names[] = {"llvm.assume", "llvm.fake.use", "llvm.is.constant", "llvm.objectsize"};
  LLVMValueRef callee = LLVMGetCalledValue(call);
  return intrin_calls_one_of(call, names, sizeof names / sizeof *names) ||
         (LLVMIsAFunction(callee) && is_ubsan_handler(callee));
}

/* Whether an atomic update stores or compares with the address as a value. */
static bool is_stored_or_compared_by_atomic(LLVMValueRef update, LLVMValueRef address)
{
  for (int i = UPDATE_ADDRESS + 1; i < LLVMGetNumOperands(update); i++)
    if (LLVMGetOperand(update, (unsigned)i) == address)
      return true;
  return false;
}

enum pointer_use pointer_use_of(LLVMValueRef user, LLVMValueRef address)
{
  if (LLVMIsABinaryOperator(user))
    return POINTER_USE_COMPUTE;
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMLoad: return POINTER_USE_LOAD;
  case LLVMICmp: return POINTER_USE_COMPARE;
  case LLVMStore: return LLVMGetOperand(user, STORE_VALUE) == address ? POINTER_USE_AS_CONTENT : POINTER_USE_STORE;
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return is_stored_or_compared_by_atomic(user, address) ? POINTER_USE_OTHER : POINTER_USE_UPDATE;
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast: return POINTER_USE_ADDRESS;
  case LLVMFreeze: return POINTER_USE_FREEZE;
  case LLVMPHI:
  case LLVMSelect: return POINTER_USE_MERGE;
  case LLVMPtrToInt: return POINTER_USE_TO_INTEGER;
  case LLVMIntToPtr:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt: return POINTER_USE_COMPUTE;
  case LLVMInsertValue: return POINTER_USE_INSERT;
  case LLVMExtractValue: return POINTER_USE_EXTRACT;
  case LLVMInsertElement:
  case LLVMShuffleVector:
  case LLVMExtractElement: return POINTER_USE_SHUFFLE;
  case LLVMRet: return POINTER_USE_RETURN;
  case LLVMCall:
  case LLVMInvoke: return is_call_without_effect_on_pointer(user) ? POINTER_USE_HINT : POINTER_USE_CALL;
  default: return POINTER_USE_OTHER;
  }
}

struct pointer_arguments pointer_arguments_of(LLVMValueRef call, LLVMValueRef address)
{
  struct pointer_arguments found = {0};
  unsigned arguments = LLVMGetNumArgOperands(call), operands = (unsigned)LLVMGetNumOperands(call);
  for (unsigned i = 0; i < operands; i++) {
    if (LLVMGetOperand(call, i) != address)
      continue;
    found.others |= i >= arguments;
    found.count += i < arguments;
    if (found.count == 1 && i < arguments)
      found.first = i;
  }
  return found;
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
