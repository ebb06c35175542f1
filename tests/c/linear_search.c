/* Counts how often passes go to the next instruction of a block, or look at a case of a switch, so that a search of
   quadratic time fails on any machine.
   Requires: the whole library; the linker option --wrap for the two functions of LLVM below. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

LLVMValueRef __real_LLVMGetNextInstruction(LLVMValueRef instruction);
LLVMValueRef __wrap_LLVMGetNextInstruction(LLVMValueRef instruction);

LLVMValueRef __real_LLVMGetSwitchCaseValue(LLVMValueRef instruction, unsigned i);
LLVMValueRef __wrap_LLVMGetSwitchCaseValue(LLVMValueRef instruction, unsigned i);

static unsigned long steps;

LLVMValueRef __wrap_LLVMGetNextInstruction(LLVMValueRef instruction)
{
  steps++;
  return __real_LLVMGetNextInstruction(instruction);
}

LLVMValueRef __wrap_LLVMGetSwitchCaseValue(LLVMValueRef instruction, unsigned i)
{
  steps++;
  return __real_LLVMGetSwitchCaseValue(instruction, i);
}

static unsigned long steps_of_run(const char *text, const char *passes)
{
  coro_module *module = NULL;
  CHECK(coro_module_parse(&module, text, strlen(text), "counted", NULL) == CORO_OK, "the module is read");
  steps = 0;
  CHECK(coro_run(module, passes, NULL, NULL, NULL) == CORO_OK, "%s runs", passes);
  coro_module_free(module);
  return steps;
}

/* A coroutine with a number of unwind ends in one block. */
static unsigned long steps_for_ends_in_one_block(unsigned count)
{
  static const char start[] = "declare i32 @personality(...)\ndeclare void @work()\ndeclare ptr @malloc(i64)\n"
                              "define ptr @f() presplitcoroutine personality ptr @personality {\n"
                              "  %id = call token @llvm.coro.id(i32 16, ptr null, ptr null, ptr null)\n"
                              "  %size = call i64 @llvm.coro.size.i64()\n  %memory = call ptr @malloc(i64 %size)\n"
                              "  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)\n"
                              "  %result = call i8 @llvm.coro.suspend(token none, i1 false)\n"
                              "  switch i8 %result, label %end [ i8 0, label %body\n i8 1, label %end ]\n"
                              "body:\n  invoke void @work() to label %end unwind label %thrown\n"
                              "end:\n  call void @llvm.coro.end(ptr null, i1 false, token none)\n  ret ptr %frame\n"
                              "thrown:\n  %exception = landingpad { ptr, i32 } cleanup\n",
                    end[] = "  call void @llvm.coro.end(ptr null, i1 true, token none)\n",
                    last[] = "  resume { ptr, i32 } %exception\n}\n";
  char *text = malloc(sizeof start + count * sizeof end + sizeof last), *at = text;
  at += sprintf(at, "%s", start);
  for (unsigned i = 0; i < count; i++)
    at += sprintf(at, "%s", end);
  sprintf(at, "%s", last);
  unsigned long counted = steps_of_run(text, "coro-early");
  free(text);
  return counted;
}

/* A coroutine with a phi of that many constants, equal or not, and a switch on it of that many other cases. */
static unsigned long steps_for_phi_and_cases(unsigned count, bool equal)
{
  static const char start[] = "declare i32 @number()\ndeclare ptr @malloc(i64)\n"
                              "define ptr @f() presplitcoroutine {\n"
                              "  %id = call token @llvm.coro.id(i32 16, ptr null, ptr null, ptr null)\n"
                              "  %size = call i64 @llvm.coro.size.i64()\n  %memory = call ptr @malloc(i64 %size)\n"
                              "  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)\n"
                              "  %result = call i8 @llvm.coro.suspend(token none, i1 false)\n"
                              "  switch i8 %result, label %end [ i8 0, label %resumed\n i8 1, label %end ]\n"
                              "end:\n  call void @llvm.coro.end(ptr null, i1 false, token none)\n  ret ptr %frame\n"
                              "chosen:\n  %other = call i32 @number()\n  br label %end\n"
                              "resumed:\n  %n = call i32 @number()\n  switch i32 %n, label %end [\n";
  enum { LONGEST_LINE = 200 };
  char *text = malloc(sizeof start + (size_t)count * 4 * LONGEST_LINE), *at = text;
  at += sprintf(at, "%s", start);
  for (unsigned i = 0; i < count; i++)
    at += sprintf(at, "    i32 %u, label %%p%u\n", i, i);
  at += sprintf(at, "  ]\n");
  for (unsigned i = 0; i < count; i++)
    at += sprintf(at, "p%u:\n  br label %%join\n", i);
  at += sprintf(at, "join:\n  %%phi = phi i32 ");
  for (unsigned i = 0; i < count; i++)
    at += sprintf(at, "%s[ %u, %%p%u ]", i ? ", " : "", equal ? count : count + i, i);
  at += sprintf(at, "\n  switch i32 %%phi, label %%end [\n");
  for (unsigned i = 0; i < count; i++)
    at += sprintf(at, "    i32 %u, label %%chosen\n", i);
  sprintf(at, "  ]\n}\n");
  unsigned long counted = steps_of_run(text, "coro-early,coro-split");
  free(text);
  return counted;
}

int main(void)
{
  unsigned long few = steps_for_ends_in_one_block(100), many = steps_for_ends_in_one_block(1000);
  CHECK(many < 20 * few, "100 ends take %lu steps, 1,000 take %lu", few, many);
  for (int equal = 0; equal < 2; equal++) {
    few = steps_for_phi_and_cases(100, equal);
    many = steps_for_phi_and_cases(1000, equal);
    CHECK(many < 20 * few, "a phi of 100 constants takes %lu steps, one of 1,000 takes %lu", few, many);
  }
  return check_done("linear_search");
}
