/* Which values of a branch the checker of lowerings takes as certain: not those that come from undefined elements of
   vectors, from a freeze of poison, or from the bits of a NaN, although constant folding gives a number for them.
   Requires: the whole library. */
#include <string.h>

#include "check.h"
#include "check/evaluate.h"
#include "ir/constant_fold.h"
#include "pycoro.h"

/* Computes %x from %p. */
static const struct {
  const char *name, *body;
  uint64_t constant;
  enum { NOT_FOLDED, UNCERTAIN, CERTAIN } result;
} cases[] = {
    {"integers", "%y = add i64 %p, 3\n %x = icmp ult i64 %y, 5\n", 1, CERTAIN},
    {"a vector",
     "%v = insertelement <2 x i64> <i64 7, i64 1>, i64 %p, i32 1\n %y = extractelement <2 x i64> %v, i32 1\n"
     " %x = icmp eq i64 %y, 1\n",
     1, CERTAIN},
    {"an undefined element",
     "%v = insertelement <2 x i64> <i64 undef, i64 1>, i64 %p, i32 1\n %w = and <2 x i64> %v, <i64 0, i64 0>\n"
     " %y = extractelement <2 x i64> %w, i32 0\n %x = icmp eq i64 %y, 0\n",
     1, UNCERTAIN},
    {"a poison element",
     "%v = insertelement <2 x i64> <i64 poison, i64 1>, i64 %p, i32 1\n"
     " %y = extractelement <2 x i64> %v, i32 1\n %x = icmp eq i64 %y, 1\n",
     1, UNCERTAIN},
    {"the sign of a NaN",
     "%d = sitofp i64 %p to double\n %n = fdiv double %d, %d\n %y = bitcast double %n to i64\n"
     " %x = icmp slt i64 %y, 0\n",
     0, UNCERTAIN},
    {"the sign of another number",
     "%d = sitofp i64 %p to double\n %n = fdiv double %d, %d\n %y = bitcast double %n to i64\n"
     " %x = icmp slt i64 %y, 0\n",
     2, CERTAIN},
    {"the bits of infinity",
     "%d = sitofp i64 %p to float\n %n = fdiv float %d, 0.0\n %y = bitcast float %n to i32\n"
     " %x = icmp slt i32 %y, 0\n",
     2, CERTAIN},
    {"a frozen overflow", "%y = add nuw i64 %p, -1\n %z = freeze i64 %y\n %x = icmp eq i64 %z, 0\n", 1, NOT_FOLDED},
    {"a frozen sum", "%y = add i64 %p, -1\n %z = freeze i64 %y\n %x = icmp eq i64 %z, 0\n", 1, CERTAIN},
    {"a comparison of a NaN", "%d = sitofp i64 %p to double\n %n = fdiv double %d, %d\n %x = fcmp uno double %n, 0.0\n",
     0, CERTAIN},
    {"a flag", "%y = lshr exact i64 %p, 1\n %x = icmp eq i64 %y, 0\n", 1, CERTAIN},
    {"a freeze", "%y = lshr i64 %p, 1\n %z = freeze i64 %y\n %x = icmp eq i64 %z, 0\n", 1, CERTAIN},
    {"a freeze of poison", "%y = lshr exact i64 %p, 1\n %z = freeze i64 %y\n %x = icmp eq i64 %z, 0\n", 1, NOT_FOLDED},
};

static void judge(size_t i)
{
  char text[1024];
  coro_module *module = NULL;
  coro_diags *diags = NULL;
  snprintf(text, sizeof text,
           "define i64 @f(i1 %%c) {\nentry:\n br i1 %%c, label %%a, label %%b\na:\n br label %%b\nb:\n"
           " %%p = phi i64 [ 0, %%entry ], [ 1, %%a ]\n %s br i1 %%x, label %%then, label %%other\n"
           "then:\n ret i64 0\nother:\n ret i64 1\n}\n",
           cases[i].body);
  CHECK(!coro_diags_create(&diags) && !coro_module_parse(&module, text, strlen(text), "branch", diags), "%s: a module",
        cases[i].name);
  LLVMValueRef function = module ? LLVMGetNamedFunction(coro_module_llvm(module), "f") : NULL;
  LLVMBasicBlockRef block =
      function ? LLVMGetNextBasicBlock(LLVMGetNextBasicBlock(LLVMGetFirstBasicBlock(function))) : NULL;
  if (block) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block), phi = LLVMGetFirstInstruction(block);
    LLVMValueRef constant = LLVMConstInt(LLVMTypeOf(phi), cases[i].constant, false);
    CHECK((evaluate_successor(branch, phi, constant) == CONSTANT_SUCCESSOR_UNKNOWN) == (cases[i].result == NOT_FOLDED),
          "whether %s is folded", cases[i].name);
    CHECK(evaluate_is_never_undef_or_poison(LLVMGetCondition(branch), phi, constant) == (cases[i].result == CERTAIN),
          "%s", cases[i].name);
  }
  coro_module_free(module);
  coro_diags_free(diags);
}

int main(void)
{
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    judge(i);
  return check_done("test_evaluate");
}
