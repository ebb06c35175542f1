/* Counts how often passes go to the next instruction of a block, so that a search of quadratic time fails on any
   machine.
   Requires: the whole library; the linker option --wrap=LLVMGetNextInstruction. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

LLVMValueRef __real_LLVMGetNextInstruction(LLVMValueRef instruction);
LLVMValueRef __wrap_LLVMGetNextInstruction(LLVMValueRef instruction);

static unsigned long steps;

LLVMValueRef __wrap_LLVMGetNextInstruction(LLVMValueRef instruction)
{
  steps++;
  return __real_LLVMGetNextInstruction(instruction);
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

int main(void)
{
  unsigned long few = steps_for_ends_in_one_block(100), many = steps_for_ends_in_one_block(1000);
  CHECK(many < 20 * few, "100 ends take %lu steps, 1,000 take %lu", few, many);
  return check_done("linear_search");
}
