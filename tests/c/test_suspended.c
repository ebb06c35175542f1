/* The checker of lowerings refutes a reload where control may have suspended. Each case has one suspend, whose landing
   and exit lead to common code. The test moves the reload of %v in f.resume from the entry to the block %at.
   Requires: a linker that replaces calls of check_lowering by __wrap_check_lowering. */
#include <string.h>

#include "check.h"
#include "check/check.h"
#include "ir/edit.h"
#include "lowering/lowering.h"
#include "pycoro.h"

static const struct {
  const char *name, *body;
  bool refuted;
} cases[] = {
    {"only the landing leads there",
     "loop:\n %s = call i8 @llvm.coro.suspend(token none, i1 false)\n call void @use(i32 1)\n"
     " %x = add i8 %s, 1\n switch i8 %x, label %out [ i8 1, label %at\n i8 2, label %cleanup ]\n"
     "at:\n call void @use(i32 %v)\n br label %loop\n",
     false},
    /* If control has suspended, %t is poison, and %x any number. */
    {"the result of the suspend leaves the branch open",
     "loop:\n %s = call i8 @llvm.coro.suspend(token none, i1 false)\n call void @use(i32 1)\n"
     " %t = lshr i8 1, %s\n %x = freeze i8 %t\n"
     " switch i8 %x, label %out [ i8 1, label %at\n i8 0, label %cleanup ]\n"
     "at:\n call void @use(i32 %v)\n br label %loop\n",
     true},
    {"the result of the suspend overflows",
     "loop:\n %s = call i8 @llvm.coro.suspend(token none, i1 false)\n call void @use(i32 1)\n"
     " %t = add nuw i8 %s, 1\n %x = freeze i8 %t\n"
     " switch i8 %x, label %out [ i8 1, label %at\n i8 2, label %cleanup ]\n"
     "at:\n call void @use(i32 %v)\n br label %loop\n",
     true},
    /* The state on the edge from %last to %at is that of %ready, which depends on the back edge from %waits. */
    {"the state before a phi changes after the branch on it was examined",
     "loop:\n br label %at\n"
     "at:\n call void @use(i32 %v)\n br label %inner\n"
     "inner:\n %c = call i1 @choose()\n br i1 %c, label %ready, label %wait\n"
     "wait:\n %s = call i8 @llvm.coro.suspend(token none, i1 false)\n"
     " switch i8 %s, label %waits [ i8 0, label %at\n i8 1, label %cleanup ]\n"
     "waits:\n %d = call i1 @choose()\n br i1 %d, label %inner, label %stop\n"
     "stop:\n call void @use(i32 3)\n br label %join\n"
     "ready:\n call void @use(i32 2)\n br label %join\n"
     "join:\n %more = phi i1 [ false, %stop ], [ true, %ready ]\n call void @use(i32 1)\n br label %last\n"
     "last:\n br i1 %more, label %at, label %out\n",
     true},
};

coro_status __real_check_lowering(struct coro_lowering *low);
coro_status __wrap_check_lowering(struct coro_lowering *low);

static bool refutes, found; /* the answer for the clone with the reload in %at */

static LLVMBasicBlockRef block_with_name(LLVMValueRef function, const char *name)
{
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
  while (block && strcmp(LLVMGetBasicBlockName(block), name) != 0)
    block = LLVMGetNextBasicBlock(block);
  return block;
}

static LLVMValueRef reload_of_v(LLVMBasicBlockRef block)
{
  LLVMValueRef inst = LLVMGetFirstInstruction(block);
  size_t length;
  while (inst && strcmp(LLVMGetValueName2(inst, &length), "v.reload") != 0)
    inst = LLVMGetNextInstruction(inst);
  return inst;
}

coro_status __wrap_check_lowering(struct coro_lowering *low)
{
  LLVMValueRef resume = LLVMGetNamedFunction(low->module, "f.resume");
  LLVMBasicBlockRef at = resume ? block_with_name(resume, "at") : NULL;
  LLVMValueRef reload = resume ? reload_of_v(LLVMGetEntryBasicBlock(resume)) : NULL;
  if (reload && at) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(low->context);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(at));
    LLVMInstructionRemoveFromParent(reload);
    LLVMInsertIntoBuilderWithName(builder, reload, "v.reload");
    LLVMDisposeBuilder(builder);
    found = true;
  }
  coro_status status = __real_check_lowering(low);
  refutes = status == CORO_EBUG;
  return status;
}

static void judge(size_t i)
{
  char text[4096];
  coro_module *module = NULL;
  coro_report *report = NULL;
  coro_diags *diags = NULL;
  coro_options options = CORO_OPTIONS_INIT;
  options.check = true;
  snprintf(text, sizeof text,
           "declare void @use(i32)\ndeclare i1 @choose()\ndeclare i32 @next()\ndeclare ptr @malloc(i64)\n"
           "declare void @free(ptr)\ndeclare token @llvm.coro.id(i32, ptr, ptr, ptr)\n"
           "declare i64 @llvm.coro.size.i64()\ndeclare ptr @llvm.coro.begin(token, ptr)\n"
           "declare i8 @llvm.coro.suspend(token, i1)\ndeclare ptr @llvm.coro.free(token, ptr)\n"
           "declare void @llvm.coro.end(ptr, i1, token)\n"
           "define ptr @f() presplitcoroutine {\n"
           " %%id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
           " %%size = call i64 @llvm.coro.size.i64()\n %%memory = call ptr @malloc(i64 %%size)\n"
           " %%handle = call ptr @llvm.coro.begin(token %%id, ptr %%memory)\n %%v = call i32 @next()\n"
           " br label %%loop\n%scleanup:\n %%block = call ptr @llvm.coro.free(token %%id, ptr %%handle)\n"
           " call void @free(ptr %%block)\n br label %%out\n"
           "out:\n call void @llvm.coro.end(ptr %%handle, i1 false, token none)\n ret ptr %%handle\n}\n",
           cases[i].body);
  refutes = found = false;
  CHECK(!coro_diags_create(&diags) && !coro_module_parse(&module, text, strlen(text), "input", diags), "%s: a module",
        cases[i].name);
  if (module)
    (void)coro_run(module, "coro-early,cgscc(coro-split)", &options, &report, diags);
  bool answered = coro_diags_count(diags) == (refutes ? 1 : 0);
  CHECK(found, "%s: a reload to move", cases[i].name);
  CHECK(answered, "%s: %s", cases[i].name, coro_diags_count(diags) ? coro_diags_get(diags, 0)->message : "refuted");
  CHECK(refutes == cases[i].refuted, "%s: %s", cases[i].name, refutes ? "refuted" : "proved");
  if (refutes)
    CHECK(strstr(coro_diags_get(diags, 0)->message, "it accesses the frame, which may be freed"), "%s: %s",
          cases[i].name, coro_diags_get(diags, 0)->message);
  coro_report_free(report);
  coro_module_free(module);
  coro_diags_free(diags);
}

int main(void)
{
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    judge(i);
  return check_done("test_suspended");
}
