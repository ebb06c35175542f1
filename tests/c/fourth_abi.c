/* The ABI interface: an ABI that the engine does not contain lowers a coroutine, which then runs. Its coroutine has one
   clone, f.step, which continues at the suspend whose index is at the frame's start; a suspend returns the number of
   resumes. All its decisions are in struct coro_abi and struct emit_hooks.
   Requires: the directories of the engine up to csrc/split. */
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "abi/split.h"
#include "check.h"
#include "emit/declare.h"
#include "emit/frame_address.h"
#include "emit/lookup.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/ExecutionEngine.h"
#include "llvm-c/IRReader.h"
#include "run/passes.h"

static const char source[] = "define ptr @f(i32 %n, ptr %out) presplitcoroutine {\n"
                             "entry:\n"
                             "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
                             "  %size = call i32 @llvm.coro.size.i32()\n"
                             "  %memory = call ptr @malloc(i32 %size)\n"
                             "  %frame = call ptr @llvm.coro.begin.custom.abi(token %id, ptr %memory, i32 0)\n"
                             "  br label %loop\n"
                             "loop:\n"
                             "  %i = phi i32 [ %n, %entry ], [ %next, %more ]\n"
                             "  store i32 %i, ptr %out\n"
                             "  %s = call i8 @llvm.coro.suspend(token none, i1 false)\n"
                             "  switch i8 %s, label %end [ i8 0, label %more ]\n"
                             "more:\n"
                             "  %next = mul i32 %i, 3\n"
                             "  %large = icmp sgt i32 %next, 100\n"
                             "  br i1 %large, label %last, label %loop\n"
                             "last:\n"
                             "  store i32 -1, ptr %out\n"
                             "  %e = call i8 @llvm.coro.suspend(token none, i1 false)\n"
                             "  br label %end\n"
                             "end:\n"
                             "  store i32 -2, ptr %out\n"
                             "  call void @free(ptr %frame)\n"
                             "  call void @llvm.coro.end(ptr %frame, i1 false, token none)\n"
                             "  unreachable\n"
                             "}\n"
                             "declare ptr @malloc(i32)\n"
                             "declare void @free(ptr)\n"
                             "declare token @llvm.coro.id(i32, ptr, ptr, ptr)\n"
                             "declare i32 @llvm.coro.size.i32()\n"
                             "declare ptr @llvm.coro.begin.custom.abi(token, ptr, i32)\n"
                             "declare i8 @llvm.coro.suspend(token, i1)\n"
                             "declare void @llvm.coro.end(ptr, i1, token)\n";

static coro_status check(const struct coro_lowering *low)
{
  return low->shape.suspend_count
             ? CORO_OK
             : coro_reject(low, "steps", low->shape.id, "there is no step to take", "suspend once");
}

static void header(const struct coro_lowering *low, struct coro_frame_header *h)
{
  *h = (struct coro_frame_header){.align = 8, .allocator_align = 16, .max_spill_align = 8, .end = 8};
  h->fields[h->count++] = (struct coro_field){
      .kind = CORO_FIELD_INDEX, .value = IR_NONE, .type = LLVMInt64TypeInContext(low->context), .size = 8, .align = 8};
}

static LLVMTypeRef step_type(const struct coro_lowering *low)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(low->context, 0);
  return LLVMFunctionType(pointer, &pointer, 1, false);
}

static LLVMValueRef number(const struct emit *e, uint32_t value)
{
  return LLVMConstInt(LLVMInt64TypeInContext(e->low->context), value, false);
}

static bool lower(struct emit *e, uint32_t inst, enum intrin intrin)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(e->low->context, 0);
  switch (intrin) {
  case INTRIN_BEGIN: e->frame = emit_operand(e, inst, 1); return true;
  case INTRIN_SUSPEND:
    LLVMBuildStore(e->builder, number(e, e->low->shape.suspend_of[inst]), emit_address_at_frame_offset(e, 0, ""));
    LLVMBuildRet(e->builder, e->frame);
    return e->returned = true;
  case INTRIN_END: LLVMBuildRet(e->builder, LLVMConstNull(pointer)); return e->returned = true;
  default: return true;
  }
}

static LLVMValueRef suspend_result(struct emit *e, uint32_t suspend, uint32_t node)
{
  (void)suspend;
  (void)node;
  return LLVMConstInt(LLVMInt8TypeInContext(e->low->context), 0, false);
}

static bool enter(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  e->frame = LLVMGetParam(e->function, 0);
  LLVMValueRef at = LLVMBuildLoad2(e->builder, LLVMInt64TypeInContext(low->context), e->frame, "at");
  e->field_address_position =
      LLVMBuildSwitch(e->builder, at, e->blocks[cfg_landing(&low->cfg, 0)], low->shape.suspend_count);
  for (uint32_t k = 1; k < low->shape.suspend_count; k++)
    LLVMAddCase(e->field_address_position, number(e, k), e->blocks[cfg_landing(&low->cfg, k)]);
  return true;
}

static uint32_t one(const struct coro_lowering *low)
{
  (void)low;
  return 1;
}

static LLVMValueRef declare(const struct coro_lowering *low, uint32_t clone)
{
  (void)clone;
  return declare_function(low, "step", step_type(low));
}

static unsigned fourth_clone_kind(const struct coro_lowering *low, uint32_t clone, uint32_t *landing)
{
  (void)low;
  (void)clone;
  (void)landing;
  return CLONE_RESUME;
}

static const struct abi_clones clones = {
    .hooks = {.enter_clone = enter, .intrinsic = lower, .suspend_result = suspend_result},
    .count = one,
    .declare = declare,
    .clone_kind = fourth_clone_kind};

static const struct coro_abi steps = {.name = "steps",
                                      .ids = 1u << CORO_ABI_SWITCH,
                                      .suspend_returns = true,
                                      .check = check,
                                      .header = header,
                                      .clones = &clones};

static LLVMModuleRef parse(LLVMContextRef context)
{
  char *message = NULL;
  LLVMModuleRef module = NULL;
  LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRangeCopy(source, sizeof source - 1, "steps");
  CHECK(!LLVMParseIRInContext(context, text, &module, &message), "%s", message);
  return module;
}

static coro_status lower_module(LLVMModuleRef module, const struct coro_abi *const *abis, size_t count)
{
  static const coro_options options = CORO_OPTIONS_INIT;
  struct intrin_table table;
  bool changed = false;
  intrin_table_init(&table);
  struct pass_run run = {.module = module,
                         .context = LLVMGetModuleContext(module),
                         .layout = LLVMGetModuleDataLayout(module),
                         .intrin = &table,
                         .arena = coro_arena_create(),
                         .options = &options,
                         .abis = abis,
                         .abi_count = count};
  coro_status status = coro_pass_split(&run, LLVMGetNamedFunction(module, "f"), &changed);
  if (status == CORO_OK)
    status = coro_pass_cleanup(&run, NULL, &changed);
  coro_arena_free(run.arena);
  return status;
}

/* Compiled code reports its position through `out`. */
static void run_it(LLVMModuleRef module)
{
  char *message = NULL;
  LLVMExecutionEngineRef engine;
  int32_t out = 0;
  static const int32_t wanted[] = {27, 81, -1, -2};
  LLVMLinkInMCJIT();
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  CHECK(!LLVMCreateMCJITCompilerForModule(&engine, module, NULL, 0, &message), "%s", message);
  void *(*ramp)(int32_t, int32_t *) = (void *(*)(int32_t, int32_t *))(uintptr_t)LLVMGetFunctionAddress(engine, "f");
  void *frame = ramp(9, &out);
  void *(*step)(void *) = (void *(*)(void *))(uintptr_t)LLVMGetFunctionAddress(engine, "f.step");
  CHECK(frame && out == 9, "%d", out);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    frame = step(frame);
    CHECK(out == wanted[i], "step %zu gave %d", i, out);
  }
  CHECK(!frame, "it has ended");
  LLVMDisposeExecutionEngine(engine);
}

int main(void)
{
  const struct coro_abi *abis[] = {&steps};
  char *message = NULL;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef refused = parse(context), module = parse(context);
  CHECK(lower_module(refused, NULL, 0) == CORO_EREJECTED, "no ABI has the index");
  LLVMDisposeModule(refused);
  CHECK(lower_module(module, abis, 1) == CORO_OK, "it is lowered");
  CHECK(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
  LLVMDisposeMessage(message);
  LLVMSetLinkage(LLVMGetNamedFunction(module, "f.step"), LLVMExternalLinkage); /* to look it up by name */
  CHECK(LLVMGetNamedFunction(module, "f.step") && !LLVMGetNamedFunction(module, "f.resume"),
        "the ABI names the clones");
  run_it(module);
  LLVMContextDispose(context);
  return check_done("fourth_abi");
}
