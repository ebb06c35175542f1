/* Parameters of Swift's conventions, passed in ways that LLVM's code generator does well where it does not optimize.
   `swifterror`: plainly. It copies what they hold at the start of a landing pad before the label that the unwinder goes
   to, and loses with it what is read back there. `swiftasync`: in the register of `swiftself`, so that all others stay
   where they are. After one, it selects no instructions fast in all that follows in the module.
   Needs: all code of the engine treated alike. Leaves: the same behaviour; no function that keeps an error in a
   register. */
#include "ir/edit.h"
#include "ir/operand.h"
#include "jit/inside.h"

/* The last parameter of a function, or argument of a call, that is marked; 0: none. */
static unsigned find(LLVMValueRef marked, const char *name)
{
  unsigned place = LLVMIsAFunction(marked) ? LLVMCountParams(marked) : LLVMGetNumArgOperands(marked);
  while (place && !edit_has_attribute(marked, place, name))
    place--;
  return place;
}

/* There can be one of each. Where the module asks where its context is kept, it is kept. */
static void pass_otherwise(LLVMValueRef marked, bool asked)
{
  unsigned error = find(marked, "swifterror");
  if (error)
    edit_remove_attribute(marked, error, "swifterror");
  unsigned context = find(marked, "swiftasync");
  if (asked || !context || find(marked, "swiftself"))
    return;
  edit_remove_attribute(marked, context, "swiftasync");
  edit_add_attribute(marked, context, "swiftself");
}

/* LLVM-C cannot tell whether a variable is marked `swifterror`, which only a single pointer can be. */
static bool may_be_error(LLVMValueRef variable)
{
  uint64_t count;
  return LLVMIsAAllocaInst(variable) && LLVMGetTypeKind(LLVMGetAllocatedType(variable)) == LLVMPointerTypeKind &&
         edit_constant(LLVMGetOperand(variable, ALLOCA_COUNT), &count) && count == 1;
}

/* Puts a variable without the mark in the place of one that may have it. */
static LLVMValueRef make_plain(LLVMBuilderRef builder, LLVMValueRef variable)
{
  LLVMPositionBuilderBefore(builder, variable);
  LLVMValueRef plain = LLVMBuildAlloca(builder, LLVMGetAllocatedType(variable), "");
  edit_set_alignment(plain, edit_alignment(variable));
  edit_replace(variable, plain);
  return plain;
}

static void treat_block(LLVMBuilderRef builder, LLVMBasicBlockRef block, bool asked)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    if (edit_is_call(i))
      pass_otherwise(i, asked);
    if (may_be_error(i))
      i = make_plain(builder, i);
  }
}

void jit_pass_swift_otherwise(LLVMModuleRef module)
{
  bool asked = LLVMGetNamedFunction(module, "llvm.swift.async.context.addr");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    pass_otherwise(f, asked);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      treat_block(builder, b, asked);
  }
  LLVMDisposeBuilder(builder);
}
