/* Leaving: the calls without an unwind edge by which an exception may leave a function.
   Needs: ir. Leaves: the function as it was. */
#include "pass/leaving.h"

#include <string.h>

#include "ir/edit.h"
#include "ir/operand.h"
#include "pass/escapes.h"

enum { LOOKED_AT = 1000 }; /* instructions of a part: the cost of a caller must not grow with its callees */

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

static bool may_throw(LLVMValueRef call)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (edit_call_has_attribute(call, "nounwind"))
    return false;
  if (LLVMIsAInlineAsm(callee))
    return LLVMGetInlineAsmCanUnwind(callee);
  return !LLVMIsAFunction(callee) || !edit_has_attribute(callee, on_function, "nounwind");
}

/* What leaves a program's main ends the program: nobody is there to handle it. A main that calls itself is another. */
static bool is_whole_program(LLVMValueRef function)
{
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);
  return length == 4 && memcmp(name, "main", 4) == 0 && LLVMGetLinkage(function) == LLVMExternalLinkage &&
         edit_has_attribute(function, on_function, "norecurse");
}

void leaving_init(struct leaving *leaving, struct coro_arena *arena, LLVMValueRef function)
{
  leaving->never = edit_has_attribute(function, on_function, "nounwind") || is_whole_program(function);
  coro_map_init(&leaving->blocks, arena);
}

bool leaving_by(const struct leaving *leaving, LLVMValueRef instruction)
{
  return !leaving->never && LLVMGetInstructionOpcode(instruction) == LLVMCall && may_throw(instruction);
}

bool leaving_in(struct leaving *leaving, LLVMBasicBlockRef block)
{
  uint64_t key = (uint64_t)(uintptr_t)block, found = 0;
  if (coro_map_get(&leaving->blocks, key, &found))
    return found;
  for (LLVMValueRef at = LLVMGetFirstInstruction(block); at && !found; at = LLVMGetNextInstruction(at))
    found = leaving_by(leaving, at);
  (void)coro_map_put(&leaving->blocks, key, found); /* the arena remembers where it failed */
  return found;
}

/* Instructions that hand an exception on to the caller have no successor, or none for it. */
static bool hands_on(LLVMValueRef at)
{
  switch (LLVMGetInstructionOpcode(at)) {
  case LLVMCall: return may_throw(at);
  case LLVMResume: return true;
  case LLVMCleanupRet:
  case LLVMCatchSwitch: return !LLVMGetUnwindDest(at);
  default: return false;
  }
}

bool leaving_body_known(LLVMValueRef part)
{
  if (!LLVMIsAFunction(part) || LLVMIsDeclaration(part))
    return false;
  LLVMLinkage linkage = LLVMGetLinkage(part);
  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage || linkage == LLVMExternalLinkage;
}

bool leaving_never(LLVMValueRef part)
{
  uint32_t looked_at = 0;
  if (!leaving_body_known(part))
    return LLVMIsAFunction(part) && edit_has_attribute(part, on_function, "nounwind");
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(part); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (++looked_at > LOOKED_AT || hands_on(at))
        return false;
  return true;
}

bool leaving_may_keep(LLVMValueRef call)
{
  unsigned count = LLVMGetNumArgOperands(call);
  if (LLVMGetNumOperandBundles(call))
    return true;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef argument = LLVMGetOperand(call, i);
    bool pointer = LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind && !LLVMIsConstant(argument);
    if (pointer && !edit_captures_nothing(call, i))
      return true;
  }
  return false;
}

/* `select(destroy slot == f.cleanup, null, frame)`: null where the frame is a caller's, as it would be. */
static bool is_null_on_stack(LLVMValueRef use, LLVMValueRef cleanup)
{
  if (LLVMGetInstructionOpcode(use) != LLVMSelect || !LLVMIsAConstantPointerNull(LLVMGetOperand(use, SELECT_TRUE)))
    return false;
  LLVMValueRef condition = LLVMGetOperand(use, SELECT_CONDITION);
  return LLVMIsAICmpInst(condition) && LLVMGetICmpPredicate(condition) == LLVMIntEQ &&
         LLVMGetOperand(condition, COMPARE_RIGHT) == cleanup;
}

bool leaving_keeps_private(struct pass_run *run, LLVMValueRef part, LLVMValueRef cleanup)
{
  pass_values uses = {0};
  if (!leaving_body_known(part) || !LLVMCountParams(part))
    return false;
  if (!pass_escapes(run, LLVMGetParam(part, 0), &uses))
    return false; /* the arena remembers that memory ran out */
  for (uint32_t i = 0; i < uses.count; i++)
    if (edit_is_call(uses.items[i]) ? leaving_may_keep(uses.items[i]) : !is_null_on_stack(uses.items[i], cleanup))
      return false;
  return true;
}
